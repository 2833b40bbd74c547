# How long a safepoint waits for a thread that reads a file: p50 and p99, by collector, from the JVM's own log.

SAFEPOINT_READERS=(spinning heapReader plain ffmCritical jniCritical mapped)

# safepoint_run COLLECTOR READER hot|cold
safepoint_run() {
    local log=$RESULTS/raw/safepoint.log mb
    rm -f "$log"
    mb=$(bench_java "-XX:+Use$1" -Xms256m -Xmx256m -Xlog:safepoint:file="$log":uptime \
        io.chagres.bench.Safepoints "$2" "$3" "$SAFEPOINT_SECONDS")
    # The first second is warm-up; only the safepoints that the program itself asked for count.
    row safepoint "$1" "$2" "$3" "$mb" $(sed -n 's/^\[\([0-9.]*\)s.*"ThreadDump".*Reaching safepoint: \([0-9]*\) ns.*/\1 \2/p' \
        "$log" | awk '$1 > 1 { print $2 }' | sort -n |
        awk '{ v[NR] = $1 } END { print NR, v[int((NR + 1) / 2)], v[int(NR * 0.99 + 0.5)], v[NR] }')
}

section_safepoint() {
    local collector reader
    SAFEPOINT_SECONDS=${SAFEPOINT_SECONDS:-$([ "${BENCH_SHORT:-0}" = 1 ] && echo 2 || echo 6)}
    jvm_build
    csv safepoint "collector,reader,file,mb_per_s,samples,p50_ns,p99_ns,max_ns"
    for collector in G1GC ParallelGC SerialGC ZGC ShenandoahGC; do
        safepoint_run "$collector" idle hot
        for reader in "${SAFEPOINT_READERS[@]}"; do
            safepoint_run "$collector" "$reader" hot
            [ "$reader" = spinning ] || safepoint_run "$collector" "$reader" cold
        done
    done
    python3 "$HERE/tables/jmh_tables.py" "$RESULTS"
}
