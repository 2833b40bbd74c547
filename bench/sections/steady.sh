# Appends at a constant rate: CPU, memory, and the time from append to commit.

STEADY_COLUMNS="agent,files,per_second,options,cpu_percent,lines,p50_ms,p99_ms,max_ms,rss_mb,peak_mb"

# steady_ours SECTION FILES PER_SECOND MAX_LAG COALESCE
steady_ours() {
    local section=$1 files=$2 rate=$3 lag=$4 coalesce=$5 log writer observer from to cpu
    fresh tree > /dev/null
    fresh ours > /dev/null
    "$TARGET/mkfiles" "$BENCH_DIR/tree" 10 "$files" 1
    ship_start ours "$BENCH_DIR/tree" --max-lag "$lag" --coalesce "$coalesce" --quiet
    log=$(log_directory ours)
    "$TARGET/observe" dir "$log" "$BENCH_DIR/observed" &
    observer=$!
    "$TARGET/appender" "$BENCH_DIR/tree" 10 "$files" "$rate" $((WARM_SECONDS + WINDOW_SECONDS + 2)) > /dev/null &
    writer=$!
    sleep "$WARM_SECONDS"
    from=$(now)
    cpu=$(cpu_window "$WINDOW_SECONDS" "$SHIP_PID")
    to=$(now)
    local rss peak
    rss=$(rss_mb "$SHIP_PID") peak=$(peak_mb "$SHIP_PID")
    wait "$writer"
    ship_stop ours
    end "$observer"
    row "$section" ours "$files" "$rate" "max-lag=$lag coalesce=$coalesce" "$cpu" \
        $(python3 "$HERE/tables/latency.py" commits "$BENCH_DIR/observed" "$log" "$from" "$to") "$rss" "$peak"
}

# steady_rsyslog SECTION FILES PER_SECOND
steady_rsyslog() {
    local section=$1 files=$2 rate=$3 writer observer from to cpu rss peak
    fresh tree > /dev/null
    "$TARGET/mkfiles" "$BENCH_DIR/tree" 10 "$files" 1
    rsyslog_start rsyslog "$BENCH_DIR/tree/*/*.log"
    sleep 3
    "$TARGET/observe" file "$BENCH_DIR/rsyslog/sink" "$BENCH_DIR/observed" &
    observer=$!
    "$TARGET/appender" "$BENCH_DIR/tree" 10 "$files" "$rate" $((WARM_SECONDS + WINDOW_SECONDS + 2)) > /dev/null &
    writer=$!
    sleep "$WARM_SECONDS"
    from=$(now)
    cpu=$(cpu_window "$WINDOW_SECONDS" "$RSYSLOG_PID")
    to=$(now)
    rss=$(rss_mb "$RSYSLOG_PID") peak=$(peak_mb "$RSYSLOG_PID")
    wait "$writer"
    sleep 1
    end "$observer" "$RSYSLOG_PID"
    row "$section" rsyslog "$files" "$rate" inotify "$cpu" \
        $(python3 "$HERE/tables/latency.py" lines "$BENCH_DIR/observed" "$from" "$to") "$rss" "$peak"
}

# One row of the table for each row of raw numbers.
steady_rows() {
    awk -F, 'NR > 1 {
        ours = $1 == "ours"
        target = $2 == 100 ? 1.5 : 4
        split($4, option, /[= ]/)
        counts = ours && option[2] == "1s"
        printf "| %s | %d x %g/s | %s | %s | %s | %s / %s | %s | %s |\n", ours ? "`chagres ship`" : "rsyslog imfile",
            $2, $3 / $2, $4, $5, counts ? "<= " target " " ($5 + 0 <= target ? "reached" : "**not reached**") : "",
            $7, $8, $10, $11
    }' "$RESULTS/steady.csv"
}

section_steady() {
    local shape files rate coalesce lag
    csv steady "$STEADY_COLUMNS"
    for shape in "100 1000" "2000 2000"; do
        files=${shape% *} rate=${shape#* }
        if command -v rsyslogd > /dev/null; then
            steady_rsyslog steady "$files" "$rate"
        else
            say "bench: rsyslog is missing, its rows are left out"
        fi
        for coalesce in 0ms 2ms 20ms; do
            steady_ours steady "$files" "$rate" 1s "$coalesce"
        done
        for lag in 100ms 10ms; do
            steady_ours steady "$files" "$rate" "$lag" 2ms
        done
    done
    {
        echo "| agent | load | options | CPU, % of a core | target | append -> visible, p50 / p99 ms | RSS MB | peak MB |"
        echo "|---|---|---|---|---|---|---|---|"
        steady_rows
    } | table steady
}
