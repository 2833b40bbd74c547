"""What a log adds up to: names, versions, and where the bytes of each version are."""

import bisect
from typing import Any, Dict, Iterator, List, Optional, Tuple

from . import records as r
from .errors import DamagedError

FILE, DIRECTORY, LINK = range(3)
REASONS = ("sealed", "truncated", "rewritten", "gone")
Attributes = Tuple[int, int, int, int]  # mode, uid, gid, mtime as it is stored
UNKNOWN: Attributes = (0o755, 0, 0, -1 << 63)  # of a directory that no record describes: without owner and time
MAX_PATH = r.MAX_PATH


class Name:
    """A file, directory or link in the tree of a host."""

    __slots__ = ("kind", "attributes", "version", "target", "below")

    def __init__(self, kind: int, attributes: Attributes, version: "Optional[Version]" = None, target: bytes = b""):
        self.kind, self.attributes, self.version, self.target = kind, attributes, version, target
        self.below: Dict[bytes, Name] = {}


class Extent:
    """Where a range of a version is stored. The fields of its record tell the rest."""

    __slots__ = ("kind", "fields", "start", "end")

    def __init__(self, kind: int, fields: List[Any]):
        self.kind, self.fields, self.start, self.end = kind, fields, fields[1], fields[1] + fields[2]


class Version:
    """The content of one file while it only grew. Positions count from the start of the file.

    Attributes:
        number: its id on the host
        start: position of the first byte that is there; not 0 where the first were not shipped, or expired
        end: position after the last byte
        state: growing, sealed, truncated, rewritten or gone
        path: the name it had last, or the path it was opened by
        opened_ms: when it began, milliseconds since 1970
        changed_ms: when the log last named it
        names: how many names it has
        expired: whether retention removed what was before its start
    """

    __slots__ = ("number", "start", "end", "state", "path", "attributes", "opened_ms", "changed_ms", "names", "extents",
                 "_starts", "expired")

    def __init__(self, fields: List[Any], ms: int):
        self.number, self.start, self.path, self.attributes = fields[0], fields[6], fields[7], fields[8]
        self.end, self.state, self.opened_ms, self.changed_ms, self.names = self.start, "growing", ms, ms, 0
        self.extents: List[Extent] = []
        self._starts: List[int] = []
        self.expired = False

    def append(self, extent: Extent) -> None:
        """Adds where the next bytes are."""
        self.extents.append(extent)
        self._starts.append(extent.start)

    def attached(self) -> int:
        """Returns up to which position it is known where the bytes are."""
        return self.extents[-1].end if self.extents else self.start

    def index(self, position: int) -> int:
        """Returns the index of the extent that holds a position."""
        return bisect.bisect_right(self._starts, position) - 1

    def expire(self, before: int) -> None:
        """Lets it begin later: what was before is expired."""
        self.start, self.expired = min(self.end, before), True
        self.extents, self._starts = [], []

    def grow(self, end: int, mtime: int, ms: int) -> None:
        """Takes over that it is longer."""
        self.end, self.changed_ms, self.attributes = max(self.end, end), ms, self.attributes[:3] + (mtime,)
        self.state = "growing" if self.state == "sealed" else self.state


def walk(name: Name, path: bytes = b"/") -> Iterator[Tuple[bytes, Name]]:
    """Yields a name and all below it that a path can say, a directory before what is in it, in the order of names."""
    stack = [(path, name)]
    while stack:
        at, found = stack.pop()
        yield at, found
        prefix = at.rstrip(b"/") + b"/"
        stack.extend((prefix + part, found.below[part]) for part in sorted(found.below, reverse=True)
                     if len(prefix) + len(part) <= MAX_PATH)


def _parts(path: bytes) -> List[bytes]:
    return [part for part in path.split(b"/") if part]


class State:
    """The state of a host after a commit.

    Attributes:
        seq: the number of the commit, 0 before the first
        time_ms: when it was made by the clock of its shipper
        chain: its chain value; None where only a later commit names it
        versions: by their ids
        sources: the versions that copies are of; for a moment of a history, the versions that there are now
        root: the directory /
        horizon_ms: versions that were over before this may be gone; None where nothing was expired
    """

    def __init__(self) -> None:
        self.seq, self.time_ms, self.row = 0, 0, 0
        self.chain: Optional[bytes] = bytes(32)
        self.root = Name(DIRECTORY, UNKNOWN)
        self.versions: Dict[int, Version] = {}
        self.sources = self.versions
        self.horizon_ms: Optional[int] = None

    def find(self, path: bytes) -> Optional[Name]:
        """Returns the name at a path."""
        at: Optional[Name] = self.root
        for part in _parts(path):
            at = at.below.get(part) if at else None
        return at

    def version(self, subject: str, number: int) -> Version:
        """Returns a version that must be known."""
        found = self.versions.get(number)
        if found is None:
            raise DamagedError(subject, f"it names version {number}, which was never opened")
        return found

    def apply(self, subject: str, kind: int, f: List[Any], ms: int, seq: int = 0) -> None:
        """Applies a record; that of a commit names its number."""
        if kind in r.EXTENTS:
            self._extend(subject, kind, f, ms, seq)
        elif kind in (r.NAME_ADDED, r.NAME_REMOVED, r.NAME_MOVED) or kind == r.ATTRIBUTES and f[0] == 0:
            self._name(subject, kind, f)
        elif kind == r.VERSION_OPENED:
            if f[0] in self.versions:
                raise DamagedError(subject, f"it opens version {f[0]} a second time")
            self.versions[f[0]] = Version(f, ms)
        elif kind == r.VERSION_CLOSED:
            version = self.version(subject, f[0])
            version.state, version.changed_ms = REASONS[f[1]], ms
        elif kind == r.ATTRIBUTES:
            version = self.version(subject, f[0])
            version.attributes, version.changed_ms = f[2], ms
        elif kind == r.TIMES:
            version = self.version(subject, f[0])
            version.opened_ms, version.changed_ms = f[1], f[2]
            version.path = f[3] or version.path
        elif kind == r.LENGTH:
            self.version(subject, f[0]).grow(f[1], f[2], ms)
        elif kind == r.VERSION_RETENTION:
            version = self.version(subject, f[0])
            version.expired = 0 < version.start <= f[1]
        elif kind == r.RETENTION:
            self.horizon_ms = f[1]
        elif kind == r.MOMENT:
            self.seq, self.time_ms = f
        elif kind == r.DERIVED:
            self.version(subject, f[1])

    def renew(self, f: List[Any], ms: int) -> None:
        """Begins what a table says of a version; where its bytes are stays known."""
        version = self.versions.get(f[0])
        if version is None:
            self.versions[f[0]] = Version(f, ms)
            return
        version.start, version.path, version.attributes = f[6], f[7], f[8]
        version.end, version.state, version.opened_ms, version.changed_ms = f[6], "growing", ms, ms

    def _extend(self, subject: str, kind: int, f: List[Any], ms: int, seq: int) -> None:
        version = self.version(subject, f[0])
        if f[1] != version.end:
            raise DamagedError(
                subject, f"it continues version {f[0]} at byte {f[1]}, but that ends at byte {version.end}")
        if kind == r.RUN and f[3] == 0:
            f[3] = seq
        version.append(Extent(kind, f))
        version.grow(f[1] + f[2], f[-1], ms)

    def attach(self, subject: str, extent: Extent) -> None:
        """Takes over where bytes of a version are whose length is known already."""
        version = self.versions.get(extent.fields[0])
        if version is not None and version.attached() <= extent.start < version.end:
            if extent.start > version.attached():
                raise DamagedError(subject, f"it leaves out bytes of version {version.number}")
            version.append(extent)

    def _name(self, subject: str, kind: int, f: List[Any]) -> None:
        for path in f[:2] if kind == r.NAME_MOVED else [f[1] if kind == r.ATTRIBUTES else f[0]]:
            if not r.is_name(path):
                raise DamagedError(subject, f"the path {path!r} cannot be a name on a host")
        if kind == r.NAME_ADDED:
            if (f[1] == FILE) != (f[2] > 0) or f[3] and f[1] != LINK:
                raise DamagedError(subject, f"the name {f[0]!r} leads to what its kind does not have")
            version = self.version(subject, f[2]) if f[1] == FILE else None
            self._add(f[0], Name(f[1], f[4], version, f[3]))
        elif kind == r.NAME_REMOVED:
            self._remove(f[0])
        elif kind == r.NAME_MOVED:
            self._move(f[0], f[1])
        elif found := self.find(f[1]):
            found.attributes = f[2]

    def _put(self, path: bytes, name: Name) -> None:  # missing directories are made, what is no directory replaced
        at, done = self.root, b""
        parts = _parts(path)
        for part in parts[:-1]:
            done += b"/" + part
            if part in at.below and at.below[part].kind != DIRECTORY:
                self._remove(done)
            at = at.below.setdefault(part, Name(DIRECTORY, UNKNOWN))
        at.below[parts[-1]] = name

    def _add(self, path: bytes, name: Name) -> None:
        old = self.find(path)
        if old and old.kind == name.kind == DIRECTORY:
            old.attributes = name.attributes
        elif old is not self.root:
            self._remove(path)
            self._put(path, name)
            if name.version:
                name.version.names += 1

    def _above(self, path: bytes) -> Tuple[Name, bytes]:
        parts = _parts(path)
        above = self.find(b"/".join(parts[:-1]))
        assert above is not None
        return above, parts[-1]

    def _remove(self, path: bytes) -> None:
        top = self.find(path)
        if top is None or top is self.root:
            return
        stack = [(path, top)]  # those whose paths are too long, too; the first of a directory's counts as the last
        while stack:
            at, name = stack.pop()
            if name.version:
                name.version.names -= 1
                name.version.path = at if len(at) <= MAX_PATH else name.version.path
            prefix = at.rstrip(b"/") + b"/"
            stack.extend((prefix + part, name.below[part]) for part in sorted(name.below))
        above, last = self._above(path)
        del above.below[last]

    def _move(self, source: bytes, target: bytes) -> None:
        name = self.find(source)
        one, other = source.rstrip(b"/") + b"/", target.rstrip(b"/") + b"/"
        if one.startswith(other) or other.startswith(one) or self.find(target) is self.root:
            return
        self._remove(target)
        if name:
            above, last = self._above(source)
            del above.below[last]
            self._put(target, name)
