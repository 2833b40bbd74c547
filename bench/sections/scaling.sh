# The requests of a real run, counted by the server, beside those of the model of docs/SCALING.md.

SCALING_SECONDS=(20 10) # before and after a restart

# scaling_phase NAME: what the server logs from now on belongs to it.
scaling_phase() { echo "phase $1" >> "$BENCH_DIR/access.log"; }

# scaling_ship LAG SECONDS: ships while files are written for so long. The writer ends first: a drain commits without
# waiting for the lag, as often as it finds something new.
scaling_ship() {
    "$CHAGRES" ship "$BENCH_DIR/tree" --to "$(s3_address "lag$1")" --state "$BENCH_DIR/scaling-state" --host bench \
        --max-lag "${1}s" --quiet 2> "$BENCH_DIR/scaling.err" &
    SHIP_PID=$!
    "$TARGET/appender" "$BENCH_DIR/tree" 10 100 100 "$2" > /dev/null
    kill -TERM "$SHIP_PID"
    wait "$SHIP_PID" || die "ship failed: $(cat "$BENCH_DIR/scaling.err")"
}

scaling_run() {
    local lag=$1
    fresh tree > /dev/null
    fresh scaling-state > /dev/null
    "$TARGET/mkfiles" "$BENCH_DIR/tree" 10 100 1
    scaling_phase start
    scaling_ship "$lag" "${SCALING_SECONDS[0]}"
    scaling_phase restart
    scaling_ship "$lag" "${SCALING_SECONDS[1]}"
    scaling_phase compact
    "$CHAGRES" compact "$(s3_address "lag$lag")" > /dev/null
}

section_scaling() {
    local lag failed=0
    "$CHAGRES" --help s3:// > /dev/null # fetches the libraries of a store, at the first use of its scheme
    : > "$RESULTS/scaling.md"
    csv scaling "phase,lag,request,model,counted,verdict"
    for lag in 1 10; do
        s3_start --quiet --access-log "$BENCH_DIR/access.log"
        scaling_run "$lag"
        end "$S3_PID"
        python3 "$HERE/tables/scaling.py" --counted "$BENCH_DIR/access.log" "$lag" "${SCALING_SECONDS[@]}" \
            >> "$RESULTS/scaling.md" || failed=1
        rm "$BENCH_DIR/access.log"
    done
    sed -n '/^| [src]/{s/^| //; s/ |$//; s/ | /,/g; p}' "$RESULTS/scaling.md" >> "$RESULTS/scaling.csv"
    cat "$RESULTS/scaling.md"
    [ "$failed" = 0 ] || die "the model of docs/SCALING.md and the counted requests differ: $RESULTS/scaling.md"
}
