# Appends at a constant rate: CPU, memory, and the time from append to commit.

STEADY_COLUMNS="agent,files,per_second,options,cpu_percent,lines,p50_ms,p99_ms,max_ms,rss_mb,peak_mb,load"

# steady_ours SECTION LOAD FILES PER_SECOND MAX_LAG COALESCE
steady_ours() {
    local section=$1 load=$2 files=$3 rate=$4 lag=$5 coalesce=$6 log writer observer from to cpu
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
        $(python3 "$HERE/tables/latency.py" commits "$BENCH_DIR/observed" "$log" "$from" "$to") "$rss" "$peak" "$load"
}

# steady_rsyslog SECTION LOAD FILES PER_SECOND
steady_rsyslog() {
    local section=$1 load=$2 files=$3 rate=$4 writer observer from to cpu rss peak
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
        $(python3 "$HERE/tables/latency.py" lines "$BENCH_DIR/observed" "$from" "$to") "$rss" "$peak" "$load"
}

# One row of the table for each row of raw numbers.
steady_rows() {
    awk -F, 'NR > 1 {
        printf "| %s | %s | %d x %g/s | %s | %s | %s / %s | %s | %s |\n",
            $1 == "ours" ? "`chagres ship`" : "rsyslog imfile", $12, $2, $3 / $2, $4, $5, $7, $8, $10, $11
    }' "$RESULTS/steady.csv"
}

# steady_column WHAT LOAD FILES OPTIONS COLUMN
steady_column() {
    awk -F, -v w="$1" -v l="$2" -v f="$3" -v o="$4" -v n="$5" \
        '$1 == w && $12 == l && $2 == f && index($4, o) { print $n }' "$RESULTS/steady.csv"
}

# The default window beside rsyslog under the same load, and what a busy machine does to the shortest lag.
steady_targets() {
    local load files limit share window="max-lag=1s coalesce=20ms" short="max-lag=10ms"
    for load in "${LOADS[@]}"; do
        for files in 100 2000; do
            limit=0.5
            [ "$load" = busy ] || { [ "$files" = 100 ] && limit=0.4 || limit=0.3; }
            share=$(ratio "$(steady_column ours "$load" $files "$window" 5)" \
                "$(steady_column rsyslog "$load" $files inotify 5)")
            echo "| CPU beside rsyslog at the default window, $files files, $load | <= ${limit}x | ${share}x |" \
                "$(verdict "$share" $limit) |"
        done
    done
    for files in 100 2000; do
        share=$(ratio "$(steady_column ours busy $files "$short" 8)" "$(steady_column ours quiet $files "$short" 8)")
        echo "| append -> visible p99 at 10 ms, $files files, busy | <= 5x quiet | ${share}x | $(verdict "$share" 5) |"
    done
}

# steady_shape LOAD FILES PER_SECOND
steady_shape() {
    local load=$1 files=$2 rate=$3 coalesce
    if command -v rsyslogd > /dev/null; then
        steady_rsyslog steady "$load" "$files" "$rate"
    else
        say "bench: rsyslog is missing, its rows are left out"
    fi
    steady_ours steady "$load" "$files" "$rate" 1s 20ms
    steady_ours steady "$load" "$files" "$rate" 10ms 2ms
    [ "$load" = quiet ] || return 0
    for coalesce in 0ms 2ms; do
        steady_ours steady "$load" "$files" "$rate" 1s "$coalesce"
    done
    steady_ours steady "$load" "$files" "$rate" 100ms 2ms
}

section_steady() {
    local load
    csv steady "$STEADY_COLUMNS"
    for load in "${LOADS[@]}"; do
        load_begin "$load"
        steady_shape "$load" 100 1000
        steady_shape "$load" 2000 2000
        load_end
    done
    {
        echo "| agent | machine | load | options | CPU, % of a core | append -> visible, p50 / p99 ms | RSS MB | peak MB |"
        echo "|---|---|---|---|---|---|---|---|"
        steady_rows
        echo
        echo "| what | target | measured | |"
        echo "|---|---|---|---|"
        steady_targets
    } | table steady
}
