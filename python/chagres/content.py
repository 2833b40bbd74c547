"""Bytes of versions: found, decompressed and compared with their checksums."""

from collections import OrderedDict
from typing import Any, Callable, Iterator, List, Tuple

from . import records as r
from .crc import crc32c
from .errors import ChagresError, DamagedError, ExpiredError, MissingObjectError
from .frames import Frames
from .log import Log, object_key
from .state import Extent, State, Version

PIECE = r.PIECE
_OBJECTS = 4
_MAX_DEPTH = 64


class Reader:
    """Reads versions of a state. Every piece is checked before any of it is given. Not for two threads at once."""

    def __init__(self, log: Log, state: State):
        self.log, self.state = log, state
        self._objects: "OrderedDict[str, Any]" = OrderedDict()
        self._piece: Tuple[int, int, bytes] = (-1, 0, b"")

    def read(self, version: Version, start: int, length: int) -> bytes:
        """Returns bytes of a version, fewer at its end."""
        parts = list(self.pieces(version, start, min(version.end, start + length)))
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def pieces(self, version: Version, start: int, end: int) -> Iterator[bytes]:
        """Yields the bytes of a range, which lies before the end of the version, in order.

        Raises:
            ChagresError: naming the range that cannot be read; what was yielded before is right
        """
        if start < version.start and start < end:
            why = "were expired by retention" if version.expired else "were never shipped"
            raise ExpiredError(f"bytes {start} to {min(end, version.start)} {why}")
        while start < end:
            index = version.index(start)
            extent = version.extents[index] if index >= 0 else None
            if extent is None or extent.end <= start:
                raise DamagedError(f"version {version.number:016x}", f"nothing says where byte {start} is")
            at = extent.start + (start - extent.start) // PIECE * PIECE
            length = min(PIECE, extent.end - at)
            number, known, data = self._piece
            if number != version.number or known != at or len(data) != length:
                data = self._checked(version, extent, at, length)
                self._piece = version.number, at, data
            part = data[start - at:min(end, at + length) - at]
            start += len(part)
            yield part

    def _checked(self, version: Version, extent: Extent, at: int, length: int) -> bytes:
        if extent.kind == r.ZERO_RUN:
            return bytes(length)
        try:
            return self._piece_of(extent, at, length, 0)
        except MissingObjectError as e:
            raise MissingObjectError(e.subject, f"{e.cause}; bytes {at} to {at + length} cannot be read") from None
        except DamagedError as e:
            self._objects.clear()
            try:
                return self._piece_of(extent, at, length, 0, Frames.walk)
            except ChagresError:
                self._objects.clear()
                raise DamagedError(e.subject, f"{e.cause}; bytes {at} to {at + length} cannot be read") from None

    def _piece_of(self, extent: Extent, at: int, length: int, depth: int, opener: Any = Frames) -> bytes:
        f, kind, within = extent.fields, extent.kind, at - extent.start
        if kind == r.ZERO_RUN:
            return bytes(length)
        if kind == r.COPY_RUN:
            subject, data = f"version {f[0]:016x}", self._copied(f, within, length, depth, opener)
        elif kind == r.RUN:
            subject = self.log.commit_key(f[3])
            data = self._object(subject, lambda: self.log.data_area(f[3], opener)).read(f[4] + within, length)
        elif kind == r.PACKED_RUN:
            subject = self.log.key(f"streams/{0:016x}/{0:016}-{f[4]:016}-{f[3]:016x}.zst")
            data = self._object(subject, lambda: self.log.frames(subject, opener)).read(f[5] + within, length)
        else:
            subject = object_key(self.log, f)
            data = self._of_object(subject, f, within, length, opener)
        if len(data) != length:
            raise DamagedError(subject, "it holds fewer bytes than its record says")
        covered = kind != r.OBJECT_RUN and length == f[2]
        if kind == r.OBJECT_RUN and within % PIECE == 0 and (length == PIECE or within + length == f[2]):
            covered, expected = True, f[6][within // PIECE]
        elif covered:
            expected = f[-2]
        if covered and crc32c(data) != expected:
            raise DamagedError(subject, "wrong checksum")
        return data

    def _of_object(self, key: str, f: List[Any], within: int, length: int, opener: Any) -> bytes:
        if f[5]:
            return self._object(key, lambda: self.log.frames(key, opener)).read(within, length)
        return self._object(key, lambda: self.log.plain(key))[0](within, length)

    def _object(self, key: str, opened: Callable[[], Any]) -> Any:
        found = self._objects.pop(key, None)
        if found is None:
            found = opened()
            while len(self._objects) >= _OBJECTS:
                self._objects.popitem(last=False)
        self._objects[key] = found
        return found

    def _copied(self, f: List[Any], within: int, length: int, depth: int, opener: Any) -> bytes:
        subject = f"version {f[0]:016x}"
        if f[3] == r.LOST:
            raise DamagedError(subject, "the commit that names its bytes is damaged")
        if depth == _MAX_DEPTH:
            raise DamagedError(subject, "it is a copy of a copy too many times")
        source, start = self.state.sources.get(f[3]), f[4] + within
        if source is None or start < source.start or start + length > source.attached():
            raise DamagedError(subject, f"it copies bytes that version {f[3]:016x} does not have")
        parts: List[bytes] = []
        while length > 0:  # parts of pieces, which the checksum of the copy proves
            extent = source.extents[source.index(start)]
            part = min(length, extent.end - start)
            parts.append(self._piece_of(extent, start, part, depth + 1, opener))
            start, length = start + part, length - part
        return b"".join(parts)
