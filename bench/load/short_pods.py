#!/usr/bin/env python3
"""Measures how often what a pod of 200 ms writes is shipped whole: short_pods.py CHAGRES [PODS [ALIVE_MS]]

Pods come one after the other, as kubelet makes them: a directory, a container's directory, 0.log, a line each 10 ms; then
all of it is deleted at once, which is harsher than kubelet, and a line is in it for 10 ms at least. Prints a Markdown
table, for --coalesce 0 and 20ms."""

import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

chagres = sys.argv[1]
pods = int(sys.argv[2]) if len(sys.argv) > 2 else 100
alive_ms = int(sys.argv[3]) if len(sys.argv) > 3 else 200
lines = alive_ms // 10


def live(tree, number):
    pod = tree / f"jobs_job-{number:04}_{number:04}"
    (pod / "main").mkdir(parents=True)
    with open(pod / "main" / "0.log", "ab", buffering=0) as log:
        for line in range(lines):
            log.write(b"line %d of pod %d\n" % (line, number))
            time.sleep(0.01)
    shutil.rmtree(pod)


def measure(coalesce):
    directory = pathlib.Path(tempfile.mkdtemp())
    try:
        tree = directory / "pods"
        tree.mkdir()
        archive = str(directory / "archive")
        ready = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        ready.bind(str(directory / "notify"))
        options = ["--state", str(directory / "state"), "--host", "h", "--quiet", "--coalesce", coalesce]
        ship = subprocess.Popen(
            ["env", f"NOTIFY_SOCKET={directory}/notify", chagres, "ship", str(tree), "--to", archive] + options
        )
        while b"READY=1" not in ready.recv(4096):
            pass
        for number in range(pods):
            live(tree, number)
        ship.send_signal(signal.SIGTERM)
        ship.wait()
        subprocess.run([chagres, "restore", archive, str(directory / "back"), "--all-versions"], check=True,
                       stdout=subprocess.DEVNULL)
        found = {}
        for log in (directory / "back").rglob("0.log*"):
            for line in log.read_text().splitlines():
                found.setdefault(line.split()[-1], set()).add(line)
        whole = sum(len(seen) == lines for seen in found.values())
        lost = pods * lines - sum(len(seen) for seen in found.values())
        print(f"| {coalesce} | {pods} | {whole} | {lost} of {pods * lines} |", flush=True)
    finally:
        shutil.rmtree(directory)


print("| `--coalesce` | pods | shipped whole | lines lost |\n|---|---|---|---|")
for window in ("0", "20ms"):
    measure(window)
