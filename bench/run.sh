#!/usr/bin/env bash
# Measures Chagres beside its peers: bench/run.sh [SECTION...]
#
# Sections: catchup zstd gzip protect readback grep small many steady polling idle memory start alloc s3 scaling dies
#   dedupe calls safepoint jdkio fuse mount forward spark size (all, when none is named).
# Prints one Markdown table per section and keeps it with its raw numbers in bench/results.
#
# Environment:
#   BENCH_DIR    where the data goes, on the disk to measure (default: a new temporary directory, removed at the end)
#   BENCH_SHORT  1: small sizes and short windows, to try the script, not to quote
#   FUSE_ONLY    servers of the section fuse, separated by blanks, such as "ours ours-paths jfuse" (default: all)
#   CHAGRES      the command to measure (default: the launcher beside this directory)
# Needs gcc, python3, zstd, a JDK >= 25, and for peers rsyslog, libfuse 3 and libfuse 2
# (Debian: apt-get install gcc python3 zstd rsyslog fuse3 libfuse3-dev libfuse2).
# The section forward starts Kafka: that of KAFKA_HOME, or the one of the tests, by Maven.
# The section grep needs strace, versitygw and, for a peer, ripgrep.
# The section size asks versitygw, where there is one, for the number of requests.
# The section mount needs root and /dev/fuse, for peers rclone and versitygw.
# The section dedupe needs root, xfsprogs, and for peers duperemove, jdupes and fclones.
set -euo pipefail
export LC_ALL=C

HERE=$(cd "$(dirname "$0")" && pwd)
CHAGRES=${CHAGRES:-$HERE/../chagres}
TARGET=$HERE/target
TICKS_PER_SECOND=$(getconf CLK_TCK)
ALL_SECTIONS=(catchup zstd gzip protect readback grep small many steady polling idle memory start alloc s3 scaling dies
    dedupe calls safepoint jdkio fuse mount forward spark size)

if [ "${BENCH_SHORT:-0}" = 1 ]; then
    RESULTS=$TARGET/results
    WARM_SECONDS=${WARM_SECONDS:-15} WINDOW_SECONDS=${WINDOW_SECONDS:-15}
    RUNS=${RUNS:-1} CATCHUP_MIB=${CATCHUP_MIB:-64} IDLE_FILES=${IDLE_FILES:-2000} STARTS=${STARTS:-3}
else
    RESULTS=$HERE/results
    WARM_SECONDS=${WARM_SECONDS:-60} WINDOW_SECONDS=${WINDOW_SECONDS:-60}
    RUNS=${RUNS:-3} CATCHUP_MIB=${CATCHUP_MIB:-2048} IDLE_FILES=${IDLE_FILES:-100000} STARTS=${STARTS:-20}
fi

. "$HERE/sections/lib.sh"
for section in "${ALL_SECTIONS[@]}"; do
    . "$HERE/sections/$section.sh"
done

find_java() {
    local home
    for home in "${JAVA_HOME:-}" /usr/lib/jvm/*25*; do
        if [ -x "$home/bin/javac" ] && "$home/bin/java" -version 2>&1 | grep -q 'version "2[5-9]'; then
            JAVA_HOME=$home
            export JAVA_HOME
            return
        fi
    done
    die "no JDK >= 25: set JAVA_HOME"
}

build_helpers() {
    local source
    mkdir -p "$TARGET/peers" "$RESULTS"
    for source in "$HERE"/c/*.c; do
        gcc -O2 -Wall -Wextra -o "$TARGET/$(basename "$source" .c)" "$source"
    done
    "$JAVA_HOME/bin/javac" -d "$TARGET/peers" "$HERE"/peers/*.java
}

# What was measured, on what.
machine() {
    echo "| | |"
    echo "|---|---|"
    echo "| processor | $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores |"
    echo "| memory | $(awk '/^MemTotal/ { printf "%.0f", $2 * 1024 / 1e9 }' /proc/meminfo) GB |"
    echo "| kernel | $(uname -r) |"
    echo "| file system | $(stat -f -c %T "$BENCH_DIR") |"
    echo "| JDK | $("$JAVA_HOME/bin/java" -version 2>&1 | sed -n 2p) |"
    echo "| compiler of the C helpers | $(gcc --version | head -n 1), -O2 |"
    echo "| zstd | $(zstd --version | grep -o 'v[0-9.]*' | head -n 1) |"
    echo "| libfuse | $(fusermount3 -V 2> /dev/null | grep -o '[0-9.]*$') |"
    echo "| rsyslog | $(rsyslogd -v 2> /dev/null | sed -n '1s/ (.*//p') |"
    echo "| Chagres | $(git -C "$HERE" rev-parse --short HEAD 2> /dev/null || echo unknown) |"
    echo "| date | $(date -u +%F) |"
}

cleanup() {
    local pid
    fuse_cleanup
    mount_cleanup
    for pid in $(jobs -p); do
        kill -TERM "$pid" 2> /dev/null || true
    done
    wait
    dedupe_down
    if [ "${BENCH_DIR_IS_OURS:-0}" = 1 ]; then
        rm -rf "${BENCH_DIR:?}"
    fi
}

main() {
    local sections=("$@") section
    [ $# -gt 0 ] || sections=("${ALL_SECTIONS[@]}")
    for section in "${sections[@]}"; do
        declare -F "section_$section" > /dev/null || die "no section '$section'; there are: ${ALL_SECTIONS[*]}"
    done
    find_java
    build_helpers
    if [ -z "${BENCH_DIR:-}" ]; then
        BENCH_DIR=$(mktemp -d) BENCH_DIR_IS_OURS=1
    fi
    mkdir -p "$BENCH_DIR"
    trap cleanup EXIT
    trap 'exit 130' INT TERM
    machine > "$RESULTS/machine.md"
    "$CHAGRES" --help > /dev/null # builds and trains on first use, outside every measurement
    for section in "${sections[@]}"; do
        say "== $section"
        "section_$section"
    done
}

main "$@"
