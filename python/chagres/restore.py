"""Restores files with their attributes."""

import os
import time
from typing import Any, Dict, Iterator, List, Tuple

from .address import to_text
from .archive import Host, _is_path, named
from .content import Reader
from .errors import ChagresError
from .records import ZERO_RUN, nanoseconds
from .state import DIRECTORY, LINK, UNKNOWN, Name, Version, walk


def restore(host: Host, folder: bytes) -> List[ChagresError]:
    """Writes every name of a host into a folder, which must not exist; returns why files are missing there."""
    names = dict(walk(host.state.root))
    places: Dict[int, List[bytes]] = {}
    for path, name in names.items():
        if name.version:
            places.setdefault(name.version.number, []).append(path)
    return _write(host, folder, places, {path: name for path, name in names.items() if not name.version})


def restore_gone(host: Host, folder: bytes) -> List[ChagresError]:
    """Writes every version without a name into a folder, which must not exist; returns why files are missing there."""
    return _write(host, folder, {version.number: [path] for version, path in _asides(host)}, {})


def _asides(host: Host) -> Iterator[Tuple[Version, bytes]]:
    """Returns where each version without a name goes: the newest that is gone has its last name, others are beside."""
    state = host.state
    nameless = sorted((each for each in state.versions.values() if not each.names),
                      key=lambda each: (each.changed_ms, each.number))
    above, newest = {b"/"}, {}
    paths = {each.number: each.path if _is_path(each.path) else b"/version" for each in nameless}
    for version in nameless:
        path = paths[version.number]
        while (path := os.path.dirname(path)) not in above:
            above.add(path)
        found = state.find(paths[version.number])
        if not (found and found.version) or version.state not in ("truncated", "rewritten"):
            newest[paths[version.number]] = version
    for version in nameless:
        path = paths[version.number]
        directory, name = os.path.split(path)
        tail = f"{time.strftime('~%Y%m%dT%H%M%SZ', time.gmtime(version.changed_ms // 1000))}~{version.number:016x}"
        own = newest.get(path) is version and path not in above and len(name) < 256
        yield version, path if own else os.path.join(directory, name[:255 - len(tail)] + tail.encode())


def _gone(host: Host, path: bytes) -> Tuple[int, int, int, int]:
    """Returns attributes of a directory; if it is gone of the nearest that stands, for the owner alone."""
    name, mask = host.state.find(path), -1
    while not name or name.kind != DIRECTORY:
        path, mask = os.path.dirname(path), ~0o077
        name = host.state.find(path)
    return (name.attributes[0] & mask, *name.attributes[1:])


def _write(host: Host, folder: bytes, places: Dict[int, List[bytes]], others: Dict[bytes, Name]
           ) -> List[ChagresError]:
    directories = {path: name.attributes for path, name in others.items() if name.kind == DIRECTORY}
    directories.setdefault(b"/", host.state.root.attributes)
    for paths in places.values():
        above = os.path.dirname(paths[0])
        while above not in directories:
            directories[above], above = _gone(host, above), os.path.dirname(above)
    for path in sorted(directories):
        os.makedirs(folder + path)
    reader, damaged = host.reader(), []
    for number, paths in places.items():
        version = host.state.versions[number]
        try:
            _content(reader, version, folder + paths[0])
        except ChagresError as e:
            os.remove(folder + paths[0])
            damaged.append(named(e, f"{host.name}:{to_text(paths[0])}"))
            continue
        _finish(folder + paths[0], *version.attributes)
        for path in paths[1:]:
            os.link(folder + paths[0], folder + path)
    for path, name in others.items():
        if name.kind == LINK:
            os.symlink(name.target, folder + path)
            _finish(folder + path, *name.attributes)
    for path in sorted(directories, reverse=True):
        _finish(folder + path, *directories[path])
    return damaged


def _content(reader: Reader, version: Version, place: bytes) -> None:
    with open(place, "xb") as file:
        for extent in version.extents:
            position = extent.start
            if extent.kind == ZERO_RUN:  # stays a hole, and may be longer than anybody can read
                continue
            for data in reader.pieces(version, position, min(extent.end, version.end)):
                if data.count(0) < len(data):  # zeros become a hole
                    file.seek(position - version.start)
                    file.write(data)
                position += len(data)
        file.truncate(version.end - version.start)


def _finish(place: bytes, mode: int, uid: int, gid: int, mtime: int) -> None:
    known = mtime != UNKNOWN[3]
    if known and os.geteuid() == 0:
        os.chown(place, uid, gid, follow_symlinks=False)
    if not os.path.islink(place):
        os.chmod(place, mode & 0o777)
    if known:
        os.utime(place, ns=(nanoseconds(mtime),) * 2, follow_symlinks=False)


def names_of(host: Host) -> Any:
    """Yields what ``list`` prints: path, size, time and state of each named file."""
    for path, name in host.names():
        if name.version:
            at = time.strftime("%FT%TZ", time.gmtime(nanoseconds(name.version.attributes[3]) // 10**9))
            yield path, name.version.end, at, name.version.state
