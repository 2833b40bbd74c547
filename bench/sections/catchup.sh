# Catching up with one large file that lies in the page cache, and the C loop beside it.

# The log file that catchup and zstd share.
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

# measured OUT BYTES: "wall MB/s cpu_s_per_GB peak_MB" of one run of measure.
measured() {
    awk -v bytes="$2" '{ printf "%.3f %.0f %.3f %.0f", $1, bytes / 1e6 / $1, ($2 + $3) / (bytes / 1e9),
        $4 * 1024 / 1e6 }' "$1"
}

# column SECTION WHAT NUMBER: median of a column of the raw numbers.
column() { awk -F, -v w="$2" -v n="$3" '$1 == w { print $n }' "$RESULTS/$1.csv" | median; }

section_catchup() {
    local run bytes out=$BENCH_DIR/measured mb cpu floor
    csv catchup "what,run,wall_s,mb_per_s,cpu_s_per_gb,peak_mb"
    big_log
    bytes=$(stat -c %s "$BENCH_DIR/big/app.log")
    for run in $(seq "$RUNS"); do
        fresh floor > /dev/null
        big_log
        "$TARGET/measure" "$out" "$TARGET/copyloop" "$BENCH_DIR/big/app.log" "$BENCH_DIR/floor/copy"
        row catchup loop "$run" $(measured "$out" "$bytes")
        rm -rf "$BENCH_DIR/floor"
        once archived "$out" --codec none
        row catchup ours "$run" $(measured "$out" "$bytes")
        rm -rf "$BENCH_DIR/archived"
    done
    mb=$(column catchup ours 4) cpu=$(column catchup ours 5) floor=$(column catchup loop 5)
    table catchup << MD
| catch-up of $CATCHUP_MIB MiB, hot, codec none | MB/s | wall s | CPU s/GB | peak RSS MB |
|---|---|---|---|---|
| C: read + write 64 KiB, fsync | $(column catchup loop 4) | $(column catchup loop 3) | $floor | $(column catchup loop 6) |
| \`chagres ship --once --codec none\` | $mb | $(column catchup ours 3) | $cpu | $(column catchup ours 6) |

| target | measured | |
|---|---|---|
| >= 1000 MB/s | $mb MB/s | $(verdict_min "$mb" 1000) |
| <= 1.5x the CPU of the C loop | $(ratio "$cpu" "$floor")x | $(verdict "$(ratio "$cpu" "$floor")" 1.5) |
MD
}
