#!/usr/bin/env python3
"""jmh_tables.py RESULTS: makes tables and charts of what the sections calls, safepoint and jdkio left in RESULTS."""
import csv
import json
import pathlib
import statistics
import sys

import bars
from call_names import TABLES, TARGETS

SIZES = {4096: "4 KiB", 8192: "8 KiB", 131072: "128 KiB", 4194304: "4 MiB"}


class Cell:
    """One measured value with half the width of its confidence interval."""

    def __init__(self, value, error):
        self.value, self.error = value, error

    def text(self):
        digits = 2 if self.value < 20 else 1 if self.value < 1000 else 0
        error = f" \u00b1 {self.error:.{digits}f}" if self.error == self.error else ""
        return f"{self.value:.{digits}f}{error}"


def per_second(bytes_, cell):
    return Cell(bytes_ / cell.value, bytes_ / cell.value * cell.error / cell.value)


def metric(found):
    return Cell(float(found["score"]), float(found["scoreError"]))


def least(found):
    return min(value for fork in found["rawData"] for value in fork)


def column(params):
    """The words over the column of these parameters."""
    size = int(params.get("bytes", params.get("piece", 0)))
    words = [SIZES.get(size, str(size))] if size else []
    if "aligned" in params:
        words.append("aligned" if params["aligned"] == "true" else "misaligned")
    return " ".join(words)


def read_jmh(path, unit_of):
    """{(class, method): {column: Cell}}, with columns "... CPU" for reads, and {(class, method): B/op}."""
    cells, allocated = {}, {}
    for run in json.loads(path.read_text()) if path.exists() else []:
        key = tuple(run["benchmark"].split(".")[-2:])
        params = run.get("params", {})
        head = column(params)
        cell = metric(run["primaryMetric"])
        row = cells.setdefault(key, {})
        row[head] = per_second(int(params.get("bytes", params.get("piece", 0))), cell) if unit_of[key[0]] == "GB/s" else cell
        cpu = run["secondaryMetrics"].get("cpu")
        if "piece" in params and cpu:
            row[head + " CPU"] = Cell(float(cpu["score"]) / int(params["piece"]), float("nan"))
        norm = run["secondaryMetrics"].get("gc.alloc.rate.norm")
        if norm:
            allocated[key] = max(allocated.get(key, 0), least(norm))
    return cells, allocated


def add_loops(path, cells):
    """The loops in C: the median of all rounds, and half their spread."""
    rounds = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        name, size, wall, cpu = line.split()
        rounds.setdefault((name, int(size)), []).append((float(wall), float(cpu)))
    for (name, size), values in rounds.items():
        walls = [wall for wall, _ in values]
        cell = Cell(statistics.median(walls), (max(walls) - min(walls)) / 2)
        if name == "read":
            row = cells.setdefault(("FileRead", "C"), {})
            row[SIZES[size]] = per_second(size, cell)
            row[SIZES[size] + " CPU"] = Cell(statistics.median(cpu for _, cpu in values) / size, float("nan"))
        else:
            cells[("SystemCallCost", name + "C")] = {"": cell}


def markdown(heads, rows):
    lines = [heads, ["---"] * len(heads)] + rows
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def verdict(value, bound, kind):
    if bound is None:
        return ""
    return "reached" if (value <= bound if kind == "most" else value >= bound) else "**not reached**"


def look_up(cells, class_, name):
    method, _, head = name.partition("@")
    return cells.get((class_, method), {}).get(head)


def targets(table, class_, cells):
    rows = []
    for words, above, below, bound, kind in TARGETS.get(table, []):
        a, b = look_up(cells, class_, above), look_up(cells, class_, below)
        if a and b:
            ratio = a.value / b.value
            rows.append([words, f"{ratio:.2f}x", verdict(ratio, bound, kind)])
    return "\n" + markdown(["target", "measured", ""], rows) if rows else ""


def picture(table):
    return f"\n![{table.replace('_', ': ')}]({table}.svg)\n"


def write_calls(results, cells, allocated):
    for table, (class_, unit, _, names) in TABLES.items():
        known = {method: row for (c, method), row in cells.items() if c == class_}
        order = [m for m in names if m in known] + sorted(m for m in known if m not in names)
        if not order:
            continue
        heads = list(dict.fromkeys(head for m in order for head in known[m]))
        units = ["CPU s/GB" if head.endswith("CPU") else unit for head in heads]
        rows = [
            [names.get(m, m)]
            + [known[m][head].text() if head in known[m] else "" for head in heads]
            + [f"{allocated[class_, m]:.0f}" if (class_, m) in allocated else ""]
            for m in order
        ]
        titles = [f"{head.removesuffix(' CPU')}, {u}" if head else u for head, u in zip(heads, units)]
        text = markdown([""] + titles + ["B/op"], rows) + targets(table, class_, cells)
        (results / f"{table}.md").write_text(text + picture(table))
        panels = [
            (title, [(names.get(m, m), known[m][head].value, known[m][head].error) for m in order if head in known[m]])
            for title, head in zip(titles, heads)
        ]
        (results / f"{table}.svg").write_text(bars.svg(panels))
    if cells:
        rows = [(c, m, head, cell.value, cell.error) for (c, m), row in cells.items() for head, cell in row.items()]
        with open(results / "calls.csv", "w") as out:
            csv.writer(out, lineterminator="\n").writerows([("class", "method", "column", "value", "error")] + rows)


def read_csv(path):
    return list(csv.DictReader(open(path))) if path.exists() else []


def write_parked(results):
    rows = read_csv(results / "parked.csv")
    words = {
        "none": "nothing attached",
        "parameter": "parameter, 64 KiB each",
        "scopedValue": "ScopedValue, 64 KiB each",
        "threadLocal": "ThreadLocal, 64 KiB each",
        "ofThread": "ours, `MemoryStack.ofThread()`",
        "ofThreadInFrame": "ours, parked inside a frame",
    }
    lines = [[words[r["attachment"]], f"{int(r['threads']):,}", r["heap_bytes"], r["resident_bytes"]] for r in rows]
    if rows:
        (results / "parked.md").write_text(
            markdown(["attachment", "virtual threads", "heap, bytes per thread", "resident, bytes per thread"], lines))


def write_safepoint(results):
    rows = read_csv(results / "safepoint.csv")
    base = {(r["collector"], r["reader"]): r for r in rows if r["reader"] in ("idle", "spinning")}
    lines, panels = [], {}
    for r in rows:
        us = {p: int(r[f"{p}_ns"]) / 1000 for p in ("p50", "p99")}
        times = {
            reader: [us[p] * 1000 / int(base[r["collector"], reader][f"{p}_ns"]) for p in us]
            for reader in ("idle", "spinning")
        }
        lines.append([r["collector"], r["reader"], r["file"], r["mb_per_s"], f"{us['p50']:.1f}", f"{us['p99']:.1f}"]
                     + [" / ".join(f"{t:.2f}x" for t in times[reader]) for reader in times]
                     + [verdict(max(times["idle"]), 1.5, "most") if r["reader"] == "heapReader" else ""])
        panels.setdefault(r["collector"] + ": p99, us", []).append((f"{r['reader']} {r['file']}", us["p99"], 0))
    if rows:
        heads = ["collector", "reader", "file", "MB/s", "p50 us", "p99 us", "p50 / p99 against idle",
                 "... against spinning", "ours <= 1.5x idle"]
        (results / "safepoint.md").write_text(markdown(heads, lines) + picture("safepoint"))
        (results / "safepoint.svg").write_text(bars.svg(list(panels.items()), logarithmic=True))


def write_jdkio(results):
    rows = read_csv(results / "jdkio.csv")
    lines, medians = [], {}
    for load in ("catchup", "steady"):
        for way, words in (("jdk", "FileChannel, `Files.readAttributes`"), ("ours", "`Fd`, `Statx`, `MemoryCompare`")):
            runs = [{k: float(v) for k, v in r.items() if k not in ("load", "way")}
                    for r in rows if r["load"] == load and r["way"] == way]
            if not runs:
                continue
            cpu_gb = [r["cpu_ns"] / r["bytes"] for r in runs]
            cpu_look = [r["cpu_ns"] / r["looks"] / 1000 for r in runs]
            medians[load, way] = statistics.median(cpu_gb if load == "catchup" else cpu_look)
            spread = lambda v: f"{statistics.median(v):.3f} \u00b1 {(max(v) - min(v)) / 2:.3f}"
            lines.append([load, words, spread(cpu_gb), spread(cpu_look),
                          f"{min(r['allocated'] / r['looks'] for r in runs):.1f}"])
    if lines:
        ratios = [[f"CPU of {load}, ours against the JDK's", f"{medians[load, 'ours'] / medians[load, 'jdk']:.2f}x"]
                  for load in ("catchup", "steady") if (load, "ours") in medians]
        (results / "jdkio.md").write_text(
            markdown(["load", "way", "CPU s/GB", "CPU us per look", "B per look"], lines)
            + "\n" + markdown(["reported", "measured"], ratios))


def main():
    results = pathlib.Path(sys.argv[1])
    unit_of = {class_: unit for class_, unit, _, _ in TABLES.values()}
    cells, allocated = read_jmh(results / "raw/calls.json", unit_of)
    for raw in ("system", "cold"):
        for more, into in zip(read_jmh(results / f"raw/{raw}.json", unit_of), (cells, allocated)):
            into.update(more)
    add_loops(results / "raw/calls_c.txt", cells)
    write_calls(results, cells, allocated)
    write_parked(results)
    write_safepoint(results)
    write_jdkio(results)


if __name__ == "__main__":
    main()
