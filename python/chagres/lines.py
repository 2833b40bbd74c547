"""Lines of many files as Arrow record batches: by filters, in parallel, in bounded memory."""

import bisect
import os
import struct
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Deque, Dict, Iterator, List, NamedTuple, Optional, Tuple, Union

from . import address
from .archive import Archive, Host, named, to_ms
from .content import Reader
from .errors import ChagresError, DamagedError
from .filters import rest, unmatched
from .log import Moment
from .records import ZERO_RUN
from .state import State, Version

_TASK, _BLOCK = 8 << 20, 1 << 20
_MAX_LINE = 256 << 20
_HOLE = 1 << 20
_NEWLINE = 10


class _Part(NamedTuple):
    """Lines of a file that begin in a range."""

    host: Host
    path: bytes
    version: Version
    start: int
    end: int
    between: Tuple[int, int]  # the holes around it, at which lines end
    ranges: List[Tuple[int, int]]  # what of it need not be read
    times: "_Times"


class _Times:
    """When bytes of a version were committed: the earliest time at which ``at=`` shows them."""

    def __init__(self) -> None:
        self.ends: List[int] = []
        self.times: List[int] = []
        self.start: Optional[int] = None

    def add(self, end: int, ms: int) -> None:
        if self.ends and end <= self.ends[-1]:
            return
        if self.times and self.times[-1] == ms:
            self.ends[-1] = end
        else:
            self.ends.append(end)
            self.times.append(ms)

    def lower(self, ms: int) -> None:
        """The clock went back: what was committed before is there at that time, too."""
        for i in range(len(self.times) - 1, -1, -1):
            if self.times[i] <= ms:
                break
            self.times[i] = ms


def _times(host: Host, numbers: "set[int]") -> Dict[int, _Times]:
    found = {number: _Times() for number in numbers}
    last = None
    for ms, number, _, end in host.log.growth(host.state.seq):
        if number is None:
            if last is not None and ms < last:
                for each in found.values():
                    each.lower(ms)
            last = ms
        elif number in found:
            found[number].add(end, ms)
    return found


def schema(binary: bool = False) -> Any:
    """Returns the columns: host, path, offset of the line in its file, commit time, and the line without its end."""
    import pyarrow as pa

    return pa.schema([("host", pa.string()), ("path", pa.string()), ("offset", pa.int64()),
                      ("commit_time", pa.timestamp("ms", tz="UTC")), ("line", pa.binary() if binary else pa.string())])


def read(archive: Archive, hosts: str = "*", paths: str = "", *, since: Any = None, until: Any = None,
         containing: Union[None, str, bytes] = None, versions: bool = False, binary: bool = False,
         threads: Optional[int] = None) -> Any:
    """Returns lines as a ``pyarrow.RecordBatchReader``: pyarrow, DuckDB, polars and pandas take it as it is.

    Args:
        hosts: which hosts, by names or ids
        paths: which files, see :func:`chagres.address.glob`
        since: only lines that begin in what was committed after a moment
        until: only lines that begin in what was committed up to a moment
        containing: only lines with this text: what the filters of ``compact`` rule out is not read
        versions: every version of a file, not only the one that its path has, or had last
        binary: lines are bytes. If not they are text, and bytes that are not UTF-8 become U+FFFD
        threads: how many read beside each other; None for one for each processor

    Lines come in the order of hosts and paths. A line with no newline is one, too. A hole of a mebibyte or more
    ends a line and is passed over; a smaller one is zeros. About 32 MiB for
    each thread are in memory. What cannot be read ends the batches with an error that names the file and the range.
    """
    import pyarrow as pa

    text = containing.encode() if isinstance(containing, str) else containing
    if text is not None and (b"\n" in text or not text):
        raise ValueError("containing= is a text within a line")
    chosen = archive.hosts(hosts)
    if not chosen:
        raise KeyError(f"no host of {archive.where} matches {hosts}")
    parts = (part for host in chosen for part in _parts(host, paths, since, until, text, versions))
    batches = _ordered(parts, threads or os.cpu_count() or 1, text, binary)
    return pa.RecordBatchReader.from_batches(schema(binary), batches)


def _parts(host: Host, paths: str, since: Any, until: Any, text: Optional[bytes], versions: bool) -> Iterator[_Part]:
    early = None if since is None else host.log.load(Moment(time_ms=to_ms(since)))
    late = None if until is None else host.log.load(Moment(time_ms=to_ms(until)))
    files = host.files(paths, versions=versions)
    times = _times(host, {file.version for file in files}) if files else {}
    skipped = unmatched(host.log, text) if text and files else {}
    for file in files:
        version = host.state.versions[file.version]
        start = max(version.start, _end(early, version)) if early else version.start
        end = min(version.end, _end(late, version)) if late else version.end
        ruled_out = skipped.get(version.number, [])
        for between in _between_holes(version, end):
            last = min(end, between[1])
            for at in range(max(start, between[0]), last, _TASK):
                stop = min(last, at + _TASK)
                if not ruled_out or rest(ruled_out, at, stop):
                    yield _Part(host, address.to_bytes(file.path), version, at, stop, between, ruled_out,
                                times[version.number])


def _between_holes(version: Version, end: int) -> Iterator[Tuple[int, int]]:
    """Yields what of a version lies between holes of a mebibyte or more."""
    begin, hole = version.start, version.start
    for extent in version.extents:
        if extent.start >= end:
            break
        if extent.kind != ZERO_RUN:
            if extent.start - hole >= _HOLE:
                if begin < hole:
                    yield begin, hole
                begin = extent.start
            hole = extent.end
    if begin < hole:
        yield begin, min(version.end, hole if version.end - hole >= _HOLE else version.end)


def _end(state: State, version: Version) -> int:
    then = state.versions.get(version.number)
    return then.end if then else 0


def _ordered(parts: Iterator[_Part], threads: int, text: Optional[bytes], binary: bool) -> Iterator[Any]:
    """Reads parts beside each other and yields their batches in order."""
    with ThreadPoolExecutor(threads, "chagres-lines") as pool:
        running: Deque["Future[List[Any]]"] = deque()
        try:
            for part in parts:
                running.append(pool.submit(_read, part, text, binary))
                if len(running) > threads:
                    yield from running.popleft().result()
            while running:
                yield from running.popleft().result()
        finally:
            for each in running:
                each.cancel()


def _read(part: _Part, text: Optional[bytes], binary: bool) -> List[Any]:
    """Returns the batches of a part."""
    name = f"{part.host.name}:{address.to_text(part.path)}"
    reader = part.host.reader()
    found = []
    try:
        at = part.start
        for start, end in rest(part.ranges, part.start, part.end):
            # a piece has the tokens of every line that has a byte in it, so what begins in another is ruled out
            begin = _line_start(reader, part.version, part.between, max(at, start))
            if begin < end:
                for at, data in _blocks(reader, part.version, part.between[1], begin, end):
                    found += _batches(part, at, data, text, binary)
                at += len(data)
    except ChagresError as e:
        raise named(e, name) from None
    return found


def _line_start(reader: Reader, version: Version, between: Tuple[int, int], position: int) -> int:
    """Returns where the first line begins that does not begin before a position."""
    at = position - 1
    if at < between[0]:
        return position
    while at < between[1]:
        data = reader.read(version, at, min(64 << 10, between[1] - at))
        newline = data.find(b"\n")
        if newline >= 0:
            return at + newline + 1
        at += len(data)
        if at - position > _MAX_LINE:
            raise DamagedError(f"version {version.number:016x}", f"the line at byte {position} is longer than 256 MiB")
    return between[1]


def _blocks(reader: Reader, version: Version, limit: int, begin: int, end: int) -> Iterator[Tuple[int, bytes]]:
    """Yields the lines that begin in a range, as positions and whole lines of about a mebibyte: caches hold that."""
    position, size, held = begin, 0, []  # type: int, int, List[Any]
    for data in reader.pieces(version, begin, end):
        held.append(data)
        size += len(data)
        if size >= _BLOCK and (cut := data.rfind(b"\n") + 1):
            held[-1] = memoryview(data)[:cut]
            block = b"".join(held)
            yield position, block
            position, held = position + len(block), [memoryview(data)[cut:]]
            size = len(held[0])
    block = b"".join(held)
    if block:
        yield position, block if block.endswith(b"\n") else block + _rest_of_line(reader, version, limit, end)


def _rest_of_line(reader: Reader, version: Version, limit: int, position: int) -> bytes:
    """Returns what follows a position up to the end of its line."""
    more, at = [], position
    while at < limit:
        part = reader.read(version, at, min(64 << 10, limit - at))
        newline = part.find(b"\n")
        more.append(part[:newline + 1] if newline >= 0 else part)
        at += len(more[-1])
        if newline >= 0:
            break
        if at - position > _MAX_LINE:
            raise DamagedError(
                f"version {version.number:016x}", f"the line at byte {position} is longer than 256 MiB")
    return b"".join(more)


def _batches(part: _Part, begin: int, data: bytes, text: Optional[bytes], binary: bool) -> List[Any]:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    if text and text not in data:
        return []
    ends = np.flatnonzero(np.frombuffer(data, np.uint8) == _NEWLINE)
    if not data.endswith(b"\n"):
        ends = np.append(ends, len(data))
    count = len(ends)
    starts = np.empty(count + 1, np.int64)  # and where the next line would begin
    starts[0] = 0
    np.add(ends, 1, out=starts[1:])
    in_column = (starts - np.arange(count + 1)).astype(np.int32)  # there they have no newlines
    lines = pa.Array.from_buffers(
        pa.binary(), count, [None, pa.py_buffer(in_column), pa.py_buffer(data.replace(b"\n", b""))])
    starts += begin
    offsets = pa.Array.from_buffers(pa.int64(), count, [None, pa.py_buffer(starts)])
    if text:
        wanted = pc.match_substring(lines, pattern=text)
        lines, offsets = lines.filter(wanted), offsets.filter(wanted)
        count = len(lines)
    if not count:
        return []
    return [pa.record_batch(
        [_repeated(part.host.name, count), _repeated(address.to_shown(part.path), count), offsets,
         _commit_times(part, offsets), lines if binary else _text(lines, data.isascii())],
        schema=schema(binary))]


def _one_text(kind: Any, data: bytes, size: int) -> Any:
    """Returns an array of one value, the bytes themselves; pyarrow's own ways copy them, and import pandas."""
    import pyarrow as pa

    return pa.Array.from_buffers(kind, 1, [None, pa.py_buffer(struct.pack("<2i", 0, size)), pa.py_buffer(data)])


def _number(kind: Any, value: int) -> Any:
    import pyarrow as pa

    return pa.Array.from_buffers(kind, 1, [None, pa.py_buffer(struct.pack("<q", value))])[0]


def _repeated(text: str, count: int) -> Any:
    import pyarrow as pa

    data = text.encode()
    return pa.repeat(_one_text(pa.string(), data, len(data))[0], count)


def _text(lines: Any, ascii_only: bool) -> Any:
    import pyarrow as pa

    if ascii_only:  # what is known need not be checked
        return pa.Array.from_buffers(pa.string(), len(lines), lines.buffers(), offset=lines.offset)
    try:
        return lines.cast(pa.string())
    except pa.ArrowInvalid:  # not UTF-8
        return pa.array([line.decode("utf-8", "replace") for line in lines.to_pylist()], pa.string())


def _commit_times(part: _Part, offsets: Any) -> Any:
    import pyarrow as pa

    times, parts, done, count = part.times, [], 0, len(offsets)
    first = bisect.bisect_right(times.ends, offsets[0].as_py())
    kind = pa.timestamp("ms", tz="UTC")
    for step in range(first, len(times.ends)):
        low, high = done, count
        while low < high:
            middle = (low + high) // 2
            if offsets[middle].as_py() < times.ends[step]:
                low = middle + 1
            else:
                high = middle
        if low > done:
            parts.append(pa.repeat(_number(kind, times.times[step]), low - done))
            done = low
        if done == count:
            break
    if done < count:
        parts.append(pa.repeat(_number(kind, part.version.changed_ms), count - done))
    return parts[0] if len(parts) == 1 else pa.concat_arrays(parts)
