# What encryption and signatures cost beside the same without them, age on the same file, and the primitives of OpenSSL.

# shipped WHAT GIB OPTION...: median of runs on memory that was touched; the log is sent as so many files.
shipped() {
    local what=$1 gib=$2 run out=$BENCH_DIR/measured bytes
    shift 2
    bytes=$(du -bs "$BENCH_DIR/big" | cut -f1)
    for run in $(seq "$RUNS"); do
        touched $((CATCHUP_MIB * gib))
        once archived "$out" --codec none "$@"
        row protect "$what" "$gib" "$run" $(measured "$out" "$bytes")
        rm -rf "$BENCH_DIR/archived"
    done
}

section_protect() {
    local gib copy age=- out=$BENCH_DIR/measured recipient=
    command -v age openssl > /dev/null || die "protect needs age and openssl"
    rm -f "$BENCH_DIR/key"
    age-keygen -o "$BENCH_DIR/key" 2> "$BENCH_DIR/key.txt"
    recipient=$(sed -n 's/.*: \(age1.*\)/\1/p' "$BENCH_DIR/key.txt")
    csv protect "what,times,run,wall_s,mb_per_s,cpu_s_per_gb,peak_mb,faults_per_mib"
    CATCHUP_MIB=1024
    big_log
    for gib in 1 4; do
        for copy in $(seq 2 "$gib"); do cp "$BENCH_DIR/big/app.log" "$BENCH_DIR/big/$copy.log"; done
        shipped plain "$gib"
        shipped encrypted "$gib" --encrypt-to "$recipient"
        shipped signed "$gib" --sign
        shipped both "$gib" --sign --encrypt-to "$recipient"
    done
    touched $((CATCHUP_MIB * 2))
    "$TARGET/measure" "$out" age -r "$recipient" -o "$BENCH_DIR/x.age" "$BENCH_DIR/big/app.log"
    row protect age 1 1 $(measured "$out" "$(stat -c %s "$BENCH_DIR/big/app.log")")
    rm -rf "$BENCH_DIR"/big "$BENCH_DIR"/x.age
    {
        echo '| `ship --once --codec none` | CPU s/GB, 1 GiB | 4 GiB |'
        echo '|---|---|---|'
        for what in plain encrypted signed both age; do
            echo "| $what | $(column_of protect "$what" 1 6) | $([ "$what" = age ] || column_of protect "$what" 4 6) |"
        done
        for primitive in chacha20-poly1305 sha256; do
            echo "| \`openssl speed\` of $primitive | $(openssl speed -seconds 2 -bytes 65536 -evp $primitive 2> /dev/null |
                awk 'END { sub("k", "", $2); printf "%.2f", 1e6 / $2 }') | |"
        done
    } | table protect
}
