#!/usr/bin/env python3
"""Percentiles of the time from append to visible.

latency.py commits OBSERVED LOG_DIRECTORY FROM TO   OBSERVED: "ns name" of each commit, from `observe dir`
latency.py lines OBSERVED FROM TO                   OBSERVED: "append_ns seen_ns", from `observe file`

Lines appended between FROM and TO (seconds since 1970) count. The lines in a commit are found by decompressing it:
each begins with the time of its append. Prints "lines p50_ms p99_ms max_ms".
"""
import re
import subprocess
import sys

LINE = re.compile(rb"(?:^|\n)(\d{19}) \d{6} ")


def of_commits(observed, directory):
    for row in open(observed):
        seen, name = row.split()
        if not name.endswith(".zst"):
            continue
        data = subprocess.run(["zstd", "-dcq", f"{directory}/{name}"], capture_output=True, check=True).stdout
        for appended in LINE.findall(data):
            yield int(appended), int(seen)


def of_lines(observed):
    for row in open(observed):
        appended, seen = row.split()
        yield int(appended), int(seen)


def main():
    kind, observed = sys.argv[1:3]
    pairs = of_commits(observed, sys.argv[3]) if kind == "commits" else of_lines(observed)
    begin, end = (float(t) * 1e9 for t in sys.argv[-2:])
    delays = sorted(seen - appended for appended, seen in pairs if begin <= appended < end)
    if not delays:
        print("0 nan nan nan")
        return
    at = lambda part: delays[min(len(delays) - 1, int(len(delays) * part))] / 1e6
    print(f"{len(delays)} {at(0.5):.2f} {at(0.99):.2f} {delays[-1] / 1e6:.2f}")


main()
