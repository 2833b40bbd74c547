#!/bin/sh
# Tries the program for aarch64 under emulation, where there is no such machine: packaging/try-aarch64.sh [DIR]
#
# It unpacks a Debian of arm64 with its JDK 25 in DIR (default: target/aarch64), takes the jars of the last build, ships,
# restores, compares, and follows names by 'watch': minutes, so no check runs it. The emulator runs the instructions of
# aarch64, those that 'foreign' writes too, and hands its system calls to the kernel of this machine.
#
# In the environment:
#   CHAGRES_DIST         what a build has put into this directory (default: cli/target/quick/dist)
#   CHAGRES_DEBIAN       the release of Debian that has a JDK 25 (default: trixie)
set -eu
cd "$(dirname -- "$0")/.."

step() { printf 'try-aarch64.sh: %s\n' "$*"; }

for tool in qemu-aarch64-static mmdebstrap python3 unshare; do
    command -v $tool >/dev/null || {
        step "skipped: needs $tool (apt install qemu-user-static mmdebstrap python3 util-linux)"
        exit 0
    }
done
[ "$(id -u)" = 0 ] || {
    step "skipped: needs the superuser, for chroot"
    exit 0
}
dist=${CHAGRES_DIST-cli/target/quick/dist}
[ -d "$dist/lib" ] || {
    step "nothing is built in $dist"
    exit 1
}
# What is mounted goes with the namespace.
[ -n "${CHAGRES_NAMESPACE-}" ] || exec env CHAGRES_NAMESPACE=own unshare --mount sh packaging/try-aarch64.sh "$@"
mkdir -p "${1-target/aarch64}"
here=$(CDPATH='' cd -P -- "${1-target/aarch64}" && pwd)
root=$here/root
java=/usr/lib/jvm/java-25-openjdk-arm64/bin/java

if [ ! -x "$root/usr/bin/qemu-aarch64-static" ]; then
    step "unpacking Debian"
    rm -rf "$root"
    mmdebstrap --quiet --variant=extract --architectures=arm64 --include=openjdk-25-jre-headless,libc6 \
        "${CHAGRES_DEBIAN-trixie}" "$root"
    [ -e "$root/lib" ] || ln -s usr/lib "$root/lib"
    mkdir -p "$root/proc" "$root/tmp"
    cp "$(command -v qemu-aarch64-static)" "$root/usr/bin"
fi
rm -rf "$root/chagres" "$root/run"
mkdir -p "$root/chagres" "$root/run/src"
cp -R "$dist/lib" "$root/chagres"
python3 -m zipfile -e "$(ls "$dist"/lib/zstd-jni-*.jar)" "$root/chagres/native"
zstd=$(cd "$root" && ls chagres/native/linux/aarch64/*.so)
mount -t proc proc "$root/proc"

# A program of its own, so that a signal to it reaches the emulator.
cat >"$here/chagres" <<END
#!/bin/sh
exec chroot '$root' /usr/bin/qemu-aarch64-static $java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData \\
    --enable-native-access=io.chagres.foreign,com.github.luben.zstd_jni -DZstdNativePath=/$zstd \\
    -p /chagres/lib -m io.chagres.cli/io.chagres.cli.Main "\$@"
END
chmod +x "$here/chagres"

seq 20000 >"$root/run/src/a.log"
step "ship"
"$here/chagres" ship /run/src --to /run/archive --host h --state /run/state --once --drain 10m
step "restore"
"$here/chagres" restore /run/archive /run/back
cmp "$root/run/src/a.log" "$root/run/back/h/run/src/a.log"
step "watch"
"$here/chagres" watch /run/src >"$root/run/watched" &
watch=$!
trap 'kill $watch' EXIT
tries=0
until grep -q 'new-[0-9]' "$root/run/watched"; do
    tries=$((tries + 1))
    [ $tries -lt 600 ] || exit 1
    sleep 1
    echo new >"$root/run/src/new-$tries"
done
step "passed"
