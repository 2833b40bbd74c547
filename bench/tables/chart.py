#!/usr/bin/env python3
"""chart.py POLLING_CSV INTERVAL_MS: draws the CPU of each agent against the number of files, both logarithmic, as SVG."""
import csv
import math
import sys

SERIES = [
    ("ours", "chagres ship", "#0b6e4f", ""),
    ("ours_poll", "chagres ship --poll", "#3fa37c", "6 4"),
    ("watch_service", "java.nio.file.WatchService", "#b3541e", ""),
    ("naive_polling", "naive polling loop", "#7a1fa2", "2 3"),
]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 420, 70, 20, 50, 60
LEAST = 0.01  # percent: what the clock ticks of a minute resolve


def main():
    path, interval = sys.argv[1:3]
    rows = [row for row in csv.DictReader(open(path)) if row["interval_ms"] == interval]
    files = [int(row["files"]) for row in rows]
    values = {key: [max(LEAST, float(row[key])) for row in rows] for key, *_ in SERIES}
    low = math.floor(math.log10(min(min(v) for v in values.values())))
    high = math.ceil(math.log10(max(max(v) for v in values.values()) * 1.0001))
    first, last = math.log10(files[0]), math.log10(max(files[-1], files[0] * 10))
    x = lambda n: LEFT + (math.log10(n) - first) / (last - first) * (WIDTH - LEFT - RIGHT)
    y = lambda v: HEIGHT - BOTTOM - (math.log10(v) - low) / (high - low) * (HEIGHT - TOP - BOTTOM)
    change = "every second" if interval == "1000" else f"every {interval} ms"
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">')
    print(f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>')
    print(f'<text x="{LEFT}" y="22" font-size="16">CPU, percent of a core: one file changes {change}</text>')
    for power in range(low, high + 1):
        at = y(10**power)
        print(f'<line x1="{LEFT}" y1="{at:.1f}" x2="{WIDTH - RIGHT}" y2="{at:.1f}" stroke="#ddd"/>')
        print(f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{10**power:g}%</text>')
    for n in files:
        print(f'<text x="{x(n):.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{n:,}</text>')
    print(f'<text x="{WIDTH / 2:.0f}" y="{HEIGHT - 14}" text-anchor="middle">watched files</text>')
    for index, (key, name, colour, dash) in enumerate(SERIES):
        points = " ".join(f"{x(n):.1f},{y(v):.1f}" for n, v in zip(files, values[key]))
        print(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.5" stroke-dasharray="{dash}"/>')
        for n, v in zip(files, values[key]):
            print(f'<circle cx="{x(n):.1f}" cy="{y(v):.1f}" r="3.5" fill="{colour}"/>')
        at = TOP + 4 + 18 * index
        print(f'<line x1="{LEFT + 14}" y1="{at}" x2="{LEFT + 44}" y2="{at}" stroke="{colour}" stroke-width="2.5" stroke-dasharray="{dash}"/>')
        print(f'<text x="{LEFT + 52}" y="{at + 4}">{name}</text>')
    print("</svg>")


main()
