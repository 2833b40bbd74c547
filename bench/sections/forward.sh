# Lines of an archive into Kafka beside a bare producer loop with the same lines, and the time from append to consumed
# of `ship --to kafka://`. The broker is Kafka's own, on this machine, and takes processor and disk from its clients.

# kafka_start: a broker that is its own controller, in $BENCH_DIR/kafka; sets KAFKA_PID and KAFKA_BROKER.
kafka_start() {
    local ports dir i
    dir=$(fresh kafka)
    ports=($(python3 -c 'import socket
s = [socket.socket() for _ in "12"]
[x.bind(("127.0.0.1", 0)) for x in s]
print(*[x.getsockname()[1] for x in s])'))
    KAFKA_BROKER=127.0.0.1:${ports[0]}
    cat > "$dir/properties" << CONF
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${ports[1]}
listeners=PLAINTEXT://$KAFKA_BROKER,CONTROLLER://127.0.0.1:${ports[1]}
advertised.listeners=PLAINTEXT://$KAFKA_BROKER
controller.listener.names=CONTROLLER
log.dirs=$dir/data
num.partitions=1
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
CONF
    kafka_java kafka.tools.StorageTool format -t Y2hhZ3Jlcy1iZW5jaC0wMA -c "$dir/properties" > "$dir/out" 2>&1 ||
        die "cannot format: $(cat "$dir/out")"
    "$JAVA_HOME/bin/java" -Xmx1g --enable-native-access=ALL-UNNAMED -cp "$KAFKA_PATH" \
        kafka.Kafka "$dir/properties" > "$dir/out" 2>&1 & # itself, not a shell: it is ended
    KAFKA_PID=$!
    for i in $(seq 300); do
        ! python3 -c "import socket; socket.create_connection(('127.0.0.1', ${ports[0]}))" 2> /dev/null || return 0
        sleep 0.1
    done
    die "Kafka does not answer: $(tail -n 5 "$dir/out")"
}

kafka_java() { "$JAVA_HOME/bin/java" --enable-native-access=ALL-UNNAMED -cp "$TARGET/peers:$KAFKA_PATH" "$@"; }

# kafka_build: the class paths of the broker and of its clients, as the tests of the sink have them; the peers.
kafka_build() {
    if [ -n "${KAFKA_HOME:-}" ]; then
        KAFKA_PATH="$KAFKA_HOME/libs/*"
    else
        "$HERE/../mvnw" -B -q -f "$HERE/../pom.xml" -pl sinks/kafka -am -Dquick test-compile \
            dependency:build-classpath -Dmdep.outputFile="$TARGET/kafka.path"
        KAFKA_PATH=$(cat "$TARGET/kafka.path")
    fi
    mkdir -p "$TARGET/peers"
    "$JAVA_HOME/bin/javac" -d "$TARGET/peers" -cp "$KAFKA_PATH" "$HERE"/peers/kafka/*.java
}

# forward_measured WHAT RUN BYTES LINES COMMAND...: a row of the raw numbers.
forward_measured() {
    local what=$1 run=$2 bytes=$3 lines=$4
    shift 4
    "$TARGET/measure" "$BENCH_DIR/measured" "$@" > /dev/null
    [ "$(awk '{ print $5 }' "$BENCH_DIR/measured")" = 0 ] || die "$what failed"
    row forward "$what" "$run" $(measured "$BENCH_DIR/measured" "$bytes") \
        "$(awk -v lines="$lines" '{ printf "%.0f", lines / $1 }' "$BENCH_DIR/measured")"
}

# The same lines by a loop and by us, in turn, on memory that was touched; the archive is in the page cache.
forward_runs() {
    local run bytes lines
    big_log
    bytes=$(stat -c %s "$BENCH_DIR/big/app.log")
    lines=$(wc -l < "$BENCH_DIR/big/app.log")
    once forwarded "$BENCH_DIR/measured"
    "$CHAGRES" forward --help --to kafka://any/any > /dev/null # the first use of a scheme builds it
    for run in $(seq "$RUNS"); do
        touched 1024
        forward_measured loop "$run" "$bytes" "$lines" "$JAVA_HOME/bin/java" -XX:+UseSerialGC \
            --enable-native-access=ALL-UNNAMED -cp "$TARGET/peers:$KAFKA_PATH" \
            ProducerLoop "$KAFKA_BROKER" "loop$run" "$BENCH_DIR/big/app.log"
        touched 1024
        forward_measured ours "$run" "$bytes" "$lines" "$CHAGRES" forward "$BENCH_DIR/forwarded/archive" \
            --to "kafka://$KAFKA_BROKER/ours$run" --as "run$run" --once
    done
}

# Appends at a constant rate into the spool and on into Kafka; sets FORWARD_LATENCY, FORWARD_CPU and FORWARD_PEAK.
forward_latency() {
    local files=100 rate=1000 seconds=$((WARM_SECONDS + WINDOW_SECONDS + 2)) consumer writer from to
    fresh tree > /dev/null
    fresh live > /dev/null
    "$TARGET/mkfiles" "$BENCH_DIR/tree" 10 "$files" 0
    "$CHAGRES" ship "$BENCH_DIR/tree" --to "kafka://$KAFKA_BROKER/live" --state "$BENCH_DIR/live/state" --host bench \
        --max-lag 100ms --quiet > "$BENCH_DIR/live/out" 2> "$BENCH_DIR/live/err" &
    SHIP_PID=$!
    kafka_java -XX:+UseSerialGC ConsumedTimes "$KAFKA_BROKER" live "$BENCH_DIR/observed" $((rate * seconds)) &
    consumer=$!
    "$TARGET/appender" "$BENCH_DIR/tree" 10 "$files" "$rate" "$seconds" > /dev/null &
    writer=$!
    sleep "$WARM_SECONDS"
    from=$(now)
    FORWARD_CPU=$(cpu_window "$WINDOW_SECONDS" "$SHIP_PID")
    to=$(now)
    FORWARD_PEAK=$(peak_mb "$SHIP_PID")
    wait "$writer"
    ship_stop live
    wait "$consumer"
    FORWARD_LATENCY=($(python3 "$HERE/tables/latency.py" lines "$BENCH_DIR/observed" "$from" "$to"))
    row forward live 1 "${FORWARD_LATENCY[@]}" "$FORWARD_CPU" "$FORWARD_PEAK"
}

section_forward() {
    local what name cpu
    kafka_build
    # Of the row live: lines, p50, p99 and max in ms, percent of a core, peak MB.
    csv forward "what,run,wall_s,mb_per_s,cpu_s_per_gb,peak_mb,faults_per_mib,records_per_s"
    kafka_start
    forward_runs
    forward_latency
    end "$KAFKA_PID"
    {
        echo "| $CATCHUP_MIB MiB of lines into Kafka | records/s | wall s | CPU s/GB | peak RSS MB |"
        echo "|---|---|---|---|---|"
        for what in loop ours; do
            [ $what = ours ] && name='`chagres forward --once`' || name='a bare producer loop, from the file'
            echo "| $name | $(column forward $what 8) | $(column forward $what 3) | $(column forward $what 5) |" \
                "$(column forward $what 6) |"
        done
        cpu=$(ratio "$(column forward ours 5)" "$(column forward loop 5)")
        echo
        echo "| | target | measured | |"
        echo "|---|---|---|---|"
        echo "| CPU of \`forward\` beside the loop | <= 1.15x | ${cpu}x | $(verdict "$cpu" 1.15) |"
        echo "| peak RSS of \`forward\` | <= 160 MB | $(column forward ours 6) MB |" \
            "$(verdict "$(column forward ours 6)" 160) |"
        echo "| append -> consumed, \`ship --to kafka://\`, lag 100 ms, 100 files, 1,000 lines/s, p50 / p99 | |" \
            "${FORWARD_LATENCY[1]} / ${FORWARD_LATENCY[2]} ms | |"
        echo "| CPU of that, % of a core; peak RSS | | $FORWARD_CPU; $FORWARD_PEAK MB | |"
    } | table forward
    rm -rf "$BENCH_DIR"/{kafka,forwarded,live,tree}
}
