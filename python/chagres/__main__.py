"""Lists and restores an archive of Chagres: python -m chagres ARCHIVE list, or restore DIR."""

import argparse
import os
import sys
from typing import List, Optional

from .archive import Archive
from .errors import ChagresError
from .restore import names_of, restore, restore_gone


def main(arguments: Optional[List[str]] = None) -> int:
    """Runs the command; returns its exit code: 1 where something could not be read."""
    parser = argparse.ArgumentParser(prog="python -m chagres", description=__doc__)
    parser.add_argument("archive", help="a directory, or an address that fsspec opens")
    parser.add_argument("command", choices=("list", "restore"),
                        help="list: what has a name, its size, time and state; restore: files into DIR/HOST")
    parser.add_argument("folder", nargs="?", metavar="DIR", help="for restore; DIR/HOST must not exist")
    parser.add_argument("--all", action="store_true", help="also every version without a name, into DIR/.gone/HOST")
    parser.add_argument("--identity", action="append", metavar="FILE", help="keys of age that open what is encrypted")
    parser.add_argument("--trust", metavar="FILE", help="give only what signatures of these keys prove")
    parser.add_argument("--at", metavar="TIME", help="the moment to show, as 2026-11-22T09:00:00Z")
    given = parser.parse_args(arguments)
    if (given.command == "restore") != (given.folder is not None):
        parser.error("restore needs DIR, and list takes none")
    code = 0
    try:
        archive = Archive(given.archive, at=given.at, identity=given.identity, trust=given.trust)
        hosts = archive.hosts()
    except ChagresError as e:
        print(f"chagres: {e}", file=sys.stderr)
        return 1
    for host in hosts:
        alone = [each.name for each in hosts].count(host.name) == 1
        place = os.fsencode(host.name if alone else f"{host.name}~{host.id}")
        try:
            if given.command == "list":
                for path, *rest in names_of(host):
                    print(f"{host.name}:{os.fsdecode(path)}", *rest, sep="\t")
                continue
            folder = os.fsencode(given.folder)
            if host.state.root.below:
                restore(host, os.path.join(folder, place))
            if given.all and any(not each.names for each in host.state.versions.values()):
                restore_gone(host, os.path.join(folder, b".gone", place))
        except ChagresError as e:
            print(f"chagres: host {host.name} cannot be read: {e}", file=sys.stderr)
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main())
