#!/usr/bin/env python3
"""Measures how fast the packaged program starts: installed_start.py DIR [ROUNDS], where DIR is a tarball of
packaging/build.sh, unpacked. Prints a Markdown table: the median and the worst from the start to READY=1, as a service
manager hears it, and to the first commit that lies in the archive; with the page cache, and (as the superuser) without."""

import os
import pathlib
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

program = pathlib.Path(sys.argv[1]).resolve() / "bin" / "chagres"
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 9


def start(directory):
    """Returns the seconds to READY=1 and to the first commit."""
    logs = directory / "logs"
    logs.mkdir()
    (logs / "app.log").write_text("a line\n")
    ready = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    ready.bind(str(directory / "notify"))
    ready.settimeout(0.001)
    environment = {"NOTIFY_SOCKET": str(directory / "notify"), "PATH": os.environ["PATH"]}
    archive = directory / "archive"
    command = [program, "ship", logs, "--to", archive, "--state", directory / "state", "--host", "h", "--quiet"]
    begin = time.monotonic()
    ship = subprocess.Popen([str(part) for part in command], env=environment)
    told = committed = None
    while told is None or committed is None:
        if time.monotonic() - begin > 60 or ship.poll() is not None:
            sys.exit("ship did not get ready")
        try:
            if b"READY=1" in ready.recv(4096):
                told = time.monotonic() - begin
        except socket.timeout:
            pass
        if committed is None and any(archive.glob("hosts/*/log/*")):
            committed = time.monotonic() - begin
    ship.send_signal(signal.SIGTERM)
    ship.wait()
    return told, committed


def measure(cold):
    times = []
    for _ in range(rounds):
        directory = pathlib.Path(tempfile.mkdtemp())
        try:
            if cold:
                os.sync()
                pathlib.Path("/proc/sys/vm/drop_caches").write_text("3")
            times.append(start(directory))
        finally:
            shutil.rmtree(directory)
    return [f"{f(column) * 1000:.0f} ms" for column in zip(*times) for f in (statistics.median, max)]


print("| page cache | READY, median | worst | first commit, median | worst |\n|---|---|---|---|---|")
measure(False)
print("| warm |", " | ".join(measure(False)), "|")
if os.geteuid() == 0:
    print("| dropped |", " | ".join(measure(True)), "|")
