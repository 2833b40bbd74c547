#!/usr/bin/env python3
"""dies.py CHAGRES STORE DIRECTORY RUNS LANES CSV: lets machines die and keeps a row of each.
dies.py --table CSV: prints the rows as a Markdown table.

A machine is a thread that appends lines, keeping when each was written, and a `chagres ship --json` of its own host in
the store. Both end at one instant, the shipper by kill -9. What was written is then compared with what `chagres
restore` gives back of all machines that share an archive. STORE holds a %s for the number of the archive."""
import csv
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

LAG_S = 1.0
# A first start looks at every host of the archive, so not all machines share one.
MACHINES_PER_ARCHIVE = 50
COLUMNS = ["run", "drained", "ended", "written", "lost_bytes", "lost_ms", "said_bytes", "said_ms", "since_bytes"]
# A status is measured at most so long before it is said.
STATUS_AGE_S = 0.3


class Writer(threading.Thread):
    """Appends lines until it is stopped; ends holds (time after the write, length of the file)."""

    def __init__(self, path, pause):
        super().__init__(daemon=True)
        self.path, self.pause = path, pause
        self.ends, self.length, self.stopped = [], 0, threading.Event()
        self.file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def run(self):
        number = 0
        while not self.stopped.is_set():
            line = b"%d %d %s\n" % (number, time.time_ns(), b"x" * (number % 80))
            os.write(self.file, line)
            self.length += len(line)
            self.ends.append((time.time(), self.length))
            number += 1
            self.stopped.wait(self.pause)
        os.close(self.file)

    def length_at(self, moment):
        return max((length for at, length in self.ends if at <= moment), default=0)

    def written_after(self, length):
        """When the first byte behind a length was written."""
        return next((at for at, end in self.ends if end > length), None)


class Ship:
    def __init__(self, command, errors):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors)
        self.last, self.safe = None, threading.Event()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            if line.startswith(b"{") and line.endswith(b"}\n"):
                self.last = json.loads(line)
                if not self.last["scanning"] and self.last["shippedBytes"] > 0:
                    self.safe.set()
        self.safe.set()

    def kill(self):
        self.process.kill()
        died = time.time()
        self.process.wait()
        self.reader.join()
        return died


def archive(store, run):
    return store % (run // MACHINES_PER_ARCHIVE)


def live(chagres, store, directory, run):
    """Lets one machine live and die; returns what is known of it."""
    chance = random.Random(run)
    place = os.path.join(directory, f"m{run}")
    tree, state = os.path.join(place, "tree"), os.path.join(place, "state")
    os.makedirs(tree)
    writer = Writer(os.path.join(tree, "app.log"), chance.choice([0.001, 0.005, 0.02]))
    writer.start()
    with open(os.path.join(place, "err"), "wb") as errors:
        ship = Ship([chagres, "ship", tree, "--to", archive(store, run), "--host", f"m{run}", "--state", state,
                     "--json", "--max-lag", f"{LAG_S:.0f}s", "--drain", "25s"], errors)
    try:
        if not ship.safe.wait(60) or ship.process.poll() is not None:
            raise SystemExit(f"dies: machine {run} shipped nothing: {open(errors.name).read()}")
        time.sleep(chance.uniform(0, 2))
        drained, asked = chance.random() < 0.5, None
        if drained:
            asked = time.time()
            ship.process.send_signal(signal.SIGTERM)
            # most drains are over within a second; a few wait for the end of it
            time.sleep(chance.uniform(0, 1.5) if chance.random() < 0.1 else chance.uniform(0, 0.6))
    finally:
        died = ship.kill()
        writer.stopped.set()
        writer.join()
    return dict(run=run, drained=int(drained), asked=asked, writer=writer, died=died, last=ship.last)


def compare(machine, kept):
    """Holds what a machine wrote against what was given back; returns a row."""
    run, writer, died, last = (machine[key] for key in ("run", "writer", "died", "last"))
    written = open(writer.path, "rb").read()
    if written[:len(kept)] != kept:
        raise SystemExit(f"dies: machine {run}: the archive is no prefix of what was written")
    # what was written after the death is nobody's loss; a write may have been under way
    at_death = max(len(kept), writer.length_at(died))
    lost = at_death - len(kept)
    since = writer.written_after(len(kept))
    ended, risk = last["ended"], last["riskBytes"]
    said = 0 if risk is None else risk
    # the last status of a drain is about what its scan found, which came after it was asked for
    said_at = datetime.fromisoformat(last["time"].replace("Z", "+00:00")).timestamp() - STATUS_AGE_S
    said_at = machine["asked"] if ended else said_at
    later = at_death - min(at_death, writer.length_at(said_at))
    if risk is not None and lost > said + later:
        raise SystemExit(f"dies: machine {run} lost {lost} bytes; {said} were said, {later} written since")
    return dict(run=run, drained=machine["drained"], ended=int(ended), written=at_death, lost_bytes=lost,
                lost_ms=int(max(0, died - since) * 1000) if lost else 0,
                said_bytes="" if risk is None else risk, said_ms=last["riskMs"], since_bytes=later)


def group(chagres, store, directory, runs, pool):
    """Lets the machines of one archive live and die, then reads them back together."""
    machines = list(pool.map(lambda run: live(chagres, store, directory, run), runs))
    back = os.path.join(directory, "back")
    subprocess.run([chagres, "restore", archive(store, runs[0]), back], stdout=subprocess.DEVNULL, check=True)
    for machine in machines:
        path = os.path.join(back, f"m{machine['run']}", machine["writer"].path.lstrip("/"))
        with open(path, "rb") as file:
            yield compare(machine, file.read())
    for machine in machines:
        shutil.rmtree(os.path.join(directory, f"m{machine['run']}"))
    shutil.rmtree(back)


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))] if values else 0


def table(path):
    rows = list(csv.DictReader(open(path)))
    print(f"{len(rows)} machines died, {LAG_S:.0f} s lag, a server of S3 on the same machine.\n")
    print("| what died | runs | lost p50 | p99 | max | bytes lost p50 | p99 | max |")
    print("|---|---|---|---|---|---|---|---|")
    for name, wanted in (
            ("while shipping", lambda r: r["drained"] == "0"),
            ("in the drain after SIGTERM", lambda r: r["drained"] == "1" and r["ended"] == "0"),
            ("after the drain had ended", lambda r: r["drained"] == "1" and r["ended"] == "1")):
        some = [r for r in rows if wanted(r)]
        ms, lost = ([int(r[c]) for r in some] for c in ("lost_ms", "lost_bytes"))
        cells = [f"{percentile(ms, p) / 1000:.2f} s" for p in (0.5, 0.99, 1)]
        cells += [str(percentile(lost, p)) for p in (0.5, 0.99, 1)]
        print(f"| {name} | {len(some)} | " + " | ".join(cells) + " |")
    early = [int(r["lost_ms"]) for r in rows if r["ended"] == "0"]
    late, unknown = sum(ms > 1000 * LAG_S for ms in early), sum(r["said_bytes"] == "" for r in rows)
    print(f"\n{late} of the {len(early)} that did not end by themselves lost more than the lag, "
          f"the most was {max(early, default=0) / 1000:.2f} s. {unknown} said that the bytes at risk were unknown; of "
          "the others none lost more bytes than its last status had said to be at risk plus what was written after it.")


def main():
    if sys.argv[1] == "--table":
        table(sys.argv[2])
        return
    chagres, store, directory, runs, lanes, path = sys.argv[1:]
    with open(path, "w", newline="") as file, ThreadPoolExecutor(int(lanes)) as pool:
        rows = csv.DictWriter(file, COLUMNS)
        rows.writeheader()
        for first in range(0, int(runs), MACHINES_PER_ARCHIVE):
            some = range(first, min(int(runs), first + MACHINES_PER_ARCHIVE))
            for row in group(chagres, store, directory, some, pool):
                rows.writerow(row)
            file.flush()


main()
