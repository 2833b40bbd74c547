# What the sections share. Sourced by run.sh; all paths come from there.

say() { printf '%s\n' "$*" >&2; }

die() {
    say "bench: $*"
    exit 1
}

# Ends a process that this script started, and waits for it.
end() {
    local pid
    for pid in "$@"; do
        kill -TERM "$pid" 2> /dev/null || true
        wait "$pid" 2> /dev/null || true
    done
}

# CPU time of a process, all its threads, in clock ticks.
cpu_ticks() { sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }'; }

now() { date +%s.%N; }

# cpu_percent TICKS_BEFORE TIME_BEFORE TICKS_AFTER TIME_AFTER: percent of one core.
cpu_percent() { awk -v a="$1" -v s="$2" -v b="$3" -v t="$4" -v hz="$TICKS_PER_SECOND" \
    'BEGIN { printf "%.2f", (b - a) / hz / (t - s) * 100 }'; }

# rss_mb PID, peak_mb PID: resident memory now and at most, in MB (10^6 bytes).
rss_mb() { awk '/^VmRSS/ { printf "%.1f", $2 * 1024 / 1e6 }' "/proc/$1/status"; }
peak_mb() { awk '/^VmHWM/ { printf "%.1f", $2 * 1024 / 1e6 }' "/proc/$1/status"; }

# Percent of a core that several processes use in the window that begins now, one number a line.
# cpu_window SECONDS PID...
cpu_window() {
    local seconds=$1 pid i=0
    shift
    local -a before since
    for pid in "$@"; do
        before[i]=$(cpu_ticks "$pid")
        since[i]=$(now)
        i=$((i + 1))
    done
    sleep "$seconds"
    i=0
    for pid in "$@"; do
        cpu_percent "${before[i]}" "${since[i]}" "$(cpu_ticks "$pid")" "$(now)"
        echo
        i=$((i + 1))
    done
}

median() { sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

# verdict VALUE TARGET: at most; verdict_min VALUE TARGET: at least.
verdict() { judged "$1" "$2 - $1"; }
verdict_min() { judged "$1" "$1 - $2"; }

# judged VALUE MARGIN: a target is reached where the margin is not negative; what is no number was not measured.
judged() {
    [[ $1 =~ ^-?[0-9.]+(e[-+]?[0-9]+)?$ ]] || { echo "not measured"; return; }
    awk "BEGIN { print (($2) >= 0 ? \"reached\" : \"**not reached**\") }"
}

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }

# A new empty directory under the work directory; what it held before is gone.
fresh() {
    rm -rf "${BENCH_DIR:?}/$1"
    mkdir -p "$BENCH_DIR/$1"
    printf '%s' "$BENCH_DIR/$1"
}

# ship_start NAME DIR OPTION...: starts the product on DIR with an archive and a state directory of its own, kept in
# $BENCH_DIR/NAME; sets SHIP_PID. The launcher execs the JVM, so that the id is the JVM's.
ship_start() {
    local name=$1 dir=$2
    shift 2
    mkdir -p "$BENCH_DIR/$name"
    "$CHAGRES" ship "$dir" --to "$BENCH_DIR/$name/archive" --state "$BENCH_DIR/$name/state" --host bench "$@" \
        > "$BENCH_DIR/$name/out" 2> "$BENCH_DIR/$name/err" &
    SHIP_PID=$!
}

# ship_stop: drains and ends it; fails when bytes were left.
ship_stop() {
    kill -TERM "$SHIP_PID"
    local code=0
    wait "$SHIP_PID" || code=$?
    [ "$code" -eq 0 ] || say "bench: ship ended with $code: $(tail -n 1 "$BENCH_DIR/$1/err")"
}

# log_directory NAME: waits for the first commit of ship NAME; prints the directory of its commits.
log_directory() {
    local i found
    for i in $(seq 600); do
        found=$(echo "$BENCH_DIR/$1"/archive/hosts/*/log)
        if [ -d "$found" ]; then
            printf '%s' "$found"
            return
        fi
        sleep 0.1
    done
    die "no commit of ship $1 within a minute: $(cat "$BENCH_DIR/$1/err")"
}

# rsyslog_start NAME GLOB: rsyslog with imfile (inotify) from the Debian package, one action, its own files; sets
# RSYSLOG_PID. Its output is $BENCH_DIR/NAME/sink.
rsyslog_start() {
    local dir
    dir=$(fresh "$1")
    touch "$dir/sink"
    cat > "$dir/conf" << CONF
module(load="imfile" mode="inotify")
global(workDirectory="$dir")
template(name="raw" type="string" string="%msg%\n")
ruleset(name="bench") { action(type="omfile" file="$dir/sink" template="raw") }
input(type="imfile" file="$2" tag="bench" ruleset="bench" addMetadata="off" freshStartTail="on")
CONF
    rsyslogd -n -f "$dir/conf" -i "$dir/pid" > "$dir/out" 2>&1 &
    RSYSLOG_PID=$!
}

# Both loads under which a headline is measured: nothing else runs, or two loops that never wait do.
LOADS=(quiet busy)

# load_begin LOAD, load_end: around what is measured under that load.
load_begin() {
    BUSY_PIDS=()
    [ "$1" = busy ] || return 0
    local i
    for i in 1 2; do
        sh -c 'while :; do :; done' &
        BUSY_PIDS+=($!)
    done
}
load_end() { end ${BUSY_PIDS[@]+"${BUSY_PIDS[@]}"}; }

# touched MIB: a virtual machine gets memory from its host when it is first written; what is timed must not pay for it.
touched() { "$TARGET/touch" "$1"; }

# system_calls COMMAND...: how many the command and its children make.
system_calls() {
    command -v strace > /dev/null || { echo -; return; }
    strace -f -c -qq -o "$BENCH_DIR/calls" "$@" > /dev/null 2>&1
    awk '$NF == "total" { print $4 }' "$BENCH_DIR/calls"
}

# table SECTION: keeps what it reads as results/SECTION.md, and shows it.
table() { tee "$RESULTS/$1.md"; }

# csv SECTION COLUMNS: begins results/SECTION.csv; row SECTION VALUE...: adds to it.
csv() { printf '%s\n' "$2" > "$RESULTS/$1.csv"; }
row() {
    local section=$1 IFS=,
    shift
    printf '%s\n' "$*" >> "$RESULTS/$section.csv"
}
