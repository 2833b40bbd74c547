# Heap allocated per read and per event on the steady path, in the running program. The JVM counts what each thread has
# allocated exactly; `jcmd PID Thread.print -e` prints it (allocated=). Two windows of equal length and thus an equal
# number of commits, one with few and one with many appends: the difference is what an event and its read cost.

# Bytes allocated so far, by all threads of a JVM that live.
allocated() {
    "$JAVA_HOME/bin/jcmd" "$1" Thread.print -e | sed -n 's/.* allocated=\([0-9]*\)\([BKMG]\).*/\1 \2/p' \
        | awk '{ f = $2 == "K" ? 1024 : $2 == "M" ? 1048576 : $2 == "G" ? 1073741824 : 1; sum += $1 * f }
            END { printf "%.0f", sum }'
}

reads() { awk '/^syscr/ { print $2 }' "/proc/$1/io"; }

# alloc_window FILES PER_SECOND SECONDS: writes during a window; "appends reads commits bytes" of it.
alloc_window() {
    local log bytes calls commits appends
    log=$(log_directory alloc)
    bytes=$(allocated "$SHIP_PID") calls=$(reads "$SHIP_PID") commits=$(ls "$log" | wc -l)
    appends=$("$TARGET/appender" "$BENCH_DIR/tree" 10 "$1" "$2" "$3" | cut -d ' ' -f 1)
    echo "$appends $(($(reads "$SHIP_PID") - calls)) $(($(ls "$log" | wc -l) - commits))" \
        "$(($(allocated "$SHIP_PID") - bytes))"
}

section_alloc() {
    local files=2000 seconds few many round
    seconds=${ALLOC_SECONDS:-$([ "${BENCH_SHORT:-0}" = 1 ] && echo 10 || echo 60)}
    csv alloc "window,per_second,appends,reads,commits,bytes"
    fresh tree > /dev/null
    fresh alloc > /dev/null
    "$TARGET/mkfiles" "$BENCH_DIR/tree" 10 "$files" 1
    ship_start alloc "$BENCH_DIR/tree" --quiet
    log_directory alloc > /dev/null
    alloc_window "$files" 20000 "$seconds" > /dev/null # warm-up: compiled by C2
    for round in $(seq "$RUNS"); do
        row alloc few 2000 $(alloc_window "$files" 2000 "$seconds")
        row alloc many 20000 $(alloc_window "$files" 20000 "$seconds")
    done
    ship_stop alloc
    alloc_table | table alloc
}

# The rounds with the least allocation: what the JVM's own threads add is noise from above.
alloc_table() {
    awk -F, 'NR > 1 && (!($1 in bytes) || $6 < bytes[$1]) { appends[$1] = $3; reads[$1] = $4; commits[$1] = $5; bytes[$1] = $6 }
    END {
        print "| window | appends (events) | reads (system calls) | commits | bytes allocated |"
        print "|---|---|---|---|---|"
        printf "| few | %d | %d | %d | %d |\n", appends["few"], reads["few"], commits["few"], bytes["few"]
        printf "| many | %d | %d | %d | %d |\n", appends["many"], reads["many"], commits["many"], bytes["many"]
        more = bytes["many"] - bytes["few"]
        per_event = more / (appends["many"] - appends["few"])
        per_read = more / (reads["many"] - reads["few"])
        per_commit = bytes["few"] / commits["few"]
        # What stays below one byte in ten events is not an allocation per event.
        print "\n| target | measured | |\n|---|---|---|"
        printf "| 0 B per event | %.3f B | %s |\n", per_event, per_event < 0.1 ? "reached" : "**not reached**"
        printf "| 0 B per read | %.3f B | %s |\n", per_read, per_read < 0.1 ? "reached" : "**not reached**"
        printf "| a commit, for information | %.0f B | |\n", per_commit
    }' "$RESULTS/alloc.csv"
}
