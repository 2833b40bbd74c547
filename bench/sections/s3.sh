# Upload to a server of S3 on this machine, beside the bare SDK with the same objects, the AWS command line and rclone;
# and the memory and the first commit of a shipper that writes there.

S3_BUCKET=bench-bucket

# s3_start OPTION...: starts versitygw over $BENCH_DIR/s3; sets S3_PID and S3_ENDPOINT.
s3_start() {
    local port i
    command -v versitygw > /dev/null || die "versitygw is missing: go install github.com/versity/versitygw/cmd/versitygw@v1.8.0"
    fresh s3 > /dev/null
    mkdir "$BENCH_DIR/s3/$S3_BUCKET"
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    export AWS_ACCESS_KEY_ID=bench AWS_SECRET_ACCESS_KEY=bench-secret AWS_DEFAULT_REGION=us-east-1
    ROOT_ACCESS_KEY=$AWS_ACCESS_KEY_ID ROOT_SECRET_KEY=$AWS_SECRET_ACCESS_KEY \
        versitygw --port "127.0.0.1:$port" "$@" posix "$BENCH_DIR/s3" > "$BENCH_DIR/versitygw.log" 2>&1 &
    S3_PID=$!
    S3_ENDPOINT=http://127.0.0.1:$port
    for i in $(seq 100); do
        ! python3 -c "import socket; socket.create_connection(('127.0.0.1', $port))" 2> /dev/null || return 0
        sleep 0.1
    done
    die "versitygw does not answer: $(cat "$BENCH_DIR/versitygw.log")"
}

s3_address() { printf 's3://%s/%s?endpoint=%s' "$S3_BUCKET" "$1" "$S3_ENDPOINT"; }

# s3_measured WHAT RUN COMMAND...: a row of the raw numbers.
s3_measured() {
    local what=$1 run=$2
    shift 2
    big_log
    "$TARGET/measure" "$BENCH_DIR/measured" "$@" > /dev/null
    row s3 "$what" "$run" $(measured "$BENCH_DIR/measured" "$S3_BYTES")
}

# The shipper, and then the bare SDK with the objects it made.
s3_ours_and_sdk() {
    local run=$1 codec=$2 objects=$BENCH_DIR/s3/$S3_BUCKET/ours
    fresh s3-state > /dev/null
    s3_measured "ours-$codec" "$run" "$CHAGRES" ship "$BENCH_DIR/big" --to "$(s3_address ours)" \
        --state "$BENCH_DIR/s3-state" --host bench --once --quiet --codec "$codec" --level 1
    mv "$objects" "$BENCH_DIR/objects"
    find "$BENCH_DIR/objects" -type f -exec cat {} + > /dev/null
    s3_measured "sdk-$codec" "$run" "$JAVA_HOME/bin/java" -XX:+UseSerialGC -cp "$TARGET/peers:$S3_JARS" SdkPut \
        "$S3_ENDPOINT" "$S3_BUCKET" "$BENCH_DIR/objects"
    rm -rf "$BENCH_DIR/objects" "$BENCH_DIR/s3/$S3_BUCKET/sdk"
}

s3_uploads() {
    local run
    for run in $(seq "$RUNS"); do
        s3_ours_and_sdk "$run" none
        s3_ours_and_sdk "$run" zstd
        if command -v aws > /dev/null; then
            s3_measured aws "$run" aws --endpoint-url "$S3_ENDPOINT" s3 cp --quiet "$BENCH_DIR/big/app.log" \
                "s3://$S3_BUCKET/aws.log"
        fi
        if command -v rclone > /dev/null; then
            s3_measured rclone "$run" env -u AWS_CA_BUNDLE RCLONE_CONFIG_S_TYPE=s3 RCLONE_CONFIG_S_PROVIDER=Other \
                RCLONE_CONFIG_S_ENV_AUTH=true RCLONE_CONFIG_S_ENDPOINT="$S3_ENDPOINT" \
                rclone copyto "$BENCH_DIR/big/app.log" "s:$S3_BUCKET/rclone.log"
        fi
        rm -f "$BENCH_DIR/s3/$S3_BUCKET"/*.log
    done
}

# Memory under a steady load, and seconds at risk as the shipper says them.
s3_steady() {
    local writer statuses=$BENCH_DIR/s3-ship/out
    fresh tree > /dev/null
    fresh s3-ship > /dev/null
    "$TARGET/mkfiles" "$BENCH_DIR/tree" 10 2000 1
    "$CHAGRES" ship "$BENCH_DIR/tree" --to "$(s3_address steady)" --state "$BENCH_DIR/s3-ship/state" --host bench \
        --max-lag 1s --json > "$statuses" 2> "$BENCH_DIR/s3-ship/err" &
    SHIP_PID=$!
    sleep 3
    "$TARGET/appender" "$BENCH_DIR/tree" 10 2000 2000 $((WARM_SECONDS + WINDOW_SECONDS)) > /dev/null &
    writer=$!
    sleep "$WARM_SECONDS"
    S3_CPU=$(cpu_window "$WINDOW_SECONDS" "$SHIP_PID")
    S3_RSS=$(rss_mb "$SHIP_PID") S3_PEAK=$(peak_mb "$SHIP_PID")
    wait "$writer"
    ship_stop s3-ship
    S3_RISK=$(python3 - "$statuses" << 'PY'
import json, sys
risks = sorted(s["riskMs"] / 1000 for s in map(json.loads, open(sys.argv[1])) if s.get("riskMs") is not None)
print(f"{risks[len(risks) // 2]:.2f} / {risks[len(risks) * 99 // 100]:.2f}" if risks else "-")
PY
    )
}

s3_first() {
    fresh tree > /dev/null
    "$TARGET/mkfiles" "$BENCH_DIR/tree" 1 3 1
    for run in $(seq "$RUNS"); do
        fresh s3-state > /dev/null
        "$TARGET/firstcommit" "$BENCH_DIR/s3/$S3_BUCKET/first$run" 2 "$CHAGRES" ship "$BENCH_DIR/tree" \
            --to "$(s3_address "first$run")" --state "$BENCH_DIR/s3-state" --host bench --max-lag 100ms --quiet |
            tail -n 1 | cut -d ' ' -f 1
    done | median
}

s3_row() {
    grep -q "^$2," "$RESULTS/s3.csv" || return 0 # a peer that is not installed
    echo "| $1 | $(column s3 "$2" 4) | $(column s3 "$2" 3) | $(column s3 "$2" 5) | $(column s3 "$2" 6) |"
}

section_s3() {
    local none zstd first
    "$CHAGRES" --help s3:// > /dev/null # fetches the libraries of a store, at the first use of its scheme
    S3_JARS=$(printf '%s:' "${CHAGRES_DIST:-$HERE/../cli/target/quick/dist}"/stores/s3/*.jar)
    "$JAVA_HOME/bin/javac" -d "$TARGET/peers" -cp "$S3_JARS" "$HERE/peers/s3/SdkPut.java"
    csv s3 "what,run,wall_s,mb_per_s,cpu_s_per_gb,peak_mb,faults_per_mib"
    big_log
    S3_BYTES=$(stat -c %s "$BENCH_DIR/big/app.log")
    s3_start
    s3_uploads
    first=$(s3_first)
    s3_steady
    end "$S3_PID"
    none=$(ratio "$(column s3 ours-none 5)" "$(column s3 sdk-none 5)")
    zstd=$(ratio "$(column s3 ours-none 5)" "$(column s3 aws 5)")
    {
        echo "| upload of $CATCHUP_MIB MiB to versitygw | MB/s of the log | wall s | CPU s/GB of the log | peak RSS MB |"
        echo "|---|---|---|---|---|"
        s3_row "\`chagres ship --codec none\`" ours-none
        s3_row "the bare SDK with the same objects" sdk-none
        s3_row "\`chagres ship --codec zstd --level 1\`" ours-zstd
        s3_row "the bare SDK with the same objects" sdk-zstd
        s3_row "\`aws s3 cp\`" aws
        s3_row "\`rclone copyto\`" rclone
        echo
        echo "| | target | measured | |"
        echo "|---|---|---|---|"
        echo "| CPU, codec none | <= 1.2x the bare SDK | ${none}x (${zstd}x of \`aws s3 cp\`) | $(verdict "$none" 1.2) |"
        echo "| RSS at 2,000 files, one append a second each | <= 128 MB | $S3_RSS MB, peak $S3_PEAK | $(verdict "$S3_RSS" 128) |"
        echo "| CPU of that, % of a core | | $S3_CPU | |"
        echo "| seconds at risk under it, lag 1 s, p50 / p99 | | $S3_RISK | |"
        echo "| first commit after start | | $first ms | |"
    } | table s3
}
