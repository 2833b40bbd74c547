"""Compressed objects: zstd frames, or gzip members, and the table that says where each is."""

import bisect
import struct
import threading
import zlib
from typing import Callable, List, Tuple

import zstandard

from .errors import DamagedError
from .records import PIECE

_MAX_TABLE = 64 << 20
_GZIP_BEFORE, _GZIP_AFTER = 16, 10  # bytes of the last member around the table
_FED = 256  # bytes of a frame that are decompressed at once: four may stand for a block of 128 KiB
_local = threading.local()


def decompress(subject: str, data: bytes, size: int, gzip: bool = False) -> bytes:
    """Returns the content of one frame or member, which must have a size."""
    try:
        if gzip:
            plain = zlib.decompressobj(31).decompress(data, size + 1)
        else:
            if not hasattr(_local, "zstd"):
                _local.zstd = zstandard.ZstdDecompressor()
            if zstandard.frame_content_size(data) not in (-1, size):  # as much memory would be taken as it declares
                raise DamagedError(subject, "a frame does not hold what is said of it")
            plain = _local.zstd.decompress(data, max_output_size=max(1, size), allow_extra_data=False)
    except (zlib.error, zstandard.ZstdError, ValueError) as e:
        raise DamagedError(subject, f"a frame cannot be decompressed ({e})") from None
    if len(plain) != size:
        raise DamagedError(subject, "a frame does not hold what is said of it")
    return plain


def _first(data: bytes, gzip: bool) -> Tuple[int, int]:
    """Returns the sizes of the first frame or member, plain and stored; stored 0 where it does not end in a piece."""
    member = zlib.decompressobj(31) if gzip else zstandard.ZstdDecompressor().decompressobj()
    if gzip:
        plain = len(member.decompress(data, PIECE + 1))
        return plain, len(data) - len(member.unused_data) if member.eof else 0
    plain = 0
    for at in range(0, len(data), _FED):
        fed = data[at:at + _FED]
        plain += len(member.decompress(fed))
        if member.eof:
            return plain, at + len(fed) - len(member.unused_data)
        if plain > PIECE:
            break
    return plain, 0


class Frames:
    """The content of an object, or of the part of one, that ends with a seek table; frames are read when asked for.

    Args:
        subject: the key, for messages
        read: takes an offset and a length and returns that number of bytes
        size: of the object, or of the part
    """

    def __init__(self, subject: str, read: Callable[[int, int], bytes], size: int, gzip: bool = False):
        self.subject, self.read_stored, self.gzip = subject, read, gzip
        # of each where its content begins, the size of that, where it is stored, the size of that
        self.frames: List[Tuple[int, int, int, int]] = []
        self.size = 0
        self._cached: Tuple[int, bytes] = (-1, b"")
        end = size - _GZIP_AFTER * gzip
        known = end >= 17 and struct.unpack("<IBI", read(end - 9, 9))
        if not known or known[1] != 0 or known[2] != 0x8F92EAB1:
            raise DamagedError(subject, "it does not end with a seek table")
        count, table = known[0], end - 17 - 8 * known[0]
        if table < _GZIP_BEFORE * gzip or 8 * count > _MAX_TABLE:
            raise DamagedError(subject, "its seek table is larger than the object")
        stored = read(table, 17 + 8 * count)
        if struct.unpack_from("<II", stored) != (0x184D2A5E, 8 * count + 9):
            raise DamagedError(subject, "its seek table is no frame of its own")
        sizes = struct.unpack_from(f"<{2 * count}I", stored, 8)
        at = table - _GZIP_BEFORE * gzip - sum(sizes[::2])  # before the frames of a commit are its records
        if at < 0:
            raise DamagedError(subject, "the sizes in its seek table do not add up")
        for stored_size, plain in zip(sizes[::2], sizes[1::2]):
            if plain > PIECE:
                raise DamagedError(subject, "a frame is longer than 256 KiB")
            self.frames.append((self.size, plain, at, stored_size))
            at, self.size = at + stored_size, self.size + plain

    @classmethod
    def walk(cls, subject: str, read: Callable[[int, int], bytes], size: int, gzip: bool = False) -> "Frames":
        """Opens an object whose seek table is damaged: goes from frame to frame, from the first on.

        What it gives must be compared with checksums of the log.
        """
        walked = cls.__new__(cls)
        walked.subject, walked.read_stored, walked.gzip, walked.frames, walked.size = subject, read, gzip, [], 0
        walked._cached = -1, b""
        at = 0
        while at < size:
            data = read(at, min(2 * PIECE, size - at))
            if len(data) >= 8 and data[1:4] == b"\x2a\x4d\x18" and data[0] >> 4 == 5:  # holds no content
                at += 8 + struct.unpack_from("<I", data, 4)[0]
                continue
            try:
                plain, stored = _first(data, gzip)
            except (zlib.error, zstandard.ZstdError):
                break
            if plain > PIECE or stored == 0:
                break
            walked.frames.append((walked.size, plain, at, stored))
            at, walked.size = at + stored, walked.size + plain
        return walked

    def frame(self, index: int) -> bytes:
        """Returns the content of a frame."""
        cached = self._cached
        if cached[0] != index:
            _, plain, stored, size = self.frames[index]
            cached = index, decompress(self.subject, self.read_stored(stored, size), plain, self.gzip)
            self._cached = cached
        return cached[1]

    def read(self, offset: int, length: int) -> bytes:
        """Returns bytes of the content."""
        if offset + length > self.size:
            raise DamagedError(self.subject, "it holds fewer bytes than its record says")
        at = bisect.bisect_left(self.frames, (offset + 1,)) - 1
        found: List[bytes] = []
        while length > 0:
            start, plain = self.frames[at][:2]
            data = self.frame(at)
            if plain:
                part = data if offset == start and length >= plain else data[offset - start:offset - start + length]
                found.append(part)
                offset, length = offset + len(part), length - len(part)
            at += 1
        return found[0] if len(found) == 1 else b"".join(found)

    def all(self) -> bytes:
        """Returns the whole content."""
        return self.read(0, self.size)
