#!/usr/bin/env python3
"""Measures what files at rest cost a ship: files_at_rest.py CHAGRES [FILES [PER_DIRECTORY]]

Makes files of one line, lets `ship` ship them and follow them, waits until the heap of the JVM holds a row for each
file and hardly anything of what only files in motion have, and prints a Markdown table: bytes of heap for each file by
class, which depend on no machine, and the memory of the process. Needs jcmd of the JDK ($JAVA_HOME, or in the PATH)."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

chagres = sys.argv[1]
files = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
per_directory = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
jcmd = os.path.join(os.environ["JAVA_HOME"], "bin", "jcmd") if "JAVA_HOME" in os.environ else "jcmd"
SHOWN = 8
ROWS = 256  # of a FileBlock


def make(tree):
    for number in range(files):
        directory = tree / f"d{number // per_directory:05}"
        if number % per_directory == 0:
            directory.mkdir()
        path = directory / f"file-{number:07}.log"
        path.write_bytes(b"one line of %d\n" % number)


def memory(pid, name):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024 / 1e6
    return 0


def heap(pid):
    """Returns instances and bytes of each class, of what is alive."""
    text = subprocess.run([jcmd, str(pid), "GC.class_histogram"], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in text.splitlines()]
    return {row[3]: (int(row[1]), int(row[2])) for row in rows if len(row) > 3 and row[0].endswith(":")}


def at_rest(pid):
    while True:
        found = heap(pid)
        blocks = found.get("io.chagres.ship.file.FileBlock", (0, 0))[0]
        moving = found.get("io.chagres.ship.bytes.Verification", (0, 0))[0]
        if blocks * ROWS >= files and moving <= files // 100:
            return found
        time.sleep(5)


directory = pathlib.Path(tempfile.mkdtemp())
try:
    tree = directory / "tree"
    tree.mkdir()
    make(tree)
    ship = subprocess.Popen([chagres, "ship", str(tree), "--to", str(directory / "archive"), "--state",
                             str(directory / "state"), "--host", "h", "--quiet"])
    try:
        found = at_rest(ship.pid)
        time.sleep(15)
        all_bytes = sum(each[1] for each in found.values())
        print(f"| {files:,} files at rest | |\n|---|---|")
        for name, (_, size) in sorted(found.items(), key=lambda each: -each[1][1])[:SHOWN]:
            print(f"| `{name}`, bytes a file | {size / files:.1f} |")
        print(f"| heap, bytes a file | {all_bytes / files:.0f} |")
        print(f"| RSS, MB (peak) | {memory(ship.pid, 'VmRSS'):.1f} ({memory(ship.pid, 'VmHWM'):.1f}) |")
    finally:
        ship.send_signal(signal.SIGTERM)
        ship.wait()
finally:
    shutil.rmtree(directory)
