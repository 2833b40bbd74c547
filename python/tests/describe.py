"""Prints what archives hold, for a test that compares it with what the program says: describe.py DIR...

DIR.key beside an archive opens what is encrypted, and only what DIR.trust names is believed.
"""

import os
import sys
import warnings
import zlib

import chagres
from chagres.state import walk

READ = 300_000


def describe(archive: chagres.Archive, at=None):
    """Yields lines about each host: why it cannot be read, or its names and versions."""
    for host in archive.hosts():
        try:
            state = host.state
        except chagres.ChagresError as e:
            yield f"{host.id} refused"
            print(f"because {e}")
            continue
        yield f"{host.id} {state.seq} {state.time_ms}"
        for path, name in walk(state.root):
            if path != b"/":
                of = name.version.number if name.version else 0
                attributes = "" if name.version else " " + " ".join(map(str, name.attributes))
                yield f"name {path.hex()} {name.kind} {of} {name.target.hex()}{attributes}"
        reader = host.reader()
        for version in sorted(state.versions.values(), key=lambda each: each.number):
            crc, done = 0, version.start
            end = min(version.end, version.start + READ)
            try:
                for part in reader.pieces(version, done, end):
                    crc, done = zlib.crc32(part, crc), done + len(part)
            except chagres.ChagresError:
                pass
            yield (f"version {version.number} {version.start} {version.end} {version.state} {version.names}"
                   f" {' '.join(map(str, version.attributes))} {version.opened_ms} {version.changed_ms} {done} {crc}")


def main(folders):
    warnings.simplefilter("ignore", chagres.LostCommitsWarning)
    for folder in folders:
        print(f"archive {folder}")
        try:
            key, trust = (name if os.path.exists(name) else None for name in (folder + ".key", folder + ".trust"))
            for line in describe(chagres.Archive(folder, identity=key, trust=trust)):
                print(line)
        except Exception as e:  # whatever is thrown otherwise is a find
            print(f"broken: {type(e).__name__}: {e}")


if __name__ == "__main__":
    main(sys.argv[1:])
