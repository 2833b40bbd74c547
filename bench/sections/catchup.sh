# Catching up with one large file that lies in the page cache, and the C loop beside it.

# The log file that catchup, zstd and s3 share.
big_log() {
    if [ ! -f "$BENCH_DIR/big/app.log" ]; then
        fresh big > /dev/null
        "$TARGET/loggen" "$BENCH_DIR/big/app.log" "$CATCHUP_MIB"
    fi
    sync
    cat "$BENCH_DIR/big/app.log" > /dev/null
}

# once NAME OUT OPTION...: ships the log into a new archive and exits.
once() {
    local name=$1 out=$2
    shift 2
    fresh "$name" > /dev/null
    big_log
    "$TARGET/measure" "$out" "$CHAGRES" ship "$BENCH_DIR/big" --to "$BENCH_DIR/$name/archive" \
        --state "$BENCH_DIR/$name/state" --host bench --once --quiet "$@"
}

# measured OUT BYTES: "wall MB/s cpu_s_per_GB peak_MB faults_per_MiB" of one run of measure.
measured() {
    awk -v bytes="$2" '{ printf "%.3f %.0f %.3f %.0f %.1f", $1, bytes / 1e6 / $1, ($2 + $3) / (bytes / 1e9),
        $4 * 1024 / 1e6, $6 / (bytes / 1048576) }' "$1"
}

# column SECTION WHAT NUMBER: median of a column of the raw numbers.
column() { awk -F, -v w="$2" -v n="$3" '$1 == w { print $n }' "$RESULTS/$1.csv" | median; }

# column_of SECTION WHAT LOAD NUMBER: the same where rows name their load second.
column_of() {
    awk -F, -v w="$2" -v l="$3" -v n="$4" '$1 == w && $2 == l { print $n }' "$RESULTS/$1.csv" | median
}

# The two peers: the file to floor/copy.
peer_loop() { "$TARGET/measure" "$1" "$TARGET/copyloop" "$BENCH_DIR/big/app.log" "$BENCH_DIR/floor/copy"; }
peer_zstd() { "$TARGET/measure" "$1" zstd -1 -q "$BENCH_DIR/big/app.log" -o "$BENCH_DIR/floor/copy"; }

# side_by_side SECTION PEER OPTION...: a peer and ours in turn, under both loads, on memory that was touched.
side_by_side() {
    local section=$1 peer=$2 load run bytes out=$BENCH_DIR/measured
    shift 2
    csv "$section" "what,load,run,wall_s,mb_per_s,cpu_s_per_gb,peak_mb,faults_per_mib,ratio"
    big_log
    bytes=$(stat -c %s "$BENCH_DIR/big/app.log")
    for load in "${LOADS[@]}"; do
        load_begin "$load"
        for run in $(seq "$RUNS"); do
            fresh floor > /dev/null
            touched $((CATCHUP_MIB * 2))
            big_log
            "peer_$peer" "$out"
            row "$section" "$peer" "$load" "$run" $(measured "$out" "$bytes") \
                "$(ratio "$bytes" "$(stat -c %s "$BENCH_DIR/floor/copy")")"
            rm -rf "$BENCH_DIR/floor"
            touched $((CATCHUP_MIB * 2))
            once archived "$out" "$@"
            row "$section" ours "$load" "$run" $(measured "$out" "$bytes") \
                "$(ratio "$bytes" "$(du -sb --apparent-size "$BENCH_DIR/archived/archive" | cut -f 1)")"
            rm -rf "$BENCH_DIR/archived"
        done
        load_end
    done
}

# side_by_side_table SECTION PEER PEER_TITLE OUR_TITLE TARGET: both tables, with the ratio of CPU under each load.
side_by_side_table() {
    local section=$1 peer=$2 what load cpu
    echo "| catch-up of $CATCHUP_MIB MiB, hot | load | MB/s | wall s | CPU s/GB | page faults per MiB | peak RSS MB | ratio |"
    echo "|---|---|---|---|---|---|---|---|"
    for load in "${LOADS[@]}"; do
        for what in "$peer" ours; do
            echo "| $([ "$what" = ours ] && echo "$4" || echo "$3") | $load | $(column_of "$section" "$what" "$load" 5) |" \
                "$(column_of "$section" "$what" "$load" 4) | $(column_of "$section" "$what" "$load" 6) |" \
                "$(column_of "$section" "$what" "$load" 8) | $(column_of "$section" "$what" "$load" 7) |" \
                "$(column_of "$section" "$what" "$load" 9) |"
        done
    done
    echo
    echo "| target | measured | |"
    echo "|---|---|---|"
    for load in "${LOADS[@]}"; do
        cpu=$(ratio "$(column_of "$section" ours "$load" 6)" "$(column_of "$section" "$peer" "$load" 6)")
        echo "| <= $5x the CPU of $3, $load | ${cpu}x | $(verdict "$cpu" "$5") |"
    done
}

section_catchup() {
    local mib=$CATCHUP_MIB
    side_by_side catchup loop --codec none
    {
        side_by_side_table catchup loop 'C: read + write 64 KiB, fsync' '`chagres ship --once --codec none`' 1.0
        echo "| >= 1000 MB/s, quiet | $(column_of catchup ours quiet 5) MB/s |" \
            "$(verdict_min "$(column_of catchup ours quiet 5)" 1000) |"
        fresh floor > /dev/null
        fresh archived > /dev/null
        echo
        echo "System calls per MiB: $(per_mib "$mib" "$(system_calls "$TARGET/copyloop" "$BENCH_DIR/big/app.log" \
            "$BENCH_DIR/floor/copy")") of the loop, $(per_mib "$mib" "$(system_calls "$CHAGRES" ship "$BENCH_DIR/big" \
            --to "$BENCH_DIR/archived/archive" --state "$BENCH_DIR/archived/state" --host bench --once --quiet \
            --codec none)") of ours with the start of the JVM (strace)."
    } | table catchup
    rm -rf "$BENCH_DIR/floor" "$BENCH_DIR/archived"
}

# per_mib MIB COUNT
per_mib() { awk -v n="$2" -v m="$1" 'BEGIN { if (n ~ /^[0-9]+$/) printf "%.1f", n / m; else print "not counted" }'; }
