"""An archive as Python sees it: hosts, files, versions, and bytes that are checked."""

import io
import os
import re
import threading
import warnings
from datetime import datetime, timedelta, timezone
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Union

from . import address
from .age import IdentitySource, identities
from .content import Reader
from .errors import ChagresError, DamagedError
from .log import Log, Moment
from .records import nanoseconds, text_record
from .state import DIRECTORY, FILE, LINK, Name, State, Version, walk
from .store import open_store
from .trust import Trust

When = Union[datetime, str, int, float]
"""A moment: a datetime (without a zone: local time), its ISO text, or seconds since 1970."""

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


class LostCommitsWarning(UserWarning):
    """Commits are missing at the end of a log: something newer was there."""


def to_ms(when: When) -> int:
    """Returns a moment in milliseconds since 1970.

    Raises:
        ValueError: for a local time that clocks leave out when they are put forward
    """
    if isinstance(when, (int, float)):
        return round(when * 1000)
    if isinstance(when, str):
        when = datetime.fromisoformat(re.sub(r"[zZ]$", "+00:00", when.strip()))
    moment = when.astimezone(timezone.utc)
    if when.utcoffset() is None and moment.astimezone().replace(tzinfo=None) != when:
        raise ValueError(f"{when}: no clock shows it")
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def to_time(ms: int) -> datetime:
    """Returns milliseconds since 1970 as a time in UTC, the nearest that Python has."""
    try:
        return _EPOCH + timedelta(milliseconds=ms)
    except OverflowError:
        return (datetime.max if ms > 0 else datetime.min).replace(tzinfo=timezone.utc)


class FileInfo(NamedTuple):
    """A file of a host: a version, and the path that it has or had last.

    Attributes:
        host: the name of the host
        path: bytes that are not UTF-8 are surrogates, as in ``os.listdir``
        version: its id on the host
        named: whether the path leads to it; if not it is gone, or something else stands there
        start: position of the first byte that is there: not 0 where the first were expired, or not shipped
        size: position after the last byte
        state: growing, sealed, truncated, rewritten or gone
        mtime: modification time
        opened: when it began, by the shipper's clock
        changed: when the log last named it
        mode: permissions
    """

    host: str
    path: str
    version: int
    named: bool
    start: int
    size: int
    state: str
    mtime: datetime
    opened: datetime
    changed: datetime
    mode: int

    @property
    def address(self) -> str:
        """Host and path as the program prints and takes them, whatever characters are in them."""
        host = address.quoted(address.to_bytes(self.host)).replace(":", "\\:")
        return ("\\" if host.startswith("-") else "") + host + ":" + address.quoted(address.to_bytes(self.path))


class File(io.RawIOBase):
    """A file of an archive, open for reading. Seekable; positions are those of the file.

    Every byte was compared with the checksums of the log before it is given. What cannot be read is an error that names
    the range.
    """

    def __init__(self, name: str, reader: Reader, version: Version):
        self.name = name
        self._reader, self._version, self._at = reader, version, 0

    @property
    def size(self) -> int:
        """The position after the last byte."""
        return self._version.end

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._version.end}[whence]
        if base + offset < 0:
            raise ValueError("a position before the file")
        self._at = base + offset
        return self._at

    def readinto(self, buffer: Any) -> int:
        """Reads at most one piece of 256 KiB."""
        if self.closed:
            raise ValueError("the file is closed")
        view = memoryview(buffer).cast("B")
        end = min(self._version.end, self._at + len(view))
        if self._at >= end:
            return 0
        try:
            data = next(self._reader.pieces(self._version, self._at, end))
        except ChagresError as e:
            raise named(e, self.name) from None
        view[:len(data)] = data
        self._at += len(data)
        return len(data)


def named(error: ChagresError, name: str) -> ChagresError:
    """Returns an error that names the file, of the same type."""
    if isinstance(error, DamagedError):
        return type(error)(name, f"{error.cause} ({error.subject})")
    return type(error)(f"{name}: {error}")


class Host:
    """A host of an archive, at one moment. Made by :class:`Archive`; safe for any thread.

    Attributes:
        id: 16 hexadecimal digits
        name: what it is called
        lost: which commits are missing although something names them, known once ``state`` is; None for none
    """

    def __init__(self, log: Log, host_id: str, name: str, at: Optional[int]):
        self.id, self.name = host_id, name
        self.log, self.at_ms, self.lost = log, at, None  # type: Log, Optional[int], Optional[str]
        self._lock, self._state = threading.Lock(), None  # type: threading.Lock, Optional[State]

    def __repr__(self) -> str:
        return f"Host({self.name!r}, {self.id!r})"

    @property
    def state(self) -> State:
        """What its log adds up to; loaded when it is first asked for.

        Raises:
            ChagresError: when it cannot be read
        """
        with self._lock:
            if self._state is None:
                self._state = self.log.load(Moment() if self.at_ms is None else Moment(time_ms=self.at_ms))
                if lost := self.log.lost(self._state):
                    self.lost = lost
                    warnings.warn(f"host {self.name}: {lost}", LostCommitsWarning, stacklevel=2)
            return self._state

    @property
    def commit(self) -> int:
        """The number of its last commit at this moment; 0 before the first."""
        return self.state.seq

    @property
    def committed(self) -> Optional[datetime]:
        """When that was made, by the shipper's clock; None before the first."""
        return to_time(self.state.time_ms) if self.state.seq else None

    def reader(self) -> Reader:
        """Returns what reads versions, for one thread."""
        return Reader(self.log, self.state)

    def names(self) -> Iterator["tuple[bytes, Name]"]:
        """Yields every name of the tree but ``/``: a path and what is there, a directory before what is in it."""
        return ((path, name) for path, name in walk(self.state.root) if path != b"/")

    def find(self, path: address.Path) -> Optional[Name]:
        """Returns what a path leads to: a file, directory or link; None for nothing."""
        return self.state.find(address.to_bytes(path))

    def files(self, pattern: str = "", *, versions: bool = False) -> List[FileInfo]:
        """Returns files in the order of their paths: of each path the version that has it, or had it last.

        Args:
            pattern: which paths, see :func:`chagres.address.glob`
            versions: every version, not only the newest of each path
        """
        matches = address.glob(pattern).match
        found = {}
        for path, name in self.names():
            if name.version and matches(address.to_text(path)):
                found[path, name.version.number] = self._info(path, name.version, True)
        newest: Dict[bytes, Version] = {}
        for version in self.state.versions.values():
            if version.names:
                continue
            path = version.path if _is_path(version.path) else b"/version"
            if versions:
                if matches(address.to_text(path)):
                    found[path, version.number] = self._info(path, version, False)
            elif path not in newest or (newest[path].changed_ms, newest[path].number) < (
                    version.changed_ms, version.number):
                newest[path] = version
        for path, version in newest.items():
            stands = self.state.find(path)
            if not (stands and stands.version) and matches(address.to_text(path)):
                found[path, version.number] = self._info(path, version, False)
        return [found[each] for each in sorted(found)]

    def _info(self, path: bytes, v: Version, named: bool) -> FileInfo:
        return FileInfo(self.name, address.to_text(path), v.number, named, v.start, v.end, v.state,
                        to_time(nanoseconds(v.attributes[3]) // 10**6), to_time(v.opened_ms), to_time(v.changed_ms), v.attributes[0])

    def open(self, path: address.Path, *, version: Optional[int] = None) -> io.BufferedReader:
        """Opens the file at a path, or the one that had it last.

        Args:
            version: the id of another version, whatever its path

        Raises:
            FileNotFoundError: where there is none
        """
        name = f"{self.name}:{address.to_text(address.to_bytes(path))}"
        found = self.state.versions.get(version) if version is not None else self._version(address.to_bytes(path))
        if found is None:
            raise FileNotFoundError(f"there is no file {name}" + (f" of version {version}" if version else ""))
        return io.BufferedReader(File(name, self.reader(), found), 256 << 10)

    def has(self, path: address.Path) -> bool:
        """Says whether a path leads to anything, or did last."""
        text = address.to_bytes(path)
        return self.state.find(text) is not None or any(each.path == text for each in self.state.versions.values())

    def _version(self, path: bytes) -> Optional[Version]:
        stands = self.state.find(path)
        if stands and stands.kind == LINK:
            raise ChagresError(f"{self.name}:{address.to_text(path)} is a link to {address.to_text(stands.target)}")
        if stands and stands.kind == DIRECTORY:
            raise IsADirectoryError(f"{self.name}:{address.to_text(path)} is a directory")
        if stands:
            return stands.version
        gone = [each for each in self.state.versions.values() if not each.names and each.path == path]
        return max(gone, key=lambda each: (each.changed_ms, each.number), default=None)


def _is_path(path: bytes) -> bool:
    return path[:1] == b"/" and not {b"", b".", b".."} & set(path[1:].split(b"/"))


class Archive:
    """An archive of Chagres.

    Args:
        where: a directory, or what fsspec opens: ``s3://bucket/prefix``, ``gs://``, ``abfs://``
        at: the moment to show; None for now
        identity: opens what is encrypted: a key of age, or a file of keys, or some
        trust: a trust file, or its lines: only what is proven by signatures of these keys is given, and what is not is
            an error (commits that were compacted have no signature any longer)
        storage_options: for fsspec

    Hosts that cannot be read do not keep others from being read: each says so when it is asked.
    """

    def __init__(self, where: "str | os.PathLike[str]", *, at: Optional[When] = None,
                 identity: "Union[None, IdentitySource, Iterable[IdentitySource]]" = None,
                 trust: "Union[None, str, os.PathLike[str], Iterable[str]]" = None,
                 storage_options: Optional[Dict[str, Any]] = None):
        self.where = os.fspath(where)
        self._store = open_store(where, storage_options)
        self._keys = identities(identity)
        self._trust = Trust(trust) if trust is not None else None
        self._at = None if at is None else to_ms(at)
        self._lock, self._hosts = threading.Lock(), {}  # type: threading.Lock, Dict[str, Host]
        if not self._store.folders("hosts/") and not self._store.list("names/"):
            raise ChagresError(f"{self.where} is no archive, or an empty one: there is no host in it")

    def __repr__(self) -> str:
        return f"Archive({self.where!r})"

    def hosts(self, pattern: str = "*") -> List[Host]:
        """Returns the hosts whose name or id matches, in the order of their names."""
        matches = address.glob(pattern).match
        names = self._names()
        with self._lock:
            for host_id, name in names.items():
                if host_id not in self._hosts:
                    log = Log(self._store, host_id, self._keys, self._trust)
                    self._hosts[host_id] = Host(log, host_id, name, self._at)
            found = [self._hosts[host_id] for host_id in names]
        return sorted((each for each in found if matches(each.name) or matches(each.id)),
                      key=lambda each: (each.name, each.id))

    def host(self, name: str) -> Host:
        """Returns the host of a name or an id.

        Raises:
            KeyError: where there is none, or several have the name: their ids tell them apart
        """
        found = [each for each in self.hosts() if name in (each.name, each.id)]
        if len(found) != 1:
            raise KeyError(f"there are {len(found)} hosts {name} in {self.where}" + (
                "; take an id: " + ", ".join(each.id for each in found) if found else ""))
        return found[0]

    def _names(self) -> Dict[str, str]:
        found: Dict[str, str] = {}
        disputed = set()
        for key in self._store.list("names/"):
            match = re.fullmatch(r"names/(.*)~[0-9a-f]{16}-[0-9a-f]{16}-([0-9a-f]{16})", key, re.DOTALL)
            if match:
                written = re.sub(rb"_([0-9A-F]{2})", lambda m: bytes.fromhex(m[1].decode()), match[1].encode())
                name = written.decode("utf-8", "replace")
                name = name if _is_file_name(name) else match[2]
                if found.setdefault(match[2], name) != name:
                    disputed.add(match[2])
        for host_id in self._store.folders("hosts/"):
            if re.fullmatch("[0-9a-f]{16}", host_id) and (host_id not in found or host_id in disputed):
                found[host_id] = self._recorded(host_id)
        return found

    def _recorded(self, host_id: str) -> str:
        try:
            name = (text_record(self._store.range(f"hosts/{host_id}/host", 0, 16 << 10)) or {}).get("name", "")
        except ChagresError:
            return host_id
        return name if _is_file_name(name) else host_id

    def at(self, when: Optional[When]) -> "Archive":
        """Returns the same archive at another moment; None for now."""
        other = Archive.__new__(Archive)
        other.where, other._store, other._keys, other._trust = self.where, self._store, self._keys, self._trust
        other._at = None if when is None else to_ms(when)
        other._lock, other._hosts = threading.Lock(), {}
        return other

    def files(self, name: str = "*:", *, versions: bool = False) -> List[FileInfo]:
        """Returns files, such as ``web*:/var/log/**``, in the order of hosts and paths; see :meth:`Host.files`."""
        host, path = address.split(name)
        return [file for each in self.hosts(host or "*") for file in each.files(path, versions=versions)]

    def open(self, name: str, *, at: Optional[When] = None, version: Optional[int] = None) -> io.BufferedReader:
        """Opens a file, such as ``web1:/var/log/app.log``: one that is there, or the one that had the path last.

        Args:
            name: host and path as they are, or as the program prints them
            at: the moment to show, where it is another than that of the archive
            version: the id of another version

        Raises:
            ValueError: where the name is that of one file as it is, and of another one as the program prints it
        """
        shown_host, shown = address.split(name)
        host = (self if at is None else self.at(at)).host(address.to_text(address.unquoted(shown_host)))
        if "\\" in shown and version is None:
            printed = address.unquoted(shown)
            found = {path for path in (printed, address.to_bytes(shown)) if host.has(path)}
            if len(found) > 1:
                raise ValueError(f"{name} is the name of one file, and another one is printed so; give version=")
            return host.open(found.pop() if found else printed)
        return host.open(shown, version=version)

    def lines(self, hosts: str = "*", paths: str = "", *, since: Optional[When] = None, until: Optional[When] = None,
              containing: Union[None, str, bytes] = None, versions: bool = False, binary: bool = False,
              threads: Optional[int] = None) -> Any:
        """Returns lines of files as a ``pyarrow.RecordBatchReader``; see :func:`chagres.lines.read`."""
        from .lines import read

        return read(self, hosts, paths, since=since, until=until, containing=containing, versions=versions,
                    binary=binary, threads=threads)

    def filesystem(self) -> Any:
        """Returns the archive as a file system of fsspec; see :class:`chagres.fs.ChagresFileSystem`."""
        from .fs import ChagresFileSystem

        return ChagresFileSystem(archive=self)


def _is_file_name(name: str) -> bool:
    return name not in ("", ".", "..", ".gone") and "/" not in name and name.isprintable()


__all__ = ["Archive", "DIRECTORY", "FILE", "LINK", "File", "FileInfo", "Host", "LostCommitsWarning", "When"]
