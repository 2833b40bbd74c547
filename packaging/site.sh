#!/bin/sh
# Builds the site of the documents as a folder of pages, with search and without a server.
#
#   packaging/site.sh DIR    DIR must not exist yet; DIR/index.html is the first page
#
# It is made by MkDocs and its theme Material, in the versions of packaging/site/requirements.txt: those of python3 where it has
# them, else in an environment of their own, target/site-tools, for which pip fetches them once. Building then asks the network
# for nothing, and neither do the pages. A link that leads nowhere, an anchor that is not there and a document that the site
# leaves out end it with exit code 1. Two sites of the same documents are equal byte by byte (SOURCE_DATE_EPOCH).
set -eu
umask 022
here=$(CDPATH='' cd -P -- "$(dirname -- "$0")/.." && pwd)

fail() {
    printf 'site.sh: %s\n' "$*" >&2
    exit 1
}

[ $# = 1 ] && [ -n "$1" ] || fail "usage: packaging/site.sh DIR"
[ ! -e "$1" ] || fail "$1 is there already"
command -v python3 >/dev/null || fail "needs python3"
: "${SOURCE_DATE_EPOCH:=$(git -C "$here" log -1 --format=%ct 2>/dev/null || echo 0)}"
export SOURCE_DATE_EPOCH

wanted=$here/packaging/site/requirements.txt
tools=$here/target/site-tools
python=python3
has_tools() { "$1" -m pip freeze 2>/dev/null | grep -qxF "$(grep '^mkdocs-material==' "$wanted")"; }
has_tools python3 || {
    python=$tools/bin/python3
    has_tools "$python" || {
        rm -rf "$tools"
        python3 -m venv "$tools" || fail "needs the module venv (apt install python3-venv)"
        "$python" -m pip install -q --disable-pip-version-check -r "$wanted" || fail "pip could not fetch $wanted"
    }
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
mkdir "$work/documents"
cp "$here/packaging/site/mkdocs.yml" "$work"
"$python" "$here/packaging/site/take_documents.py" "$here" "$work/documents"
cp "$here/packaging/site/site.css" "$work/documents"
mkdir "$work/documents/assets"
cp "$here/packaging/site/iframe-worker.js" "$work/documents/assets"
# Without -q, which would hide warnings from strict mode as well. The theme prints an advertisement unless it is told not to.
NO_MKDOCS_2_WARNING=1 "$python" -m mkdocs build -f "$work/mkdocs.yml" -d "$work/site" >"$work/said" 2>&1 || {
    grep -v '^INFO' "$work/said" >&2
    fail "a document is not right"
}
mkdir -p "$(dirname -- "$1")"
mv "$work/site" "$1"
