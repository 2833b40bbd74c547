# Memory at 2,000 files, default options.

section_memory() {
    local rss peak
    csv memory "$STEADY_COLUMNS"
    steady_ours memory quiet 2000 2000 1s 20ms
    rss=$(awk -F, 'NR == 2 { print $10 }' "$RESULTS/memory.csv")
    peak=$(awk -F, 'NR == 2 { print $11 }' "$RESULTS/memory.csv")
    table memory << MD
| 2,000 files, one append a second each, $((WARM_SECONDS + WINDOW_SECONDS)) s | target | measured | |
|---|---|---|---|
| RSS | <= 64 MB | $rss MB | $(verdict "$rss" 64) |
| peak RSS (VmHWM) | <= 96 MB | $peak MB | $(verdict "$peak" 96) |
MD
}
