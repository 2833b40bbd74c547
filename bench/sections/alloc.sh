# Heap allocated per read and per event on the steady path, in the running program: the JVM counts what each thread has
# allocated, exactly; the helper Allocated asks for the sum of the program's own threads. Windows of equal length, and
# thus with an equal number of commits, with few and with many appends: the difference is what events and reads cost.

# Bytes allocated so far.
allocated() {
    local bytes
    echo >&"${ALLOCATED[1]}"
    read -r bytes <&"${ALLOCATED[0]}"
    echo "$bytes"
}

reads() { awk '/^syscr/ { print $2 }' "/proc/$1/io"; }

# alloc_window FILES PER_SECOND SECONDS: writes during a window; "appends reads commits bytes" of it.
alloc_window() {
    local log bytes calls commits appends
    log=$(log_directory alloc)
    bytes=$(allocated) calls=$(reads "$SHIP_PID") commits=$(ls "$log" | wc -l)
    appends=$("$TARGET/appender" "$BENCH_DIR/tree" 10 "$1" "$2" "$3" | cut -d ' ' -f 1)
    echo "$appends $(($(reads "$SHIP_PID") - calls)) $(($(ls "$log" | wc -l) - commits)) $(($(allocated) - bytes))"
}

section_alloc() {
    local files=2000 seconds few many round pid
    seconds=${ALLOC_SECONDS:-$([ "${BENCH_SHORT:-0}" = 1 ] && echo 10 || echo 60)}
    csv alloc "window,per_second,appends,reads,commits,bytes"
    fresh tree > /dev/null
    fresh alloc > /dev/null
    "$TARGET/mkfiles" "$BENCH_DIR/tree" 10 "$files" 1
    CHAGRES_JVM_FLAGS="--add-modules=jdk.management.agent ${CHAGRES_JVM_FLAGS-}" \
        ship_start alloc "$BENCH_DIR/tree" --quiet
    log_directory alloc > /dev/null
    coproc ALLOCATED { exec "$JAVA_HOME/bin/java" -cp "$TARGET/peers" Allocated "$SHIP_PID"; }
    pid=$ALLOCATED_PID
    alloc_window "$files" 20000 "$seconds" > /dev/null # warm-up: compiled
    for round in $(seq "$RUNS"); do
        row alloc few 2000 $(alloc_window "$files" 2000 "$seconds")
        row alloc many 20000 $(alloc_window "$files" 20000 "$seconds")
    done
    end "$pid"
    ship_stop alloc
    alloc_table | table alloc
}

# Of each kind the window with the least allocation: the compilers may still work in the first ones.
alloc_table() {
    awk -F, 'NR > 1 && (!($1 in bytes) || $6 < bytes[$1]) {
        appends[$1] = $3; reads[$1] = $4; commits[$1] = $5; bytes[$1] = $6
    }
    END {
        print "| window | appends (events) | reads (system calls) | commits | bytes allocated |"
        print "|---|---|---|---|---|"
        printf "| few | %d | %d | %d | %d |\n", appends["few"], reads["few"], commits["few"], bytes["few"]
        printf "| many | %d | %d | %d | %d |\n", appends["many"], reads["many"], commits["many"], bytes["many"]
        more = bytes["many"] - bytes["few"]
        per_event = more / (appends["many"] - appends["few"])
        per_read = more / (reads["many"] - reads["few"])
        # An object has 16 bytes at least: less than one byte is no object per event.
        print "\n| target | measured | |\n|---|---|---|"
        printf "| 0 B per event | %.2f B | %s |\n", per_event, (per_event < 0.5 ? "reached" : "**not reached**")
        printf "| 0 B per read | %.2f B | %s |\n", per_read, (per_read < 0.5 ? "reached" : "**not reached**")
        printf "| a commit at 2,000 files, for information | %.0f B | |\n", bytes["few"] / commits["few"]
    }' "$RESULTS/alloc.csv"
}
