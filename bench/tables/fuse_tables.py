#!/usr/bin/env python3
"""fuse_tables.py RESULTS: makes tables and charts of what the section fuse left in RESULTS."""
import csv
import pathlib
import statistics
import sys

import bars

SERVERS = {
    "ours": "ours, /dev/fuse",
    "ours-uring": "ours, io_uring",
    "ours-paths": "ours, by paths",
    "ours-passthrough": "ours, passthrough of a file",
    "libfuse-ll": "libfuse 3 low level, C",
    "libfuse-hl": "libfuse 3 high level, C",
    "libfuse-hl-threads": "libfuse 3 high level, C, its threads",
    "jfuse": "jfuse (libfuse 3)",
    "jfuse-threads": "jfuse (libfuse 3), as it comes",
    "jnr-fuse": "jnr-fuse (libfuse 2)",
    "jnr-fuse-threads": "jnr-fuse (libfuse 2), as it comes",
}
PLAIN0, BEST0 = ("same", "0", "plain"), ("same", "0", "best")
PLAIN1, BEST1 = ("same", "1", "plain"), ("same", "1", "best")
CROSS0, CROSS1 = ("cross", "0", "plain"), ("cross", "1", "plain")
NAMES = {
    PLAIN0: "timeouts 0",
    BEST0: "timeouts 0, best mode",
    PLAIN1: "timeouts 1 s",
    BEST1: "timeouts 1 s, best mode",
    CROSS0: "timeouts 0, other core",
    CROSS1: "timeouts 1 s, other core",
}

# Table: (configuration, work, words of the column)
CALLS = {
    "fuse_list": [(c, "list:8", NAMES[c]) for c in (PLAIN0, BEST0, PLAIN1, BEST1, CROSS0)],
    "fuse_ls": [(c, w, f"{w.split(':')[1]}, {NAMES[c]}") for w in ("ls:8", "ls:1000") for c in (PLAIN0, PLAIN1, BEST1)],
    "fuse_calls": [(PLAIN0, "getattr", "getattr"), (CROSS0, "getattr", "getattr, other core")]
    + [(c, "open", f"open + read + close, {NAMES[c]}") for c in (PLAIN0, PLAIN1, BEST1, CROSS0)],
}
DATA = [
    (c, w, f"{words}, {'one core' if c == PLAIN1 else 'two cores'}")
    for w, words in (("seqread:131072", "sequential read 128 KiB"), ("randread:4096", "random read 4 KiB"),
                     ("seqwrite:131072", "sequential write 128 KiB"), ("randwrite:4096", "random write 4 KiB"))
    for c in (PLAIN1, CROSS1)
]

# Words, what is measured, what it is compared with (nothing: us), the bound (None: reported)
TARGETS = {
    "fuse_list": [
        ("like for like, timeouts 0: ours against jfuse", ("ours", PLAIN0), ("jfuse", PLAIN0), 0.5),
        ("... by paths against ours by nodes", ("ours-paths", PLAIN0), ("ours", PLAIN0), 1.1),
        ("... by paths against jfuse", ("ours-paths", PLAIN0), ("jfuse", PLAIN0), None),
        ("... against jfuse as it comes", ("ours", PLAIN0), ("jfuse-threads", PLAIN0), 0.5),
        ("... against jnr-fuse", ("ours", PLAIN0), ("jnr-fuse", PLAIN0), 0.5),
        ("... against jnr-fuse as it comes", ("ours", PLAIN0), ("jnr-fuse-threads", PLAIN0), 0.5),
        ("... against libfuse low level, C", ("ours", PLAIN0), ("libfuse-ll", PLAIN0), 1.0),
        ("... against libfuse high level, C", ("ours", PLAIN0), ("libfuse-hl", PLAIN0), 1.0),
        ("best mode of each, timeouts 0: ours against jfuse", ("ours", BEST0), ("jfuse", BEST0), 0.2),
        ("... against jnr-fuse", ("ours", BEST0), ("jnr-fuse", BEST0), None),
        ("... against libfuse high level, C", ("ours", BEST0), ("libfuse-hl", BEST0), 0.4),
        ("... against libfuse low level, C, names not kept", ("ours", BEST0), ("libfuse-ll", PLAIN0), 0.4),
        ("... against libfuse low level, C, names kept", ("ours", BEST0), ("libfuse-ll", BEST0), None),
        ("cached, timeouts 1 s, us", ("ours", BEST1), None, 2.0),
    ],
    "fuse_ls": [
        ("1,000 entries, timeouts 0: ours against libfuse low level, C", ("ours", PLAIN0), ("libfuse-ll", PLAIN0), 0.85),
        ("... best mode of ours", ("ours", BEST0), ("libfuse-ll", PLAIN0), 0.85),
        ("timeouts 1 s, best mode of ours against libfuse low level, C, names not kept",
         ("ours", BEST1), ("libfuse-ll", PLAIN1), 0.6),
        ("... names kept", ("ours", BEST1), ("libfuse-ll", BEST1), None),
    ],
    "getattr": [
        ("getattr, one core: ours against libfuse low level, C", ("ours", PLAIN0), ("libfuse-ll", PLAIN0), 0.9),
        ("getattr, one core: ours by paths against ours by nodes", ("ours-paths", PLAIN0), ("ours", PLAIN0), 1.1),
        ("getattr, other core: ours against libfuse low level, C", ("ours", CROSS0), ("libfuse-ll", CROSS0), 1.0),
        ("getattr, other core: ours by io_uring, us", ("ours-uring", CROSS0), None, 3.5),
    ],
    "open": [
        ("open + read 4 KiB + close, timeouts 0: ours by paths against ours by nodes",
         ("ours-paths", PLAIN0), ("ours", PLAIN0), 1.1),
        ("... by paths against jfuse", ("ours-paths", PLAIN0), ("jfuse", PLAIN0), None),
        ("open + read 4 KiB + close, 1 s, best mode of ours against libfuse low level, C, opens answered",
         ("ours", BEST1), ("libfuse-ll", PLAIN1), 0.5),
        ("... opens left to the kernel", ("ours", BEST1), ("libfuse-ll", BEST1), None),
    ],
}


def read_csv(path):
    return list(csv.DictReader(open(path))) if path.exists() else []


class Cells:
    """Medians over the runs, by (server, (placement, timeout, mode), work)."""

    def __init__(self, rows):
        runs = {}
        for r in rows:
            key = r["server"], (r["placement"], r["timeout"], r["mode"]), r["work"]
            runs.setdefault(key, []).append((float(r["median_ns"]), float(r["cpu_ns"])))
        self.ns, self.error, self.cpu = {}, {}, {}
        for key, values in runs.items():
            medians = [median for median, _ in values]
            self.ns[key] = statistics.median(medians)
            self.error[key] = (max(medians) - min(medians)) / 2
            self.cpu[key] = statistics.median(cpu for _, cpu in values)

    def us(self, key):
        if key not in self.ns:
            return ""
        return f"{number(self.ns[key] / 1000)} \u00b1 {number(self.error[key] / 1000)} ({number(self.cpu[key] / 1000)})"

    def speed(self, key):
        """GB/s, or us for the small ones."""
        size = int(key[2].split(":")[1])
        if key not in self.ns or size < 100000:
            return self.us(key)
        value, cpu = size / self.ns[key], self.cpu[key] / size
        return f"{value:.2f} \u00b1 {value * self.error[key] / self.ns[key]:.2f} ({cpu:.2f})"


def number(value):
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 1000 else f"{value:.0f}"


def markdown(heads, rows):
    lines = [heads, ["---"] * len(heads)] + rows
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def target_rows(targets, work, cells):
    rows = []
    for words, above, below, bound in targets:
        a = cells.ns.get((*above, work))
        b = cells.ns.get((*below, work)) if below else 1000
        if a and b:
            unit = "x" if below else " us"
            reached = "" if bound is None else "reached" if a / b <= bound else "**not reached**"
            rows.append([words, "" if bound is None else f"<= {bound}{unit}", f"{a / b:.2f}{unit}", reached])
    return rows


def with_targets(table, rows):
    return table + ("\n" + markdown(["target", "", "measured", ""], rows) if rows else "")


def write_table(results, name, columns, cells, value, targets):
    columns = [c for c in columns if any((s, c[0], c[1]) in cells.ns for s in SERVERS)]
    rows = [
        [words] + [value((server, configuration, work)) for configuration, work, _ in columns]
        for server, words in SERVERS.items()
        if any((server, c, w) in cells.ns for c, w, _ in columns)
    ]
    if rows:
        table = markdown([""] + [words for _, _, words in columns], rows)
        picture = f"\n![{name.replace('_', ': ')}]({name}.svg)\n"
        (results / f"{name}.md").write_text(with_targets(table, targets) + picture)
        panels = []
        for configuration, work, words in columns:
            keys = [(server, configuration, work) for server in SERVERS if (server, configuration, work) in cells.ns]
            panels.append((words + ", us", [(SERVERS[k[0]], cells.ns[k] / 1000, cells.error[k] / 1000) for k in keys]))
        (results / f"{name}.svg").write_text(bars.svg(panels))


def data_targets(cells):
    def speed(server, configuration, work):
        ns = cells.ns.get((server, configuration, work))
        return int(work.split(":")[1]) / ns if ns else None

    rows = []
    for server, words, bound in (("ours", "served", 4), ("ours-passthrough", "passthrough", 8)):
        for c, cores in ((PLAIN1, "one core"), (CROSS1, "two cores")):
            read = speed(server, c, "seqread:131072")
            if read:
                rows.append([f"sequential read, {words}, {cores}", f">= {bound} GB/s", f"{read:.2f} GB/s",
                             "reached" if read >= bound else "**not reached**"])
    for c, words in ((PLAIN1, "one core"), (CROSS1, "two cores")):
        ours, theirs = speed("ours", c, "seqwrite:131072"), speed("libfuse-ll", c, "seqwrite:131072")
        if ours and theirs:
            rows.append([f"write 128 KiB, {words}: ours against libfuse low level, C", ">= 1.0x", f"{ours / theirs:.2f}x",
                         "reached" if ours >= theirs else "**not reached**"])
    return rows


def counts_of(rows, server, configuration, work, kind):
    found = {
        r["operation"]: float(r["times"])
        for r in rows
        if (r["server"], r["timeout"], r["mode"], r["work"], r["kind"]) == (server, *configuration[1:], work, kind)
    }
    return {operation: times for operation, times in found.items() if times >= 0.1}


def write_requests(results):
    rows = read_csv(results / "fuse_counts.csv")
    lines, totals = [], {}
    words = lambda counts: ", ".join(f"{v:.0f} {k}" if v >= 0.95 else f"{v:.1f} {k}" for k, v in sorted(counts.items()))
    traced = any(r["kind"] == "request" for r in rows)
    for work in ("list:8", "ls:8"):
        for configuration in (PLAIN0, BEST0, PLAIN1, BEST1):
            for server, name in SERVERS.items():
                if not counts_of(rows, server, configuration, work, "counted"):
                    continue
                requests = counts_of(rows, server, configuration, work, "request")
                callbacks = counts_of(rows, server, configuration, work, "callback")
                totals[server, configuration, work] = sum(requests.values())
                lines.append([work.split(":")[0], NAMES[configuration], name,
                              f"{sum(requests.values()):.0f}" if traced else "", words(requests), words(callbacks)])
    if not lines:
        return
    table = markdown(["", "mode", "server", "requests", "by operation", "callbacks of the file system"], lines)
    targets = []
    for configuration in (PLAIN0, BEST0, PLAIN1, BEST1):
        ours = totals.get(("ours", configuration, "list:8"))
        others = [t for (s, c, w), t in totals.items() if c == configuration and w == "list:8" and not s.startswith("ours")]
        if traced and others:
            targets.append([f"list, {NAMES[configuration]}: ours the fewest", f"<= {min(others):.0f}", f"{ours:.0f}",
                            "reached" if ours <= min(others) + 0.1 else "**not reached**"])
    (results / "fuse_requests.md").write_text(with_targets(table, targets))


def write_files(results):
    found = {(r["server"], ("same", r["timeout"], r["mode"])): (float(r["ns"]), float(r["error_ns"]))
             for r in read_csv(results / "fuse_files.csv")}
    columns = [c for c in (PLAIN0, BEST0, BEST1) if any(k[1] == c for k in found)]

    def cell(server, configuration):
        if (server, configuration) not in found:
            return ""
        ns, error = found[server, configuration]
        return number(ns / 1000) + (f" \u00b1 {number(error / 1000)}" if error == error else "")

    rows = [[words] + [cell(server, c) for c in columns] for server, words in SERVERS.items()
            if any(k[0] == server for k in found)]
    targets = []
    for peer, bound in (("jfuse", 0.5), ("jfuse-threads", 0.5), ("jnr-fuse", 0.5), ("jnr-fuse-threads", 0.5),
                        ("libfuse-ll", 1.0)):
        if ("ours", PLAIN0) in found and (peer, PLAIN0) in found:
            times = found["ours", PLAIN0][0] / found[peer, PLAIN0][0]
            targets.append([f"timeouts 0: ours against {SERVERS[peer]}", f"<= {bound}x", f"{times:.2f}x",
                            "reached" if times <= bound else "**not reached**"])
    if rows:
        table = markdown(["`Files.list`, us"] + [NAMES[c] for c in columns], rows)
        (results / "fuse_files.md").write_text(with_targets(table, targets))


def main():
    results = pathlib.Path(sys.argv[1])
    cells = Cells(read_csv(results / "fuse.csv"))
    targets = {
        "fuse_list": target_rows(TARGETS["fuse_list"], "list:8", cells),
        "fuse_ls": target_rows(TARGETS["fuse_ls"], "ls:1000", cells),
        "fuse_calls": target_rows(TARGETS["getattr"], "getattr", cells) + target_rows(TARGETS["open"], "open", cells),
    }
    for name, columns in CALLS.items():
        write_table(results, name, columns, cells, cells.us, targets[name])
    write_table(results, "fuse_data", DATA, cells, cells.speed, data_targets(cells))
    write_requests(results)
    write_files(results)
    for name in (*CALLS, "fuse_data", "fuse_requests", "fuse_files"):
        path = results / f"{name}.md"
        if path.exists():
            print(path.read_text())


main()
