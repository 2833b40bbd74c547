# Catching up with members of gzip, beside gzip -6 and pigz -6 on the same file.

peer_gzip() {
    "$TARGET/measure" "$1" sh -c 'gzip -6 -c < "$1" > "$2"' - "$BENCH_DIR/big/app.log" "$BENCH_DIR/floor/copy"
}

peer_pigz() {
    "$TARGET/measure" "$1" sh -c 'pigz -6 -c < "$1" > "$2"' - "$BENCH_DIR/big/app.log" "$BENCH_DIR/floor/copy"
}

section_gzip() {
    local peer
    for peer in gzip pigz; do
        command -v "$peer" > /dev/null || { say "$peer is not installed, and not measured"; continue; }
        side_by_side "$peer" "$peer" --codec gzip --level 6
        side_by_side_table "$peer" "$peer" "\`$peer -6\`" '`chagres ship --once --codec gzip --level 6`' 1.0 | table "$peer"
    done
}
