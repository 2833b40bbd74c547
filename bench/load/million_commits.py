#!/usr/bin/env python3
"""Makes a host of many commits that nobody compacts, and measures what commands take of it:
million_commits.py CHAGRES DIR [COMMITS]

DIR/archive is made if it does not exist; a tmpfs with 6 GiB and 1.2 million inodes holds 1,000,000 commits, which take some 20 minutes: 20 files, a
line each 0.8 ms, --max-lag 1ms. The shipper is killed then. Requests are the reads of objects and the looks for one, counted by
strace; times are of another run of the same command. Fails unless verify finds nothing and what is restored is the same.
Prints a Markdown table."""

import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import time

chagres = sys.argv[1]
root = pathlib.Path(sys.argv[2]).resolve()
wanted = int(sys.argv[3]) if len(sys.argv) > 3 else 1_000_000
logs, archive, state = root / "logs", root / "archive", root / "state"
request = re.compile(r'open(at2?)?\(.*"(hosts/|names/|chagres\.json).*O_RDONLY')


def commits():
    found = list(archive.glob("hosts/*/log"))
    return sum(1 for _ in os.scandir(found[0])) if found else 0


def make():
    logs.mkdir(parents=True)
    shipper = subprocess.Popen(ship(state, "--max-lag", "1ms", "--coalesce", "0"), stderr=subprocess.DEVNULL)
    try:
        files = [open(logs / f"f{i}.log", "ab", buffering=0) for i in range(20)]
        line = 0
        while line % 20_000 or commits() < wanted:
            files[line % 20].write(b"line %d of a log that somebody writes\n" % line)
            line += 1
            time.sleep(0.0008)
            if shipper.poll() is not None:
                sys.exit("the shipper ended")
    finally:
        shipper.send_signal(signal.SIGKILL)
        shipper.wait()


def ship(own, *options):
    return [chagres, "ship", str(logs), "--to", str(archive), "--state", str(own), "--host", "m", *options]


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        sys.exit(f"{command}: {done.stdout.decode()[-2000:]}")
    return done.stdout


def row(name, command, traced=True):
    requests = "-"
    if traced:
        trace = root / "trace"
        run(["strace", "-f", "-o", str(trace), "-e", "trace=open,openat,openat2", *command()])
        requests = f"{sum(1 for line in open(trace, errors='replace') if request.search(line)):,}"
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    said = run(["/usr/bin/env", "time", "-f", "peak %M", *command()]).decode(errors="replace")
    seconds, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    peak = int(re.findall(r"peak (\d+)", said)[-1]) // 1024
    print(f"| {name} | {requests} | {seconds:.1f} | {cpu:.1f} | {peak} |", flush=True)


def fresh(name, count=iter(range(100))):
    return str(root / f"{name}{next(count)}")


if not archive.exists():
    make()
made = commits()
print(f"| {made:,} commits of 20 files, never compacted | requests | s | CPU s | MB |\n|---|---|---|---|---|")
file = f"m:{logs}/f3.log"
row("`ls` of the host", lambda: [chagres, "ls", str(archive), "m:"])
row("`tail -n 10` of a file", lambda: [chagres, "tail", "-n", "10", str(archive), file])
row("`cat` of a file", lambda: [chagres, "cat", str(archive), file])
row("start of `ship`", lambda: ship(state, "--once"))
row("start of `ship`, state lost", lambda: ship(fresh("lost"), "--once"))
row("`restore`", lambda: [chagres, "restore", str(archive), fresh("restored")], False)
for restored in root.glob("restored*"):
    run(["diff", "-r", str(logs), str(restored / "m") + str(logs)])
row("`verify`", lambda: [chagres, "verify", str(archive)], False)
row("`compact --grace 0`", lambda: [chagres, "compact", str(archive), "--grace", "0"], False)
run([chagres, "verify", str(archive)])
