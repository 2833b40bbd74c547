#!/bin/sh
# Makes the packages: packaging/build.sh DIR [deb|tar|oci|python|sbom ...]
#
# DIR receives, of what is asked for (default: everything):
#   tar    chagres-VERSION-linux-ARCH.tar.gz         unpacks and runs anywhere with glibc, needs no JDK
#          chagres-stores-VERSION-linux-ARCH.tar.gz  libraries of object stores, to be unpacked over it
#   deb    chagres_VERSION_ARCH.deb and chagres-stores_VERSION_ARCH.deb
#   oci    chagres-VERSION-linux-ARCH.oci.tar        an image, made without a daemon (mmdebstrap, by the superuser)
#   python chagres-VERSION.tar.gz and a wheel        the package for Python (pip install build==1.6.1)
#   sbom   chagres-VERSION.cdx.json                  what is in it (CycloneDX, by a plugin of Maven); fails when a jar of the
#                                                    program is not in it, or one is in packaging/vulnerable.txt
# and SHA256SUMS of what is there.
#
# Two builds of one source by one JDK give the same bytes, wherever they run, but for the AOT caches. The JDK writes these
# while its compiler runs, which is never timed alike: made twice from one recording, 14 of 27 MB differ, with -Xint 598
# bytes, and none if classes are not linked ahead either, which is worth 30 ms of every start. PackagesTest compares all else.
# CHAGRES_AOT names a directory with those of an earlier build (they lie in its tar), and then all bytes are the same.
# ARCH is this machine's, or that of CHAGRES_TARGET_JDK: the recipe is the same on x86-64 and aarch64.
#
# In the environment:
#   JAVA_HOME            the JDK that builds, and whose runtime is taken
#   CHAGRES_DIST         take what a build has put into this directory, and compile nothing
#   CHAGRES_TARGET_JDK   a JDK of the other architecture, for which packages and image are made (package.sh)
#   SOURCE_DATE_EPOCH    the time of all files (default: that of the commit)
set -eu
umask 022
cd "$(dirname -- "$0")/.."

fail() {
    printf 'build.sh: %s\n' "$*" >&2
    exit 1
}

[ $# -ge 1 ] && [ -n "$1" ] || fail "usage: packaging/build.sh DIR [deb|tar|oci|python|sbom ...]"
mkdir -p "$1"
out=$(CDPATH='' cd -P -- "$1" && pwd)
shift
[ $# -gt 0 ] || set -- tar deb oci python sbom

version=$(sed -n 's/^ *<version>\(.*\)<.*/\1/p' pom.xml | head -n 1)
arch=$(uname -m)
[ -z "${CHAGRES_TARGET_JDK-}" ] || arch=$(sed -n 's/^OS_ARCH="\(.*\)"/\1/p' "$CHAGRES_TARGET_JDK/release")
case $arch in x86_64) debian=amd64 image=amd64 ;; aarch64) debian=arm64 image=arm64 ;; *) fail "no packages for $arch" ;; esac
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct 2>/dev/null || date +%s)}"
export SOURCE_DATE_EPOCH
sbom_plugin=org.cyclonedx:cyclonedx-maven-plugin:2.9.1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# ---- The program ---------------------------------------------------------------------------------------------------

program=$work/chagres-$version
pages=$work/pages

make_program() {
    packaging/package.sh --runtime "$program"
    if [ -z "${CHAGRES_TARGET_JDK-}" ]; then
        set -- "$program/runtime/bin/java"
    else
        . bin/find-jdk.sh
        require_jdk build.sh
        set -- "$jdk/bin/java" -p "${CHAGRES_DIST:-cli/target/quick/dist}/lib"
    fi
    "$@" --add-modules io.chagres.faultfs -m io.chagres.cli/io.chagres.cli.Pages "$pages"
    look_at_runtime
}

# Sets glibc to the oldest version with which the runtime starts, and libraries to the packages of Debian that it needs
# besides: the JDK of a distribution takes more from it than one that is built for all.
look_at_runtime() {
    glibc=$(find "$program/runtime" "$program/native" -type f \( -name '*.so' -o -perm -u+x \) \
        -exec grep -aoh 'GLIBC_2\.[0-9]*' {} + | sort -uV | tail -n 1)
    glibc=${glibc#GLIBC_}
    libraries=
    for library in libz.so.1=zlib1g libstdc++.so.6=libstdc++6 libgcc_s.so.1=libgcc-s1; do
        ! grep -aqrF "${library%=*}" "$program/runtime/lib" --include='*.so' || libraries="$libraries ${library#*=}"
    done
}

# archive NAME PATH...: writes paths below the work directory as the tar archive NAME, the same bytes each time.
archive() {
    name=$1
    shift
    tar -C "$work" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu \
        -cf - "$@" | gzip -6n >"$out/$name"
}

# units DIR: writes the unit, one for each further archive ('chagres@NAME' reads /etc/chagres/NAME.toml), and timers.
units() {
    job "$1" compact COMPACT '*-*-* 02:17' '--retain 30d'
    job "$1" verify VERIFY 'Sun 04:17' ''
    cp packaging/chagres.service "$1"
    sed -e 's|^# Ships logs .*|# Ships to one more archive: what and where to is in /etc/chagres/NAME.toml, for chagres@NAME.|' \
        -e 's|^Description=.*|& (%i)|' \
        -e '/^# SHIP holds arguments/d' \
        -e 's|/etc/default/chagres$|&-%i|' \
        -e 's|ship \$SHIP$|ship --config /etc/chagres/%i.toml $SHIP|' packaging/chagres.service >"$1/chagres@.service"
}

# job DIR COMMAND VARIABLE TIME OPTIONS: a timer and its unit, protected as the one that ships.
job() {
    sed -n '/^SystemCallFilter=/,/^RemoveIPC=/p' packaging/chagres.service >"$work/protection"
    for kind in service timer; do
        sed -e "s|@JOB@|$2|g" -e "s|@VARIABLE@|$3|g" -e "s|@TIME@|$4|" -e "s| @OPTIONS@\"|${5:+ $5}\"|" \
            -e "/^@PROTECTION@/r $work/protection" -e '/^@PROTECTION@/d' "packaging/chagres-job@.$kind" \
            >"$1/chagres-$2@.$kind"
    done
}

make_tar() {
    cp -R LICENSE "$program"
    units "$program"
    mkdir -p "$program/share"
    cp -R "$pages/." "$program/share"
    (cd "$work" && ls -d "chagres-$version"/*) >"$work/parts"
    archive "chagres-$version-linux-$arch.tar.gz" $(grep -v -e /stores -e /aot- "$work/parts")
    archive "chagres-stores-$version-linux-$arch.tar.gz" $(grep -e /stores -e /aot- "$work/parts")
}

# ---- Debian --------------------------------------------------------------------------------------------------------

# deb NAME: packs the folder of that name, with the control file and the scripts of packaging/debian.
deb() {
    root=$work/$1
    mkdir -p "$root/DEBIAN" "$root/usr/share/doc/$1"
    cp LICENSE "$root/usr/share/doc/$1/copyright"
    sed -e "s/@VERSION@/$(printf %s "$version" | tr - '~')/" -e "s/@ARCH@/$debian/" \
        -e "s/@LIBC@/libc6 (>= $glibc)$(printf ', %s' $libraries | sed 's/^, $//')/" \
        -e "s/@SIZE@/$(du -sk "$root" | cut -f 1)/" "packaging/debian/$1.control" >"$root/DEBIAN/control"
    for script in postinst prerm postrm conffiles; do
        [ ! -f "packaging/debian/$1.$script" ] || cp "packaging/debian/$1.$script" "$root/DEBIAN/$script"
    done
    find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group -Zzstd --build "$root" "$out" >/dev/null
}

make_deb() {
    lib=$work/chagres/usr/lib/chagres
    mkdir -p "$lib" "$work/chagres/usr/bin" "$work/chagres/usr/sbin" "$work/chagres/lib/systemd/system" \
        "$work/chagres/usr/share/bash-completion" "$work/chagres/usr/share/zsh" "$work/chagres/usr/share/fish" \
        "$work/chagres/etc/default" "$work/chagres/etc/chagres" "$work/chagres-stores/usr/lib/chagres"
    cp -Rp "$program/bin" "$program/native" "$program/runtime" "$program/build" "$lib"
    [ ! -f "$program/aot.cache" ] || cp -p "$program/aot.cache" "$lib"
    ln -s ../lib/chagres/bin/chagres "$work/chagres/usr/bin/chagres"
    ln -s ../lib/chagres/bin/chagres-faultfs "$work/chagres/usr/bin/chagres-faultfs"
    ln -s ../lib/chagres/bin/mount.chagres "$work/chagres/usr/sbin/mount.chagres"
    units "$work/chagres/lib/systemd/system"
    cp packaging/debian/chagres.default "$work/chagres/etc/default/chagres"
    cp packaging/debian/chagres.toml "$work/chagres/etc/chagres"
    cp -R "$pages/man" "$work/chagres/usr/share/man"
    gzip -6n "$work"/chagres/usr/share/man/man*/*
    mkdir -p "$work/chagres/usr/share/bash-completion/completions" "$work/chagres/usr/share/zsh/vendor-completions" \
        "$work/chagres/usr/share/fish/vendor_completions.d"
    cp "$pages/completion/chagres.bash" "$work/chagres/usr/share/bash-completion/completions/chagres"
    cp "$pages/completion/_chagres" "$work/chagres/usr/share/zsh/vendor-completions"
    cp "$pages/completion/chagres.fish" "$work/chagres/usr/share/fish/vendor_completions.d"
    deb chagres
    cp -Rp "$program/stores" "$work/chagres-stores/usr/lib/chagres"
    for cache in "$program"/aot-*.cache; do
        [ ! -f "$cache" ] || cp -p "$cache" "$work/chagres-stores/usr/lib/chagres"
    done
    deb chagres-stores
}

# ---- Image of a container ------------------------------------------------------------------------------------------

# blob FILE: names a file of the layout by its digest, and sets digest and size.
blob() {
    digest=$(sha256sum "$1" | cut -d ' ' -f 1)
    size=$(stat -c %s "$1")
    mv "$1" "$work/oci/blobs/sha256/$digest"
}

# The base is glibc and the shell of busybox, from Debian: the JDK's runtime links to glibc, and musl would need another
# JDK. One layer holds both and the program.
make_oci() {
    command -v mmdebstrap >/dev/null || fail "an image needs mmdebstrap (apt install mmdebstrap)"
    root=$work/image
    mkdir -p "$work/oci/blobs/sha256"
    release=bookworm # has glibc 2.36
    [ "$(printf '%s\n' "$glibc" 2.36 | sort -V | tail -n 1)" = 2.36 ] || release=trixie
    mmdebstrap --quiet --variant=extract --architectures="$debian" \
        --include="libc6,busybox-static$(printf ',%s' $libraries | sed 's/^,$//')" $release "$root"
    rm -rf "$root/var" "$root/dev" "$root/proc" "$root/sys" "$root/usr/share"
    for folder in bin lib lib64; do # Debian 13 leaves these links to a package that is not taken
        [ -e "$root/$folder" ] || [ ! -d "$root/usr/$folder" ] || ln -s "usr/$folder" "$root/$folder"
    done
    for tool in sh readlink cat ls tail sleep mkdir rm; do
        [ -e "$root/bin/$tool" ] || ln -s busybox "$root/bin/$tool"
    done
    mkdir -p "$root/usr/lib" "$root/usr/bin" "$root/var/lib/chagres" "$root/etc" "$root/proc" "$root/sys" "$root/dev"
    mkdir -m 1777 -p "$root/tmp"
    cp -Rp "$program" "$root/usr/lib/chagres"
    ln -s ../lib/chagres/bin/chagres "$root/usr/bin/chagres"
    printf 'root:x:0:0::/root:/bin/sh\nchagres:x:65532:65532::/var/lib/chagres:/bin/sh\n' >"$root/etc/passwd"
    printf 'root:x:0:\nchagres:x:65532:\n' >"$root/etc/group"
    chown 65532:65532 "$root/var/lib/chagres"
    tar -C "$root" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --numeric-owner --format=gnu -cf "$work/layer.tar" .
    layer=$(sha256sum "$work/layer.tar" | cut -d ' ' -f 1)
    gzip -6n "$work/layer.tar"
    blob "$work/layer.tar.gz"
    layer_size=$size layer_digest=$digest
    cat >"$work/config.json" <<END
{"architecture":"$image","os":"linux","created":"$(date -u -d "@$SOURCE_DATE_EPOCH" +%FT%TZ)",
"config":{"User":"65532:65532","Entrypoint":["/usr/bin/chagres"],"Env":["PATH=/usr/bin:/bin"],"WorkingDir":"/"},
"rootfs":{"type":"layers","diff_ids":["sha256:$layer"]}}
END
    blob "$work/config.json"
    cat >"$work/manifest.json" <<END
{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json",
"config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"sha256:$digest","size":$size},
"layers":[{"mediaType":"application/vnd.oci.image.layer.v1.tar+gzip","digest":"sha256:$layer_digest","size":$layer_size}]}
END
    blob "$work/manifest.json"
    printf '{"imageLayoutVersion":"1.0.0"}' >"$work/oci/oci-layout"
    cat >"$work/oci/index.json" <<END
{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[
{"mediaType":"application/vnd.oci.image.manifest.v1+json","digest":"sha256:$digest","size":$size,
"platform":{"architecture":"$image","os":"linux"},
"annotations":{"io.containerd.image.name":"localhost/chagres:$version",
"org.opencontainers.image.ref.name":"localhost/chagres:$version"}}]}
END
    tar -C "$work/oci" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu \
        -cf "$out/chagres-$version-linux-$arch.oci.tar" oci-layout index.json blobs
}

# ---- What is in it -------------------------------------------------------------------------------------------------

make_sbom() {
    modules=cli,faultfs
    for pom in stores/*/pom.xml sinks/*/pom.xml; do
        modules=$modules,${pom%/pom.xml}
    done
    . bin/find-jdk.sh
    require_jdk build.sh
    dist=${CHAGRES_DIST:-cli/target/quick/dist}
    if [ -z "${CHAGRES_DIST-}" ] && [ ! -d "$program" ]; then
        rm -rf "$dist" # a jar of an older version would stay in it
        set -- package
    fi
    # As in package.sh, a second compiler would not pay.
    JAVA_HOME=$jdk MAVEN_OPTS="${MAVEN_OPTS--XX:TieredStopAtLevel=1 -XX:+UseSerialGC}" \
        ./mvnw -B -q "$@" "$sbom_plugin:makeAggregateBom" -Dquick -Dmaven.test.skip -pl "$modules" -am \
        -Dcyclonedx.skipNotDeployed=false -DoutputFormat=json -DoutputDirectory="$work" -DoutputName=sbom \
        -DincludeProvidedScope=true </dev/null
    "$jdk/bin/java" -XX:TieredStopAtLevel=1 packaging/Components.java "$work/sbom.json" "$dist" packaging/vulnerable.txt
    "$jdk/bin/java" -XX:TieredStopAtLevel=1 packaging/Components.java runtime "$work/sbom.json" "$jdk/release"
    mv "$work/sbom.json" "$out/chagres-$version.cdx.json"
}

# ---- The package for Python ----------------------------------------------------------------------------------------

make_python() {
    python3 -c 'import build' || fail "the package for Python needs: pip install build==1.6.1"
    rm -rf "$work/python"
    cp -r python "$work/python"
    python3 -m build --outdir "$out" "$work/python" >&2
}

case " $* " in *' tar '* | *' deb '* | *' oci '*) make_program ;; esac
for kind; do
    case $kind in
        tar | deb | oci | python | sbom) "make_$kind" ;;
        *) fail "no kind of package: $kind" ;;
    esac
done
cd "$out"
sha256sum -- chagres* | tee SHA256SUMS
