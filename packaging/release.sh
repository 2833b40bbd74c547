#!/bin/sh
# Makes everything that a release has, from the sources of the last commit:
#
#   packaging/release.sh VERSION [DIR]            for both architectures, on one machine
#   packaging/release.sh VERSION DIR PARTS...     of what 'parts' has made, also on other machines, one folder each
#   packaging/release.sh parts VERSION DIR        what one architecture adds: packages, image, components; jars
#
# DIR (default: target/release-VERSION) must not exist yet, and is removed again where something fails. It receives
#   chagres-VERSION-linux-ARCH.tar.gz, chagres_VERSION_ARCH.deb, and those of the stores
#   chagres-VERSION.oci.tar      an image for all architectures
#   apt/                         a repository: deb [signed-by=DIR/chagres.asc] file:DIR/apt stable main
#   maven/                       the libraries with sources, documentation and the BOM
#   chagres-VERSION.tar.gz, chagres-VERSION-py3-none-any.whl   the package for Python
#   chagres-chart-VERSION.tgz    the chart for Helm
#   chagres-docs-VERSION.tar.gz  the documents, and the manual pages
#   site/                        the documents as pages with a search; site/index.html is the first
#   chagres-VERSION.cdx.json     the list of components
#   NOTES.md                     what CHANGELOG.md says of VERSION, or of what is unreleased
#   SHA256SUMS                   of all files, and with a key SHA256SUMS.asc and chagres.asc
#
# What it needs and does not find it says before it begins, all at once. The packages of the other architecture hold the
# runtime of a JDK of that one and no AOT cache, which is made where a program runs: they start slower than those that
# were made on such a machine.
#
# In the environment:
#   CHAGRES_SIGN_KEY     the key of gpg that signs, by name or fingerprint; without one nothing is signed
#   CHAGRES_LEAVE_OUT    what is not to be made, of: other-architecture image python site
#   CHAGRES_OTHER_JDK    a JDK 25 of the other architecture with its 'jmods' (default: that of Debian 13, which is
#                        fetched; what it makes needs a system as new, and its package depends on that)
#   CHAGRES_AOT          an earlier release of these sources, whose AOT caches are taken, for equal packages (build.sh)
#   SOURCE_DATE_EPOCH    the time of all files (default: that of the last commit)
#   JAVA_HOME            the JDK that builds
#
# Two releases of one commit are equal byte by byte, if the second has the AOT caches of the first:
#
#   packaging/release.sh 1.2.0 first && CHAGRES_AOT=first packaging/release.sh 1.2.0 second && diff -r first second
set -eu
umask 022
here=$(CDPATH='' cd -P -- "$(dirname -- "$0")/.." && pwd)

fail() {
    printf 'release.sh: %s\n' "$*" >&2
    exit 1
}
step() { printf 'release.sh: %s\n' "$*"; }

# section TITLE: what the changelog says below it.
section() {
    awk -v title="## $1" '/^## / { on = $0 == title || index($0, title " ") == 1; next } on' "$changelog"
}
changelog=$here/CHANGELOG.md

parts_only=
[ "${1-}" != parts ] || { parts_only=1 && shift; }
least=1
[ -z "$parts_only" ] || least=2
[ $# -ge $least ] && [ -n "$1" ] ||
    fail "usage: packaging/release.sh VERSION [DIR [PARTS...]], or packaging/release.sh parts VERSION DIR"
version=$1 out=${2:-$here/target/release-$1}
shift
[ $# = 0 ] || shift
case $version in [0-9]*.[0-9]*.[0-9]*) ;; *) fail "VERSION is three numbers, as 1.2.0, and not $version" ;; esac
case $version in *[!0-9A-Za-z.-]*) fail "VERSION has letters, digits, '.' and '-' only, and is $version" ;; esac
of_python=$(printf %s "$version" | sed -E 's/-(a|b|rc)\.?([0-9]+)$/\1\2/')
[ ! -e "$out" ] || fail "$out is there already"
for part; do
    [ -d "$part" ] || fail "$part is no folder that 'release.sh parts' has made"
done

# ---- What it takes -------------------------------------------------------------------------------------------------

made_here=1
[ -n "$parts_only" ] || [ $# = 0 ] || made_here=

# makes WHAT: whether something is to be made that can be left out.
makes() {
    case " ${CHAGRES_LEAVE_OUT-} " in *" $1 "*) return 1 ;; esac
}
for word in ${CHAGRES_LEAVE_OUT-}; do
    case $word in other-architecture | image | python | site) ;; *) fail "CHAGRES_LEAVE_OUT knows no $word" ;; esac
done
missing=
lacks() { missing="$missing
  $*"; }
# tool NAME PACKAGE [WORD]: asks for a program; the word is what CHAGRES_LEAVE_OUT may hold instead.
tool() { command -v "$1" >/dev/null || lacks "$1 (apt install $2)${3:+, or CHAGRES_LEAVE_OUT=$3}"; }

: "${SOURCE_DATE_EPOCH:=$(git -C "$here" log -1 --format=%ct 2>/dev/null)}"
export SOURCE_DATE_EPOCH
# signature HOW [FILE]: signs as of the time of the release, so that the same key gives the same bytes.
signature() {
    LC_ALL=C gpg --batch --yes --quiet --local-user "$CHAGRES_SIGN_KEY" --faked-system-time "$SOURCE_DATE_EPOCH!" \
        --armor "$@"
}

tool git git
tool tar tar
tool gzip gzip
tool dpkg-deb dpkg
[ -n "$parts_only" ] || tool dpkg-scanpackages dpkg-dev
other=
if [ -n "$made_here" ]; then
    . "$here/bin/find-jdk.sh"
    find_jdk || lacks "a JDK $required_jdk or newer (apt install openjdk-$required_jdk-jdk-headless, or set JAVA_HOME)"
    if makes image; then
        tool mmdebstrap mmdebstrap image
        [ "$(id -u)" = 0 ] || lacks "the superuser, to whom the files of an image belong, or CHAGRES_LEAVE_OUT=image"
    fi
    if makes python; then
        tool python3 python3 python
        python3 -c 'import build' 2>/dev/null ||
            lacks "the module build of Python (pip install build==1.6.1), or CHAGRES_LEAVE_OUT=python"
        printf '%s\n' "$of_python" | grep -qxE '[0-9.]+((a|b|rc)[0-9]+)?' ||
            lacks "a version that Python knows, as 1.2.0 or 1.2.0-rc1, or CHAGRES_LEAVE_OUT=python"
    fi
    if [ -z "$parts_only" ] && makes other-architecture; then
        case $(uname -m) in aarch64) other=amd64 ;; *) other=arm64 ;; esac
        [ -n "${CHAGRES_OTHER_JDK-}" ] || tool mmdebstrap mmdebstrap other-architecture
        [ -z "${CHAGRES_OTHER_JDK-}" ] || [ -d "$CHAGRES_OTHER_JDK/jmods" ] ||
            lacks "a folder jmods in $CHAGRES_OTHER_JDK"
    fi
fi
if [ -z "$parts_only" ] && makes site; then
    tool python3 python3 site
    python3 -c 'import ensurepip, venv' 2>/dev/null ||
        lacks "the module venv of Python (apt install python3-venv), or CHAGRES_LEAVE_OUT=site"
fi
if [ -n "${CHAGRES_AOT-}" ] && [ -n "$made_here" ]; then
    ls "$CHAGRES_AOT"/chagres-[0-9]*-linux-"$(uname -m)".tar.gz >/dev/null 2>&1 ||
        lacks "a tar for $(uname -m) in $CHAGRES_AOT, which is to be an earlier release"
fi
if [ -n "${CHAGRES_SIGN_KEY-}" ]; then
    tool gpg gnupg
    if ! gpg --batch --list-secret-keys "$CHAGRES_SIGN_KEY" >/dev/null 2>&1; then
        lacks "the secret key $CHAGRES_SIGN_KEY in the keyring of gpg"
    elif [ -n "$SOURCE_DATE_EPOCH" ] && ! said=$(signature --detach-sign </dev/null 2>&1 >/dev/null); then
        case $said in
            *" in the future "*) lacks "a key that is older than the release: $CHAGRES_SIGN_KEY was made after its" \
                "time, which is that of the last commit or SOURCE_DATE_EPOCH ($SOURCE_DATE_EPOCH)" ;;
            *) lacks "a key that signs, since gpg cannot sign with $CHAGRES_SIGN_KEY: $said" ;;
        esac
    fi
fi
[ -n "$(section "$version")$(section Unreleased)" ] || lacks "a word of $version in CHANGELOG.md"
[ -z "$missing" ] || fail "nothing was made, since this machine lacks$missing"

mkdir -p "$out"
out=$(CDPATH='' cd -P -- "$out" && pwd)
work=$(mktemp -d)
unfinished=$out
trap 'rm -rf "$work" ${unfinished:+"$unfinished"}' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Of the last commit, and not of the working tree.
mkdir "$work/source"
git -C "$here" archive HEAD | tar -x -C "$work/source"
changelog=$work/source/CHANGELOG.md

# ---- What one architecture adds ------------------------------------------------------------------------------------

# Puts the version in place of the one that the sources have, and takes the AOT caches of an earlier release.
set_version() {
    was=$(sed -n 's/^ *<version>\(.*\)<.*/\1/p' "$work/source/pom.xml" | head -n 1)
    find "$work/source" -name pom.xml -exec sed -i "s|<version>$was</version>|<version>$version</version>|" {} +
    sed -i "s|^__version__ = .*|__version__ = \"$of_python\"|" "$work/source/python/chagres/__init__.py"
    CHAGRES_COMMIT=$(git -C "$here" rev-parse --short HEAD)
    export CHAGRES_COMMIT
    [ -n "${CHAGRES_AOT-}" ] || return 0
    mkdir "$work/aot"
    for file in "$CHAGRES_AOT"/chagres*-linux-"$(uname -m)".tar.gz; do
        tar -C "$work/aot" --strip-components=1 --wildcards -xzf "$file" '*/aot*.cache'
    done
    export CHAGRES_AOT="$work/aot"
}

# make_parts DIR
make_parts() {
    set_version
    mkdir -p "$1"
    step "packages for $(uname -m)"
    set -- "$1" tar deb sbom $(makes image && echo oci) $(makes python && echo python)
    (cd "$work/source" && packaging/build.sh "$@" >/dev/null)
    rm "$1/SHA256SUMS"
    step "libraries"
    (cd "$work/source" && JAVA_HOME=$jdk ./mvnw -B -q -Prelease -Dquick -DskipTests -pl '!tests,!bench' deploy \
        -DaltDeploymentRepository="released::file://$1/maven" </dev/null)
    # A repository writes these itself, with the time at which it did.
    find "$1/maven" -name 'maven-metadata*' -exec rm {} +
}

# make_other DIR: packages and image of the other architecture, of the same jars.
make_other() {
    jdk_there=${CHAGRES_OTHER_JDK:+$(CDPATH='' cd -P -- "$CHAGRES_OTHER_JDK" && pwd)}
    if [ -z "$jdk_there" ]; then
        step "JDK of $other, of Debian 13"
        mmdebstrap --quiet --variant=extract --architectures=$other --include=openjdk-25-jdk-headless trixie \
            "$work/debian"
        jdk_there=$work/debian/usr/lib/jvm/java-25-openjdk-$other
    fi
    step "packages for $other, without AOT caches"
    set -- "$1" tar deb $(makes image && echo oci)
    (cd "$work/source" && CHAGRES_DIST=$work/source/cli/target/quick/dist CHAGRES_TARGET_JDK=$jdk_there \
        packaging/build.sh "$@" >/dev/null)
    rm "$1/SHA256SUMS"
    "$jdk/bin/java" "$work/source/packaging/Components.java" runtime "$work/parts/chagres-$version.cdx.json" \
        "$jdk_there/release"
}

if [ -n "$parts_only" ]; then
    make_parts "$out"
    unfinished=
    step "done: $out"
    exit 0
fi
if [ -n "$made_here" ]; then
    make_parts "$work/parts"
    set -- "$work/parts"
    if [ -n "$other" ]; then
        make_other "$work/other"
        set -- "$work/parts" "$work/other"
    fi
fi

# ---- Packages ------------------------------------------------------------------------------------------------------

step "packages"
packaged=$(printf %s "$version" | tr - '~') # as Debian orders them
for part; do
    for file in "$part"/chagres*.deb "$part"/chagres*.tar.gz "$part"/chagres*.whl "$part"/chagres*.cdx.json; do
        [ -f "$file" ] || continue
        case ${file##*/} in *"$version"* | *"$packaged"* | *"$of_python"*) ;; *)
            fail "$file is of another version than $version"
            ;;
        esac
        if [ "${file%.cdx.json}" != "$file" ] && [ -f "$out/${file##*/}" ]; then # it differs in the runtime alone
            sed -n '/^  "components" : \[$/,/^    },$/p' "$file" | sed 1d >"$work/runtime"
            sed -i "/^  \"components\" : \[\$/r $work/runtime" "$out/${file##*/}"
        else
            cp "$file" "$out"
        fi
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

# sign HOW FILE TO
sign() {
    signature "$1" --output "$3" "$2" 2>"$work/said" || fail "cannot sign: $(cat "$work/said")"
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
cp -R "$work/source/packaging/helm/chagres" "$work/chart"
sed -i -E "s/^(version|appVersion): .*/\\1: $version/" "$work/chart/chagres/Chart.yaml"
tar -C "$work/chart" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu \
    -cf - chagres | gzip -9n >"$out/chagres-chart-$version.tgz"

# ---- Documents -----------------------------------------------------------------------------------------------------

# The manual pages are those of a package: they are made from what the program itself says.
step "documents"
docs=$work/documents/chagres-docs-$version
mkdir -p "$docs"
git -C "$here" archive HEAD README.md CHANGELOG.md LICENSE SECURITY.md docs | tar -C "$docs" -x
! makes site || "$here/packaging/site.sh" --pinned "$out/site" "$work/source"
for file in "$out"/chagres-"$version"-linux-*.tar.gz; do
    [ -f "$file" ] || continue
    tar -C "$docs" --strip-components=2 -xzf "$file" --wildcards '*/share/man'
    break
done
tar -C "$work/documents" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu \
    -cf - "${docs##*/}" | gzip -9n >"$out/${docs##*/}.tar.gz"

# ---- Notes, checksums ----------------------------------------------------------------------------------------------

{
    echo "# Chagres $version"
    if [ -n "$(section "$version")" ]; then section "$version"; else section Unreleased; fi
} >"$out/NOTES.md"

[ -z "${CHAGRES_SIGN_KEY-}" ] || gpg --batch --armor --export "$CHAGRES_SIGN_KEY" >"$out/chagres.asc"
(
    cd "$out"
    find . -type f ! -name 'SHA256SUMS*' -printf '%P\n' | LC_ALL=C sort | xargs -d '\n' sha256sum --
) >"$work/sums"
mv "$work/sums" "$out/SHA256SUMS"
if [ -n "${CHAGRES_SIGN_KEY-}" ]; then
    sign --detach-sign "$out/SHA256SUMS" "$out/SHA256SUMS.asc"
else
    step "left out: signatures, since CHAGRES_SIGN_KEY names no key"
fi
find "$out" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
unfinished=
step "done: $out"
