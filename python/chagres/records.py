"""Records of a log: bytes to tuples, with the limits of docs/FORMAT.md. No field is believed."""

import struct
from typing import Any, Dict, Iterator, List, Optional, Tuple

from .bech32 import bech32
from .crc import crc32c
from .errors import DamagedError

PIECE = 256 << 10
MAX_NUMBER = 10**16 - 1
MAX_DATA = 1 << 30
MAX_RUN_BYTES = 64 << 30
MAX_COMPONENTS = 1 << 22
MAX_PATH = 8 << 10
MAX_BLOCK = 32 << 10
FINE_NS = 46 * 10**17  # times within it, either way, are stored in nanoseconds
LOST = (1 << 63) - 1  # the version that stands for lost bytes

(OPENED, CLOSED, NAME_ADDED, NAME_REMOVED, NAME_MOVED, VERSION_OPENED, VERSION_CLOSED, ATTRIBUTES, DERIVED, TIMES,
 RETENTION, VERSION_RETENTION, LENGTH, MOMENT, REPEATED, RUN, OBJECT_RUN, ZERO_RUN, COPY_RUN, PACKED_RUN) = range(1, 21)
RECIPIENTS, OBJECT_DIGEST, VERSION_NAMES = range(22, 25)
EXTENTS = frozenset((RUN, OBJECT_RUN, ZERO_RUN, COPY_RUN, PACKED_RUN))

COMMIT, CHECKPOINT, HISTORY, TABLE = range(4)

# kind: fields; n a number of 0 or more, N of 1 or more, v any, i signed, o a flag, 1 a byte, 4 and 8 bytes, b bytes,
# t text, p a path, a attributes, c a checksum for each 256 KiB of field 2
_FIELDS = {
    OPENED: "bttttvti", CLOSED: "o", NAME_ADDED: "p1npa", NAME_REMOVED: "po", NAME_MOVED: "pp",
    VERSION_OPENED: "N88vvnnpa", VERSION_CLOSED: "N1", ATTRIBUTES: "npa", DERIVED: "NNt", TIMES: "Niip",
    RETENTION: "Ni", VERSION_RETENTION: "Nnii", LENGTH: "Nninn", MOMENT: "Ni", REPEATED: "Nib", RUN: "NnNnn4i",
    OBJECT_RUN: "NnN8N1ci", ZERO_RUN: "NnNi", COPY_RUN: "NnNNn4i", PACKED_RUN: "NnN8Nn4i",
    RECIPIENTS: "tt", OBJECT_DIGEST: "N8b", VERSION_NAMES: "Nn",
}

# kinds that objects of a kind hold beside those that all may
_EVERYWHERE = {OPENED, CLOSED, NAME_ADDED, VERSION_OPENED, VERSION_CLOSED, ATTRIBUTES, DERIVED, RECIPIENTS}
ALLOWED = {
    COMMIT: _EVERYWHERE | EXTENTS - {PACKED_RUN} | {NAME_REMOVED, NAME_MOVED, REPEATED, OBJECT_DIGEST},
    CHECKPOINT: _EVERYWHERE | EXTENTS | {TIMES, RETENTION, VERSION_RETENTION, VERSION_NAMES},
    HISTORY: _EVERYWHERE | {NAME_REMOVED, NAME_MOVED, TIMES, LENGTH, MOMENT},
    TABLE: _EVERYWHERE | EXTENTS - {PACKED_RUN} | {
        NAME_REMOVED, TIMES, RETENTION, VERSION_RETENTION, LENGTH, VERSION_NAMES},
}

Record = Tuple[int, List[Any]]


def is_name(path: bytes) -> bool:
    """Says whether a path can be a name: absolute, without ``.``, ``..`` and empty components."""
    return path == b"/" or path[:1] == b"/" and not {b"", b".", b".."} & set(path[1:].split(b"/"))


def nanoseconds(time: int) -> int:
    """Returns the nanoseconds since 1970 of a stored time: far ones are stored in microseconds."""
    if abs(time) < FINE_NS or time == -FINE_NS:
        return time
    edge = FINE_NS if time > 0 else -FINE_NS
    return edge + (time - edge) * 1000


def records(subject: str, data: bytes) -> Iterator[Record]:
    """Decodes records one by one.

    Raises:
        DamagedError: naming the subject, when the bytes are not what a writer makes
    """
    decoder = _Decoder(subject, data)
    while decoder.at < decoder.end:
        yield decoder.next()


# kind: fields in a column each; v a number, 1, 4 and 8 bytes, b bytes, c a checksum for each 256 KiB of field 2
_COLUMNS = {kind: codes.replace("a", "vvvv").translate(str.maketrans("nNiotp", "vvv1bb"))
            for kind, codes in _FIELDS.items()}


def from_columns(subject: str, data: bytes, most: int) -> bytes:
    """Returns the records that a block of a table holds as columns.

    Args:
        most: how many bytes there may be
    """
    source = _Decoder(subject, data)
    kinds = source.block(most)
    columns: Dict[int, List[_Column]] = {}
    for kind in sorted(set(kinds)):
        if kind not in _COLUMNS:
            raise source.bad(f"record kind {kind} is not known to this program")
        columns[kind] = [_Column(source, code) for code in _COLUMNS[kind]]
    out = bytearray()
    for kind in kinds:
        out.append(kind)
        fields = columns[kind]
        for field in fields:
            field.write(fields, out)
        if len(out) > most:
            raise source.bad(f"a block has more than {most} bytes of records")
    if source.at < source.end or any(field.is_left() for fields in columns.values() for field in fields):
        raise source.bad("a column has more than its records")
    return bytes(out)


class _Column:
    """A field of all records of a kind in a block."""

    def __init__(self, source: "_Decoder", code: str):
        self.code = code
        self.values = _Decoder(source.subject, source.block(len(source.data)))
        self.texts = _Decoder(source.subject, source.block(len(source.data))) if code == "b" else self.values
        self.number, self.text = 0, b""

    def is_left(self) -> bool:
        return self.values.at < self.values.end or self.texts.at < self.texts.end

    def write(self, fields: List["_Column"], out: bytearray) -> None:
        """Appends the field of the next record."""
        if self.code == "v":
            self.number = self.number + self.values.signed() & (1 << 64) - 1
            _append_varint(out, self.number)
        elif self.code == "b":
            shared, rest = self.values.size(MAX_BLOCK), self.values.size(MAX_BLOCK)
            if shared > len(self.text):
                raise self.values.bad("a text begins like more than the one before it")
            self.text = self.text[:shared] + self.texts.take(rest)
            _append_varint(out, len(self.text))
            out += self.text
        else:
            out += self.values.take(4 * -(-fields[2].number // PIECE) if self.code == "c" else int(self.code))


def _append_varint(out: bytearray, value: int) -> None:
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)


class _Decoder:
    def __init__(self, subject: str, data: bytes):
        self.subject, self.data, self.at, self.end = subject, data, 0, len(data)
        self.components = self.run_bytes = 0
        self.readers = {"n": self.natural, "N": self.positive, "v": self.varint, "i": self.signed, "o": self.flag,
                        "1": self.u8, "4": self.u32, "8": self.u64, "b": self.block, "t": self.text, "p": self.path,
                        "a": self.attributes}

    def bad(self, cause: str) -> DamagedError:
        return DamagedError(self.subject, cause)

    def next(self) -> Record:
        kind = self.u8()
        codes = _FIELDS.get(kind)
        if codes is None:
            raise self.bad(f"record kind {kind} is not known to this program")
        fields: List[Any] = []
        for code in codes:
            fields.append(self.checksums(fields) if code == "c" else self.readers[code]())
        self.check(kind, fields)
        return kind, fields

    def take(self, size: int) -> bytes:
        start = self.at
        self.at = start + size
        if self.at > self.end:
            raise self.bad("a record is cut off")
        return self.data[start:self.at]

    def u8(self) -> int:
        if self.at >= self.end:
            raise self.bad("a record is cut off")
        self.at += 1
        return self.data[self.at - 1]

    def u32(self) -> int:
        return struct.unpack("<I", self.take(4))[0]

    def u64(self) -> int:
        return struct.unpack("<Q", self.take(8))[0]

    def flag(self) -> bool:
        value = self.u8()
        if value > 1:
            raise self.bad(f"a flag is {value}")
        return value == 1

    def varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self.u8()
            value |= (byte & 127) << shift
            if byte < 128:
                if value >> 64:
                    break
                return value
        raise self.bad("a number is too long")

    def signed(self) -> int:
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def natural(self) -> int:
        value = self.varint()
        if value >> 63:
            raise self.bad("a number is out of range")
        return value

    def positive(self) -> int:
        value = self.natural()
        if value == 0:
            raise self.bad("a number is 0 that must not be")
        return value

    def size(self, most: int) -> int:
        length = self.varint()
        if length > most:
            raise self.bad("a text is too long")
        return length

    def block(self, most: int = MAX_BLOCK) -> bytes:
        return bytes(self.take(self.size(most)))

    def text(self) -> str:
        try:
            return self.block().decode("utf-8")
        except UnicodeDecodeError:
            raise self.bad("a text is not UTF-8") from None

    def path(self) -> bytes:
        path = self.block(MAX_PATH)
        if 0 in path:
            raise self.bad("a path contains a NUL byte")
        self.components += path.count(b"/")
        if self.components > MAX_COMPONENTS:
            raise self.bad("its paths have too many components")
        return path

    def attributes(self) -> Tuple[int, int, int, int]:
        mode, uid, gid, mtime = self.natural(), self.natural(), self.natural(), self.signed()
        if mode > 0o7777 or uid >> 32 or gid >> 32:
            raise self.bad("permissions or an owner are out of range")
        return mode, uid, gid, mtime

    def checksums(self, fields: List[Any]) -> Tuple[int, ...]:
        count = -(-fields[2] // PIECE)
        if count > 16384:
            raise self.bad("a data object has too many checksums")
        return struct.unpack(f"<{count}I", self.take(4 * count))

    def check(self, kind: int, f: List[Any]) -> None:
        if kind in EXTENTS:
            self.check_extent(kind, f)
        elif kind == NAME_ADDED and f[1] > 2 or kind == VERSION_CLOSED and f[1] > 3:
            raise self.bad("a value is not known to this program")
        elif kind == OPENED and len(f[0]) != 16 or kind == OBJECT_DIGEST and len(f[2]) != 32:
            raise self.bad("an incarnation or a digest has another size")
        elif kind == VERSION_OPENED and f[0] == LOST:
            raise self.bad("it opens the version that stands for lost bytes")
        elif kind == RECIPIENTS:
            self.check_recipients(f)
        elif kind == DERIVED and f[2] not in ("gz", "zst", "xz", "bz2"):
            raise self.bad("a way of compressing is not known to this program")

    def check_recipients(self, f: List[Any]) -> None:
        try:
            for each in (word for text in f if text for word in text.split(" ")):
                bech32("age", each)
        except ValueError:
            raise self.bad("it names a recipient that is none") from None

    def check_extent(self, kind: int, f: List[Any]) -> None:
        version, start, length = f[:3]
        if start + length >> 63:
            raise self.bad("an extent ends out of range")
        if kind in (RUN, PACKED_RUN, COPY_RUN) and not (kind == COPY_RUN and f[3] == LOST):
            self.run_bytes += length
            if length > PIECE or self.run_bytes > MAX_RUN_BYTES:
                raise self.bad("a run is longer than 256 KiB, or there are too many")
        if kind == RUN and (f[3] > MAX_NUMBER or f[4] > MAX_DATA - length):
            raise self.bad("a run lies behind every data area")
        if kind == PACKED_RUN and (f[4] > MAX_DATA or f[5] > f[4] - length):
            raise self.bad("a run ends behind its pack")
        if kind == OBJECT_RUN and (start + length > MAX_NUMBER or f[5] > 2):
            raise self.bad("a data object has an impossible end or codec")
        if kind == COPY_RUN and (f[3] == version and f[4] + length > start or f[4] + length >> 63):
            raise self.bad("a copy is of bytes that do not come before")


def text_record(data: bytes) -> Optional[Dict[str, str]]:
    """Returns the values of an object of text by their keys; None where it is damaged."""
    lines, _, crc = data.decode("utf-8", "replace").rpartition("crc32c=")
    values = dict(line.partition("=")[::2] for line in lines.split("\n"))
    return values if crc == f"{crc32c(lines.encode()):08x}\n" and values.get("format") == "1" else None
