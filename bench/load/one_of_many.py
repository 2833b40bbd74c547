#!/usr/bin/env python3
"""Measures what one file of many costs a reader: one_of_many.py CHAGRES [FILES [DIRECTORIES]]

Makes files of a few bytes, ships them once, and reads: one line, one directory, one count. Prints a Markdown table of
CPU seconds, peak memory, and reads of the archive's objects (by strace, if there is one), never compacted and
compacted."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

chagres = sys.argv[1]
files = int(sys.argv[2]) if len(sys.argv) > 2 else 300_000
directories = int(sys.argv[3]) if len(sys.argv) > 3 else 1000


def make(tree):
    for number in range(files):
        directory = tree / f"d{number % directories:04}"
        if number < directories:
            directory.mkdir(parents=True)
        (directory / f"file-{number:07}.log").write_bytes(b"line %d\n" % number)


def run(*arguments):
    """Returns CPU seconds and peak MB of a command, which must do its work."""
    with open(os.devnull, "wb") as nowhere:
        process = subprocess.Popen([chagres, *arguments], stdout=nowhere)
        _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(arguments)} ended with {status}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def reads(archive, *arguments):
    """Returns how often a command reads from objects; nothing without strace."""
    if shutil.which("strace") is None:
        return ""
    with tempfile.NamedTemporaryFile() as calls:
        subprocess.run(["strace", "-f", "-qq", "-y", "-e", "trace=pread64", "-o", calls.name, chagres, *arguments],
                       stdout=subprocess.DEVNULL, check=True)
        return sum(f"{archive}/hosts" in line for line in calls.read().decode(errors="replace").splitlines())


directory = pathlib.Path(tempfile.mkdtemp(dir="."))
try:
    tree, archive = (directory / "tree").resolve(), str((directory / "archive").resolve())
    make(tree)
    ship = ["ship", str(tree), "--to", archive, "--state", str(directory / "state"), "--host", "h", "--once", "--quiet"]
    cpu, peak = run(*ship)
    print("| command | archive | CPU s | peak MB | reads |\n|---|---|---|---|---|")
    print(f"| first ship of {files:,} files | | {cpu:.1f} | {peak:.0f} | |")
    one = f"h:{tree}/d0007/file-{7 + directories:07}.log"
    for state in ("never compacted", "compacted"):
        if state == "compacted":
            run("compact", archive)
        for command in (("cat", archive, one), ("ls", "-l", archive, f"h:{tree}/d0007"),
                        ("grep", "-c", "line", archive, one)):
            cpu, peak = min(run(*command) for _ in range(3))
            print(f"| `{command[0]}` | {state} | {cpu:.2f} | {peak:.0f} | {reads(archive, *command)} |")
finally:
    shutil.rmtree(directory)
