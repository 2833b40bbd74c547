# Very many small files: a first ship and a start over them, and the system calls of each file.

# many_ship DIR NAME: one run over a tree, what was shipped into NAME before included.
many_ship() {
    "${MANY_MEASURE[@]}" "$CHAGRES" ship "$1" --to "$BENCH_DIR/$2/archive" --state "$BENCH_DIR/$2/state" \
        --host bench --once --quiet 2> /dev/null
}

# many_calls: the calls of a first ship for each file, from two trees, so that those of a start count in none.
many_calls() {
    local files=$((MANY_FILES / 100)) few more
    fresh few > /dev/null
    fresh more > /dev/null
    mkdir "$BENCH_DIR/few/tree" "$BENCH_DIR/more/tree"
    "$TARGET/mkfiles" "$BENCH_DIR/few/tree" 10 "$files" 1
    "$TARGET/mkfiles" "$BENCH_DIR/more/tree" 10 $((2 * files)) 1
    MANY_MEASURE=(system_calls)
    few=$(many_ship "$BENCH_DIR/few/tree" few)
    more=$(many_ship "$BENCH_DIR/more/tree" more)
    [ "$few" != - ] || { echo -; return; }
    awk -v few="$few" -v more="$more" -v files="$files" 'BEGIN { printf "%.1f", (more - few) / files }'
}

# many_row WHAT LIMIT_S: what measure wrote, beside the targets.
many_row() {
    local wall cpu peak faults
    read -r wall cpu peak faults < <(awk -v files="$MANY_FILES" \
        '{ printf "%.1f %.1f %.0f %.2f\n", $1, $2 + $3, $4 * 1024 / 1e6, $6 / files }' "$BENCH_DIR/measured")
    row many "$1" "$MANY_FILES" "$wall" "$cpu" "$peak" "$faults"
    echo "| $1 | $wall | $2, $(verdict "$wall" "$2") | $cpu | $peak | 256, $(verdict "$peak" 256) | $faults |"
}

section_many() {
    MANY_FILES=${MANY_FILES:-1000000}
    [ "${BENCH_SHORT:-0}" = 0 ] || MANY_FILES=20000
    csv many "what,files,wall_s,cpu_s,peak_mb,faults_per_file"
    fresh many > /dev/null
    mkdir "$BENCH_DIR/many/tree"
    "$TARGET/mkfiles" "$BENCH_DIR/many/tree" $((MANY_FILES / 1000)) "$MANY_FILES" 1
    sync
    touched 1024
    MANY_MEASURE=("$TARGET/measure" "$BENCH_DIR/measured")
    {
        echo "| $MANY_FILES files | wall s | <= | CPU s | peak MB | <= | page faults per file |"
        echo "|---|---|---|---|---|---|---|"
        many_ship "$BENCH_DIR/many/tree" many
        many_row "first ship" 20
        many_ship "$BENCH_DIR/many/tree" many
        many_row "start, nothing changed" 10
        echo
        echo "System calls of a first ship for each file: $(many_calls)."
    } | table many
    rm -rf "$BENCH_DIR"/{many,few,more}
}
