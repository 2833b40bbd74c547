# How long a start takes: the help, and the first byte that is safe.

section_start() {
    local run help first name
    csv start "what,run,ms"
    for run in $(seq "$STARTS"); do
        "$TARGET/measure" "$BENCH_DIR/measured" "$CHAGRES" --help > /dev/null
        row start help "$run" "$(awk '{ print $1 * 1000 }' "$BENCH_DIR/measured")"
    done
    for run in $(seq "$STARTS"); do
        fresh begun > /dev/null
        fresh tree > /dev/null
        "$TARGET/mkfiles" "$BENCH_DIR/tree" 1 3 1
        "$TARGET/firstcommit" "$BENCH_DIR/begun/archive" 2 "$CHAGRES" ship "$BENCH_DIR/tree" \
            --to "$BENCH_DIR/begun/archive" --state "$BENCH_DIR/begun/state" --host bench --quiet \
            > "$BENCH_DIR/commits"
        while read -r first name; do
            if [ -n "$(zstd -dcq "$name" | head -c 1)" ]; then
                row start first-byte "$run" "$first"
                break
            fi
        done < "$BENCH_DIR/commits"
    done
    help=$(column start help 3) first=$(column start first-byte 3)
    table start << MD
| start, median of $STARTS | target | measured | |
|---|---|---|---|
| \`chagres --help\` | <= 150 ms | $help ms | $(verdict "$help" 150) |
| first byte committed by \`chagres ship\` (3 files, new archive) | <= 400 ms | $first ms | $(verdict "$first" 400) |
MD
}
