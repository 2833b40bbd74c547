#!/bin/sh
# Makes the manifests for those who have no Helm from packaging/helm/chagres: packaging/kubernetes/render.sh [DIR]
# DIR is this directory if nothing is given. HELM names the program.
set -eu
here=$(CDPATH='' cd -P -- "$(dirname -- "$0")" && pwd)
out=${1:-$here}

# render FILE ARGUMENT...
render() {
    file=$1
    shift
    "${HELM:-helm}" template chagres "$here/../helm/chagres" --namespace chagres --kube-version 1.33.1 --set plain=true "$@" \
        >"$out/$file.new"
    {
        echo "# Made from packaging/helm/chagres by packaging/kubernetes/render.sh. Set the store and the image."
        cat "$out/$file.new"
    } >"$out/$file"
    rm "$out/$file.new"
}

parts=''
for part in namespace serviceaccount configmap networkpolicy daemonset; do
    parts="$parts --show-only templates/$part.yaml"
done
# shellcheck disable=SC2086 # words
render daemonset.yaml $parts
render compact.yaml --show-only templates/compact.yaml
render sidecar.yaml --set sidecar.enabled=true --show-only templates/sidecar.yaml
