# FUSE: ours beside libfuse in C, jfuse and jnr-fuse. Every server serves the same small tree from memory, every client
# does the same work, all in one run.

FUSE_SERVERS=(${FUSE_ONLY:-ours ours-uring ours-paths libfuse-ll libfuse-hl libfuse-hl-threads jfuse jfuse-threads jnr-fuse
    jnr-fuse-threads})
FUSE_DATA=(seqread:131072 randread:4096 seqwrite:131072 randwrite:4096)

# What the tables show, by "PLACEMENT TIMEOUT_S MODE".
declare -A FUSE_CALLS=(
    ["same 0 plain"]="list:8 ls:8 ls:1000 getattr open"
    ["same 0 best"]="list:8 ls:1000"
    ["same 1 plain"]="list:8 ls:8 ls:1000 open"
    ["same 1 best"]="list:8 ls:8 ls:1000 open"
    ["cross 0 plain"]="list:8 getattr open"
)

# fuse_command SERVER TIMEOUT_S MODE: sets FUSE_COMMAND, or says what is missing and returns 1.
fuse_command() {
    local rest=("$FUSE_MOUNT" "$2" "$3" "$FUSE_MIB")
    local java=("$JAVA_HOME/bin/java" -Xms256m -Xmx256m -XX:+UseSerialGC -XX:-UsePerfData
        --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow "-Dbench.libfuse3=$FUSE_LIBFUSE3"
        -cp "$JVM_PATH")
    case $1 in
        ours) FUSE_COMMAND=("${java[@]}" io.chagres.bench.fuse.BenchFs classic "${rest[@]}") ;;
        ours-paths) FUSE_COMMAND=("${java[@]}" io.chagres.bench.fuse.PathBenchFs classic "${rest[@]}") ;;
        ours-uring) FUSE_COMMAND=("${java[@]}" io.chagres.bench.fuse.BenchFs uring "${rest[@]}") ;;
        libfuse-ll) FUSE_COMMAND=("$TARGET/ll" "${rest[@]}") ;;
        libfuse-hl) FUSE_COMMAND=("$TARGET/hl" "${rest[@]}") ;;
        libfuse-hl-threads) FUSE_COMMAND=("$TARGET/hl" "${rest[@]}" threads) ;;
        jfuse) FUSE_COMMAND=("${java[@]}" io.chagres.bench.fuse.JfuseServer "${rest[@]}") ;;
        jfuse-threads) FUSE_COMMAND=("${java[@]}" io.chagres.bench.fuse.JfuseServer "${rest[@]}" threads) ;;
        jnr-fuse) FUSE_COMMAND=("${java[@]}" io.chagres.bench.fuse.JnrServer "${rest[@]}") ;;
        jnr-fuse-threads) FUSE_COMMAND=("${java[@]}" io.chagres.bench.fuse.JnrServer "${rest[@]}" threads) ;;
        ours-passthrough)
            FUSE_COMMAND=("${java[@]}" io.chagres.examples.PassthroughFs "$BENCH_DIR/fuse/backing" "$FUSE_MOUNT")
            ;;
    esac
}

# What a server needs and this machine has not; nothing when it can run.
fuse_missing() {
    case $1 in
        ours-uring)
            grep -q Y /sys/module/fuse/parameters/enable_uring 2> /dev/null ||
                echo "FUSE over io_uring: echo Y > /sys/module/fuse/parameters/enable_uring, as root"
            ;;
        libfuse-*) [ -x "$TARGET/ll" ] || echo "libfuse 3 and its headers: apt-get install libfuse3-dev fuse3" ;;
        jfuse*) [ -n "$FUSE_LIBFUSE3" ] || echo "libfuse 3: apt-get install libfuse3-3 fuse3" ;;
        ours-passthrough)
            "$JAVA_HOME/bin/javap" -cp "$JVM_PATH" io.chagres.examples.PassthroughFs > /dev/null 2>&1 ||
                echo "the example PassthroughFs"
            [ "$(id -u)" = 0 ] || echo "root: the kernel lets nobody else name backing files"
            ;;
        jnr-fuse*) [ -n "$(fuse_library libfuse.so.2)" ] || echo "libfuse 2: apt-get install libfuse2" ;;
    esac
}

fuse_library() {
    PATH=$PATH:/sbin ldconfig -p | awk -v name="$1" '$1 == name && found == "" { found = $NF } END { print found }'
}

# Builds everything; sets FUSE_PRESENT to the servers that can run here, FUSE_TREES to those of them that serve the tree
# (ours-passthrough mirrors a directory with the large file only), FUSE_CPUS to one or two cores.
fuse_prepare() {
    local server missing
    FUSE_CPUS=($(python3 -c 'import os; print(*sorted(os.sched_getaffinity(0))[:2])'))
    [ -w /dev/fuse ] || die "fuse: /dev/fuse is missing or not writable"
    jvm_build
    FUSE_LIBFUSE3=$(fuse_library libfuse3.so.3)
    rm -f "$TARGET/ll" "$TARGET/hl"
    if echo '#include <fuse3/fuse_lowlevel.h>' | gcc -E -DFUSE_USE_VERSION=312 -D_FILE_OFFSET_BITS=64 - \
        > /dev/null 2>&1; then
        for server in ll hl; do
            gcc -O2 -Wall -Wextra -D_FILE_OFFSET_BITS=64 -o "$TARGET/$server" "$HERE/peers/libfuse/$server.c" -lfuse3
        done
    fi
    mkdir -p "$BENCH_DIR/fuse/mnt" "$RESULTS/raw"
    FUSE_MOUNT=$(realpath "$BENCH_DIR/fuse/mnt")
    FUSE_PRESENT=()
    for server in "${FUSE_SERVERS[@]}" ours-passthrough; do
        missing=$(fuse_missing "$server")
        if [ -n "$missing" ]; then
            say "bench: fuse: $server is left out, it needs $missing"
        else
            FUSE_PRESENT+=("$server")
        fi
    done
    FUSE_TREES=("${FUSE_PRESENT[@]}")
    if [ "${FUSE_PRESENT[-1]}" = ours-passthrough ]; then
        unset 'FUSE_TREES[-1]'
        mkdir -p "$BENCH_DIR/fuse/backing"
        head -c "${FUSE_MIB}M" /dev/zero | tr '\0' c > "$BENCH_DIR/fuse/backing/data"
    fi
}

fuse_is_mounted() { grep -q " $FUSE_MOUNT " /proc/self/mountinfo; }

# fuse_launch NAME: runs FUSE_COMMAND and waits until it has mounted; sets FUSE_PID, or says why not and returns 1.
fuse_launch() {
    local waited
    "${FUSE_COMMAND[@]}" > "$BENCH_DIR/fuse/out" 2> "$BENCH_DIR/fuse/err" &
    FUSE_PID=$!
    for waited in $(seq 1200); do
        ! fuse_is_mounted || return 0
        if ! kill -0 "$FUSE_PID" 2> /dev/null; then
            say "bench: fuse: $1 did not start: $(head -n 3 "$BENCH_DIR/fuse/err")"
            return 1
        fi
        sleep 0.05
    done
    die "fuse: $1 did not mount within a minute"
}

# fuse_start SERVER TIMEOUT_S MODE [CORES]: mounts it, on the first core unless told otherwise.
fuse_start() {
    fuse_command "$@"
    FUSE_COMMAND=(taskset -c "${4:-${FUSE_CPUS[0]}}" "${FUSE_COMMAND[@]}")
    fuse_launch "$1"
}

fuse_unmount() {
    if [ "$(id -u)" = 0 ]; then
        umount "$@" "$FUSE_MOUNT"
    else
        fusermount3 -u ${1:+-z} "$FUSE_MOUNT"
    fi
}

# Unmounts and waits for the server, which then prints its counts.
fuse_stop() {
    local tried code=0
    for tried in $(seq 100); do
        ! fuse_unmount 2> /dev/null || break
        sleep 0.1
    done
    ! fuse_is_mounted || die "fuse: cannot unmount $FUSE_MOUNT"
    wait "$FUSE_PID" || code=$?
    [ "$code" -eq 0 ] || say "bench: fuse: a server ended with $code: $(tail -n 3 "$BENCH_DIR/fuse/err")"
}

# Called when the script ends, also in the middle: nothing may stay mounted below a directory that is then removed.
fuse_cleanup() {
    if [ -n "${FUSE_MOUNT:-}" ] && fuse_is_mounted; then
        fuse_unmount -l || true
    fi
    if [ -n "${FUSE_TRACE:-}" ]; then
        rmdir "$FUSE_TRACE" || true
        FUSE_TRACE=
    fi
    if grep -q " $BENCH_DIR/fuse/tracing " /proc/self/mountinfo; then
        umount "$BENCH_DIR/fuse/tracing" || true
    fi
}

# fuse_measure SERVER PLACEMENT TIMEOUT_S MODE RUN WORK...
fuse_measure() {
    local server=$1 placement=$2 timeout=$3 mode=$4 run=$5 warm=$FUSE_WARM_MS work median least cpu
    local client=${FUSE_CPUS[0]} cores=${FUSE_CPUS[0]}
    shift 5
    if [ "$placement" = cross ]; then
        [ ${#FUSE_CPUS[@]} -gt 1 ] || return 0
        client=${FUSE_CPUS[1]}
        # A thread for each core, where the caller is: confined to the first one it would be like the others.
        [ "$server" != ours-uring ] || cores+=,$client
    fi
    fuse_start "$server" "$timeout" "$mode" "$cores" || return 0
    if [[ $server == libfuse-* ]]; then
        warm=$((warm / 2)) # nothing is compiled there
    else
        "$TARGET/fuseclient" "$FUSE_MOUNT" "$client" time "$FUSE_PID" 1 1 $((warm * 3)) "$1" > "$BENCH_DIR/fuse/warmed"
    fi
    "$TARGET/fuseclient" "$FUSE_MOUNT" "$client" time "$FUSE_PID" "$FUSE_ROUNDS" "$FUSE_ROUND_MS" "$warm" \
        "$@" > "$BENCH_DIR/fuse/measured"
    while read -r work median least cpu; do
        row fuse "$server" "$placement" "$timeout" "$mode" "$run" "$work" "$median" "$least" "$cpu"
    done < "$BENCH_DIR/fuse/measured"
    fuse_stop
}

# Makes the kernel count requests: sets FUSE_TRACE to a tracing instance of our own, or leaves it empty.
fuse_trace_begin() {
    local tracing=/sys/kernel/tracing
    FUSE_TRACE=
    if [ ! -d "$tracing/instances" ] && [ "$(id -u)" = 0 ]; then
        tracing=$BENCH_DIR/fuse/tracing
        mkdir -p "$tracing"
        mount -t tracefs none "$tracing" || true
    fi
    if [ -w "$tracing/instances" ] && [ -e "$tracing/events/fuse/fuse_request_send" ] &&
        { rmdir "$tracing/instances/chagres-bench" 2> /dev/null || true; } &&
        mkdir "$tracing/instances/chagres-bench"; then
        FUSE_TRACE=$tracing/instances/chagres-bench
        echo 16384 > "$FUSE_TRACE/buffer_size_kb"
    else
        say "bench: fuse: requests are not counted: that needs root and the tracepoint fuse_request_send"
    fi
}

# fuse_count SERVER TIMEOUT_S MODE WORK: requests by the kernel's own trace, callbacks by the server, each by operation.
fuse_count() {
    local server=$1 timeout=$2 mode=$3 work=$4 kind operation times connection count=200
    fuse_start "$server" "$timeout" "$mode" || return 0
    row fuse_counts "$server" "$timeout" "$mode" "$work" counted all "$count"
    "$TARGET/fuseclient" "$FUSE_MOUNT" -1 count 5 "$work"
    if [ -n "$FUSE_TRACE" ]; then
        connection=$(awk -v m="$FUSE_MOUNT" '$5 == m { split($3, d, ":"); print d[2] }' /proc/self/mountinfo)
        echo > "$FUSE_TRACE/trace"
        echo "connection == $connection" > "$FUSE_TRACE/events/fuse/fuse_request_send/filter"
        echo 1 > "$FUSE_TRACE/events/fuse/fuse_request_send/enable"
    fi
    "$TARGET/fuseclient" "$FUSE_MOUNT" -1 count "$count" "$work"
    if [ -n "$FUSE_TRACE" ]; then
        echo 0 > "$FUSE_TRACE/events/fuse/fuse_request_send/enable"
        sed -n 's/.*fuse_request_send:.*(FUSE_\([A-Z0-9]*\)).*/\L\1/p' "$FUSE_TRACE/trace" | sort | uniq -c |
            while read -r times operation; do
                row fuse_counts "$server" "$timeout" "$mode" "$work" request "$operation" "$(ratio "$times" "$count")"
            done
    fi
    fuse_stop
    while read -r kind operation times; do
        row fuse_counts "$server" "$timeout" "$mode" "$work" "$kind" "$operation" "$(ratio "$times" $((count + 5)))"
    done < <(grep ^callback "$BENCH_DIR/fuse/out")
}

# fuse_files_list SERVER TIMEOUT_S MODE: Files.list under JMH, on the core of the server.
fuse_files_list() {
    local name="fuse_files_$1_$2_$3"
    fuse_start "$@" || return 0
    (
        taskset -cp "${FUSE_CPUS[0]}" "$BASHPID" > /dev/null
        JVM_PROPERTIES+=("-Dbench.list=$FUSE_MOUNT/d8")
        jmh "$name" "${FUSE_JMH[@]}" ListDirectory
    )
    fuse_stop
    row fuse_files "$1" "$2" "$3" $(python3 -c '
import json, sys
found = json.load(open(sys.argv[1]))[0]["primaryMetric"]
print(found["score"], found["scoreError"])' "$RESULTS/raw/$name.json")
}

# Libraries with threads of their own, as they come, are one comparison and not the measure of everything.
fuse_is_measured() { [[ $1 != j*-threads || $2 == "same 0 plain" ]]; }

fuse_run() {
    local run configuration server
    csv fuse "server,placement,timeout,mode,run,work,median_ns,min_ns,cpu_ns"
    for run in $(seq "$RUNS"); do
        for configuration in "${FUSE_CONFIGURATIONS[@]}"; do
            for server in "${FUSE_TREES[@]}"; do
                [ -n "${FUSE_CALLS[$configuration]:-}" ] && fuse_is_measured "$server" "$configuration" || continue
                fuse_measure "$server" $configuration "$run" ${FUSE_CALLS[$configuration]}
            done
            [[ $configuration == *"1 plain" ]] || continue
            for server in "${FUSE_PRESENT[@]}"; do
                fuse_is_measured "$server" "$configuration" || continue
                fuse_measure "$server" $configuration "$run" "${FUSE_DATA[@]}"
            done
        done
    done
}

section_fuse() {
    local server configuration work
    if [ "${BENCH_SHORT:-0}" = 1 ]; then
        FUSE_ROUNDS=3 FUSE_ROUND_MS=2 FUSE_WARM_MS=5 FUSE_MIB=16 FUSE_JMH=(-f 0 -wi 0 -i 1 -r 20ms)
        FUSE_CONFIGURATIONS=("same 0 plain" "cross 1 plain")
        local counted=("1 best") works=(list:8) files=("0 plain")
    else
        FUSE_ROUNDS=9 FUSE_ROUND_MS=60 FUSE_WARM_MS=500 FUSE_MIB=256 FUSE_JMH=(-f 1 -wi 2 -w 1s -i 5 -r 500ms)
        FUSE_CONFIGURATIONS=("same 0 plain" "same 0 best" "same 1 plain" "same 1 best" "cross 0 plain" "cross 1 plain")
        local counted=("0 plain" "0 best" "1 plain" "1 best") works=(list:8 ls:8) files=("0 plain" "0 best" "1 best")
    fi
    fuse_prepare
    fuse_run
    csv fuse_counts "server,timeout,mode,work,kind,operation,times"
    fuse_trace_begin
    for configuration in "${counted[@]}"; do
        for server in "${FUSE_TREES[@]}"; do
            fuse_is_measured "$server" "same $configuration" || continue
            for work in "${works[@]}"; do
                fuse_count "$server" $configuration "$work"
            done
        done
    done
    csv fuse_files "server,timeout,mode,ns,error_ns"
    for configuration in "${files[@]}"; do
        for server in "${FUSE_TREES[@]}"; do
            ! fuse_is_measured "$server" "same $configuration" || fuse_files_list "$server" $configuration
        done
    done
    fuse_cleanup
    python3 "$HERE/tables/fuse_tables.py" "$RESULTS"
}
