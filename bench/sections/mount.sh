# The archive as files: a host with many files, lists beside the local disk and rclone, grep beside zstdgrep, reads beside
# zstd, and the time from a write until tail -f shows it, on a directory and on S3.
# Cold numbers need root: they drop the page cache of the machine.

mount_sizes() {
    if [ "${BENCH_SHORT:-0}" = 1 ]; then
        MOUNT_MANY=20000 MOUNT_TREE=1000 MOUNT_MIB=32 MOUNT_FOLLOW_S=4 MOUNT_READS=200 MOUNT_ROUNDS=3
    else
        MOUNT_MANY=1000000 MOUNT_TREE=10000 MOUNT_MIB=2048 MOUNT_FOLLOW_S=40 MOUNT_READS=2000 MOUNT_ROUNDS=10
    fi
}

# mount_start STORE OPTION...: mounts a store on $MOUNT_DIR and waits until it is there; sets MOUNT_PID, and MOUNT_S to
# the seconds that took.
mount_start() {
    local begin store=$1 i
    shift
    mkdir -p "$MOUNT_DIR"
    : > "$BENCH_DIR/mount.out"
    begin=$(now)
    "$CHAGRES" mount --foreground "$@" "$store" "$MOUNT_DIR" > "$BENCH_DIR/mount.out" 2> "$BENCH_DIR/mount.err" &
    MOUNT_PID=$!
    for i in $(seq 6000); do
        [ ! -s "$BENCH_DIR/mount.out" ] || break
        kill -0 "$MOUNT_PID" 2> /dev/null || die "mount: $(cat "$BENCH_DIR/mount.err")"
        sleep 0.005
    done
    MOUNT_S=$(awk -v a="$begin" -v b="$(now)" 'BEGIN { printf "%.3f", b - a }')
}

mount_stop() {
    end "$MOUNT_PID"
    umount --lazy "$MOUNT_DIR" 2> /dev/null || true
}

mount_cleanup() {
    umount --lazy "${MOUNT_DIR:-/nowhere}" 2> /dev/null || true
    umount --lazy "${MOUNT_PLAIN:-/nowhere}" 2> /dev/null || true
}

# mount_timed COMMAND...: prints the seconds it takes.
mount_timed() {
    "$TARGET/measure" "$BENCH_DIR/measured" "$@" > /dev/null
    awk '{ print $1 }' "$BENCH_DIR/measured"
}

# mount_row WHAT VALUE: a raw number.
mount_row() { row mount "$1" "$2"; }

# mount_column WHAT: the median.
mount_column() { awk -F, -v w="$1" '$1 == w { print $2 }' "$RESULTS/mount.csv" | median; }

mount_drop_caches() {
    sync
    [ "$(id -u)" != 0 ] || echo 3 > /proc/sys/vm/drop_caches
}

# The directory of the mounted host that shows a directory of this machine.
mount_shown() { printf '%s/bench%s' "$MOUNT_DIR" "$(realpath "$1")"; }

# mount_ship DIR NAME OPTION...: ships a directory once into a new archive.
mount_ship() {
    local dir=$1 name=$2
    shift 2
    fresh "$name" > /dev/null
    "$CHAGRES" ship "$dir" --to "$BENCH_DIR/$name/archive" --state "$BENCH_DIR/$name/state" --host bench --once --quiet "$@"
}

# mount_first WHAT CACHE: the first list of that host, without and with what the mount before left; stays mounted.
mount_first() {
    fresh many-cache > /dev/null
    mount_start "$BENCH_DIR/many" --cache "$2"
    mount_row "$1_mount" "$MOUNT_S"
    mount_row "$1_cold" "$(mount_timed ls "$MOUNT_DIR/bench/srv")"
    mount_row "$1_cold_rss" "$(rss_mb "$MOUNT_PID")"
    mount_row "$1_cold_peak" "$(peak_mb "$MOUNT_PID")"
    mount_stop
    mount_start "$BENCH_DIR/many" --cache "$2"
    mount_row "$1_warm" "$(mount_timed ls "$MOUNT_DIR/bench/srv")"
    mount_row "$1_warm_rss" "$(rss_mb "$MOUNT_PID")"
}

# The first list of a host with many files, without and with what an earlier mount left, and the memory.
mount_many() {
    local run cache=$BENCH_DIR/many-cache
    fresh many > /dev/null
    "$JAVA_HOME/bin/java" --enable-native-access=ALL-UNNAMED -cp "$JVM_PATH" io.chagres.bench.ManyFiles \
        "$BENCH_DIR/many" "$MOUNT_MANY"
    for run in $(seq "$RUNS"); do
        mount_first many "$cache"
        mount_row many_ls_directory "$(mount_timed ls -l "$MOUNT_DIR/bench/srv/d100001")"
        if [ "$run" = 1 ]; then
            mount_row many_find "$(mount_timed find "$MOUNT_DIR/bench" -type f -size +0)"
            mount_row many_find_rss "$(rss_mb "$MOUNT_PID")"
        fi
        mount_stop
    done
    mount_log "$cache"
    rm -rf "$BENCH_DIR/many" "$cache"
}

# mount_log CACHE: the same host as if it was never compacted: every commit is read.
mount_log() {
    rm -rf "$BENCH_DIR"/many/hosts/*/checkpoints
    for _ in $(seq "$RUNS"); do
        mount_first log "$1"
        mount_stop
    done
}

# mount_lists WHAT DIR: ls -lR and find, the first time and then from what is cached.
mount_lists() {
    local i
    mount_row "$1_first" "$(mount_timed ls -lR "$2")"
    for i in $(seq "$MOUNT_ROUNDS"); do
        mount_row "$1_ls" "$(mount_timed ls -lR "$2")"
        mount_row "$1_find" "$(mount_timed find "$2" -type f -size +0)"
    done
}

mount_tree() {
    local plain
    fresh tree > /dev/null
    "$TARGET/mkfiles" "$BENCH_DIR/tree" 10 "$MOUNT_TREE" 3
    mount_ship "$BENCH_DIR/tree" listed
    mount_lists disk "$BENCH_DIR/tree"
    mount_start "$BENCH_DIR/listed/archive"
    mount_lists ours "$(mount_shown "$BENCH_DIR/tree")"
    mount_stop
    MOUNT_RCLONE=
    if ! command -v rclone > /dev/null; then
        say "bench: mount: rclone is left out, it is not installed: apt-get install rclone"
        return 0
    fi
    MOUNT_PLAIN=$BENCH_DIR/plain
    mkdir -p "$MOUNT_PLAIN"
    timeout --signal=INT 120 rclone mount --read-only --dir-cache-time 1h --attr-timeout 1h --config /dev/null \
        "$BENCH_DIR/tree" "$MOUNT_PLAIN" 2> "$BENCH_DIR/rclone.err" &
    plain=$!
    for _ in $(seq 100); do
        ! mountpoint -q "$MOUNT_PLAIN" || break
        sleep 0.1
    done
    if mountpoint -q "$MOUNT_PLAIN"; then
        mount_lists rclone "$MOUNT_PLAIN"
        MOUNT_RCLONE=$(rclone version --config /dev/null 2> /dev/null | sed -n 1p)
    else
        say "bench: mount: rclone is left out, it does not mount: $(tail -n 1 "$BENCH_DIR/rclone.err")"
    fi
    umount --lazy "$MOUNT_PLAIN" 2> /dev/null || true
    end "$plain"
}

# Logs of MOUNT_MIB in all: as they are, as .zst files, and archived.
mount_logs() {
    local i
    fresh logs > /dev/null
    fresh zst > /dev/null
    for i in 1 2 3 4 5 6 7 8; do
        "$TARGET/loggen" "$BENCH_DIR/logs/app$i.log" $((MOUNT_MIB / 8))
        zstd -3 -q "$BENCH_DIR/logs/app$i.log" -o "$BENCH_DIR/zst/app$i.log.zst"
    done
    mount_ship "$BENCH_DIR/logs" grepped
}

MOUNT_PATTERN=took=299.9

# mount_grep DIR: prints the seconds. Through a pipe: grep ends at the first match where the output is /dev/null.
mount_grep() { mount_timed sh -c 'grep -rF "$0" "$1" | cat' "$MOUNT_PATTERN" "$1"; }
mount_zstdgrep() { mount_timed sh -c 'zstdgrep -F "$0" "$1"/* | cat' "$MOUNT_PATTERN" "$BENCH_DIR/zst"; }

mount_greps() {
    local run shown found
    for run in $(seq "$RUNS"); do
        mount_drop_caches
        mount_row zstdgrep_cold "$(mount_zstdgrep)"
        mount_row zstdgrep_warm "$(mount_zstdgrep)"
        mount_row grep_disk "$(mount_grep "$BENCH_DIR/logs")"
        mount_start "$BENCH_DIR/grepped/archive"
        shown=$(mount_shown "$BENCH_DIR/logs")
        ls "$shown" > /dev/null
        mount_drop_caches
        mount_row grep_cold "$(mount_grep "$shown")"
        mount_row grep_warm "$(mount_grep "$shown")"
        mount_row grep_rss "$(rss_mb "$MOUNT_PID")"
        mount_stop
    done
    mount_start "$BENCH_DIR/grepped/archive"
    found=$(grep -rFh "$MOUNT_PATTERN" "$(mount_shown "$BENCH_DIR/logs")" | sort | md5sum)
    [ "$found" = "$(grep -rFh "$MOUNT_PATTERN" "$BENCH_DIR/logs" | sort | md5sum)" ] || die "mount: grep found other lines"
    mount_stop
}

mount_stream() { python3 -c 'import os, sys; print(os.getxattr(sys.argv[1], "user.chagres.stream").decode())' "$1"; }

# One log from its start to its end: the mount and zstd, both with the archive in the page cache.
mount_reads() {
    local run shown bytes segments
    bytes=$(stat -c %s "$BENCH_DIR/logs/app1.log")
    cat "$BENCH_DIR"/grepped/archive/hosts/*/streams/*/*.zst > /dev/null
    for run in $(seq "$RUNS"); do
        mount_start "$BENCH_DIR/grepped/archive"
        shown=$(mount_shown "$BENCH_DIR/logs")/app1.log
        segments=$BENCH_DIR/grepped/archive/hosts/*/streams/$(mount_stream "$shown")
        cat "${shown%1.log}2.log" > /dev/null # a server that has read nothing yet still compiles its code
        mount_row seq_ours "$(mount_timed cat "$shown")"
        mount_row seq_zstd "$(mount_timed sh -c 'zstd -dcq $0/*.zst' "$segments")"
        mount_row seq_zstd_bytes "$(zstd -dcq $segments/*.zst | wc -c)"
        mount_row warm_ns "$("$TARGET/readloop" "$shown" 131072 3 | cut -d ' ' -f 1 | median)"
        mount_row warm_disk_ns "$("$TARGET/readloop" "$BENCH_DIR/logs/app1.log" 131072 3 | cut -d ' ' -f 1 | median)"
        mount_row random "$(python3 "$HERE/load/mount.py" random "$shown" "$MOUNT_READS" | tr ' ' /)"
        mount_stop
    done
    MOUNT_BYTES=$bytes
}

# mount_follow WHAT STORE LAG REFRESH: ships a log that grows by 20 lines a second and follows it through a mount.
mount_follow() {
    local what=$1 store=$2 lag=$3 refresh=$4 writer shown
    fresh tree > /dev/null
    fresh followed > /dev/null
    "$TARGET/mkfiles" "$BENCH_DIR/tree" 1 1 1
    "$CHAGRES" ship "$BENCH_DIR/tree" --to "$store" --state "$BENCH_DIR/followed/state" --host bench --max-lag "$lag" \
        --quiet 2> "$BENCH_DIR/followed/err" &
    SHIP_PID=$!
    "$TARGET/appender" "$BENCH_DIR/tree" 1 1 20 $((MOUNT_FOLLOW_S + 60)) > /dev/null &
    writer=$!
    for _ in $(seq 100); do
        ! "$CHAGRES" ls "$store" > /dev/null 2>&1 || break
        sleep 0.1
    done
    mount_start "$store" --refresh "$refresh"
    shown=$(mount_shown "$BENCH_DIR/tree")/d00000/f000000.log
    for _ in $(seq 100); do
        [ ! -s "$shown" ] || break
        sleep 0.1
    done
    mount_row "$what" "$(python3 "$HERE/load/mount.py" follow "$shown" "$MOUNT_FOLLOW_S" | cut -d ' ' -f 2,3 | sed 's, , / ,')"
    mount_stop
    end "$writer"
    ship_stop followed
}

mount_follows() {
    MOUNT_S3=
    mount_follow follow_directory "$BENCH_DIR/followed/archive" 1s 1s
    mount_follow follow_fast "$BENCH_DIR/followed/archive" 50ms 1s
    if ! command -v versitygw > /dev/null; then
        say "bench: mount: S3 is left out: go install github.com/versity/versitygw/cmd/versitygw@v1.8.0"
        return 0
    fi
    local S3_PID S3_ENDPOINT
    s3_start
    mount_follow follow_s3 "$(s3_address followed)" 1s 1s
    mount_follow follow_s3_fast "$(s3_address fast)" 200ms 100ms
    end "$S3_PID"
    MOUNT_S3=1
}

mount_ms() { awk -v v="$(mount_column "$1")" 'BEGIN { printf "%.0f ms", v * 1000 }'; }
mount_gbs() { awk -v b="$1" -v s="$2" 'BEGIN { printf "%.2f", b / 1e9 / s }'; }
mount_pieces_gbs() { awk -v ns="$(mount_column "$1")" 'BEGIN { printf "%.2f", 131072 / ns }'; }
mount_text() { awk -F, -v w="$1" '$1 == w { v = $2 } END { print v }' "$RESULTS/mount.csv"; }

mount_targets() {
    local lists cold warm reads rss zstd ours
    lists=$(ratio "$(mount_column ours_ls)" "$(mount_column disk_ls)")
    cold=$(mount_column many_cold) warm=$(mount_column many_warm) rss=$(mount_column many_cold_rss)
    ours=$(mount_gbs "$MOUNT_BYTES" "$(mount_column seq_ours)")
    zstd=$(mount_gbs "$(mount_column seq_zstd_bytes)" "$(mount_column seq_zstd)")
    reads=$(awk -v ns="$(mount_column warm_ns)" 'BEGIN { printf "%.2f", 131072 / ns }')
    echo "| target | measured | |"
    echo "|---|---|---|"
    echo "| cached \`ls -l\` <= 2x local disk | ${lists}x | $(verdict "$lists" 2) |"
    echo "| first \`ls\`, $MOUNT_MANY files, cold cache directory, <= 3 s | $cold s | $(verdict "$cold" 3) |"
    echo "| the same, warm, <= 0.3 s | $warm s | $(verdict "$warm" 0.3) |"
    echo "| RSS after that <= 128 MB | $rss MB | $(verdict "$rss" 128) |"
    echo "| sequential read >= 0.9x \`zstd -dc\` | $(ratio "$ours" "$zstd")x | $(verdict_min "$(ratio "$ours" "$zstd")" 0.9) |"
    echo "| warm read >= 4 GB/s | $reads GB/s | $(verdict_min "$reads" 4) |"
}

mount_tables() {
    local directory="a directory"
    mount_targets
    echo
    echo "| a host of $MOUNT_MANY files | cold cache directory | warm |"
    echo "|---|---|---|"
    echo "| \`chagres mount\` until it is mounted | $(mount_ms many_mount) | |"
    echo "| first \`ls\` | $(mount_ms many_cold) | $(mount_ms many_warm) |"
    echo "| RSS of the server after it, MB (peak) | $(mount_column many_cold_rss) ($(mount_column many_cold_peak)) | $(mount_column many_warm_rss) |"
    echo "| then \`ls -l\` of a directory of 1000 | | $(mount_ms many_ls_directory) |"
    echo "| then \`find -type f -size +0\` of all, RSS MB | | $(mount_ms many_find), $(mount_column many_find_rss) |"
    echo "| the same, never compacted: first \`ls\` | $(mount_ms log_cold) | $(mount_ms log_warm) |"
    echo "| RSS of the server after it, MB (peak) | $(mount_column log_cold_rss) ($(mount_column log_cold_peak)) | $(mount_column log_warm_rss) |"
    echo
    echo "| $MOUNT_TREE files | first \`ls -lR\` | cached \`ls -lR\` | cached \`find -size +0\` |"
    echo "|---|---|---|---|"
    echo "| local disk | $(mount_ms disk_first) | $(mount_ms disk_ls) | $(mount_ms disk_find) |"
    echo "| \`chagres mount\` | $(mount_ms ours_first) | $(mount_ms ours_ls) | $(mount_ms ours_find) |"
    if [ -n "$MOUNT_RCLONE" ]; then
        echo "| \`rclone mount\` of the plain files ($MOUNT_RCLONE) | $(mount_ms rclone_first) | $(mount_ms rclone_ls) | $(mount_ms rclone_find) |"
    fi
    echo
    echo "| \`grep -rF\` over $MOUNT_MIB MiB of logs | cold | warm |"
    echo "|---|---|---|"
    echo "| \`chagres mount\` (RSS after it $(mount_column grep_rss) MB) | $(mount_ms grep_cold) | $(mount_ms grep_warm) |"
    echo "| local disk, \`zstdgrep -F\` of .zst files | $(mount_ms zstdgrep_cold) | $(mount_ms zstdgrep_warm) |"
    echo "| local disk, plain files, in the page cache | | $(mount_ms grep_disk) |"
    echo
    echo "| one log of $((MOUNT_BYTES >> 20)) MiB | |"
    echo "|---|---|"
    echo "| \`cat\` from a mount | $(mount_gbs "$MOUNT_BYTES" "$(mount_column seq_ours)") GB/s |"
    echo "| \`zstd -dc\` of the same segments | $(mount_gbs "$(mount_column seq_zstd_bytes)" "$(mount_column seq_zstd)") GB/s |"
    echo "| read again, 128 KiB pieces (local disk, page cache: $(mount_pieces_gbs warm_disk_ns)) |" \
        "$(mount_pieces_gbs warm_ns) GB/s |"
    echo "| random 4 KiB, not cached, p50 / p99 / mean us | $(mount_text random | sed 's,/, / ,g') |"
    echo
    echo "| \`tail -f\`, 20 lines/s: write to line, ms | p50 / p99 |"
    echo "|---|---|"
    echo "| $directory, \`--max-lag 1s\` | $(mount_text follow_directory) |"
    echo "| $directory, \`--max-lag 50ms\` | $(mount_text follow_fast) |"
    if [ -n "$MOUNT_S3" ]; then
        echo "| S3 (versitygw), \`--max-lag 1s --refresh 1s\` | $(mount_text follow_s3) |"
        echo "| S3 (versitygw), \`--max-lag 200ms --refresh 100ms\` | $(mount_text follow_s3_fast) |"
    fi
}

section_mount() {
    local MOUNT_PID MOUNT_S MOUNT_RCLONE MOUNT_S3 MOUNT_BYTES
    local MOUNT_MANY MOUNT_TREE MOUNT_MIB MOUNT_FOLLOW_S MOUNT_READS MOUNT_ROUNDS
    [ -w /dev/fuse ] || die "mount: /dev/fuse is missing or not writable"
    MOUNT_DIR=$BENCH_DIR/mnt
    mount_sizes
    jvm_build
    csv mount "what,value"
    mount_many
    mount_tree
    mount_logs
    mount_greps
    mount_reads
    mount_follows
    mount_tables | table mount
}
