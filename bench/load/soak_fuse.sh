#!/usr/bin/env bash
# Uses a FUSE server of ours for an hour and checks everything it says: bench/load/soak_fuse.sh [SECONDS [CLASS ARGUMENT...]]
#
# CLASS is a main class of the module examples; it gets its arguments and after them the directory to mount at
# (default: io.chagres.examples.MemoryFs without arguments). Memory, descriptors and threads of the server are recorded
# in bench/results/fuse_soak.csv, the verdict in fuse_soak.md; the exit code is not 0 when anything was wrong.
#
# Environment:
#   BENCH_DIR   where it mounts (default: a new temporary directory, removed at the end)
#   RESULTS     where the results go (default: bench/results)
#   SOAK_SEED   the seed of a run before, to repeat it as far as the order of processes allows
# Needs python3 and a JDK >= 25.
set -euo pipefail
export LC_ALL=C

HERE=$(cd "$(dirname "$0")/.." && pwd)
TARGET=$HERE/target
RESULTS=${RESULTS:-$HERE/results}
. "$HERE/sections/lib.sh"
. "$HERE/sections/calls.sh"
. "$HERE/sections/fuse.sh"
. "$HERE/../bin/find-jdk.sh"

LENGTH=${1:-3600}
if [ $# -gt 1 ]; then
    shift
else
    set -- io.chagres.examples.MemoryFs
fi

cleanup() {
    fuse_cleanup
    [ "${BENCH_DIR_IS_OURS:-0}" = 0 ] || rm -rf "${BENCH_DIR:?}"
}

require_jdk soak_fuse
export JAVA_HOME=$jdk
if [ -z "${BENCH_DIR:-}" ]; then
    BENCH_DIR=$(mktemp -d) BENCH_DIR_IS_OURS=1
fi
mkdir -p "$BENCH_DIR/fuse/mnt" "$RESULTS"
FUSE_MOUNT=$(realpath "$BENCH_DIR/fuse/mnt")
trap cleanup EXIT
trap 'exit 130' INT TERM
jvm_build

# All of the heap is there from the start, so that what grows is a leak.
FUSE_COMMAND=("$JAVA_HOME/bin/java" -Xms1g -Xmx1g -XX:+AlwaysPreTouch -XX:+UseSerialGC -XX:-UsePerfData
    --enable-native-access=ALL-UNNAMED -cp "$JVM_PATH" "$@" "$FUSE_MOUNT")
fuse_launch "$1"
code=0
python3 "$HERE/load/soak_fuse.py" "$FUSE_MOUNT" "$LENGTH" "$FUSE_PID" "$RESULTS/fuse_soak.csv" ${SOAK_SEED:+"$SOAK_SEED"} |
    table fuse_soak || code=$?
fuse_stop
cat "$BENCH_DIR/fuse/err" >&2
exit "$code"
