# The machine that dies: a writer and a shipper to a server of S3 are killed -9 at random instants, half of them during
# the drain after a SIGTERM, and what the archive then lacks is held against what was said to be at risk.
# DIES_RUNS machines die, DIES_LANES at a time.

section_dies() {
    local runs=${DIES_RUNS:-$([ "${BENCH_SHORT:-0}" = 1 ] && echo 20 || echo 1000)}
    local S3_PID S3_ENDPOINT
    fresh dies > /dev/null
    s3_start
    python3 "$HERE/load/dies.py" "$CHAGRES" "s3://$S3_BUCKET/dies%s?endpoint=$S3_ENDPOINT" "$BENCH_DIR/dies" \
        "$runs" "${DIES_LANES:-4}" "$RESULTS/dies.csv"
    python3 "$HERE/load/dies.py" --table "$RESULTS/dies.csv" | table dies
    end "$S3_PID"
}
