# Many small files: shipped the first time beside tar | zstd -3, restored beside tar -x.

# small_row WHAT LOAD RUN: what measure wrote, per file.
small_row() {
    row small "$1" "$2" "$3" $(awk -v files="$4" '{ printf "%.3f %.3f %.1f %.1f", $1, $2 + $3, ($2 + $3) / files * 1e6,
        $6 / files }' "$BENCH_DIR/measured")
}

# small_ship LOAD RUN: a first ship of all files, and tar with zstd -3 of the same.
small_ship() {
    fresh peer > /dev/null
    touched 2048
    "$TARGET/measure" "$BENCH_DIR/measured" sh -c 'tar -C "$1" -cf - . | zstd -3 -q -o "$2"' tar "$BENCH_DIR/small" \
        "$BENCH_DIR/peer/small.tar.zst"
    small_row tar-zstd "$1" "$2" "$IDLE_FILES"
    fresh ship > /dev/null
    touched 2048
    "$TARGET/measure" "$BENCH_DIR/measured" "$CHAGRES" ship "$BENCH_DIR/small" --to "$BENCH_DIR/ship/archive" \
        --state "$BENCH_DIR/ship/state" --host bench --once --quiet
    small_row ship "$1" "$2" "$IDLE_FILES"
}

# small_restore LOAD RUN: a fifth of the files, out of an archive and out of a tar.
small_restore() {
    fresh out > /dev/null
    touched 2048
    "$TARGET/measure" "$BENCH_DIR/measured" tar -C "$BENCH_DIR/out" -xf "$BENCH_DIR/fifth.tar"
    small_row tar-x "$1" "$2" $((IDLE_FILES / 5))
    fresh out > /dev/null
    touched 2048
    "$TARGET/measure" "$BENCH_DIR/measured" "$CHAGRES" restore "$BENCH_DIR/fifth/archive" "$BENCH_DIR/out" \
        > /dev/null 2>&1
    small_row restore "$1" "$2" $((IDLE_FILES / 5))
}

# small_target TITLE WHAT PEER TARGET
small_target() {
    local load cpu
    for load in "${LOADS[@]}"; do
        cpu=$(ratio "$(column_of small "$2" "$load" 5)" "$(column_of small "$3" "$load" 5)")
        echo "| $1, $load | <= $4x | ${cpu}x | $(verdict "$cpu" "$4") |"
    done
}

section_small() {
    local load run what
    csv small "what,load,run,wall_s,cpu_s,cpu_us_per_file,faults_per_file"
    fresh small > /dev/null
    fresh fifth > /dev/null
    "$TARGET/mkfiles" "$BENCH_DIR/small" 100 "$IDLE_FILES" 1
    mkdir "$BENCH_DIR/fifth/tree"
    "$TARGET/mkfiles" "$BENCH_DIR/fifth/tree" 100 $((IDLE_FILES / 5)) 1
    tar -C "$BENCH_DIR/fifth/tree" -cf "$BENCH_DIR/fifth.tar" .
    "$CHAGRES" ship "$BENCH_DIR/fifth/tree" --to "$BENCH_DIR/fifth/archive" --state "$BENCH_DIR/fifth/state" \
        --host bench --once --quiet
    sync
    for load in "${LOADS[@]}"; do
        load_begin "$load"
        for run in $(seq "$RUNS"); do
            small_ship "$load" "$run"
            small_restore "$load" "$run"
        done
        load_end
    done
    {
        echo "| what | load | wall s | CPU s | CPU us per file | page faults per file |"
        echo "|---|---|---|---|---|---|"
        for what in tar-zstd ship tar-x restore; do
            for load in "${LOADS[@]}"; do
                echo "| $what | $load | $(column_of small $what "$load" 4) | $(column_of small $what "$load" 5) |" \
                    "$(column_of small $what "$load" 6) | $(column_of small $what "$load" 7) |"
            done
        done
        echo
        echo "| CPU of | target | measured | |"
        echo "|---|---|---|---|"
        small_target "first ship of $IDLE_FILES files, beside \`tar | zstd -3\`" ship tar-zstd 1.5
        small_target "restore of $((IDLE_FILES / 5)) files, beside \`tar -x\`" restore tar-x 1.3
    } | table small
    rm -rf "$BENCH_DIR"/{small,fifth,fifth.tar,out,ship,peer}
}
