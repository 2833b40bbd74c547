# The read path of a shipper by classes of the JDK and by the call layer, turn by turn.

section_jdkio() {
    local round way load seconds
    seconds=$([ "${BENCH_SHORT:-0}" = 1 ] && echo 2 || echo 20)
    jvm_build
    csv jdkio "load,way,round,bytes,looks,wall_ns,cpu_ns,allocated"
    for round in $(seq "$RUNS"); do
        for load in catchup steady; do
            for way in jdk ours; do
                row jdkio "$load" "$way" "$round" \
                    $(bench_java -Xms256m -Xmx256m io.chagres.bench.ReadingNew "$way" "$load" "$seconds")
            done
        done
    done
    python3 "$HERE/tables/jmh_tables.py" "$RESULTS"
}
