# Reading an archive back, one large file and many small ones, each beside the tool that does the same with files.

# readback_measure WHAT RUN COMMAND...: writes one row of wall and CPU seconds, MB of content a second, and peak MB.
readback_measure() {
    local what=$1 run=$2
    shift 2
    touched "$((2 * CATCHUP_MIB))"
    "$TARGET/measure" "$BENCH_DIR/measured" "$@" > /dev/null 2>&1
    row readback "$what" "$run" $(awk -v mib="$CATCHUP_MIB" '{ printf "%.3f %.3f %.0f %.0f", $1, $2 + $3,
        mib * 1.048576 / $1, $4 * 1024 / 1e6 }' "$BENCH_DIR/measured")
}

# readback_piped COMMAND...: the command, and somebody who takes what it writes.
readback_piped() { readback_measure "$1" "$2" sh -c '"$@" | cat > /dev/null' sh "${@:3}"; }

# readback_speed WHAT PEER TARGET: speed of one beside the other.
readback_speed() {
    local speed
    speed=$(ratio "$(column readback "$2" 3)" "$(column readback "$1" 3)")
    echo "| $1 beside $2, speed | >= $3x | ${speed}x | $(verdict_min "$speed" "$3") |"
}

# readback_cost WHAT PEER WALL CPU: time of one beside the other.
readback_cost() {
    local wall cpu
    wall=$(ratio "$(column readback "$1" 3)" "$(column readback "$2" 3)")
    cpu=$(ratio "$(column readback "$1" 4)" "$(column readback "$2" 4)")
    echo "| $1 beside $2, wall | <= $3x | ${wall}x | $(verdict "$wall" "$3") |"
    [ -z "${4-}" ] || echo "| $1 beside $2, CPU | <= $4x | ${cpu}x | $(verdict "$cpu" "$4") |"
}

# readback_large RUN: one file of CATCHUP_MIB, whose objects and whose .zst hold the same bytes.
readback_large() {
    local run=$1 dir=$BENCH_DIR/readback
    readback_measure zstd-t "$run" sh -c 'printf "%s\0" "$1"/part-*.zst | xargs -0 -n 1 -P "$(nproc)" zstd -t -q' \
        sh "$dir"
    readback_measure verify "$run" "$CHAGRES" verify "$dir/archive"
    fresh out > /dev/null
    readback_measure zstd-d "$run" zstd -d -q "$dir/app.log.zst" -o "$BENCH_DIR/out/app.log"
    fresh out > /dev/null
    readback_measure restore "$run" "$CHAGRES" restore "$dir/archive" "$BENCH_DIR/out"
    fresh out > /dev/null
    readback_piped zstd-dc "$run" zstd -dcq "$dir/app.log.zst"
    readback_piped cat "$run" "$CHAGRES" cat "$dir/archive" bench:app.log
    readback_measure rg "$run" rg -zc "$READBACK_COMMON" "$dir/app.log.zst"
    readback_measure grep "$run" "$CHAGRES" grep -c "$READBACK_COMMON" "$dir/archive"
}

# readback_small RUN: IDLE_FILES files of one line.
readback_small() {
    local run=$1 dir=$BENCH_DIR/readback
    readback_measure ls-l "$run" "$CHAGRES" ls -l "$dir/small" 'bench:**'
    fresh out > /dev/null
    readback_measure tar-x "$run" tar -C "$BENCH_DIR/out" -xf "$dir/small.tar"
    fresh out > /dev/null
    readback_measure restore-small "$run" "$CHAGRES" restore "$dir/small" "$BENCH_DIR/out"
    fresh out > /dev/null
}

section_readback() {
    local run dir=$BENCH_DIR/readback wall peak
    command -v rg > /dev/null || die "readback needs ripgrep"
    csv readback "what,run,wall_s,cpu_s,mb_per_s,peak_mb"
    fresh readback > /dev/null
    big_log
    READBACK_COMMON=${READBACK_COMMON:-ERROR} # in a sixth of the lines
    "$CHAGRES" ship "$BENCH_DIR/big" --to "$dir/archive" --state "$dir/state" --host bench --once --quiet
    # as many parts as processors, so that zstd -t uses each of them
    split -n "$(nproc)" "$BENCH_DIR/big/app.log" "$dir/part-"
    zstd -3 -q "$dir"/part-*
    zstd -3 -q "$BENCH_DIR/big/app.log" -o "$dir/app.log.zst"
    mkdir "$dir/tree"
    "$TARGET/mkfiles" "$dir/tree" 100 "$IDLE_FILES" 1
    tar -C "$dir/tree" -cf "$dir/small.tar" .
    "$CHAGRES" ship "$dir/tree" --to "$dir/small" --state "$dir/small-state" --host bench --once --quiet
    sync
    for run in $(seq "$RUNS"); do
        readback_large "$run"
        readback_small "$run"
    done
    {
        echo "| figure | target | measured | verdict |"
        echo "|---|---|---|---|"
        readback_speed verify zstd-t 1
        readback_cost restore zstd-d 0.8
        readback_cost cat zstd-dc 1 1.3
        readback_cost grep rg 1 1
        readback_cost restore-small tar-x 1
        wall=$(column readback ls-l 3)
        peak=$(column readback ls-l 6)
        echo "| \`ls -l\` of $IDLE_FILES files, s | <= 0.4 | $wall | $(verdict "$wall" 0.4) |"
        echo "| the same, peak MB | <= 96 | $peak | $(verdict "$peak" 96) |"
    } | table readback
    rm -rf "$dir" "$BENCH_DIR/out"
}
