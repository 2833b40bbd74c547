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
    touched 1024
    "$TARGET/measure" "$BENCH_DIR/measured" "$@" > /dev/null
    [ "$(awk '{ print $5 }' "$BENCH_DIR/measured")" = 0 ] || die "$what failed"
    row forward "$what" "$run" $(measured "$BENCH_DIR/measured" "$bytes") \
        "$(awk -v lines="$lines" '{ printf "%.0f", lines / $1 }' "$BENCH_DIR/measured")"
}

# forward_loop WHAT HEADERS SETTINGS RUN BYTES LINES: the bare loop, into a topic of its own.
forward_loop() {
    forward_measured "$1" "$4" "$5" "$6" "$JAVA_HOME/bin/java" -XX:+UseSerialGC --enable-native-access=ALL-UNNAMED \
        -cp "$TARGET/peers:$KAFKA_PATH" ProducerLoop "$KAFKA_BROKER" "$1$4" "$BENCH_DIR/big/app.log" "$3" "$2"
}

# forward_ours WHAT SETTINGS RUN BYTES LINES: forward, under a name of its own, which a second time has nothing to do.
forward_ours() {
    forward_measured "$1" "$3" "$4" "$5" "$CHAGRES" forward "$BENCH_DIR/forwarded/archive" \
        --to "kafka://$KAFKA_BROKER/${1%_again}$3" --as "${1%_again}$3" --once --properties "$2"
}

# connect_build: the class path of Kafka Connect with its source of files, at the version of the clients.
connect_build() {
    CONNECT_PATH=$KAFKA_PATH
    [ -z "${KAFKA_HOME:-}" ] || return 0
    "$HERE/../mvnw" -B -q -f "$HERE/peers/kafka/connect.xml" dependency:build-classpath \
        -Dkafka.version="$(sed -n 's|.*<kafka.version>\(.*\)</kafka.version>|\1|p' "$HERE/../pom.xml")" \
        -Dmdep.outputFile="$TARGET/connect.path"
    CONNECT_PATH=$(cat "$TARGET/connect.path")
}

# connect_run RUN BYTES LINES: Kafka Connect's own source of files, standalone, until the end of the file is among its
# positions. It would run for ever, so it is looked at while it lives.
connect_run() {
    local dir start ticks pid i
    dir=$(fresh connect)
    {
        echo "bootstrap.servers=$KAFKA_BROKER"
        printf '%s.converter=org.apache.kafka.connect.storage.StringConverter\n' key value
        printf 'offset.storage.file.filename=%s\noffset.flush.interval.ms=1000\n' "$dir/positions"
        echo listeners=http://127.0.0.1:0
        sed 's/^/producer./' "$BENCH_DIR/kafka/same"
    } > "$dir/worker"
    printf '%s\n' name=bench tasks.max=1 "topic=connect$1" "file=$BENCH_DIR/big/app.log" \
        connector.class=org.apache.kafka.connect.file.FileStreamSourceConnector > "$dir/connector"
    touched 1024
    start=$(now)
    "$JAVA_HOME/bin/java" -XX:+UseSerialGC --enable-native-access=ALL-UNNAMED -cp "$CONNECT_PATH" \
        org.apache.kafka.connect.cli.ConnectStandalone "$dir/worker" "$dir/connector" > "$dir/out" 2>&1 &
    pid=$!
    for i in $(seq 3000); do
        ! grep -qa "\"position\":$2}" "$dir/positions" 2> /dev/null || break
        kill -0 "$pid" 2> /dev/null || die "Connect ended: $(tail -n 5 "$dir/out")"
        sleep 0.2
    done
    ticks=$(cpu_ticks "$pid")
    row forward connect "$1" "$(awk -v s="$start" -v e="$(now)" -v bytes="$2" -v lines="$3" -v ticks="$ticks" \
        -v hz="$TICKS_PER_SECOND" -v peak="$(peak_mb "$pid")" 'BEGIN { printf "%.3f,%.0f,%.3f,%.0f,,%.0f", e - s,
        bytes / 1e6 / (e - s), ticks / hz / (bytes / 1e9), peak, lines / (e - s) }')"
    end "$pid"
    rm -rf "$dir"
}

# What the clients are told: Kafka's own batches, those of forward, and forward without headers.
forward_settings() {
    printf 'compression.type=zstd\nlinger.ms=5\n' | tee "$BENCH_DIR/kafka/usual" > "$BENCH_DIR/kafka/same"
    printf 'batch.size=131072\nbuffer.memory=8388608\n' >> "$BENCH_DIR/kafka/same"
    cp "$BENCH_DIR/kafka/same" "$BENCH_DIR/kafka/bare"
    printf 'chagres.headers=\n' >> "$BENCH_DIR/kafka/bare"
}

# The same lines by a loop and by us, in turn, on memory that was touched; the archive is in the page cache.
forward_runs() {
    local run bytes lines
    big_log
    bytes=$(stat -c %s "$BENCH_DIR/big/app.log")
    lines=$(wc -l < "$BENCH_DIR/big/app.log")
    once forwarded "$BENCH_DIR/measured"
    forward_settings
    "$CHAGRES" forward --help --to kafka://any/any > /dev/null # the first use of a scheme builds it
    for run in $(seq "$RUNS"); do
        set -- "$run" "$bytes" "$lines"
        forward_loop loop all "$BENCH_DIR/kafka/same" "$@"
        forward_ours ours "$BENCH_DIR/kafka/same" "$@"
        forward_loop loop_bare none "$BENCH_DIR/kafka/same" "$@"
        forward_ours ours_bare "$BENCH_DIR/kafka/bare" "$@"
        forward_ours ours_bare_again "$BENCH_DIR/kafka/bare" "$@"
        forward_loop loop_usual all "$BENCH_DIR/kafka/usual" "$@"
        connect_run "$@"
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

# forward_row WHAT NAME: a row of the table.
forward_row() {
    echo "| $2 | $(column forward "$1" 8) | $(column forward "$1" 3) | $(column forward "$1" 5) |" \
        "$(column forward "$1" 6) |"
}

forward_table() {
    local cpu bare
    echo "| $CATCHUP_MIB MiB of lines of 161 bytes into Kafka | records/s | wall s | CPU s/GB | peak RSS MB |"
    echo "|---|---|---|---|---|"
    forward_row loop 'a bare producer loop, from the file, with the same headers'
    forward_row ours '`chagres forward --once`'
    forward_row loop_bare 'the loop without headers'
    forward_row ours_bare '`chagres forward --once`, `chagres.headers=`'
    echo "| the same once more: start, open, nothing to do | | $(column forward ours_bare_again 3) |" \
        "$(column forward ours_bare_again 5) | $(column forward ours_bare_again 6) |"
    forward_row loop_usual 'the loop with headers and batches of 16 KiB'
    forward_row connect 'Kafka Connect, `FileStreamSource`, standalone: at least once, no key, no headers'
    cpu=$(ratio "$(column forward ours 5)" "$(column forward loop 5)")
    bare=$(ratio "$(column forward ours_bare 5)" "$(column forward loop_bare 5)")
    echo
    echo "| | target | measured | |"
    echo "|---|---|---|---|"
    echo "| CPU of \`forward\` beside the loop, both with headers | <= 1.15x | ${cpu}x | $(verdict "$cpu" 1.15) |"
    echo "| CPU of \`forward\` beside the loop, both without | <= 1.15x | ${bare}x | $(verdict "$bare" 1.15) |"
    echo "| peak RSS of \`forward\` | <= 160 MB | $(column forward ours 6) MB |" \
        "$(verdict "$(column forward ours 6)" 160) |"
    echo "| append -> consumed, \`ship --to kafka://\`, lag 100 ms, 100 files, 1,000 lines/s, p50 / p99 | |" \
        "${FORWARD_LATENCY[1]} / ${FORWARD_LATENCY[2]} ms | |"
    echo "| CPU of that, % of a core; peak RSS | | $FORWARD_CPU; $FORWARD_PEAK MB | |"
}

section_forward() {
    kafka_build
    connect_build
    # Of the row live: lines, p50, p99 and max in ms, percent of a core, peak MB.
    csv forward "what,run,wall_s,mb_per_s,cpu_s_per_gb,peak_mb,faults_per_mib,records_per_s"
    kafka_start
    forward_runs
    forward_latency
    end "$KAFKA_PID"
    forward_table | table forward
    rm -rf "$BENCH_DIR"/{kafka,forwarded,live,tree}
}
