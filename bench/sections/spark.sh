# Lines of an archive in Spark beside Spark's own text source over the same file as it was, on one core; the tasks that one
# file becomes; a job over many hosts. CPU seconds are those of the tasks, as Spark counts them.

# spark_build: the class path that the tests of the module have, the JVM's flags as Spark's launcher gives them, the peer.
spark_build() {
    "$HERE/../mvnw" -B -q -f "$HERE/../pom.xml" -pl engines/spark -am -Dquick test-compile dependency:build-classpath \
        -Dmdep.outputFile="$TARGET/spark.path"
    SPARK_PATH=$HERE/../engines/spark/target/quick/classes:$(cat "$TARGET/spark.path")
    SPARK_FLAGS=($(sed -n 's|.*<test.exports>\(.*\)</test.exports>.*|\1|p' "$HERE/../engines/spark/pom.xml"))
    mkdir -p "$TARGET/peers"
    "$JAVA_HOME/bin/javac" -d "$TARGET/peers" -cp "$SPARK_PATH" "$HERE"/peers/spark/*.java
}

# spark_rows RUNS FORMAT PATH...: a row for each run.
spark_rows() {
    local words
    "$JAVA_HOME/bin/java" -Xmx2g --enable-native-access=ALL-UNNAMED "${SPARK_FLAGS[@]}" -cp "$TARGET/peers:$SPARK_PATH" \
        SparkLines "$@" 2> "$BENCH_DIR/spark.err" > "$BENCH_DIR/spark.out" || die "Spark: $(tail -n 5 "$BENCH_DIR/spark.err")"
    while read -ra words; do
        row spark "${words[@]}"
    done < "$BENCH_DIR/spark.out"
}

# spark_fleet: an archive of many hosts of one file of 1 MiB each, and the same files as they are.
spark_fleet() {
    local host log plain
    log=$(fresh spark-log)
    fresh spark-fleet > /dev/null
    plain=$(fresh spark-plain)
    "$TARGET/loggen" "$log/app.log" 1
    for host in $(seq "$SPARK_HOSTS"); do
        "$CHAGRES" ship "$log" --to "$BENCH_DIR/spark-fleet/archive" --state "$BENCH_DIR/spark-fleet/state-$host" \
            --host "h$(printf %03d "$host")" --once --quiet
        cp "$log/app.log" "$plain/$host.log"
    done
}

spark_values() { awk -F, -v what="$1" -v column="$2" '$1 == what { print $column }' "$RESULTS/spark.csv"; }

spark_column() { spark_values "$@" | median; }

spark_least() { spark_values "$@" | sort -g | head -n 1; }

# spark_target TITLE OURS PEER: CPU seconds of the peer beside ours for the same lines; the least of the runs, and the median.
spark_target() {
    local share least
    share=$(ratio "$(spark_column "$3" 5)" "$(spark_column "$2" 5)")
    least=$(ratio "$(spark_least "$3" 5)" "$(spark_least "$2" 5)")
    echo "| $1, lines a core beside the text source | >= 0.9x | ${share}x (least of each ${least}x) | $(verdict_min "$share" 0.9) |"
}

section_spark() {
    local what log=$BENCH_DIR/big/app.log
    SPARK_HOSTS=${SPARK_HOSTS:-300}
    [ "${BENCH_SHORT:-0}" = 0 ] || SPARK_HOSTS=3
    spark_build
    once sparked "$BENCH_DIR/measured"
    zstd -1 -q -f "$log" -o "$BENCH_DIR/app.log.zst"
    csv spark "what,run,tasks,lines,cpu_s,wall_s"
    touched 2048
    spark_rows "$RUNS" text "$log" chagres "$BENCH_DIR/sparked/archive" text+like "$log" \
        chagres+like "$BENCH_DIR/sparked/archive"
    spark_rows 1 text+plan "$BENCH_DIR/app.log.zst"
    rm -rf "$BENCH_DIR/sparked" "$BENCH_DIR/app.log.zst"
    spark_fleet
    spark_rows 1 chagres+plan "$BENCH_DIR/spark-fleet/archive"
    spark_rows "$RUNS" text+fleet "$BENCH_DIR/spark-plain" chagres+fleet "$BENCH_DIR/spark-fleet/archive"
    {
        echo "$(stat -c %s "$log" | awk '{ printf "%.0f", $1 / 1e6 }') MB in one file, local[1]; tasks of 64 MiB."
        echo
        echo "| read | tasks | lines | CPU s of tasks | least | lines a CPU second | wall s |"
        echo "|---|---|---|---|---|---|---|"
        for what in text chagres text+like chagres+like text+fleet chagres+fleet; do
            awk -v what="$what" -v tasks="$(spark_column "$what" 3)" -v cpu="$(spark_column "$what" 5)" \
                -v lines="$(spark_column "text$(sed -n 's/.*\(+fleet\)/\1/p' <<< "$what")" 4)" \
                -v least="$(spark_least "$what" 5)" -v wall="$(spark_column "$what" 6)" 'BEGIN {
                    printf "| `%s` | %d | %d | %.2f | %.2f | %.0f | %.2f |\n", what, tasks, lines, cpu, least, lines / cpu, wall }'
        done
        echo
        echo "| | target | measured | |"
        echo "|---|---|---|---|"
        spark_target "all lines" chagres text
        spark_target "\`like\`" chagres+like text+like
        echo "| tasks of the same file as \`.zst\` by the text source | | $(spark_column text+plan 3) | |"
        echo "| tasks for $SPARK_HOSTS hosts, planned in $(spark_column chagres+plan 6) s | | $(spark_column chagres+plan 3) | |"
    } | table spark
}
