#!/usr/bin/env bash
# Runs pjdfstest on ext4 and on mirrors of it: ours, libfuse's and go-fuse's; the same list, one after the other.
#
# bench/load/posix_beside.sh LIBFUSE prints a Markdown table, and below it each test that passes on ext4 and not on a
# mirror. LIBFUSE is the source of libfuse 3.17 or later, unpacked: it has passthrough_hp, which Debian does not package
# (`apt-get source fuse3`). A mirror that hangs is ended after POSIX_SECONDS (600).
# Needs root, /dev/fuse, loop devices, a JDK >= 25, gcc and g++, meson, ninja, go, and pjdfstest (cargo install).
set -euo pipefail
export LC_ALL=C

LIBFUSE=$(realpath "$1")
HERE=$(cd "$(dirname "$0")/.." && pwd)
GO_FUSE=github.com/hanwen/go-fuse/v2@v2.12.1
. "$HERE/../bin/find-jdk.sh"
require_jdk posix_beside

work=$(mktemp -d)
below=$work/below
mount=$work/mount
other=$work/other
server=
mkdir "$below" "$mount" "$other"
chmod 755 "$work"

ended() {
    umount --lazy "$mount" 2> /dev/null || true
    [ -z "$server" ] || { kill "$server" 2> /dev/null || true; wait "$server" 2> /dev/null || true; }
    server=
    umount "$other" 2> /dev/null || true
    umount --lazy "$below" 2> /dev/null || true
}
trap '[ $? = 0 ] || tail -n 20 "$work/said" >&2; ended; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

"$HERE/../mvnw" -B -q -f "$HERE/../pom.xml" -Dquick -pl examples -am test-compile
classes=
for module in foreign linux watch fuse examples; do
    classes+=$HERE/../$module/target/quick/classes:
done
meson setup "$work/libfuse" "$LIBFUSE" -Dexamples=true -Dtests=false -Dutils=false --buildtype=release \
    --default-library=static > "$work/said" 2>&1
ninja -C "$work/libfuse" example/passthrough_hp > "$work/said" 2>&1
mkdir "$work/go"
(
    cd "$work/go"
    go mod init beside
    go get "${GO_FUSE%@*}/example/loopback@${GO_FUSE#*@}"
    go build -o "$work/loopback" "${GO_FUSE%@*}/example/loopback"
) > "$work/said" 2>&1

# The same features and rights for pjdfstest everywhere; a file system of its own where a test wants another one.
cat > "$work/pjdfstest.toml" << 'CONF'
[features]
posix_fallocate = {}
rename_ctime = {}
utime_now = {}
utimensat = {}
[settings]
naptime = 0.01
allow_remount = false
[dummy_auth]
entries = [["nobody", "nogroup"], ["daemon", "daemon"]]
CONF

# mirrored SUBJECT: starts the server of one.
mirrored() {
    case $1 in
        ext4) mount --bind "$below" "$mount" && return ;;
        ours)
            "$jdk/bin/java" --enable-native-access=ALL-UNNAMED -XX:-UsePerfData -cp "$classes" \
                io.chagres.examples.PassthroughFs "$below" "$mount" > "$work/$1.err" 2>&1 &
            ;;
        passthrough_hp)
            "$work/libfuse/example/passthrough_hp" --foreground -o allow_other,default_permissions "$below" "$mount" > "$work/$1.err" 2>&1 &
            ;;
        go-fuse)
            "$work/loopback" -q -allow-other "$mount" "$below" > "$work/$1.err" 2>&1 &
            ;;
    esac
    server=$!
    local i
    for i in $(seq 300); do
        mountpoint -q "$mount" && return
        sleep 0.1
    done
    echo "$1 did not mount: $(cat "$work/$1.err")" >&2
    exit 1
}

# outcomes SUBJECT: runs the suite; a line "test outcome" for each test.
outcomes() {
    rm -f "$work/image"
    truncate -s 256M "$work/image"
    mkfs.ext4 -q "$work/image"
    mount -o loop "$work/image" "$below"
    mount -t tmpfs -o size=1m,mode=755 none "$other"
    mirrored "$1"
    timeout "${POSIX_SECONDS:-600}" pjdfstest -c "$work/pjdfstest.toml" -p "$mount" -s "$other" \
        > "$work/$1.out" 2>&1 || true
    ended
    sed 's/\x1b\[[0-9;]*m//g' "$work/$1.out" |
        sed -nE 's/^([^[:space:]]+::[^[:space:]]+)[[:space:]]+(ok|FAILED|skipped)$/\1 \2/p' | sort > "$work/$1.txt"
}

SUBJECTS=(ext4 ours passthrough_hp go-fuse)
printf '| pjdfstest on | passed | failed | skipped | seconds |\n|---|--:|--:|--:|--:|\n'
for subject in "${SUBJECTS[@]}"; do
    SECONDS=0
    outcomes "$subject"
    awk -v name="$subject" -v s="$SECONDS" '{ n[$2]++ } END {
        printf "| %s | %d | %d | %d | %d |\n", name, n["ok"], n["FAILED"], n["skipped"], s }' "$work/$subject.txt"
done
echo
for subject in "${SUBJECTS[@]:1}"; do
    comm -23 <(sed -n 's/ ok$//p' "$work/ext4.txt") <(sed -n 's/ ok$//p' "$work/$subject.txt") | sed "s/^/$subject: /"
done
