#!/usr/bin/env python3
"""Measures 'chagres status' of a fleet in a directory: fleet_status.py CHAGRES [HOSTS [WORDS]], where CHAGRES is the
program. Writes an archive of HOSTS (10,000) hosts with WORDS (3) heartbeats each, as docs/FORMAT.md says, asks five times and
prints a row: hosts, the median of seconds and of CPU seconds, the peak of memory, files opened in the archive (by strace,
if it is there)."""

import os
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

program = sys.argv[1]
hosts = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
words = int(sys.argv[3]) if len(sys.argv) > 3 else 3
ROUNDS = 5


def left(number):
    return f"{9_999_999_999_999_999 - number:016d}"


def summed(record):
    """Adds the last line of a record: the CRC32C of those before it."""
    crc = 0xFFFFFFFF
    for byte in record.read_bytes():
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    with open(record, "a") as lines:
        lines.write(f"crc32c={crc ^ 0xFFFFFFFF:08x}\n")


def write(archive):
    (archive / "names").mkdir(parents=True)
    now = int(time.time() * 1000)
    for host in range(1, hosts + 1):
        (archive / "names" / f"host-{host}~{host:016x}-{0:016x}-{host:016x}").touch()
        alive = archive / "hosts" / f"{host:016x}" / "alive" / f"{left(1)}-{left(0)}"
        alive.mkdir(parents=True)
        for word in range(1, words + 1):
            (alive / left(word)).write_text(
                f"format=1\nstate=running\ntime={now}\ninterval=60000\nrisk-bytes=0\nrisk-ms=0\nfiles=9\n"
                "bytes-per-second=100\nversion=1\nfollows=/var/log\ntrouble=\n"
                f"key={(alive / left(word)).relative_to(archive)}\n")
            summed(alive / left(word))
        log = archive / "hosts" / f"{host:016x}" / "log"
        log.mkdir()
        (log / f"{1:016d}.zst").write_text("status asks only whether it is there")


def ask(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    said = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    seconds = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    lines = said.stdout.count("\n")
    if said.returncode != 0 or lines != hosts:
        sys.exit(f"{command} ended with {said.returncode} and {lines} lines")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, cpu, after.ru_maxrss / 1024


def opens(command, archive, directory):
    if not shutil.which("strace"):
        return "-"
    trace = directory / "trace"
    subprocess.run(["strace", "-f", "-e", "trace=open,openat,openat2", "-o", trace] + command, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(trace) as calls:
        return f"{sum(1 for call in calls if str(archive) in call or re.search('alive|hosts', call)):,}"


directory = pathlib.Path(tempfile.mkdtemp())
try:
    archive = directory / "archive"
    write(archive)
    command = [program, "status", str(archive)]
    measured = [ask(command) for _ in range(ROUNDS)]
    seconds, cpu, peak = (statistics.median(each) for each in zip(*measured))
    print("| hosts | s | CPU s | peak MB | opens |\n|---|---|---|---|---|")
    print(f"| {hosts:,} | {seconds:.2f} | {cpu:.2f} | {peak:.0f} | {opens(command, archive, directory)} |")
finally:
    shutil.rmtree(directory)
