# Hosts of many tiny files: what each command takes of one that was never compacted, and of a compacted one.

# size_command WHAT FILES STATE ARCHIVE: runs one command on an archive; what it prints goes nowhere.
size_command() {
    local archive=$4 one dir
    dir=bench:$BENCH_DIR/size/tree/d00003
    one=$dir/f$(printf '%06d' 3).log
    case $1 in
        ls-one) "${SIZE_MEASURE[@]}" "$CHAGRES" ls "$archive" "$one" ;;
        ls-dir) "${SIZE_MEASURE[@]}" "$CHAGRES" ls -l "$archive" "$dir/" ;;
        cat-one) "${SIZE_MEASURE[@]}" "$CHAGRES" cat "$archive" "$one" ;;
        grep-dir) "${SIZE_MEASURE[@]}" "$CHAGRES" grep -c a "$archive" "$dir/" ;;
        verify) "${SIZE_MEASURE[@]}" "$CHAGRES" verify "$archive" ;;
        compact-dry) "${SIZE_MEASURE[@]}" "$CHAGRES" compact "$archive" --dry-run ;;
        compact) "${SIZE_MEASURE[@]}" "$CHAGRES" compact "$archive" ;;
    esac > /dev/null 2> "$BENCH_DIR/size/err" && return
    say "bench: $1 of $2 files, $3: $(tail -n 1 "$BENCH_DIR/size/err")"
    return 1
}

# size_requests WHAT FILES STATE: how many it asks of an object store; - where there is none to ask.
size_requests() {
    local log=$BENCH_DIR/size/access done=1
    command -v versitygw > /dev/null || { echo -; return; }
    rm -f "$log"
    s3_start --quiet --access-log "$log"
    cp -r "$BENCH_DIR/size/archive" "$BENCH_DIR/s3/$S3_BUCKET/ours"
    SIZE_MEASURE=(env)
    size_command "$1" "$2" "$3" "$(s3_address ours)" || done=0
    end "$S3_PID"
    [ $done = 1 ] && wc -l < "$log" || echo -
}

# size_row WHAT FILES STATE: peak memory, time and requests of one command.
size_row() {
    local requests
    requests=$(size_requests "$@")
    touched 512
    SIZE_MEASURE=("$TARGET/measure" "$BENCH_DIR/measured")
    size_command "$1" "$2" "$3" "$BENCH_DIR/size/archive" || die "$1 failed"
    row size "$1" "$2" "$3" $(awk '{ printf "%.2f %.2f %.0f", $1, $2 + $3, $4 * 1024 / 1e6 }' "$BENCH_DIR/measured") \
        "$requests"
}

# size_change FILES: a hundredth of the files grow by a line, and are shipped.
size_change() {
    local number
    for number in $(seq 0 100 $(($1 - 1))); do
        echo more >> "$BENCH_DIR/size/tree/d$(printf '%05d' $((number % ($1 / 500))))/f$(printf '%06d' "$number").log"
    done
    size_ship
}

size_ship() {
    "$CHAGRES" ship "$BENCH_DIR/size/tree" --to "$BENCH_DIR/size/archive" --state "$BENCH_DIR/size/state" --host bench \
        --once --quiet --memory 1GiB 2> /dev/null
}

section_size() {
    local files what
    SIZE_FILES=${SIZE_FILES:-400000 1000000}
    [ "${BENCH_SHORT:-0}" = 0 ] || SIZE_FILES=20000
    csv size "command,files,state,wall_s,cpu_s,peak_mb,requests"
    for files in $SIZE_FILES; do
        fresh size > /dev/null
        mkdir "$BENCH_DIR/size/tree"
        "$TARGET/mkfiles" "$BENCH_DIR/size/tree" $((files / 500)) "$files" 1
        size_ship
        for what in ls-one ls-dir cat-one grep-dir verify compact-dry compact; do
            size_row "$what" "$files" never
        done
        for what in ls-one ls-dir cat-one grep-dir verify; do
            size_row "$what" "$files" compacted
        done
        size_row compact "$files" unchanged
        size_change "$files"
        size_row compact "$files" 1%-changed
    done
    {
        echo "| command | files | compacted | wall s | CPU s | peak MB | <= 128 MB | requests |"
        echo "|---|---|---|---|---|---|---|---|"
        awk -F, 'NR > 1' "$RESULTS/size.csv" | while IFS=, read -r what files state wall cpu peak requests; do
            echo "| $what | $files | $state | $wall | $cpu | $peak | $(verdict "$peak" 128) | $requests |"
        done
    } | table size
    rm -rf "${BENCH_DIR:?}/size"
}
