# What a call costs: JMH, three forks each, every rival in the same run, beside loops in C.

JVM_FLAGS=(-Xms512m -Xmx512m -XX:+UseG1GC -XX:-UsePerfData --enable-native-access=ALL-UNNAMED
    --sun-misc-unsafe-memory-access=allow)

# Compiles the benchmarks and their C library. MAVEN_ARGS is Maven's own variable.
jvm_build() {
    "$HERE/../mvnw" -B -q -f "$HERE/../pom.xml" -pl bench -am package -DskipTests -Dspotless.check.skip
    gcc -O2 -Wall -Wextra -shared -fPIC -I"$JAVA_HOME/include" -I"$JAVA_HOME/include/linux" \
        -o "$TARGET/libbench.so" "$HERE"/native/*.c
    mkdir -p "$RESULTS/raw" "$BENCH_DIR/calls"
    JVM_PROPERTIES=(-Dbench.library="$TARGET/libbench.so" -Dbench.dir="$BENCH_DIR/calls"
        -Dbench.bytes=$(($([ "${BENCH_SHORT:-0}" = 1 ] && echo 64 || echo 512) << 20)))
    JVM_PATH="$TARGET/classes:$TARGET/lib/*"
}

# bench_java FLAG... CLASS ARGUMENT...: one of the programs; flags come after ours.
bench_java() {
    "$JAVA_HOME/bin/java" "${JVM_PROPERTIES[@]}" --enable-native-access=ALL-UNNAMED \
        --sun-misc-unsafe-memory-access=allow -XX:-UsePerfData -cp "$JVM_PATH" "$@"
}

# jmh NAME OPTION...: raw results in raw/NAME.json, all output in raw/NAME.txt.
jmh() {
    local name=$1
    shift
    "$JAVA_HOME/bin/java" "${JVM_FLAGS[@]}" "${JVM_PROPERTIES[@]}" -cp "$JVM_PATH" org.openjdk.jmh.Main \
        -foe true -prof gc -prof io.chagres.bench.Cpu -rf json -rff "$RESULTS/raw/$name.json" "$@" \
        > "$RESULTS/raw/$name.txt" || die "JMH: $(tail -n 5 "$RESULTS/raw/$name.txt")"
}

# The loops in C, before and after their rivals: "what size wall_ns cpu_ns", a line a round.
calls_in_c() {
    "$TARGET/callloop" "$HERE/run.sh" | awk '{ print $1, 0, $2, $2 }'
}
reads_in_c() {
    local piece
    for piece in 8192 131072; do
        "$TARGET/readloop" "$BENCH_DIR/calls/hot.data" "$piece" "$RUNS" | awk -v p="$piece" '{ print "read", p, $1, $2 }'
    done
}

parked_threads() {
    local attachment count
    csv parked "attachment,threads,heap_bytes,resident_bytes"
    for count in $([ "${BENCH_SHORT:-0}" = 1 ] && echo 1000 || echo 10000 100000); do
        for attachment in none parameter scopedValue threadLocal ofThread ofThreadInFrame; do
            row parked "$attachment" "$count" \
                $(bench_java -Xmx2g io.chagres.bench.ParkedThreads "$attachment" "$count")
        done
    done
}

section_calls() {
    local how=(-f 3 -wi 3 -w 300ms -i 4 -r 300ms)
    [ "${BENCH_SHORT:-0}" != 1 ] || how=(-f 1 -wi 0 -i 1 -r 20ms)
    jvm_build
    bench_java io.chagres.bench.DataFile
    { reads_in_c; calls_in_c; } > "$RESULTS/raw/calls_c.txt"
    jmh system "${how[@]}" FileRead SystemCallCost
    { reads_in_c; calls_in_c; } >> "$RESULTS/raw/calls_c.txt"
    jmh calls "${how[@]}" -e IdentityCold -e FileRead -e SystemCallCost -e ListDirectory "${JMH_ONLY:-.*}"
    rm -f "$RESULTS/raw/cold.json"
    if [ -w /proc/sys/vm/drop_caches ]; then
        jmh cold -f "$RUNS" -wi 1 -i 3 IdentityCold
    else
        say "bench: skipped: identity of cold files needs to drop the kernel's caches, as root"
    fi
    parked_threads
    python3 "$HERE/tables/jmh_tables.py" "$RESULTS"
}
