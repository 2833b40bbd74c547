# Finding lines in a fleet: ours beside rg -z and zstd -dc | grep over the same objects, and the requests of a needle that is
# nowhere.

# grep_fleet: GREP_HOSTS hosts of 20 files of GREP_KIB KiB each, shipped and compacted; one line in one file holds the
# needle.
grep_fleet() {
    local host log
    fresh grep > /dev/null
    log=$BENCH_DIR/grep/log
    for host in $(seq "$GREP_HOSTS"); do
        rm -rf "$log" && mkdir "$log"
        python3 - "$log" "$host" "$GREP_KIB" <<'PY'
import random, sys
where, host, kib = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
draw = random.Random(host)
for number in range(20):
    with open(f"{where}/service-{number:02}.log", "w") as out:
        while out.tell() < kib * 1024:
            status = draw.choice((200, 200, 200, 200, 200, 200, 304, 404, 500))
            out.write(f"2026-11-22T09:{draw.randrange(60):02}:{draw.randrange(60):02}.{draw.randrange(1000):03}Z host{host:03} "
                      f"service-{number:02} request={draw.getrandbits(64):016x} GET /api/v1/items/{draw.randrange(100000)} "
                      f"status={status} ms={draw.randrange(900)}\n")
        if host == 42 and number == 7:
            out.write("2026-11-22T09:59:59.999Z host042 service-07 request=needle-7f3a9c21-4be0-11f0 status=500\n")
PY
        "$CHAGRES" ship "$log" --to "$BENCH_DIR/grep/archive" --state "$BENCH_DIR/grep/state-$host" \
            --host "h$(printf %03d "$host")" --once --quiet
    done
    "$CHAGRES" compact "$BENCH_DIR/grep/archive" --grace 0 > /dev/null
    rm -rf "$log"
    # packs and objects, which is where the lines are after that
    find "$BENCH_DIR/grep/archive/hosts" -path '*/streams/*' -name '*.zst' > "$BENCH_DIR/grep/objects"
}

# grep_once WHAT RUN PATTERN COMMAND...: a row of wall and CPU seconds.
grep_once() {
    local what=$1 run=$2 pattern=$3
    shift 3
    touched 512
    "$TARGET/measure" "$BENCH_DIR/measured" "$@" > "$BENCH_DIR/grep/found" 2> /dev/null || true
    row grep "$what" "$pattern" "$run" $(awk '{ printf "%.3f %.3f %.0f", $1, $2 + $3, $4 * 1024 / 1e6 }' \
        "$BENCH_DIR/measured") "$(wc -l < "$BENCH_DIR/grep/found")"
}

grep_column() { awk -F, -v what="$1" -v pattern="$2" -v column="$3" \
    '$1 == what && $2 == pattern { print $column }' "$RESULTS/grep.csv" | median; }

# grep_read PATTERN: bytes that ours reads of the archive, which strace counts, in percent of what is stored.
grep_read() {
    strace -f -y -e trace=read,pread64,preadv2 -o "$BENCH_DIR/grep/trace" "$CHAGRES" grep "$1" "$BENCH_DIR/grep/archive" \
        > /dev/null 2>&1 || true
    awk -v stored="$(du -sb --apparent-size "$BENCH_DIR/grep/archive" | cut -f 1)" -v where="$BENCH_DIR/grep/archive" '
        index($0, where) && $NF ~ /^[0-9]+$/ { sum += $NF } END { printf "%.2f", 100 * sum / stored }' \
        "$BENCH_DIR/grep/trace"
}

# grep_requests PARAMETERS: how many there are at an address with these behind it.
grep_requests() {
    local log=$BENCH_DIR/grep/access
    rm -f "$log"
    s3_start --quiet --access-log "$log"
    cp -r "$BENCH_DIR/grep/archive" "$BENCH_DIR/s3/$S3_BUCKET/ours"
    # it finds nothing, so it ends with 1; 2 is a failure
    "$CHAGRES" grep request=nowhere-1c9d-4be0-77aa "$(s3_address ours)$1" > /dev/null || [ $? -eq 1 ] || die "grep failed"
    end "$S3_PID"
    wc -l < "$log"
}

section_grep() {
    local run pattern text wall cpu read requests looking
    GREP_HOSTS=${GREP_HOSTS:-99} GREP_KIB=${GREP_KIB:-1024}
    [ "${BENCH_SHORT:-0}" = 0 ] || { GREP_HOSTS=4; GREP_KIB=64; }
    csv grep "what,pattern,run,wall_s,cpu_s,peak_mb,lines"
    grep_fleet
    for run in $(seq "$RUNS"); do
        for pattern in common needle; do
            text=$([ "$pattern" = common ] && echo status=500 || echo needle-7f3a9c21-4be0-11f0)
            ! command -v rg > /dev/null || grep_once rg "$run" "$pattern" \
                sh -c 'xargs rg -z -N --no-heading "$1" < "$2"' - "$text" "$BENCH_DIR/grep/objects"
            grep_once zstd "$run" "$pattern" sh -c 'xargs zstd -dcq < "$2" | grep "$1"' - "$text" "$BENCH_DIR/grep/objects"
            grep_once ours "$run" "$pattern" "$CHAGRES" grep "$text" "$BENCH_DIR/grep/archive"
        done
    done
    read=$(grep_read needle-7f3a9c21-4be0-11f0)
    requests=$(grep_requests "&consistent-lists=true")
    looking=$(grep_requests "")
    {
        echo "$GREP_HOSTS hosts of 20 files of $GREP_KIB KiB, compacted; warm."
        echo
        echo "| pattern | tool | wall s | CPU s | peak RSS MB | lines |"
        echo "|---|---|---|---|---|---|"
        for pattern in common needle; do
            for what in rg zstd ours; do
                echo "| $pattern | $what | $(grep_column "$what" "$pattern" 4) | $(grep_column "$what" "$pattern" 5) |" \
                    "$(grep_column "$what" "$pattern" 6) | $(grep_column "$what" "$pattern" 7) |"
            done
        done
        echo
        echo "| target | measured | |"
        echo "|---|---|---|"
        wall=$(ratio "$(grep_column ours common 4)" "$(grep_column rg common 4)")
        cpu=$(ratio "$(grep_column ours common 5)" "$(grep_column rg common 5)")
        echo "| common, wall: <= 1.1x \`rg -z\` | ${wall}x | $(verdict "$wall" 1.1) |"
        echo "| common, CPU: <= 1.1x \`rg -z\` | ${cpu}x | $(verdict "$cpu" 1.1) |"
        wall=$(ratio "$(grep_column ours needle 4)" "$(grep_column rg needle 4)")
        cpu=$(ratio "$(grep_column ours needle 5)" "$(grep_column rg needle 5)")
        echo "| needle, wall: <= 0.15x \`rg -z\` | ${wall}x | $(verdict "$wall" 0.15) |"
        echo "| needle, CPU: <= 0.15x \`rg -z\` | ${cpu}x | $(verdict "$cpu" 0.15) |"
        echo "| needle, read of what is stored: <= 3% | $read% | $(verdict "$read" 3) |"
        requests=$(ratio "$requests" "$GREP_HOSTS")
        echo "| needle that is nowhere, requests a host: <= 2 | $requests | $(verdict "$requests" 2) |"
        looking=$(ratio "$looking" "$GREP_HOSTS")
        echo "| the same where lists may lag: <= 2 | $looking | $(verdict "$looking" 2) |"
    } | table grep
}
