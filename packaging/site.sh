#!/bin/sh
# Builds the site of the documents as a folder of pages, with search and without a server.
#
#   packaging/site.sh [--pinned] DIR [SOURCES]    DIR must not exist yet; DIR/index.html is the first page
#
# SOURCES is the checkout, or what 'git archive' took of one, whose documents are taken (default: that of this script).
# The site is made by MkDocs and its theme Material, in the versions of packaging/site/requirements.txt: those of
# python3 where it has the theme in that version, else in an environment of their own, target/site-tools, for which pip
# fetches them once. With --pinned it is always that environment: what python3 has beside the theme changes bytes of pages.
# Building then asks the network for nothing, and neither do the pages. A link that leads nowhere, an anchor that is not
# there and a document that the site leaves out end it with exit code 1. Two sites of the same documents by the same
# versions are equal byte by byte (SOURCE_DATE_EPOCH).
set -eu
umask 022
here=$(CDPATH='' cd -P -- "$(dirname -- "$0")/.." && pwd)

fail() {
    printf 'site.sh: %s\n' "$*" >&2
    exit 1
}

pinned=
[ "${1-}" != --pinned ] || { pinned=1 && shift; }
[ $# -ge 1 ] && [ $# -le 2 ] && [ -n "$1" ] || fail "usage: packaging/site.sh [--pinned] DIR [SOURCES]"
[ ! -e "$1" ] || fail "$1 is there already"
sources=${2-$here}
command -v python3 >/dev/null || fail "needs python3"
: "${SOURCE_DATE_EPOCH:=$(git -C "$sources" log -1 --format=%ct 2>/dev/null || echo 0)}"
export SOURCE_DATE_EPOCH

wanted=$here/packaging/site/requirements.txt
tools=$here/target/site-tools
python=python3
has_tools() { "$1" -m pip freeze 2>/dev/null | grep -qxF "$(grep '^mkdocs-material==' "$wanted")"; }
{ [ -z "$pinned" ] && has_tools python3; } || {
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
cp "$sources/packaging/site/mkdocs.yml" "$work"
"$python" "$here/packaging/site/take_documents.py" "$sources" "$work/documents"
cp "$sources/packaging/site/site.css" "$work/documents"
mkdir "$work/documents/assets"
cp "$sources/packaging/site/iframe-worker.js" "$work/documents/assets"
# Without -q, which would hide warnings from strict mode as well. The theme prints an advertisement unless told not to.
NO_MKDOCS_2_WARNING=1 "$python" -m mkdocs build -f "$work/mkdocs.yml" -d "$work/site" >"$work/said" 2>&1 || {
    grep -v '^INFO' "$work/said" >&2
    fail "a document is not right"
}
mkdir -p "$(dirname -- "$1")"
mv "$work/site" "$1"
