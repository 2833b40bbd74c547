#!/usr/bin/env python3
"""soak_fuse.py DIRECTORY SECONDS SERVER_PID CSV [SEED]: uses a mounted file system hard and checks all it says.

Writers keep a model of a directory of their own: they make, overwrite, append to, cut, rename and remove files and
folders, also open ones, and compare contents by checksum and lists by name. They also publish files that carry their
own checksum in one shared directory, each by renaming it over the last, which readers open, read and check meanwhile.
Every ten seconds memory, descriptors and threads of the server go into CSV. Prints a Markdown table; the exit code is
1 when anything was wrong.
"""
import hashlib
import multiprocessing
import os
import pathlib
import random
import sys
import time
import traceback

WRITERS, READERS, FILES, MOST_BYTES, PUBLISHED = 3, 2, 40, 256 << 10, 16
SAMPLE_SECONDS = 10
GROWTH_PERCENT, GROWTH_DESCRIPTORS = 10, 2
JUDGED_SECONDS = 600  # in less a JVM still grows


class Wrong(Exception):
    """The file system said something else than the model."""


def digest(content):
    return hashlib.sha256(content).digest()


def same(what, found, expected):
    if found != expected:
        raise Wrong(f"{what}: {len(found)} bytes with {digest(found).hex()[:16]}, "
                    f"not {len(expected)} with {digest(expected).hex()[:16]}")


def read_all(file):
    """All of an open file, half of the time not from the page cache."""
    if random.random() < 0.5:
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    pieces, at = [], 0
    while piece := os.pread(file, 1 << 17, at):
        pieces.append(piece)
        at += len(piece)
    return b"".join(pieces)


def write_all(file, content, at):
    while content:
        done = os.pwrite(file, content, at)
        content, at = content[done:], at + done


class Writer:
    """A directory and what must be in it."""

    def __init__(self, home, shared, name, dice):
        self.home, self.shared, self.name, self.dice = home, shared, name, dice
        self.files = {}  # path below home -> content
        self.folders = {""}
        self.last = 0
        self.checked = 0
        os.mkdir(home)

    def new_name(self):
        self.last += 1
        return os.path.join(self.dice.choice(sorted(self.folders)), f"{self.dice.choice('abc')}{self.last}")

    def any_file(self):
        return self.dice.choice(sorted(self.files)) if self.files else None

    def some_bytes(self, most=MOST_BYTES):
        return self.dice.randbytes(self.dice.randrange(most))

    def path(self, name):
        return os.path.join(self.home, name)

    def make(self, _):
        if len(self.files) < FILES:
            name, content = self.new_name(), self.some_bytes()
            file = os.open(self.path(name), os.O_CREAT | os.O_EXCL | os.O_WRONLY)
            write_all(file, content, 0)
            if self.dice.random() < 0.1:
                os.fsync(file)
            os.close(file)
            self.files[name] = content

    def overwrite(self, name):
        old, new = self.files[name], self.some_bytes(1 << 16)
        at = self.dice.randrange(len(old) + 1)
        file = os.open(self.path(name), os.O_WRONLY)
        write_all(file, new, at)
        os.close(file)
        self.files[name] = old[:at] + new + old[at + len(new):]

    def append(self, name):
        if len(self.files[name]) < 4 * MOST_BYTES:
            new = self.some_bytes(1 << 15)
            with open(self.path(name), "ab", buffering=0) as file:
                rest = new
                while rest:
                    rest = rest[file.write(rest):]
            self.files[name] += new

    def cut(self, name):
        size = self.dice.randrange(len(self.files[name]) + 4096)
        os.truncate(self.path(name), size)
        self.files[name] = self.files[name][:size].ljust(size, b"\0")

    def rename(self, name):
        to = self.any_file() if self.dice.random() < 0.3 else self.new_name()
        os.rename(self.path(name), self.path(to))
        content = self.files.pop(name)
        self.files[to] = content

    def unlink(self, name):
        os.unlink(self.path(name))
        del self.files[name]

    def unlink_open(self, name):
        file = os.open(self.path(name), os.O_RDWR)
        os.unlink(self.path(name))
        content, new = self.files.pop(name), self.some_bytes(1 << 14)
        same(f"{name}, removed and open", read_all(file), content)
        write_all(file, new, len(content))
        same(f"{name}, removed, open and longer", read_all(file), content + new)
        os.close(file)

    def verify(self, name):
        file = os.open(self.path(name), os.O_RDONLY)
        size, content = os.fstat(file).st_size, read_all(file)
        os.close(file)
        same(name, content, self.files[name])
        if size != len(content):
            raise Wrong(f"{name}: st_size {size}, not {len(content)}")
        self.checked += size

    def folder(self, _):
        empty = [f for f in self.folders if f and not self.inside(f)]
        if empty and self.dice.random() < 0.5:
            gone = self.dice.choice(sorted(empty))
            os.rmdir(self.path(gone))
            self.folders.remove(gone)
        elif len(self.folders) < 6:
            name = self.new_name()
            os.mkdir(self.path(name))
            self.folders.add(name)

    def rename_folder(self, _):
        movable = sorted(f for f in self.folders if f)
        if movable:
            old, new = self.dice.choice(movable), f"m{self.last}"
            self.last += 1
            os.rename(self.path(old), self.path(new))
            moved = lambda n: new + n[len(old):] if n == old or n.startswith(old + "/") else n
            self.files = {moved(n): c for n, c in self.files.items()}
            self.folders = {moved(n) for n in self.folders}

    def inside(self, folder):
        depth = lambda n: os.path.dirname(n) == folder and n != folder
        return {os.path.basename(n) for n in (*self.files, *self.folders) if depth(n)}

    def list(self, _):
        folder = self.dice.choice(sorted(self.folders))
        found = os.listdir(self.path(folder))
        if set(found) != self.inside(folder) or len(found) != len(set(found)):
            raise Wrong(f"{folder or '.'}: {sorted(found)}, not {sorted(self.inside(folder))}")

    def publish(self, _):
        content = self.some_bytes()
        hidden = os.path.join(self.shared, f".{self.name}")
        file = os.open(hidden, os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
        write_all(file, digest(content) + content, 0)
        os.close(file)
        os.rename(hidden, os.path.join(self.shared, f"p{self.dice.randrange(PUBLISHED)}"))

    def step(self):
        on_file = [self.overwrite, self.append, self.cut, self.rename, self.unlink, self.unlink_open] + 4 * [self.verify]
        other = [self.make] * 3 + [self.folder, self.rename_folder, self.list, self.publish]
        action = self.dice.choice(on_file + other)
        name = self.any_file()
        if name is not None or action in other:
            action(name)

    def verify_all(self):
        for name in self.files:
            self.verify(name)

    def clear(self):
        for name in self.files:
            os.unlink(self.path(name))
        for name in sorted(self.folders - {""}, key=lambda f: -f.count("/")):
            os.rmdir(self.path(name))
        os.rmdir(self.home)


def write(index, directory, end, seed, results):
    random.seed(seed + index)
    writer = Writer(f"{directory}/w{index}", f"{directory}/shared", f"w{index}", random.Random(seed + index))
    steps, all_at = 0, time.monotonic() + 60
    while time.monotonic() < end:
        writer.step()
        steps += 1
        if time.monotonic() > all_at:
            writer.verify_all()
            all_at = time.monotonic() + 60
    writer.verify_all()
    writer.clear()
    results.put(("steps", steps, writer.checked))


def read(index, directory, end, seed, results):
    random.seed(seed - 1 - index)
    found = checked = 0
    while time.monotonic() < end:
        path = f"{directory}/shared/p{random.randrange(PUBLISHED)}"
        try:
            file = os.open(path, os.O_RDONLY)
        except FileNotFoundError:
            continue
        content = read_all(file)
        os.close(file)
        if digest(content[32:]) != content[:32]:
            raise Wrong(f"{path}: {len(content)} bytes whose checksum is another")
        found, checked = found + 1, checked + len(content)
        if random.random() < 0.1:
            os.listdir(f"{directory}/shared")
    results.put(("reads", found, checked))


def guarded(work, index, *arguments):
    results = arguments[-1]
    try:
        work(index, *arguments)
    except Exception as e:
        what = str(e) if isinstance(e, Wrong) else traceback.format_exc()
        results.put(("wrong", f"{work.__name__} {index}: {what}", 0))


def sample(pid):
    status = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines())
    ticks = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return {
        "rss_mb": int(status["VmRSS"].split()[0]) * 1024 / 1e6,
        "peak_mb": int(status["VmHWM"].split()[0]) * 1024 / 1e6,
        "descriptors": len(os.listdir(f"/proc/{pid}/fd")),
        "threads": int(status["Threads"]),
        "cpu_s": (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK"),
    }


def watch(workers, pid, seconds, path):
    """Writes samples until all workers ended; returns them."""
    samples, start = [], time.monotonic()
    every = min(SAMPLE_SECONDS, seconds / 10)
    with open(path, "w", buffering=1) as out:
        while any(w.is_alive() for w in workers):
            try:
                samples.append(sample(pid))
            except FileNotFoundError:
                raise SystemExit(f"soak_fuse: the server ended after {time.monotonic() - start:.0f} s")
            if len(samples) == 1:
                print("second", *samples[0], sep=",", file=out)
            print(f"{time.monotonic() - start:.0f}", *(f"{v:.1f}" for v in samples[-1].values()), sep=",", file=out)
            due = start + len(samples) * every
            for worker in workers:
                worker.join(max(0, due - time.monotonic()))
    return samples


def main():
    directory, seconds, pid, path = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    seed = int(sys.argv[5]) if len(sys.argv) > 5 else random.randrange(1 << 32)
    os.mkdir(f"{directory}/shared")
    end = time.monotonic() + seconds
    results = multiprocessing.SimpleQueue()
    workers = [multiprocessing.Process(target=guarded, args=(work, i, directory, end, seed, results))
               for work, n in ((write, WRITERS), (read, READERS)) for i in range(n)]
    for worker in workers:
        worker.start()
    samples = watch(workers, pid, seconds, path)
    said = []
    while not results.empty():
        said.append(results.get())
    for name in os.listdir(f"{directory}/shared"):
        os.unlink(f"{directory}/shared/{name}")
    os.rmdir(f"{directory}/shared")
    wrong = [what for kind, what, _ in said if kind == "wrong"]
    if len(said) != len(workers):
        wrong.append(f"{len(workers) - len(said)} processes ended without a word")
    early, late = samples[len(samples) // 4], samples[-1]
    grown = seconds >= JUDGED_SECONDS and (late["rss_mb"] / early["rss_mb"] - 1) * 100 > GROWTH_PERCENT
    leaked = seconds >= JUDGED_SECONDS and late["descriptors"] - early["descriptors"] > GROWTH_DESCRIPTORS
    verdict = lambda failed: "**failed**" if failed else "passed"
    total = lambda kind, i: sum(s[i] for s in said if s[0] == kind)
    print(f"| soak of {seconds:.0f} s, {WRITERS} writers, {READERS} readers, seed {seed} | | |\n|---|---|---|")
    print(f"| changes and checks by writers | {total('steps', 1)} | |")
    print(f"| published files read | {total('reads', 1)} | |")
    print(f"| bytes compared by checksum, GB | {(total('steps', 2) + total('reads', 2)) / 1e9:.2f} | |")
    print(f"| wrong | {len(wrong)} | {verdict(wrong)} |")
    print(f"| RSS after a quarter / at the end / peak, MB | {early['rss_mb']:.1f} / {late['rss_mb']:.1f} / "
          f"{late['peak_mb']:.1f} | <= +{GROWTH_PERCENT}%: {verdict(grown)} |")
    print(f"| descriptors after a quarter / at the end | {early['descriptors']} / {late['descriptors']} | "
          f"{verdict(leaked)} |")
    print(f"| threads at the end | {late['threads']} | |")
    print(f"| CPU of the server, % of a core | {late['cpu_s'] / seconds * 100:.0f} | |")
    for what in wrong:
        print(what, file=sys.stderr)
    sys.exit(1 if wrong or grown or leaked else 0)


main()
