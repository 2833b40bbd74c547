# Equal files on XFS share their blocks: ours beside duperemove and jdupes (Debian) and fclones (cargo install fclones).
# Needs root, loop devices and xfsprogs. Peers that are not installed are left out and said.

dedupe_up() {
    DEDUPE_DISK=$(fresh dedupe)
    truncate --size="$DEDUPE_DISK_SIZE" "$DEDUPE_DISK/image"
    mkfs.xfs -q -m reflink=1 "$DEDUPE_DISK/image"
    DEDUPE_LOOP=$(losetup --find --show --direct-io=on "$DEDUPE_DISK/image")
    mkdir "$DEDUPE_DISK/mount"
    mount "$DEDUPE_LOOP" "$DEDUPE_DISK/mount"
}

dedupe_down() {
    [ -n "${DEDUPE_LOOP:-}" ] || return 0
    umount "$DEDUPE_DISK/mount" 2> /dev/null || umount --lazy "$DEDUPE_DISK/mount" || true
    losetup --detach "$DEDUPE_LOOP"
    rm -f "$DEDUPE_DISK/image"
    DEDUPE_LOOP=
}

# The trees. A: all equal. N: half equal in pairs, half alike but for the last block. C: small files, a quarter of them
# copies of others.
dedupe_tree() {
    rm -rf "$DEDUPE_DISK/mount/tree" "$DEDUPE_DISK/db"
    mkdir "$DEDUPE_DISK/mount/tree"
    python3 - "$1" "$DEDUPE_DISK/mount/tree" "$DEDUPE_FILES" "$DEDUPE_SMALL" << 'PY'
import os
import random
import sys

kind, top, large, small = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
random.seed(1)


def write(name, content):
    with open(os.path.join(top, name), "wb") as file:
        file.write(content)


if kind in "AN":
    content = random.randbytes(4 << 20)
    for i in range(large):
        if kind == "N" and i < large // 2:
            if i % 2 == 0:
                pair = random.randbytes(4 << 20)
            write(f"pair{i}", pair)
        elif kind == "N":
            write(f"like{i}", content[:-4096] + random.randbytes(4096))
        else:
            write(f"file{i}", content)
else:
    kept = []
    for i in range(small):
        if i % 1000 == 0:
            os.mkdir(os.path.join(top, f"d{i // 1000}"))
        content = random.choice(kept) if i % 4 == 3 else random.randbytes(random.randrange(512, 16384))
        if len(kept) < 1000:
            kept.append(content)
        else:
            kept[random.randrange(1000)] = content
        write(f"d{i // 1000}/f{i}", content)
PY
    sync -f "$DEDUPE_DISK/mount"
}

dedupe_hot() { find "$DEDUPE_DISK/mount/tree" -type f -exec cat {} + > /dev/null; }
dedupe_cold() { sync && echo 3 > /proc/sys/vm/drop_caches; }

dedupe_used() { df --output=used -B1 "$DEDUPE_DISK/mount" | tail -n 1; }
dedupe_read() { awk '{ print $3 * 512 }' "/sys/block/${DEDUPE_LOOP#/dev/}/stat"; }

# dedupe_command TOOL: what is run, as words.
dedupe_command() {
    local tree=$DEDUPE_DISK/mount/tree
    case $1 in
        ours) DEDUPE_COMMAND=("$CHAGRES" dedupe "$tree") ;;
        ours_db) DEDUPE_COMMAND=("$CHAGRES" dedupe --db "$DEDUPE_DISK/db" "$tree") ;;
        duperemove) DEDUPE_COMMAND=(duperemove -drq "$tree") ;;
        jdupes) DEDUPE_COMMAND=(jdupes -rBq "$tree") ;;
        fclones)
            DEDUPE_COMMAND=(sh -c 'fclones -q group "$1" > "$2" && fclones -q dedupe < "$2"' -
                "$tree" "$DEDUPE_DISK/groups")
            ;;
    esac
}

# dedupe_once WORK TOOL RUN: one run on the tree as it is; adds a row.
dedupe_once() {
    local out=$BENCH_DIR/measured used read
    dedupe_command "$2"
    used=$(dedupe_used) read=$(dedupe_read)
    "$TARGET/measure" "$out" "${DEDUPE_COMMAND[@]}" > "$DEDUPE_DISK/out" 2> "$DEDUPE_DISK/err" || true
    sync -f "$DEDUPE_DISK/mount"
    row dedupe "$1" "$2" "$3" $(awk '{ print $1, $2, $3, $4 * 1024 / 1e6, $5 }' "$out") \
        "$(($(dedupe_read) - read))" "$((used - $(dedupe_used)))"
}

# dedupe_value WORK TOOL COLUMN: median; - without the tool.
dedupe_value() {
    local value
    value=$(awk -F, -v w="$1" -v t="$2" -v c="$3" '$1 == w && $2 == t { print $c }' "$RESULTS/dedupe.csv")
    [ -n "$value" ] && printf '%s\n' "$value" | median || echo -
}

dedupe_line() {
    local tool=$2
    [ "$(dedupe_value "$1" "$tool" 4)" != - ] || return 0
    printf '| %s | %s | %.2f | %.2f | %.2f | %.0f | %.0f | %.0f |\n' "$1" "$tool" "$(dedupe_value "$1" "$tool" 4)" \
        "$(dedupe_value "$1" "$tool" 5)" "$(dedupe_value "$1" "$tool" 6)" "$(dedupe_value "$1" "$tool" 7)" \
        "$(dedupe_value "$1" "$tool" 9 | awk '{ print $1 / 1e6 }')" \
        "$(dedupe_value "$1" "$tool" 10 | awk '{ print $1 / 1e6 }')"
}

# dedupe_target WORK PEER COLUMN AT_MOST WHAT: a row of the second table, if both were measured.
dedupe_target() {
    local ours peer
    ours=$(dedupe_value "$1" ours "$3") peer=$(dedupe_value "$1" "$2" "$3")
    [ "$ours" != - ] && [ "$peer" != - ] || return 0
    echo "| $1, $5: <= $4x $2 | $(ratio "$ours" "$peer")x | $(verdict "$(ratio "$ours" "$peer")" "$4") |"
}

dedupe_runs() {
    local run tool
    for run in $(seq "$RUNS"); do
        for tool in "${DEDUPE_TOOLS[@]}"; do
            dedupe_tree A && dedupe_hot
            dedupe_once "A hot" "$tool" "$run"
            dedupe_cold
            dedupe_once "A again" "$tool" "$run"
            dedupe_tree A && dedupe_cold
            dedupe_once "A cold" "$tool" "$run"
            dedupe_tree N && dedupe_hot
            dedupe_once "A' hot" "$tool" "$run"
            dedupe_tree C && dedupe_hot
            dedupe_once "C hot" "$tool" "$run"
        done
        dedupe_once "C with database" ours_db "$run"
        dedupe_once "C with database, again" ours_db "$run"
    done
}

section_dedupe() {
    local tool work tree read again
    [ "$(id -u)" = 0 ] || die "the section dedupe needs root for loop devices"
    if [ "${BENCH_SHORT:-0}" = 1 ]; then
        DEDUPE_FILES=${DEDUPE_FILES:-40} DEDUPE_SMALL=${DEDUPE_SMALL:-4000} DEDUPE_DISK_SIZE=${DEDUPE_DISK_SIZE:-2G}
    else
        DEDUPE_FILES=${DEDUPE_FILES:-1000} DEDUPE_SMALL=${DEDUPE_SMALL:-100000} DEDUPE_DISK_SIZE=${DEDUPE_DISK_SIZE:-12G}
    fi
    DEDUPE_TOOLS=(ours)
    for tool in duperemove jdupes fclones; do
        command -v "$tool" > /dev/null && DEDUPE_TOOLS+=("$tool") || say "bench: $tool is not installed and left out"
    done
    csv dedupe "work,tool,run,wall_s,user_s,sys_s,peak_mb,exit,read_bytes,freed_bytes"
    dedupe_up
    dedupe_runs
    dedupe_down
    tree=$((DEDUPE_FILES * 4 * 1024 * 1024))
    read=$(ratio "$(dedupe_value "A cold" ours 9)" "$tree") again=$(dedupe_value "C with database, again" ours_db 4)
    table dedupe << MD
A: $DEDUPE_FILES equal files of 4 MiB; A': half of them equal in pairs, half alike but for the last block;
C: $DEDUPE_SMALL files of 0.5 to 16 KiB, 25% of them copies.

| work | tool | wall s | user s | sys s | peak RSS MB | read MB | freed MB |
|---|---|---|---|---|---|---|---|
$(for work in "A hot" "A cold" "A again" "A' hot" "C hot" "C with database" "C with database, again"; do
        for tool in ours ours_db duperemove jdupes fclones; do dedupe_line "$work" "$tool"; done
    done)

| target | measured | |
|---|---|---|
$(dedupe_target "A hot" fclones 4 0.6 wall
    dedupe_target "A hot" jdupes 4 0.7 wall
    dedupe_target "A hot" duperemove 6 0.75 sys
    dedupe_target "A cold" fclones 4 0.5 wall
    dedupe_target "A cold" duperemove 4 0.5 wall
    dedupe_target "C hot" jdupes 4 0.8 wall
    dedupe_target "C hot" fclones 4 0.35 wall)
| A cold: bytes read <= 1.05x the tree | ${read}x | $(verdict "$read" 1.05) |
| 100,000 files again with a database <= 0.3 s | $again s | $(verdict "$again" 0.3) |
MD
}
