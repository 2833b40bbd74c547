# Reading an archive of one large file back: verify beside zstd -t on every core, restore beside zstd -d.

# readback_measure WHAT RUN COMMAND...: writes one row of wall and CPU seconds, and MB of content a second.
readback_measure() {
    local what=$1 run=$2
    shift 2
    touched "$((2 * CATCHUP_MIB))"
    "$TARGET/measure" "$BENCH_DIR/measured" "$@" > /dev/null 2>&1
    row readback "$what" "$run" $(awk -v mib="$CATCHUP_MIB" '{ printf "%.3f %.3f %.0f", $1, $2 + $3,
        mib * 1.048576 / $1 }' "$BENCH_DIR/measured")
}

# readback_target WHAT PEER TARGET: speed of one beside the other.
readback_target() {
    local own peer speed
    own=$(awk -F, -v what="$1" '$1 == what { print $3 }' "$RESULTS/readback.csv" | median)
    peer=$(awk -F, -v what="$2" '$1 == what { print $3 }' "$RESULTS/readback.csv" | median)
    speed=$(ratio "$peer" "$own")
    echo "| $1 beside $2, speed | >= $3x | ${speed}x | $(verdict_min "$speed" "$3") |"
}

section_readback() {
    local run part
    csv readback "what,run,wall_s,cpu_s,mb_per_s"
    fresh readback > /dev/null
    big_log
    "$CHAGRES" ship "$BENCH_DIR/big" --to "$BENCH_DIR/readback/archive" --state "$BENCH_DIR/readback/state" \
        --host bench --once --quiet
    # as many parts as processors, so that zstd -t uses each of them
    split -n "$(nproc)" "$BENCH_DIR/big/app.log" "$BENCH_DIR/readback/part-"
    zstd -3 -q "$BENCH_DIR"/readback/part-*
    zstd -3 -q "$BENCH_DIR/big/app.log" -o "$BENCH_DIR/readback/app.log.zst"
    for run in $(seq "$RUNS"); do
        readback_measure zstd-t "$run" sh -c 'printf "%s\0" "$1"/part-*.zst | xargs -0 -n 1 -P "$(nproc)" zstd -t -q' \
            sh "$BENCH_DIR/readback"
        readback_measure verify "$run" "$CHAGRES" verify "$BENCH_DIR/readback/archive"
        fresh out > /dev/null
        readback_measure zstd-d "$run" zstd -d -q "$BENCH_DIR/readback/app.log.zst" -o "$BENCH_DIR/out/app.log"
        fresh out > /dev/null
        readback_measure restore "$run" "$CHAGRES" restore "$BENCH_DIR/readback/archive" "$BENCH_DIR/out"
    done
    {
        echo "| figure | target | measured | verdict |"
        echo "|---|---|---|---|"
        readback_target verify zstd-t 1
        readback_target restore zstd-d 1
    } | table readback
}
