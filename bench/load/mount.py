#!/usr/bin/env python3
"""What the section mount asks of mounted files.

mount.py random FILE READS        4 KiB reads at random places, none of them cached: "p50_us p99_us mean_us"
mount.py follow FILE SECONDS      starts `tail -f`; lines begin with the time of their append: "lines p50_ms p99_ms max_ms"
"""
import os
import random
import re
import subprocess
import sys
import time

LINE = re.compile(rb"^(\d{19}) ")


def at(values, share):
    return values[min(len(values) - 1, int(len(values) * share))]


def random_reads(path, count):
    file = os.open(path, os.O_RDONLY)
    size = os.fstat(file).st_size
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
    places = random.Random(42).sample(range(size // 4096), min(count, size // 4096))
    times = []
    for place in places:
        begin = time.perf_counter_ns()
        os.pread(file, 4096, place * 4096)
        times.append((time.perf_counter_ns() - begin) / 1e3)
    times.sort()
    print(f"{at(times, 0.5):.0f} {at(times, 0.99):.0f} {sum(times) / len(times):.0f}")


def follow(path, seconds):
    tail = subprocess.Popen(
        ["timeout", str(seconds), "tail", "-n", "0", "-s", "0.005", "-f", path], stdout=subprocess.PIPE
    )
    begin = time.time_ns()
    delays = []
    for line in tail.stdout:
        now = time.time_ns()
        found = LINE.match(line)
        if found and int(found[1]) > begin:
            delays.append((now - int(found[1])) / 1e6)
    delays.sort()
    print(f"{len(delays)} {at(delays, 0.5):.0f} {at(delays, 0.99):.0f} {delays[-1]:.0f}" if delays else "0 nan nan nan")


def main():
    what, path, number = sys.argv[1:]
    {"random": random_reads, "follow": follow}[what](path, int(number))


main()
