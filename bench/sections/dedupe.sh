# Equal files on XFS share their blocks: ours beside duperemove and jdupes (Debian) and fclones (cargo install
# fclones@0.35.0 --locked). Needs root, loop devices and xfsprogs. Peers that are not installed are left out and said.

dedupe_up() {
    DEDUPE_DISK=$(fresh dedupe)
    truncate --size="$DEDUPE_DISK_SIZE" "$DEDUPE_DISK/image"
    mkfs.xfs -q -m reflink=1 "$DEDUPE_DISK/image"
    DEDUPE_LOOP=$(losetup --find --show --direct-io=on "$DEDUPE_DISK/image")
    mkdir "$DEDUPE_DISK/mount"
    mount "$DEDUPE_LOOP" "$DEDUPE_DISK/mount"
}

dedupe_down() {
    [ -z "${DEDUPE_CGROUP:-}" ] || rmdir "$DEDUPE_CGROUP" 2> /dev/null || true
    DEDUPE_CGROUP=
    [ -n "${DEDUPE_LOOP:-}" ] || return 0
    umount "$DEDUPE_DISK/mount" 2> /dev/null || umount --lazy "$DEDUPE_DISK/mount" || true
    losetup --detach "$DEDUPE_LOOP"
    rm -f "$DEDUPE_DISK/image"
    DEDUPE_LOOP=
}

# dedupe_tree KIND FILES: a new tree, on the disk.
dedupe_tree() {
    rm -rf "$DEDUPE_DISK/mount/tree" "$DEDUPE_DISK/db"
    mkdir "$DEDUPE_DISK/mount/tree"
    "$TARGET/dedupetree" "$1" "$DEDUPE_DISK/mount/tree" "$2"
    sync -f "$DEDUPE_DISK/mount"
}

dedupe_hot() { find "$DEDUPE_DISK/mount/tree" -type f -exec cat {} + > /dev/null; }
dedupe_cold() { sync && echo 3 > /proc/sys/vm/drop_caches; }

dedupe_used() { df --output=used -B1 "$DEDUPE_DISK/mount" | tail -n 1; }
dedupe_read() { awk '{ printf "%.0f", $3 * 512 }' "/sys/block/${DEDUPE_LOOP#/dev/}/stat"; }

# dedupe_command TOOL DIR: what is run, as words.
dedupe_command() {
    case $1 in
        ours) DEDUPE_COMMAND=("$CHAGRES" dedupe "$2") ;;
        ours_db) DEDUPE_COMMAND=("$CHAGRES" dedupe --db "$DEDUPE_DISK/db" "$2") ;;
        duperemove) DEDUPE_COMMAND=(duperemove -drq "$2") ;;
        jdupes) DEDUPE_COMMAND=(jdupes -rBq "$2") ;;
        fclones)
            DEDUPE_COMMAND=(sh -c 'fclones -q group "$1" > "$2" && fclones -q dedupe < "$2"' - "$2"
                "$DEDUPE_DISK/groups")
            ;;
    esac
}

# dedupe_once WORK TOOL RUN [DIR]: one run on the tree as it is; adds a row.
dedupe_once() {
    local out=$BENCH_DIR/measured used read
    dedupe_command "$2" "${4:-$DEDUPE_DISK/mount/tree}"
    used=$(dedupe_used) read=$(dedupe_read)
    "${DEDUPE_LIMIT[@]}" "$TARGET/measure" "$out" "${DEDUPE_COMMAND[@]}" > "$DEDUPE_DISK/out" 2> "$DEDUPE_DISK/err" ||
        true
    sync -f "$DEDUPE_DISK/mount"
    row dedupe "$1" "$2" "$3" $(awk '{ print $1, $2, $3, $4 * 1024 / 1e6, $5 }' "$out") \
        "$(($(dedupe_read) - read))" "$((used - $(dedupe_used)))"
    [ "$(awk '{ print $5 }' "$out")" = 0 ] || say "bench: $2 on $1: $(tail -n 1 "$DEDUPE_DISK/err")"
}

# Makes a group of processes that keeps a quarter of the large tree in memory; sets DEDUPE_LIMIT to what enters it.
dedupe_limit() {
    local memory=$((DEDUPE_FILES * 1024 * 1024)) limit=memory.max
    DEDUPE_CGROUP=/sys/fs/cgroup/chagres-bench
    [ ! -d /sys/fs/cgroup/memory ] || DEDUPE_CGROUP=/sys/fs/cgroup/memory/chagres-bench limit=memory.limit_in_bytes
    [ $memory -ge 268435456 ] || memory=268435456
    if mkdir -p "$DEDUPE_CGROUP" && echo $memory > "$DEDUPE_CGROUP/$limit"; then
        DEDUPE_LIMIT=(sh -c 'echo $$ > "$0" && exec "$@"' "$DEDUPE_CGROUP/cgroup.procs")
    else
        say "bench: no group with limited memory; workload D is left out"
        DEDUPE_LIMIT=()
    fi
}

dedupe_large() {
    local run tool
    for tool in "${DEDUPE_TOOLS[@]}"; do
        for run in $(seq "$DEDUPE_RUNS"); do
            dedupe_tree equal "$DEDUPE_FILES" && dedupe_hot
            dedupe_once "A hot" "$tool" "$run"
        done
        dedupe_cold
        dedupe_once "A again" "$tool" 1
        dedupe_tree equal "$DEDUPE_FILES" && dedupe_cold
        dedupe_once "A cold" "$tool" 1
        dedupe_tree alike "$DEDUPE_FILES" && dedupe_hot
        dedupe_once "A' hot" "$tool" 1
    done
    dedupe_limit
    for tool in "${DEDUPE_TOOLS[@]}"; do
        [ ${#DEDUPE_LIMIT[@]} -gt 0 ] || break
        dedupe_tree alike "$DEDUPE_FILES" && dedupe_cold
        dedupe_once D "$tool" 1
    done
    DEDUPE_LIMIT=()
}

dedupe_small() {
    local run tool
    for tool in "${DEDUPE_TOOLS[@]}"; do
        dedupe_tree small "$DEDUPE_SMALL" && dedupe_cold
        dedupe_once "C cold" "$tool" 1
        for run in $(seq "$DEDUPE_RUNS"); do
            dedupe_tree small "$DEDUPE_SMALL" && dedupe_hot
            dedupe_once "C hot" "$tool" "$run"
        done
        dedupe_once "C again" "$tool" 1
    done
    dedupe_once "C with database" ours_db 1
    for run in 1 2 3 4 5; do # what changed within two seconds before a run is not remembered
        ! grep -q "known $DEDUPE_SMALL," "$DEDUPE_DISK/out" || break
        dedupe_command ours_db "$DEDUPE_DISK/mount/tree"
        "${DEDUPE_COMMAND[@]}" > "$DEDUPE_DISK/out"
    done
    for run in 1 2 3; do
        dedupe_once "C again with database" ours_db "$run"
    done
}

# dedupe_update TREE: changes one file in twenty.
dedupe_update() {
    find "$1" -type f | sort | awk 'NR % 20 == 0' | tr '\n' '\0' |
        xargs -0 sh -c 'for file; do echo before >> "$file"; done' -
}

# dedupe_images STORE: unpacked layers of two images, each layer with all that is below it, as stores without overlayfs keep
# them: a base, a language on it, a program on both; the same base after an update, and the language on that.
dedupe_images() {
    local store=$1
    mkdir -p "$store/base"
    cp -a "$DEDUPE_IMAGE_BASE" "$store/base"
    cp -a "$store/base" "$store/language"
    cp -a "$DEDUPE_IMAGE_LANGUAGE" "$store/language"
    cp -a "$store/language" "$store/program"
    cp -a "$DEDUPE_IMAGE_PROGRAM" "$store/program"
    cp -a "$store/base" "$store/updated-base"
    dedupe_update "$store/updated-base"
    cp -a "$store/updated-base" "$store/updated-language"
    cp -a "$DEDUPE_IMAGE_LANGUAGE" "$store/updated-language"
}

# dedupe_trees: trees as people have them, in $BENCH_DIR/trees: a system's /usr/share and a copy of before an update, which
# changed one file in twenty; layers of images; checkouts of this repository, 150 commits apart; mail: three in ten were
# sent to others too.
dedupe_trees() {
    local trees at commit
    trees=$(fresh trees)
    mkdir -p "$trees/system" "$trees/git" "$trees/mail"
    cp -a "$DEDUPE_SYSTEM" "$trees/system/new"
    cp -a "$DEDUPE_SYSTEM" "$trees/system/old"
    dedupe_update "$trees/system/old"
    dedupe_images "$trees/images"
    for at in $DEDUPE_COMMITS; do
        commit=$(git -C "$HERE" rev-list --first-parent --skip="$at" -n 1 HEAD)
        [ -z "$commit" ] || git clone -q --no-hardlinks "$HERE/.." "$trees/git/$at" 2> /dev/null
        [ -z "$commit" ] || git -C "$trees/git/$at" checkout -q "$commit"
    done
    python3 - "$trees/mail" "$DEDUPE_MAILS" << 'PY'
import os, random, sys
where, count, draw, sent = sys.argv[1], int(sys.argv[2]), random.Random(7), []
words = [f"word{n}" for n in range(3000)]
for user in range(20):
    for part in ("cur", "new", "tmp"):
        os.makedirs(f"{where}/user{user}/{part}")
for number in range(count):
    if sent and draw.random() < 0.3:
        text = draw.choice(sent)
    else:
        body = " ".join(draw.choices(words, k=draw.choice((60, 200, 600, 3000))))
        text = f"From: a@example.org\nSubject: {draw.getrandbits(60):x}\n\n{body}\n"
        sent.append(text)
    with open(f"{where}/user{number % 20}/cur/{number}.M{draw.getrandbits(32):x}:2,S", "w") as out:
        out.write(text)
PY
}

dedupe_mixed() {
    local work tool
    dedupe_trees
    for work in system images git mail; do
        for tool in "${DEDUPE_TOOLS[@]}"; do
            rm -rf "$DEDUPE_DISK/mount/tree"
            cp -a "$BENCH_DIR/trees/$work" "$DEDUPE_DISK/mount/tree"
            sync -f "$DEDUPE_DISK/mount"
            dedupe_hot
            dedupe_once "$work" "$tool" 1
        done
    done
    rm -rf "$BENCH_DIR/trees" "$DEDUPE_DISK/mount/tree"
}

# Starting, going over what shares blocks already, and very many files.
dedupe_ours() {
    local run
    mkdir "$DEDUPE_DISK/empty"
    dedupe_tree clones "$DEDUPE_CLONES"
    for run in 1 2 3; do
        dedupe_once "nothing" ours "$run" "$DEDUPE_DISK/empty"
        dedupe_once "clones" ours "$run"
    done
    dedupe_tree tiny "$DEDUPE_TINY"
    dedupe_once "tiny files" ours 1
}

# The seed's question: how fast two blocks are compared, by whom.
dedupe_compare() {
    local how=(-f 1 -wi 3 -w 300ms -i 4 -r 300ms)
    [ "${BENCH_SHORT:-0}" != 1 ] || how=(-f 1 -wi 0 -i 1 -r 20ms)
    jvm_build
    jmh dedupe "${how[@]}" -p bytes=131072 BlockCompare
    "$TARGET/kernelcompare" "$DEDUPE_DISK/mount" 5 | median > "$RESULTS/raw/dedupe_kernel.txt"
    python3 "$HERE/tables/dedupe_tables.py" "$RESULTS" | tee "$RESULTS/dedupe_compare.md"
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

# dedupe_target WORK PEER COLUMN AT_MOST WHAT: a row of the second table, or that the peer is missing.
dedupe_target() {
    local ours peer measured=- word="not measured: $2 is not installed"
    ours=$(dedupe_value "$1" ours "$3") peer=$(dedupe_value "$1" "$2" "$3")
    if [ "$peer" != - ]; then
        measured=$(ratio "$ours" "$peer")x
        word=$(verdict "$(ratio "$ours" "$peer")" "$4")
    fi
    echo "| $1, $5: <= $4x $2 | $measured | $word |"
}

# dedupe_own TARGET VALUE AT_MOST UNIT: a row about ours alone.
dedupe_own() { echo "| $1 <= $3 $4 | $2 $4 | $(verdict "$2" "$3") |"; }

dedupe_tables() {
    local work tool tree=$((DEDUPE_FILES * 4 * 1024 * 1024)) each
    each=$(awk -v a="$(dedupe_value clones ours 4)" -v b="$(dedupe_value nothing ours 4)" -v n="$DEDUPE_CLONES" \
        'BEGIN { printf "%.1f", (a - b) / n * 1e6 }')
    table dedupe << MD
A: $DEDUPE_FILES equal files of 4 MiB; A': half of them equal in pairs, half alike but for the last block; C: $DEDUPE_SMALL
files of 0.5 to 16 KiB, 25% of them copies; D: A' cold, with memory for a quarter of it; clones: $DEDUPE_CLONES files of
4 MiB that share all blocks; tiny files: $DEDUPE_TINY of up to 4 KB. Trees as people have them, hot: system is /usr/share and
a copy in which one file in twenty differs, images five unpacked layers of two images, git five checkouts of this repository
150 commits apart, mail $DEDUPE_MAILS mails, three in ten of them copies.

| work | tool | wall s | user s | sys s | peak RSS MB | read MB | freed MB |
|---|---|---|---|---|---|---|---|
$(for work in "A hot" "A cold" "A again" "A' hot" D "C hot" "C cold" "C again" "C with database" \
        "C again with database" nothing clones "tiny files" system images git mail; do
        for tool in ours ours_db duperemove jdupes fclones; do dedupe_line "$work" "$tool"; done
    done)

| target | measured | |
|---|---|---|
$(dedupe_target "A hot" fclones 4 0.6 wall
    dedupe_target "A hot" jdupes 4 0.7 wall
    dedupe_target "A hot" duperemove 6 0.75 sys
    dedupe_target "A cold" fclones 4 0.5 wall
    dedupe_target "A cold" duperemove 4 0.5 wall
    dedupe_own "A cold: bytes read" "$(ratio "$(dedupe_value "A cold" ours 9)" "$tree")" 1.05 "x the tree"
    dedupe_target "C hot" jdupes 4 0.8 wall
    dedupe_target "C hot" fclones 4 0.35 wall
    dedupe_own "again over clones, after start-up" "$each" 5 "us a file"
    dedupe_own "again over clones: read" "$(dedupe_value clones ours 9 | awk '{ printf "%.2f", $1 / 1e6 }')" 0.1 MB
    dedupe_own "$DEDUPE_SMALL files again with a database" "$(dedupe_value "C again with database" ours_db 4)" 0.3 s
    dedupe_own "peak RSS, $DEDUPE_TINY files" "$(dedupe_value "tiny files" ours 7 | awk '{ printf "%.0f", $1 }')" 128 MB)
MD
}

section_dedupe() {
    local tool
    [ "$(id -u)" = 0 ] || die "the section dedupe needs root for loop devices"
    if [ "${BENCH_SHORT:-0}" = 1 ]; then
        DEDUPE_FILES=${DEDUPE_FILES:-40} DEDUPE_SMALL=${DEDUPE_SMALL:-2000} DEDUPE_DISK_SIZE=${DEDUPE_DISK_SIZE:-4G}
        DEDUPE_CLONES=${DEDUPE_CLONES:-500} DEDUPE_TINY=${DEDUPE_TINY:-5000} DEDUPE_RUNS=${DEDUPE_RUNS:-1}
        DEDUPE_MAILS=${DEDUPE_MAILS:-500}
    else
        DEDUPE_FILES=${DEDUPE_FILES:-1000} DEDUPE_SMALL=${DEDUPE_SMALL:-100000} DEDUPE_DISK_SIZE=${DEDUPE_DISK_SIZE:-16G}
        DEDUPE_CLONES=${DEDUPE_CLONES:-100000} DEDUPE_TINY=${DEDUPE_TINY:-1000000} DEDUPE_RUNS=${DEDUPE_RUNS:-2}
        DEDUPE_MAILS=${DEDUPE_MAILS:-20000}
    fi
    DEDUPE_TOOLS=(ours) DEDUPE_LIMIT=()
    for tool in duperemove jdupes fclones; do
        command -v "$tool" > /dev/null && DEDUPE_TOOLS+=("$tool") || say "bench: $tool is not installed and left out"
    done
    csv dedupe "work,tool,run,wall_s,user_s,sys_s,peak_mb,exit,read_bytes,freed_bytes"
    DEDUPE_IMAGE_BASE=${DEDUPE_IMAGE_BASE:-/usr/bin} DEDUPE_IMAGE_LANGUAGE=${DEDUPE_IMAGE_LANGUAGE:-/usr/lib/python3}
    DEDUPE_IMAGE_PROGRAM=${DEDUPE_IMAGE_PROGRAM:-/usr/lib/gcc}
    DEDUPE_SYSTEM=${DEDUPE_SYSTEM:-/usr/share} DEDUPE_COMMITS=${DEDUPE_COMMITS-0 150 300 450 600}
    dedupe_up
    dedupe_compare
    dedupe_large
    dedupe_small
    dedupe_mixed
    dedupe_ours
    dedupe_down
    dedupe_tables
}
