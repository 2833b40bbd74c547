# Catching up with compression, and zstd -1 on the same file.

section_zstd() {
    local run bytes out=$BENCH_DIR/measured peer ours stored
    csv zstd "what,run,wall_s,mb_per_s,cpu_s_per_gb,peak_mb,ratio"
    big_log
    bytes=$(stat -c %s "$BENCH_DIR/big/app.log")
    for run in $(seq "$RUNS"); do
        fresh floor > /dev/null
        big_log
        "$TARGET/measure" "$out" zstd -1 -q "$BENCH_DIR/big/app.log" -o "$BENCH_DIR/floor/app.zst"
        stored=$(stat -c %s "$BENCH_DIR/floor/app.zst")
        row zstd zstd "$run" $(measured "$out" "$bytes") "$(ratio "$bytes" "$stored")"
        rm -rf "$BENCH_DIR/floor"
        once archived "$out" --codec zstd --level 1
        stored=$(du -sb --apparent-size "$BENCH_DIR/archived/archive" | cut -f 1)
        row zstd ours "$run" $(measured "$out" "$bytes") "$(ratio "$bytes" "$stored")"
        rm -rf "$BENCH_DIR/archived"
    done
    ours=$(column zstd ours 5) peer=$(column zstd zstd 5)
    table zstd << MD
| catch-up of $CATCHUP_MIB MiB, hot, zstd level 1 | MB/s | wall s | CPU s/GB | peak RSS MB | ratio |
|---|---|---|---|---|---|
| \`zstd -1\` | $(column zstd zstd 4) | $(column zstd zstd 3) | $peer | $(column zstd zstd 6) | $(column zstd zstd 7) |
| \`chagres ship --once --codec zstd --level 1\` | $(column zstd ours 4) | $(column zstd ours 3) | $ours | $(column zstd ours 6) | $(column zstd ours 7) |

| target | measured | |
|---|---|---|
| <= 1.15x the CPU of \`zstd -1\` | $(ratio "$ours" "$peer")x | $(verdict "$(ratio "$ours" "$peer")" 1.15) |
MD
}
