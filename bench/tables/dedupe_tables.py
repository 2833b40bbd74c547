#!/usr/bin/env python3
"""dedupe_tables.py RESULTS: prints how fast blocks are compared, of raw/dedupe.json and raw/dedupe_kernel.txt there."""
import pathlib
import sys

from call_names import TABLES
from jmh_tables import markdown, read_jmh, verdict

HEADS = ["128 KiB aligned", "128 KiB misaligned"]
NAMES = TABLES["calls_compare"][3]


def main():
    raw = pathlib.Path(sys.argv[1]) / "raw"
    cells, _ = read_jmh(raw / "dedupe.json", {"BlockCompare": "GB/s"})
    known = {method: row for (_, method), row in cells.items()}
    rows = [[words] + [known[method][head].text() for head in HEADS] for method, words in NAMES.items()]
    kernel = (raw / "dedupe_kernel.txt").read_text().strip()
    rows.append(["the kernel, FIDEDUPERANGE over 4 MiB", kernel, "refused"])
    print(markdown(["GB/s"] + HEADS, rows))
    targets = []
    for head in HEADS:
        ratio = known["oursMismatch"][head].value / known["memcmp"][head].value
        targets.append([f"{head}: ours >= 0.95x memcmp", f"{ratio:.2f}x", verdict(ratio, 0.95, "least")])
    print(markdown(["target", "measured", ""], targets), end="")


if __name__ == "__main__":
    main()
