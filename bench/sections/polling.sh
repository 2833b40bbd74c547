# Polling against events: a set of files. One of them changes every second, or every 100 ms. All four run side by side
# on the same files; a delay of one interval is what the pollers and the commits of ours are allowed.

# polling_at INTERVAL_MS FILES
polling_at() {
    local interval=$1 files=$2 directories cpus ours ours_poll service naive writer per_second
    directories=$(((files + 99) / 100))
    fresh tree > /dev/null
    fresh ours > /dev/null
    fresh ours-poll > /dev/null
    fresh peers > /dev/null
    "$TARGET/mkfiles" "$BENCH_DIR/tree" "$directories" "$files" 1
    ship_start ours "$BENCH_DIR/tree" --max-lag "${interval}ms" --quiet
    ours=$SHIP_PID
    ship_start ours-poll "$BENCH_DIR/tree" --max-lag "${interval}ms" --poll "${interval}ms" --quiet
    ours_poll=$SHIP_PID
    "$JAVA_HOME/bin/java" -XX:+UseSerialGC -cp "$TARGET/peers" WatchServicePeer "$BENCH_DIR/tree" \
        "$BENCH_DIR/peers/service" &
    service=$!
    "$JAVA_HOME/bin/java" -XX:+UseSerialGC -cp "$TARGET/peers" PollingPeer "$BENCH_DIR/tree" \
        "$BENCH_DIR/peers/naive" "$interval" &
    naive=$!
    per_second=$((1000 / interval))
    "$TARGET/appender" "$BENCH_DIR/tree" "$directories" "$files" "$per_second" \
        $((WARM_SECONDS + WINDOW_SECONDS + 2)) > /dev/null &
    writer=$!
    sleep "$WARM_SECONDS"
    cpus=$(cpu_window "$WINDOW_SECONDS" "$ours" "$ours_poll" "$service" "$naive")
    row polling "$interval" "$files" $cpus
    wait "$writer"
    end "$ours" "$ours_poll" "$service" "$naive"
    rm -rf "$BENCH_DIR/ours" "$BENCH_DIR/ours-poll" "$BENCH_DIR/peers"
}

section_polling() {
    local interval files
    csv polling "interval_ms,files,ours,ours_poll,watch_service,naive_polling"
    for interval in 1000 100; do
        for files in ${POLLING_FILES:-10 100 1000 10000}; do
            polling_at "$interval" "$files"
        done
    done
    for interval in 1000 100; do
        python3 "$HERE/tables/chart.py" "$RESULTS/polling.csv" "$interval" > "$RESULTS/polling-${interval}ms.svg"
    done
    {
        echo "| one change every | files | \`ship\`, % of a core | \`ship --poll\` | WatchService | naive polling | ours below all |"
        echo "|---|---|---|---|---|---|---|"
        awk -F, 'NR > 1 {
            below = $3 + 0 <= $4 + 0 && $3 + 0 <= $5 + 0 && $3 + 0 <= $6 + 0
            printf "| %d ms | %d | %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5, $6,
                below ? "reached" : "**not reached**"
        }' "$RESULTS/polling.csv"
    } | table polling
}
