"""Checkpoints, tables and histories: records in an order, which are read whole and checked whole."""

import hashlib
import struct
from typing import Any, Dict, Iterator, List, NamedTuple, Tuple

from . import records as r
from .crc import crc32c
from .errors import DamagedError

MAX_TABLE_BLOCK = (256 << 10) - 132
_FOOTER = struct.Struct("<8sQIII")


class Header(NamedTuple):
    """What commits and tables begin with."""

    seq: int
    time_ms: int
    chain: bytes
    counts: Tuple[int, int, int, int, int]  # records, their size, their stored size, size of the data area, stored size
    row: int
    encrypted: bool
    signed: bool


def header(subject: str, data: bytes, kind: int) -> Header:
    """Takes a fixed header apart."""
    if len(data) < 128:
        raise DamagedError(subject, "it is cut off")
    magic, version, of, seq, ms, chain, *counts, row = struct.unpack_from("<IHHQq32x32s5IQ", data)
    if magic != 0x43474843:
        raise DamagedError(subject, "it does not begin like an object of a Chagres log")
    if version != 3:
        earlier = "; earlier ones were never released: ship the files into a new archive" if version < 3 else ""
        raise DamagedError(subject, f"it has format version {version}, this program knows 3{earlier}")
    count, length, _, content, stored = counts
    possible = count <= 1 << 20 and count <= length <= 32 << 20 and content <= r.MAX_DATA and stored < 1 << 31
    if of != kind or not 1 <= row <= seq < 1 << 63 or not possible or (content == 0) != (stored == 0):
        raise DamagedError(subject, "its header has impossible values")
    if any(data[118:128]) or data[116] > (kind == r.COMMIT) or data[117] > (kind == r.COMMIT):
        raise DamagedError(subject, "it is protected or signed in a way that is not known to this program")
    if kind != r.COMMIT and data[40:56] != hashlib.sha256(subject.encode()).digest()[:16]:
        if not any(data[40:56]):
            earlier = "an earlier build wrote it, which was never released: ship the files into a new archive"
            raise DamagedError(subject, earlier)
        raise DamagedError(subject, "it was put under another key")
    return Header(seq, ms, chain, tuple(counts), row, data[116] == 1, data[117] == 1)  # type: ignore[arg-type]


class Table:
    """The records of a checkpoint, a table or a history, whose content is in memory.

    Args:
        seq: the commit that its key names
    """

    def __init__(self, subject: str, content: bytes, kind: int, seq: int):
        self.subject, self.content, self.kind = subject, content, kind
        self.header = header(subject, content, kind)
        if self.header.seq != seq:
            raise DamagedError(subject, f"it says it is of commit {self.header.seq}")

    def _word(self, at: int, form: str = "<I") -> int:
        try:
            return struct.unpack_from(form, self.content, at)[0]
        except struct.error:
            raise DamagedError(self.subject, "it is cut off") from None

    def records(self) -> Iterator[r.Record]:
        """Yields all records; at its end the table proved to be whole."""
        index = _Index(self.subject, self.kind) if self.kind != r.HISTORY else None
        allowed = r.ALLOWED[self.kind]
        at, count = 128, 0
        while size := self._word(at):
            if size > MAX_TABLE_BLOCK or at + 4 + size > len(self.content):
                raise DamagedError(self.subject, f"it declares a block of {size} bytes")
            block = r.from_columns(self.subject, self.content[at + 4:at + 4 + size], MAX_TABLE_BLOCK)
            for record in r.records(self.subject, block):
                if record[0] not in allowed:
                    raise DamagedError(self.subject, "it holds a record that belongs elsewhere")
                if index:
                    index.add(*record)
                count += 1
                yield record
            if index:
                index.end_block(block)
            at += 4 + size
        if index:
            if self.content[at + 4:] != index.bytes(self.content[:128]):
                raise DamagedError(self.subject, "its index does not say what is in its blocks")
        elif self._word(at + 12) != crc32c(self.content[:at + 12]) or self._word(at + 4, "<Q") != count:
            raise DamagedError(self.subject, "its checksum or its number of records is wrong")
        elif len(self.content) > at + 16:
            raise DamagedError(self.subject, "it has bytes behind its end")


def _name_key(path: bytes) -> bytes:
    above, _, last = path.rpartition(b"/")
    return b"\2" + above.replace(b"/", b"\0") + b"\0\0" + last


_SECTIONS = {r.NAME_ADDED: 2, r.NAME_REMOVED: 2, r.OPENED: 0, r.CLOSED: 0, r.RECIPIENTS: 0, r.RETENTION: 0}


class _Index:
    """What the index of a sorted table must say, made while its records go by; refuses those out of order."""

    def __init__(self, subject: str, kind: int):
        self.subject, self.kind, self.entries = subject, kind, bytearray()
        self.last = self.end = self.blocks = 0
        self.name = b""
        self.section, self.open = 0, False
        self.count = self.opened = self.nameless = 0
        self.key = b""
        self.missing: Dict[int, int] = {}

    def add(self, kind: int, f: List[Any]) -> None:
        section = _SECTIONS.get(kind, 1)
        fits = self._fits(kind, f) if section in (1, 2) else True
        in_place = section == self.section if self.open else section >= self.section
        if self.open or not fits or not in_place:
            if not fits or not in_place:
                raise DamagedError(self.subject, "its records are not in their order")
        else:
            self._begin(section, kind, f)
        self.count += 1
        self.opened += kind == r.VERSION_OPENED
        self.nameless += kind == r.VERSION_NAMES and f[1] == 0

    def _begin(self, section: int, kind: int, f: List[Any]) -> None:
        if section == 1 and kind != r.VERSION_OPENED and kind not in r.EXTENTS:
            raise DamagedError(self.subject, "its records are not in their order")
        self.open, self.section = True, section
        self.count = self.opened = self.nameless = 0
        self.key = bytes([section])
        if section == 1:
            self.key += struct.pack(">QQ", self.last, 0 if kind == r.VERSION_OPENED else 1 + f[1])
        elif section == 2:
            self.key = self.name

    def _fits(self, kind: int, f: List[Any]) -> bool:
        if kind in (r.NAME_ADDED, r.NAME_REMOVED):
            name = _name_key(f[0])
            follows, self.name = self.name < name, name
            if kind == r.NAME_ADDED and f[1] == 0:
                self._expect(f[2], -1)
            return follows and len(f[0]) > 1 and r.is_name(f[0]) and (kind == r.NAME_ADDED or self.kind == r.TABLE)
        if kind == r.VERSION_OPENED:
            follows = f[0] > self.last
            self.last, self.end = f[0], f[6]
            self._expect(f[0], 1)
            return follows
        if kind in r.EXTENTS and self.kind == r.TABLE and f[0] > self.last:
            self.last, self.end = f[0], f[1] + f[2]  # of a table of extents, where no version is opened
            return True
        is_open = f[1 if kind == r.DERIVED else 0] == self.last
        if kind in r.EXTENTS:
            follows, self.end = f[1] == self.end, f[1] + f[2]
            return is_open and follows
        if kind == r.VERSION_NAMES:
            self._expect(f[0], f[1] - 1)
            return is_open and f[1] != 1 and f[1] < 1 << 31
        return is_open

    def _expect(self, version: int, names: int) -> None:
        left = self.missing.get(version, 0) + names
        if left and self.kind == r.CHECKPOINT:
            self.missing[version] = left
        else:
            self.missing.pop(version, None)

    def end_block(self, block: bytes) -> None:
        self.entries += struct.pack("<IIIIH", crc32c(block), self.count, self.opened, self.nameless, len(self.key))
        self.entries += self.key
        self.blocks, self.open = self.blocks + 1, False

    def bytes(self, fixed: bytes) -> bytes:
        if self.missing:
            raise DamagedError(self.subject, "its versions have not as many names as they say")
        index = bytes(self.entries)
        footer = fixed + _FOOTER.pack(b"chagtabl", self.last, self.blocks, len(index), crc32c(index))
        return index + footer + struct.pack("<I", crc32c(footer))
