# Many files that do not change: start-up scan, CPU, memory.

# Wall time of a start that finds everything archived, until it has ended.
idle_scan() {
    "$TARGET/measure" "$BENCH_DIR/measured" "$CHAGRES" ship "$BENCH_DIR/many" --to "$BENCH_DIR/idle/archive" \
        --state "$BENCH_DIR/idle/state" --host bench --once --quiet
    cut -d ' ' -f 1 "$BENCH_DIR/measured"
}

# Pages that a process touches within the four seconds of a wake-up, whatever they cost.
pages_touched() {
    echo 1 > "/proc/$1/clear_refs"
    sleep 4
    awk '/^Referenced/ { sum += $2 } END { print sum / 4 }' "/proc/$1/smaps"
}

# idle_of DIRECTORIES
idle_of() {
    local directories=$1 first hot cold=- cpu busy pages
    fresh many > /dev/null
    fresh idle > /dev/null
    "$TARGET/mkfiles" "$BENCH_DIR/many" "$directories" "$IDLE_FILES" 1
    sync
    first=$(idle_scan)
    idle_scan > /dev/null
    hot=$(idle_scan)
    if [ -w /proc/sys/vm/drop_caches ]; then
        sync
        echo 3 > /proc/sys/vm/drop_caches
        cold=$(idle_scan)
    fi
    ship_start idle "$BENCH_DIR/many" --quiet
    sleep "$WARM_SECONDS"
    cpu=$(cpu_window "$WINDOW_SECONDS" "$SHIP_PID")
    load_begin busy
    busy=$(cpu_window "$WINDOW_SECONDS" "$SHIP_PID")
    load_end
    pages=$(pages_touched "$SHIP_PID")
    row idle "$IDLE_FILES" "$directories" "$first" "$hot" "$cold" "$cpu" "$busy" "$pages" "$(rss_mb "$SHIP_PID")" \
        "$(peak_mb "$SHIP_PID")"
    ship_stop idle
    rm -rf "$BENCH_DIR/many" "$BENCH_DIR/idle"
}

section_idle() {
    local directories
    csv idle "files,directories,first_s,hot_s,cold_s,cpu_percent,busy_cpu_percent,pages_touched,rss_mb,peak_mb"
    for directories in 100 $((IDLE_FILES / 10)); do
        idle_of "$directories"
    done
    {
        printf '| files | directories | first start, all shipped, s | start hot, s | start cold, s | idle CPU, %% of a core '
        echo "| beside two busy loops | pages touched in 4 s | RSS MB | peak MB | |"
        echo "|---|---|---|---|---|---|---|---|---|---|---|"
        echo "| target | | | <= 5 | | <= 0.1 | | | <= 96 | | |"
        awk -F, 'NR > 1 {
            missed = ($4 > 5 ? " scan" : "") ($6 > 0.1 ? " CPU" : "") ($9 > 96 ? " RSS" : "")
            printf "| %d | %d | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5, $6, $7, $8, $9, $10,
                missed == "" ? "reached" : "**not reached:" missed "**"
        }' "$RESULTS/idle.csv"
        echo
        "$TARGET/restpages" \
            | awk '{ printf "A page takes %s us here when it is touched in a loop, %s us after a second of rest.\n", $1, $2 }'
    } | table idle
}
