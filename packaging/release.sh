#!/bin/sh
# Makes everything that a release has:
#
#   packaging/release.sh VERSION DIR              of this machine's architecture, from the sources of the last commit
#   packaging/release.sh VERSION DIR PARTS...     of what 'parts' has made, also on other machines, one folder each
#   packaging/release.sh parts VERSION DIR        what one architecture adds: packages, image, components; jars
#
# DIR must not exist yet. It receives
#   chagres-VERSION-linux-ARCH.tar.gz, chagres_VERSION_ARCH.deb, and those of the stores
#   chagres-VERSION.oci.tar      an image for all architectures
#   apt/                         a repository: deb [signed-by=DIR/chagres.asc] file:DIR/apt stable main
#   maven/                       the libraries with sources, documentation and the BOM
#   chagres-VERSION.tar.gz, chagres-VERSION-py3-none-any.whl   the package for Python (with pip install build==1.6.1)
#   chagres-chart-VERSION.tgz    the chart for Helm
#   chagres-VERSION.cdx.json     the list of components
#   NOTES.md                     what CHANGELOG.md says of VERSION, or of what is unreleased
#   SHA256SUMS                   of all files, and with a key SHA256SUMS.asc and chagres.asc
# An architecture is left out if no part is of it: a runtime and its AOT cache are made where they run.
#
# In the environment:
#   CHAGRES_SIGN_KEY     the key of gpg that signs, by name or fingerprint; without one nothing is signed
#   CHAGRES_AOT          a folder of AOT caches of an earlier build of these sources (build.sh), so that packages are equal
#   SOURCE_DATE_EPOCH    the time of all files (default: that of the last commit)
#   JAVA_HOME            the JDK that builds
#
# Two releases of one commit are equal byte by byte, if the second has the AOT caches of the first (see build.sh).
set -eu
umask 022
here=$(CDPATH='' cd -P -- "$(dirname -- "$0")/.." && pwd)

fail() {
    printf 'release.sh: %s\n' "$*" >&2
    exit 1
}
step() { printf 'release.sh: %s\n' "$*"; }

parts_only=
[ "${1-}" != parts ] || { parts_only=1 && shift; }
[ $# -ge 2 ] && [ -n "$2" ] || fail "usage: packaging/release.sh [parts] VERSION DIR [PARTS...]"
version=$1 out=$2
shift 2
case $version in [0-9]*.[0-9]*.[0-9]*) ;; *) fail "VERSION is three numbers, as 1.2.0, and not $version" ;; esac
[ ! -e "$out" ] || fail "$out is there already"
: "${SOURCE_DATE_EPOCH:=$(git -C "$here" log -1 --format=%ct)}"
export SOURCE_DATE_EPOCH
for tool in ${CHAGRES_SIGN_KEY:+gpg} dpkg-scanpackages; do
    command -v $tool >/dev/null || [ -n "$parts_only" ] || fail "needs $tool (apt install gnupg dpkg-dev)"
done
mkdir -p "$out"
out=$(CDPATH='' cd -P -- "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# ---- What one architecture adds ------------------------------------------------------------------------------------

# Sources of the last commit, with the version in place of the one that the sources have.
take_sources() {
    mkdir "$work/source"
    git -C "$here" archive HEAD | tar -x -C "$work/source"
    was=$(sed -n 's/^ *<version>\(.*\)<.*/\1/p' "$work/source/pom.xml" | head -n 1)
    find "$work/source" -name pom.xml -exec sed -i "s|<version>$was</version>|<version>$version</version>|" {} +
    sed -i "s|^__version__ = .*|__version__ = \"$version\"|" "$work/source/python/chagres/__init__.py"
    CHAGRES_COMMIT=$(git -C "$here" rev-parse --short HEAD)
    export CHAGRES_COMMIT
}

# make_parts DIR
make_parts() {
    take_sources
    mkdir -p "$1"
    step "packages"
    python=python
    case $version in *[!0-9.]*)
        step "left out: the package for Python, which knows no version $version"
        python=
        ;;
    esac
    [ -z "$python" ] || python3 -c 'import build' 2>/dev/null || {
        step "left out: the package for Python, which needs: pip install build==1.6.1"
        python=
    }
    (cd "$work/source" && packaging/build.sh "$1" tar deb oci sbom $python >/dev/null)
    rm "$1/SHA256SUMS"
    step "libraries"
    . "$here/bin/find-jdk.sh"
    require_jdk release.sh
    (cd "$work/source" && JAVA_HOME=$jdk ./mvnw -B -q -Prelease -Dquick -DskipTests -pl '!tests,!bench' deploy \
        -DaltDeploymentRepository="released::file://$1/maven" </dev/null)
    # A repository writes these itself, with the time at which it did.
    find "$1/maven" -name 'maven-metadata*' -exec rm {} +
}

if [ -n "$parts_only" ]; then
    make_parts "$out"
    exit 0
fi
if [ $# = 0 ]; then
    make_parts "$work/parts"
    set -- "$work/parts"
fi

# ---- Packages ------------------------------------------------------------------------------------------------------

step "packages"
packaged=$(printf %s "$version" | tr - '~') # as Debian orders them
for part; do
    for file in "$part"/chagres*.deb "$part"/chagres*.tar.gz "$part"/chagres*.whl "$part"/chagres*.cdx.json; do
        [ -f "$file" ] || continue
        case ${file##*/} in *"$version"* | *"$packaged"*) ;; *) fail "$file is of another version than $version" ;; esac
        cp "$file" "$out"
    done
    [ ! -d "$part/maven" ] || cp -R "$part/maven" "$out"
done
ls "$out"/chagres_*.deb >/dev/null 2>&1 || fail "no package is in $*"
for debian in amd64 arm64; do
    [ -f "$out/chagres_${packaged}_$debian.deb" ] || step "left out: packages for $debian: there is no part of it"
done

# ---- Image of all architectures ------------------------------------------------------------------------------------

# blob FILE: names a file of the layout by its digest, and sets digest and size.
blob() {
    digest=$(sha256sum "$1" | cut -d ' ' -f 1)
    size=$(stat -c %s "$1")
    mv "$1" "$work/oci/blobs/sha256/$digest"
}

make_index() {
    mkdir -p "$work/oci/blobs/sha256"
    : >"$work/manifests"
    for part; do
        for image in "$part"/chagres-*.oci.tar; do
            [ -f "$image" ] || continue
            tar -C "$work/oci" -xf "$image"
            # The one manifest, without the name that this architecture alone had.
            sed -n '2,$p' "$work/oci/index.json" | tr -d '\n' |
                sed 's/,"annotations":{[^}]*}}\]}$/}/' >>"$work/manifests"
            echo >>"$work/manifests"
        done
    done
    [ -s "$work/manifests" ] || return 0
    printf '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[%s]}\n' \
        "$(sort "$work/manifests" | paste -s -d ,)" >"$work/index"
    blob "$work/index"
    cat >"$work/oci/index.json" <<END
{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[
{"mediaType":"application/vnd.oci.image.index.v1+json","digest":"sha256:$digest","size":$size,
"annotations":{"io.containerd.image.name":"localhost/chagres:$version",
"org.opencontainers.image.ref.name":"localhost/chagres:$version"}}]}
END
    tar -C "$work/oci" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu \
        -cf "$out/chagres-$version.oci.tar" oci-layout index.json blobs
}
step "image"
make_index "$@"
[ -f "$out/chagres-$version.oci.tar" ] || step "left out: the image: there is no part of it"

# ---- Signatures ----------------------------------------------------------------------------------------------------

# sign HOW FILE TO: signs as of the time of the release, so that the same key gives the same bytes. A key that is younger
# than the release signs what nobody accepts.
sign() {
    gpg --batch --yes --quiet --local-user "$CHAGRES_SIGN_KEY" --faked-system-time "$SOURCE_DATE_EPOCH!" \
        --armor --output "$3" "$1" "$2" 2>"$work/said" || fail "cannot sign: $(cat "$work/said")"
}

# ---- Repository of apt ---------------------------------------------------------------------------------------------

make_apt() {
    mkdir -p "$out/apt/pool"
    cp "$out"/chagres*.deb "$out/apt/pool"
    architectures=
    for debian in amd64 arm64; do
        [ -f "$out/chagres_${packaged}_$debian.deb" ] || continue
        architectures="$architectures $debian"
        binary=$out/apt/dists/stable/main/binary-$debian
        mkdir -p "$binary"
        (cd "$out/apt" && dpkg-scanpackages --arch "$debian" pool 2>/dev/null) >"$binary/Packages"
        gzip -9nk "$binary/Packages"
    done
    (
        cd "$out/apt/dists/stable"
        printf 'Origin: Chagres\nLabel: Chagres\nSuite: stable\nCodename: stable\nDate: %s\nArchitectures:%s\n' \
            "$(LC_ALL=C date -u -d "@$SOURCE_DATE_EPOCH" '+%a, %d %b %Y %H:%M:%S UTC')" "$architectures"
        printf 'Components: main\nSHA256:\n'
        find main -type f | LC_ALL=C sort | while read -r file; do
            printf ' %s %s %s\n' "$(sha256sum "$file" | cut -d ' ' -f 1)" "$(stat -c %s "$file")" "$file"
        done
    ) >"$work/Release"
    mv "$work/Release" "$out/apt/dists/stable/Release"
    [ -z "${CHAGRES_SIGN_KEY-}" ] || sign --clearsign "$out/apt/dists/stable/Release" "$out/apt/dists/stable/InRelease"
}
step "repository of apt"
make_apt

# ---- Chart ---------------------------------------------------------------------------------------------------------

mkdir "$work/chart"
cp -R "$here/packaging/helm/chagres" "$work/chart"
sed -i -E "s/^(version|appVersion): .*/\\1: $version/" "$work/chart/chagres/Chart.yaml"
tar -C "$work/chart" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu \
    -cf - chagres | gzip -9n >"$out/chagres-chart-$version.tgz"

# ---- Notes, checksums ----------------------------------------------------------------------------------------------

# section TITLE: what the changelog says below it.
section() { awk -v title="## $1" '/^## / { on = $0 == title || index($0, title " ") == 1; next } on' "$here/CHANGELOG.md"; }
{
    echo "# Chagres $version"
    if [ -n "$(section "$version")" ]; then section "$version"; else section Unreleased; fi
} >"$out/NOTES.md"
[ "$(wc -l <"$out/NOTES.md")" -gt 1 ] || fail "CHANGELOG.md says nothing of $version"

[ -z "${CHAGRES_SIGN_KEY-}" ] || gpg --batch --armor --export "$CHAGRES_SIGN_KEY" >"$out/chagres.asc"
(cd "$out" && find . -type f ! -name 'SHA256SUMS*' -printf '%P\n' | LC_ALL=C sort | xargs sha256sum --) >"$work/sums"
mv "$work/sums" "$out/SHA256SUMS"
if [ -n "${CHAGRES_SIGN_KEY-}" ]; then
    sign --detach-sign "$out/SHA256SUMS" "$out/SHA256SUMS.asc"
else
    step "left out: signatures, since CHAGRES_SIGN_KEY names no key"
fi
find "$out" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
step "done: $out"
