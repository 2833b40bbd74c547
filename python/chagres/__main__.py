"""Lists and restores an archive of Chagres: python -m chagres ARCHIVE list, or restore DIR."""

import argparse
import os
import sys
import warnings
from typing import Callable, List, Optional

from .archive import Archive, Host, LostCommitsWarning
from .errors import ChagresError
from .restore import names_of, restore, restore_gone


def main(arguments: Optional[List[str]] = None) -> int:
    """Runs the command; returns its exit code: 1 where something could not be read, or is missing."""
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
    sys.stdout.reconfigure(errors="surrogateescape")  # type: ignore[union-attr]
    warnings.simplefilter("ignore", LostCommitsWarning)
    code = 0

    def failed(why: object) -> None:
        nonlocal code
        print(f"chagres: {why}".encode("utf-8", "backslashreplace").decode(), file=sys.stderr)
        code = 1

    try:
        archive = Archive(given.archive, at=given.at, identity=given.identity, trust=given.trust)
        hosts = archive.hosts()
    except (OSError, ValueError) as e:
        failed(e)
        return code
    for host in hosts:
        alone = [each.name for each in hosts].count(host.name) == 1
        place = os.fsencode(host.name if alone else f"{host.name}~{host.id}")
        try:
            if given.command == "list":
                for path, *rest in names_of(host):
                    print(f"{host.name}:{os.fsdecode(path)}", *rest, sep="\t")
            else:
                _restore(host, os.fsencode(given.folder), place, given.all, failed)
        except OSError as e:
            failed(f"host {host.name} cannot be read: {e}" if isinstance(e, ChagresError) else f"host {host.name}: {e}")
        if host.lost:
            failed(f"host {host.name}: {host.lost}")
    return code


def _restore(host: Host, folder: bytes, place: bytes, everything: bool, failed: Callable[[object], None]) -> None:
    damaged = restore(host, os.path.join(folder, place)) if host.state.root.below else []
    if everything and any(not each.names for each in host.state.versions.values()):
        damaged += restore_gone(host, os.path.join(folder, b".gone", place))
    for each in damaged:
        failed(f"{each}; it was not restored")


if __name__ == "__main__":
    sys.exit(main())
