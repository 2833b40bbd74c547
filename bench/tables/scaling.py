#!/usr/bin/env python3
"""Models the requests and the money of an archive in S3.

scaling.py DOCUMENT                 puts the tables into the document
scaling.py --check DOCUMENT         fails when the document does not hold the tables as they come out now
scaling.py --counted LOG LAG S1 S2  compares the log of versitygw, of two runs of ship of S1 and S2 seconds and one
                                    compact, with what the model says; fails beyond 10 % and 3 requests
"""
import collections
import math
import pathlib
import re
import sys

# Amazon S3 standard, us-east-1, public price list of November 2025, dollars. HEAD is billed as GET, DELETE is free.
PUT_OR_LIST = 0.005 / 1000
GET_OR_HEAD = 0.0004 / 1000
GB_MONTH = 0.023
DAY = 86_400
PAGE = 1000  # keys of a LIST
HEARTBEAT = 60  # seconds
SPAN, MERGED = 1000, 16  # commits of a table; tables of one size that become one
RADIX, LONGEST = 4, 256  # a commit repeats those before it, up to the next that divides by a higher power of the radix
MEMORY, BATCH = 112 << 20, 64 << 20  # bytes of commits compaction keeps, all or none; and of a batch of content
COMMIT, ENTRY = 800, 128  # bytes of a commit beside its content: 1,020 in all were seen with 12 lines; in memory
SMALL, PACK = 1 << 20, 8 << 20  # fewer bytes of a file go into packs; bytes of a pack
RATIO = 5  # bytes of a log file to a stored byte
PUTS_PER_PREFIX, GETS_PER_PREFIX = 3500, 5500  # per second
KINDS = ("PUT", "GET", "HEAD", "LIST", "DELETE")


def requests(**counts):
    return collections.Counter({kind.upper(): n for kind, n in counts.items()})


def times(n, counts):
    return collections.Counter({kind: n * count for kind, count in counts.items()})


def pages(keys):
    return max(1, math.ceil(keys / PAGE))


def dollars(counts):
    return (counts["PUT"] + counts["LIST"]) * PUT_OR_LIST + (counts["GET"] + counts["HEAD"]) * GET_OR_HEAD


def first_start():
    """Of a machine the archive does not know: it lists the keys of its own name and machine, and puts its own."""
    return requests(put=4, get=1, head=1, list=4)


def restart(commits_since_checkpoint, checkpoint=True):
    """The state directory knows the host, whose key is put again, in case it went; without it there is one LIST more.

    It reads the tables of names and of extents, most of them merged, and half of the commits of one.
    """
    spans = commits_since_checkpoint // SPAN
    commits = SPAN // 2 if spans else commits_since_checkpoint
    read = checkpoint + names(spans) + extents(spans) + commits
    return requests(put=2, get=1 + read, head=1, list=3 + pages(commits))


def names(spans):
    """Tables of names that say what some spans changed: one, as long as not more than some 1,000 files grow."""
    return min(1, spans)


def extents(spans):
    """Tables of extents: one for many has soon as many bytes as it is to have."""
    return spans // MERGED + spans % MERGED


def span(seq):
    """How many commits are known by one, with itself."""
    known = 1
    while known < LONGEST and seq % (known * RADIX) == 0:
        known *= RADIX
    return known


def end(seq):
    """Commits a reader fetches to know all behind the newest table."""
    fetched, told = 0, seq // SPAN * SPAN
    while seq > told:
        seq, fetched = seq - span(seq), fetched + 1
    return fetched


def one_file(commits, shipper=False):
    """To know where the bytes of a file are: which host, what there is, names, the end, the extents it is in."""
    found = requests() if shipper else requests(get=1, list=1)
    spans = commits // SPAN
    return found + requests(list=4, head=1, get=(0 if shipper else end(commits)) + names(spans) + (spans > 0))


def tables(commits):
    """Each span is made of records in memory: two objects, each asked for before it is put.

    The rows that they change are looked up in the table before and in the checkpoint: its end and a block.
    """
    spans = commits // SPAN
    merged = times(spans // MERGED, requests(put=1, get=MERGED, head=1))
    return times(spans, requests(put=3, get=5, head=4, list=3)) + merged


def objects(files, content_bytes):
    """What a run writes: an object for each file of a MiB or more, and the end of a line in a pack, or packs alone."""
    return math.ceil(content_bytes / PACK) if content_bytes < files * SMALL else files + 1


def compaction(commits, files, content_bytes, checkpoint=True):
    """Reads each commit once, or if it cannot keep them once more for each batch."""
    fits = content_bytes / RATIO + commits * (COMMIT + ENTRY) <= MEMORY
    reads = commits if fits else commits * (1 + math.ceil(content_bytes / BATCH))
    return requests(put=4 + objects(files, content_bytes), get=1 + 2 * checkpoint + reads, head=4,
                    list=8 + pages(commits), delete=1)


def heartbeats(seconds):
    """Of one run: when everything was scanned, each minute, and at the end."""
    return seconds // HEARTBEAT + 2


def lives(seconds):
    """A heartbeat each minute, and a look whether the last commit is still there."""
    return requests(put=heartbeats(seconds), head=seconds // HEARTBEAT)


def sweep(commits_listed, commits_removed, checkpoints, heard_listed=0, heard_removed=0):
    """Lists the log and the heartbeats and reads the checkpoints that stay; objects it removes are not counted."""
    tables = 2 * (commits_removed // SPAN)
    return requests(get=checkpoints,
                    list=pages(commits_listed) + pages(heard_listed) + (commits_removed > 0),
                    delete=commits_removed + tables + (commits_removed > 0) + heard_removed)


def status(hosts):
    """Lists the keys of all hosts, finds the newest heartbeat of each and reads it."""
    return requests(list=pages(hosts) + hosts, get=hosts)


def host_day(commits, files, content_bytes, restarts=1, runs=1):
    """Requests of shipper and compaction; never compacted, a restart has half of 30 days' commits behind it."""
    heard = heartbeats(DAY)
    shipped = requests(put=commits) + lives(DAY) + tables(commits)
    if runs == 0:
        return shipped + times(restarts, restart(15 * commits, checkpoint=False)), requests()
    shipped = shipped + times(restarts, restart(commits // runs // 2))
    a_run = commits // runs
    written = min(files, files * commits / runs)
    one = compaction(a_run, math.ceil(written), content_bytes / runs) + sweep(
        commits + 2 * a_run, a_run, 2 + runs, heard + heard // runs, heard // runs)
    return shipped, times(runs, one)


# name, seconds between writes to any file, files, bytes a day of one host
RATES = (("idle", 3600, 100, 1 << 20), ("quiet", 60, 100, 16 << 20), ("busy", 1, 100, 100 << 20))


def commits_of(seconds_between, lag):
    return DAY // max(seconds_between, lag)


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]) + "\n"


def money(amount):
    return f"{amount:,.4f}" if amount < 1 else f"{amount:,.2f}" if amount < 100 else f"{amount:,.0f}"


def host_table():
    rows = []
    for name, between, files, size in RATES:
        for lag in (1, 10):
            commits = commits_of(between, lag)
            for runs in (0, 1, 24):
                shipped, compacted = host_day(commits, files, size, runs=runs)
                both = shipped + compacted
                rows.append((name, f"{lag} s", {0: "never", 1: "daily", 24: "hourly"}[runs],
                             *(f"{both[kind]:,}" for kind in KINDS),
                             money(dollars(shipped)), money(dollars(compacted)), money(dollars(both))))
    return table(("writes", "lag", "compact", *KINDS, "ship $", "compact $", "sum $"), rows)


def goal_table():
    rows = []
    for lag, goal in ((1, 0.50), (10, 0.06)):
        never, _ = host_day(commits_of(1, lag), 100, 100 << 20, runs=0)
        shipped, compacted = host_day(commits_of(1, lag), 100, 100 << 20)
        for what, counts in (("ship's own, compacted daily", shipped),
                             ("ship and daily compaction", shipped + compacted),
                             ("ship, never compacted, mean of 30 days", never)):
            cost = dollars(counts)
            rows.append((f"{lag} s", what, f"<= {goal:.2f}", f"{cost:.4f}", f"{2000 * cost:,.0f}",
                         "reached" if cost <= goal else "**not reached**"))
    return table(("lag", "what", "goal, $ per host and day", "model", "2,000 hosts, $ per day", ""), rows)


def idle_table():
    """A host whose files rest: what its heartbeats and looks cost, beside the rest of its day."""
    shipped, compacted = host_day(commits_of(3600, 1), 100, 1 << 20)
    heard = dollars(lives(DAY))
    return table(("heartbeats a day", "$ of them and looks", "ship $", "with daily compaction $", "goal", ""),
                 [(f"{heartbeats(DAY):,}", money(heard), money(dollars(shipped)), money(dollars(shipped + compacted)),
                   "<= 0.01", "reached" if dollars(shipped + compacted) <= 0.01 else "**not reached**")])


def fleet_table():
    rows = []
    for hosts in (10, 1000, 2000, 100_000):
        for lag in (1, 10):
            shipped, compacted = host_day(commits_of(1, lag), 100, 100 << 20)
            names = requests(list=pages(hosts))
            list_all = names + requests(get=hosts, list=3 * hosts)
            rows.append((f"{hosts:,}", f"{lag} s", f"{hosts / lag:,.0f}", money(hosts * dollars(shipped)),
                         money(hosts * dollars(shipped + compacted)), f"{sum(list_all.values()):,}",
                         money(dollars(list_all)), f"{sum(names.values()):,}",
                         f"{sum(first_start().values()):,}", money(hosts * dollars(first_start())),
                         f"{sum(status(hosts).values()):,}", money(dollars(status(hosts)))))
    return table(("hosts", "lag", "PUT/s", "ship $ a day", "with compact $ a day", "requests of `ls`", "`ls` $",
                  "of them to find the hosts", "requests of a first start", "all first starts $", "requests of `status`",
                  "`status` $"), rows)


def file_table():
    rows = []
    for what, counts in (("`cat`, `tail` of one file, worst", [one_file(n) for n in range(1_000_000, 1_002_000)]),
                         ("the same, mean", None),
                         ("one truncation or copy, by the shipper", [one_file(1_000_999, shipper=True)])):
        all_of = counts or [one_file(n) for n in range(1_000_000, 1_002_000)]
        sums = [sum(each.values()) for each in all_of]
        most = max(all_of, key=lambda each: sum(each.values()))
        rows.append((what, *((most[kind] for kind in ("LIST", "HEAD", "GET")) if counts else ("", "", "")),
                     max(sums) if counts else round(sum(sums) / len(sums))))
    return table(("on a host of a million commits that nobody compacted", "LIST", "HEAD", "GET", "all"), rows)


def kept_table():
    rows = []
    for name, between, files, size in RATES:
        for lag in (1, 10):
            commits = commits_of(between, lag)
            stored = 30 * size / RATIO
            heard = heartbeats(DAY)
            rows.append((name, f"{lag} s", f"{30 * (commits + heard):,}", f"{pages(30 * commits):,}",
                         f"{30 * objects(files, size) + 2 * commits + 2 * heard + 2:,}",
                         f"{stored / 1e6:,.0f}", money(stored / 1e9 * GB_MONTH)))
    return table(("writes", "lag", "objects, never compacted", "LIST pages of the log",
                  "objects at most, compacted daily", "MB stored", "$ a month"), rows)


def render(text):
    tables = {"goal": goal_table, "host": host_table, "idle": idle_table, "fleet": fleet_table, "file": file_table, "kept": kept_table}
    for name, make in tables.items():
        text = re.sub(rf"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)",
                      lambda found: found[1] + make() + found[2], text, flags=re.S)
    return text


def count(lines):
    """Counts the requests and the commits put of lines of an access log."""
    counts, commits = collections.Counter(), 0
    names = {"PutObject": "PUT", "GetObject": "GET", "HeadObject": "HEAD", "ListObjectsV2": "LIST",
             "DeleteObject": "DELETE"}
    for line in lines:
        found = re.search(r" s3_(\w+) (\S+)", line)
        if found:
            counts[names.get(found[1], found[1])] += 1
            commits += found[1] == "PutObject" and "/log/" in found[2]
    return counts, commits


def counted(log, lag, first, second):
    """The log has a line 'phase NAME' before each phase; opening and closing take a commit each, which hold no data.

    What reads commits is predicted from those that were put, so that one commit more is one difference, not four.
    """
    phases, current = {}, []
    for line in pathlib.Path(log).read_text().splitlines():
        if line.startswith("phase "):
            current = phases.setdefault(line.split()[1], [])
        else:
            current.append(line)
    before, after = (math.ceil(seconds / lag) + 2 for seconds in (first, second))
    made, more = count(phases["start"])[1], count(phases["restart"])[1]
    expected = {
        "start": first_start() + requests(put=1 + before) + lives(first),
        "restart": restart(made, checkpoint=False) + requests(put=after) + lives(second),
        "compact": compaction(made + more, 100, 1, checkpoint=False) + sweep(made + more, 0, 0),
    }
    rows, failed = [], False
    for phase, model in expected.items():
        real, _ = count(phases[phase])
        for kind in KINDS:
            off = abs(real[kind] - model[kind])
            bad = off > max(3, model[kind] / 10)
            failed |= bad
            rows.append((phase, f"{lag} s", kind, model[kind], real[kind], "**off**" if bad else "agrees"))
    print(table(("phase", "lag", "request", "model", "counted", ""), rows), end="")
    return 1 if failed else 0


def main(arguments):
    if arguments[0] == "--counted":
        return counted(arguments[1], *map(int, arguments[2:]))
    document = pathlib.Path(arguments[-1])
    text = document.read_text()
    new = render(text)
    if arguments[0] == "--check":
        if text != new:
            print(f"{document}: its tables are not those of the model: run bench/tables/scaling.py {document}")
        return int(text != new)
    document.write_text(new)
    return 0


sys.exit(main(sys.argv[1:]))
