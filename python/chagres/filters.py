"""What compaction says of pieces of versions: which cannot have a line with a text."""

import re
import struct
from typing import Callable, Dict, Iterator, List, Optional, Tuple

from .crc import crc32c
from .errors import ChagresError, DamagedError, EncryptedError, MissingObjectError
from .frames import decompress
from .log import Log

_WORD = re.compile(rb"[A-Za-z0-9_-]+")
_GRAM, _WINDOW, _LEAST = 8, 9, 10
_MASK = (1 << 64) - 1
_SALT = (0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D, 0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31)
_MAX_TOKENS, _MAX_PIECES, _MAX_COLUMNS = 2, 1 << 20, 4096
Ranges = Dict[int, List[Tuple[int, int]]]


def _rotate(value: int, by: int) -> int:
    return (value << by | value >> 64 - by) & _MASK


def xxh64(eight: int) -> int:
    """Returns XXH64 with seed 0 of eight bytes, given as a number, little endian."""
    p1, p2, p3, p4, p5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
                          0x27D4EB2F165667C5)
    lane = _rotate(eight * p2 & _MASK, 31) * p1 & _MASK
    value = (_rotate(p5 + 8 ^ lane, 27) * p1 + p4) & _MASK
    value = (value ^ value >> 33) * p2 & _MASK
    value = (value ^ value >> 29) * p3 & _MASK
    return value ^ value >> 32


def _signed(value: int) -> int:
    return value - (value >> 63 << 64)


def tokens(literal: bytes) -> List[int]:
    """Returns what every line holds that holds a literal; none where it has no word that tells enough."""
    found: List[int] = []
    for word in _WORD.finditer(literal):
        whole = word.start() > 0 and word.end() < len(literal)
        text = word.group()
        hashes = [xxh64(struct.unpack_from("<Q", text, at)[0]) for at in range(len(text) - _GRAM + 1)]
        if len(hashes) >= _WINDOW:
            windows = (hashes[at:at + _WINDOW] for at in range(len(hashes) - _WINDOW + 1))
            found += [xxh64(min(window, key=_signed)) for window in windows]
        elif whole and len(text) >= _LEAST:
            found.append(xxh64(min(hashes, key=_signed)))
    return list(dict.fromkeys(found))


def _has(row: bytes, column: int, token: int) -> bool:
    words = struct.unpack_from("<8I", row, 32 * column)
    low = token & 0xFFFFFFFF
    return all(word >> ((low * salt & 0xFFFFFFFF) >> 27) & 1 for word, salt in zip(words, _SALT))


Piece = Tuple[int, int, int, int, int]  # version, start, end, first column, columns


class _Filter:
    def __init__(self, key: str, read: Callable[[int, int], bytes], size: int):
        self.key, self.read, self.size = key, read, size

    def groups(self) -> Iterator[Tuple[int, List[Piece], Callable[[int], bytes]]]:
        """Yields where each group begins, its pieces, and what reads a row of it."""
        at = 0
        while at < self.size:
            head = self.read(at, 24)
            if len(head) < 24:
                raise DamagedError(self.key, "it is cut off")
            magic, version, columns, count, stored, crc = struct.unpack("<6I", head)
            possible = columns <= _MAX_COLUMNS and count <= _MAX_PIECES and stored <= 64 << 20
            if magic != 0x46474843 or version != 1 or not possible:
                raise DamagedError(self.key, "it is no filter of this format")
            index = self.read(at + 24, stored)
            folder = self.key.rpartition("/")[0] + "/"
            if crc32c(folder.encode() + head[:20] + index) != crc:
                raise DamagedError(self.key, "wrong checksum of an index")
            pieces = list(struct.iter_unpack("<QQQII", decompress(self.key, index, 32 * count)))
            if any(end < start or end >> 63 or first + many > columns for _, start, end, first, many in pieces):
                raise DamagedError(self.key, "a piece of it is impossible")
            rows, size = at + 24 + stored, 32 * columns + 4 if columns else 0
            yield at, pieces, lambda number, rows=rows, size=size: self._row(rows + number * size, size)
            at = rows + 32 * size

    def _row(self, at: int, size: int) -> bytes:
        row = self.read(at, size)
        if len(row) != size or crc32c(row[:-4]) != struct.unpack("<I", row[-4:])[0]:
            raise DamagedError(self.key, "wrong checksum of a row")
        return row

    def ask(self, wanted: List[int], ranges: Ranges) -> None:
        """Adds what cannot match."""
        for _, pieces, row_of in self.groups():
            rows: Dict[int, bytes] = {}
            if any(piece[4] for piece in pieces):
                rows = {number: row_of(number) for number in {token >> 59 for token in wanted}}
            for version, start, end, first, columns in pieces:
                if columns and not all(
                        _has(rows[token >> 59], first + ((token >> 16 & 0xFFFF) * columns >> 16), token)
                        for token in wanted):
                    ranges.setdefault(version, []).append((start, end))


def unmatched(log: Log, literal: bytes, damage: Optional[Callable[[ChagresError], None]] = None) -> Ranges:
    """Returns of versions the ranges that cannot have a line with a literal; where nothing is known there are none.

    Args:
        damage: hears of filters that are damaged, which then say nothing
    """
    wanted = tokens(literal)[:_MAX_TOKENS]
    ranges: Ranges = {}
    if not wanted or log.trust is not None:  # no signature covers a filter
        return ranges
    spans = {}
    for key in log.store.list(log.key("filters/")):
        if match := re.fullmatch(r"(\d{16})-(\d{16})", key.rpartition("/")[2]):
            spans[int(match[1]), int(match[2])] = key
    for (start, end), key in spans.items():
        if any(a <= start and end <= b and (a, b) != (start, end) for a, b in spans):
            continue  # another one took it over
        told: Ranges = {}
        try:
            read, size = log.plain(key)
            _Filter(key, read, size).ask(wanted, told)
        except (MissingObjectError, EncryptedError):
            continue
        except DamagedError as e:
            if damage:
                damage(e)
            continue
        for version, found in told.items():
            ranges.setdefault(version, []).extend(found)
    for found in ranges.values():
        found.sort()
    return ranges


def rest(ranges: List[Tuple[int, int]], start: int, end: int) -> List[Tuple[int, int]]:
    """Returns what is left of a range without others, which are in order."""
    left, at = [], start
    for first, last in ranges:
        if first > at and at < end:
            left.append((at, min(first, end)))
        at = max(at, last)
    if at < end:
        left.append((at, end))
    return left
