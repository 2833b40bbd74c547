"""The log of one host: commits, checkpoints and histories, and the state that they add up to at a moment."""

import hashlib
import re
import struct
from typing import Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Set, Tuple

from . import records as r
from .age import BEGIN, Decrypted, Identity, decrypt
from .crc import crc32c
from .errors import DamagedError, ExpiredError, MissingObjectError, UntrustedError
from .frames import Frames, decompress
from .spans import SpanTables, covering, leading, listed
from .state import State
from .store import Ahead, Store
from .tables import Header, Table, header
from .trust import Seal, Trust

_CHECKPOINT = re.compile(r"(\d{16})(?:-(\d{16}))?\.zst")
_HISTORY = re.compile(r"(\d{16})-(\d{16})-([0-9a-f]{16})\.zst")
_MANIFEST = re.compile(r"\d{16}-\d{16}-manifest")
_FIRST = 256 << 10
_ATTEMPTS = 5
_MOST_REPEATED = 256  # so far behind a commit is the last that may repeat it


class Moment(NamedTuple):
    """Up to which commit and up to which time to read."""

    seq: int = 1 << 62
    time_ms: int = 1 << 62


class Commit(NamedTuple):
    """A commit without its data area."""

    key: str
    header: Header
    records: bytes
    chain: bytes
    size: int  # of what is before the data area
    seal: Optional[Seal]


class _Misled(Exception):
    """A table cannot be read or is wrong. Nothing is lost with it: the commits say the same."""


class _Removed(Exception):
    """A moment lies before the commits that are left."""


class Log:
    """Reads the log of a host.

    Args:
        host: its id
        keys: open what is encrypted
        trust: whose signatures must cover everything; None for nobody's
    """

    def __init__(self, store: Store, host: str, keys: List[Identity], trust: Optional[Trust]):
        self.store, self.host, self.keys, self.trust = store, host, keys, trust
        self.uses_tables = True
        self.digests: Dict[str, bytes] = {}  # of what is signed: SHA-256 of stored objects, and of data areas
        self.signed: Optional[Tuple[int, int, str]] = None  # the checkpoint whose manifest is trusted
        self.why = "no manifest that a trusted key signed stands for them"

    def key(self, name: str) -> str:
        """Returns the key of something of the host."""
        return f"hosts/{self.host}/{name}"

    def commit_key(self, seq: int) -> str:
        """Returns the key of a commit."""
        return self.key(f"log/{seq:016}.zst")

    def commit(self, seq: int) -> Commit:
        """Reads a commit, which is checked for itself.

        Raises:
            MissingObjectError: where there is none
        """
        key = self.commit_key(seq)
        data, size = self.store.range(key, 0, _FIRST), self.store.size(key)
        if len(data) < 8 or struct.unpack_from("<I", data)[0] != 0x184D2A5C:
            raise DamagedError(key, "it does not begin like a commit")
        end = 8 + struct.unpack_from("<I", data, 4)[0]
        if end > 64 << 20 or end < 140:
            raise DamagedError(key, "it declares an impossible size")
        if end > len(data):
            data = self.store.range(key, 0, end)
        if end > len(data):
            raise DamagedError(key, "it is cut off")
        payload = data[8:end]
        if crc32c(payload[:-4]) != struct.unpack_from("<I", payload, len(payload) - 4)[0]:
            raise DamagedError(key, "the checksum of its records is wrong")
        found = header(key, payload, r.COMMIT)
        _, length, stored, _, rest = found.counts
        if 128 + stored + 128 * found.signed + 4 != len(payload):
            raise DamagedError(key, "its records do not have the size its header declares")
        if size != end + rest:
            raise DamagedError(key, f"it has {size} bytes instead of {end + rest}")
        plain = payload[128:128 + stored]
        if found.encrypted:
            plain = decrypt(key, plain, self.keys)
        seal = Seal.of(payload, 128 + stored) if found.signed else None
        return Commit(key, found, decompress(key, plain, length), hashlib.sha256(payload).digest(), end, seal)

    def commits(self, after: int) -> List[int]:
        """Returns the numbers of the commits behind one, as a list shows them."""
        found = []
        after = max(after, self.signed[0]) if self.signed else after  # what was before is told by what was signed
        for key in self.store.list(self.key("log/")):
            name = key.rpartition("/")[2]
            if re.fullmatch(r"\d{16}\.zst", name) and int(name[:16]) > after:
                found.append(int(name[:16]))
        return found

    def checkpoints(self) -> List[Tuple[int, int, str]]:
        """Returns the checkpoints that count, from old to new: number, revision, key."""
        listed = {}
        for key in self.store.list(self.key("checkpoints/")):
            if match := _CHECKPOINT.fullmatch(key.rpartition("/")[2]):
                listed[int(match[1]), int(match[2] or 0)] = key
        if not listed:
            return []
        counting = {each for each in self._marks() if each in listed}
        if not counting:
            first = min(self.commits(0), default=1 << 62)
            counting = {each for each in listed if each[0] < first}
        return [(seq, revision, listed[seq, revision]) for seq, revision in sorted(counting)]

    def _manifest(self) -> None:
        """Looks for the newest checkpoint whose manifest somebody signed whom somebody trusts with that."""
        assert self.trust is not None
        self.digests, self.signed = {}, None
        names = [key.rpartition("/")[2] for key in self.store.list(f"compacted/{self.host}/")]
        for name in sorted((each for each in names if _MANIFEST.fullmatch(each)), reverse=True):
            seq, revision = int(name[:16]), int(name[17:33])
            key = f"compacted/{self.host}/{name}"
            try:
                text = self.store.range(key, 0, self.store.size(key))
                self.digests = self.trust.manifest(self.host, seq, revision, text)
            except (UntrustedError, MissingObjectError, ValueError) as e:
                self.why = f"{self.why}; {e}"
                continue
            behind = f"-{revision:016}" if revision else ""
            self.signed = seq, revision, self.key(f"checkpoints/{seq:016}{behind}.zst")
            return

    def _named(self) -> int:
        """Returns the last commit that compaction says it stands for, by any key."""
        return max((mark[0] for mark in self._marks()), default=0)

    def _marks(self) -> Set[Tuple[int, ...]]:
        names = [key.rpartition("/")[2] for key in self.store.list(f"compacted/{self.host}/")]
        return {tuple(map(int, name.split("-"))) for name in names if re.fullmatch(r"\d{16}-\d{16}", name)}

    def table(self, key: str, kind: int, seq: int) -> Table:
        """Opens a checkpoint, a table or a history."""
        try:
            content = self.frames(key).all()
        except DamagedError:  # of the seek table perhaps, without which all of it is read
            content = self.frames(key, Frames.walk).all()
        return Table(key, content, kind, seq)

    def frames(self, key: str, opener: Any = Frames) -> Frames:
        """Opens an object that ends with a seek table."""
        read, size = self.plain(key)
        return opener(key, read, size, key.endswith(".gz"))

    def plain(self, key: str) -> Tuple[Callable[[int, int], bytes], int]:
        """Opens an object: returns what reads at an offset, and its size; of the content where it is encrypted."""
        self._prove(key)
        stored = Ahead(self.store, key)
        if stored.read(0, len(BEGIN)) != BEGIN:
            return stored.read, stored.size
        opened = Decrypted(key, stored.read, stored.size, self.keys)
        return opened.read, opened.size

    def data_area(self, seq: int, opener: Any = Frames) -> Frames:
        """Opens the data area of a commit."""
        key = self.commit_key(seq)
        if self.trust:
            self._prove(key, self.commit(seq))
        stored = Ahead(self.store, key)
        start = stored.read(0, 8 + 128)
        if len(start) < 8 + 128 or start[8 + 116] == 0:
            return opener(key, stored.read, stored.size)  # what is before the frames need not be right
        begin = 8 + struct.unpack_from("<I", start, 4)[0]
        area = lambda offset, length: stored.read(begin + offset, length)  # noqa: E731
        opened = Decrypted(key, area, stored.size - begin, self.keys)
        return opener(key, opened.read, opened.size)

    def _prove(self, key: str, commit: Optional[Commit] = None) -> None:
        """Compares an object with what is signed of it, where signatures must cover everything."""
        if self.trust is None:
            return
        digest = self.digests.get(key)
        if digest is None:
            raise UntrustedError(f"{key}: nothing signed says what it is")
        found, at, size = hashlib.sha256(), commit.size if commit else 0, self.store.size(key)
        while at < size:
            part = self.store.range(key, at, min(4 << 20, size - at))
            if not part:
                break
            found.update(part)
            at += len(part)
        if found.digest() != digest:
            raise UntrustedError(f"{key}: it is not what was signed")

    # ---- States -----------------------------------------------------------------------------------------------------

    def load(self, at: Moment = Moment()) -> State:
        """Returns the state after the last commit that a moment allows; before the first where there is none."""
        for attempt in range(_ATTEMPTS):
            try:
                return self._load(at)
            except MissingObjectError as e:  # perhaps a compaction removed it since it was listed
                if attempt == _ATTEMPTS - 1:
                    raise DamagedError(e.subject, e.cause) from None
        raise AssertionError

    def _load(self, at: Moment) -> State:
        if self.trust:
            self._manifest()
        signed = [self.signed] if self.signed else []
        checkpoints = signed if self.trust else self.checkpoints()
        first_damage: Optional[DamagedError] = None
        damaged_seq = 0
        while True:
            try:
                state = self._from(checkpoints, at)
                if first_damage and damaged_seq > state.seq:
                    raise first_damage
                return state
            except MissingObjectError:
                raise
            except DamagedError as e:
                damaged = next((each for each in checkpoints if each[2] == e.subject), None)
                if damaged is None:
                    raise first_damage or e
                first_damage, damaged_seq = first_damage or e, damaged[0]
                checkpoints.remove(damaged)

    def _from(self, checkpoints: List[Tuple[int, int, str]], at: Moment) -> State:
        try:
            seq = self._seq_at(checkpoints, at) if at.time_ms < Moment().time_ms else at.seq
            try:
                return self._until(checkpoints, seq, self.uses_tables and not self.trust)
            except _Misled:
                return self._until(checkpoints, seq, False)
        except _Removed:
            return self._past(checkpoints, at)

    def _until(self, checkpoints: List[Tuple[int, int, str]], seq: int, uses_tables: bool) -> State:
        state = State()
        if seq <= 0:
            return state
        usable = [each for each in checkpoints if each[0] <= seq]
        base = usable[-1][0] if usable else 0
        commits = [each for each in self.commits(base) if each <= seq]
        if self.trust and not self.signed and commits[:1] != [1] and self._named():
            raise UntrustedError(f"host {self.host}: its first commits were compacted, and {self.why}")
        if not usable and checkpoints and commits[:1] != [1]:
            raise _Removed
        if usable:
            self._restore(state, *usable[-1])
        if uses_tables:
            self._skip(state, usable[-1][:2] if usable else (0, 0), seq)
            base = state.seq
        last = max(*commits[-1:], base) if commits else base
        if last == base and self.store.size(self.commit_key(base + 1)) >= 0 and base < seq:
            last = base + 1  # a list may lag
        wanted = base
        while wanted < last or wanted < seq and self.store.size(self.commit_key(wanted + 1)) >= 0:
            wanted += 1
            self._apply(state, wanted, last)
        if self.trust and state.seq < min(seq, self._named()):
            raise UntrustedError(f"host {self.host}: commits behind {state.seq} were compacted, and {self.why}")
        return state

    def _skip(self, state: State, base: Tuple[int, int], until: int) -> None:
        """Goes to the last commit that tables lead to from a checkpoint, without reading those between."""
        folder = self.key(f"tables/{base[0]:016}-{base[1]:016}/")
        extents = covering(listed(self.store, folder + "extents/"), base[0])
        until = min(until, extents[-1].end if extents else base[0])
        names = leading(listed(self.store, folder + "names/"), base[0], until)
        try:
            SpanTables(self.table).apply(state, names, extents)
        except DamagedError:
            raise _Misled from None

    def _apply(self, state: State, seq: int, last: int) -> None:
        try:
            commit, found = self._following(state, seq)
        except MissingObjectError as e:
            raise MissingObjectError(e.subject, f"it is missing, and later ones up to {last} are there") from None
        except DamagedError:
            if self.trust or not self._repeated(state, seq, last):
                raise
            return
        if self.trust:
            self._trusted(commit, found)
        h = commit.header
        for kind, fields in found:
            state.apply(commit.key, kind, fields, h.time_ms, h.seq)
        state.seq, state.time_ms, state.row, state.chain = h.seq, h.time_ms, h.row, commit.chain

    def _following(self, state: State, seq: int) -> Tuple[Commit, List[r.Record]]:
        """Reads the commit that follows a state, and its records."""
        commit = self.commit(seq)
        key, h = commit.key, commit.header
        if h.seq != state.seq + 1:
            raise DamagedError(key, f"it says it is commit {h.seq}, not {state.seq + 1}")
        if state.chain is not None and h.chain != state.chain:
            raise DamagedError(key, f"it does not follow commit {state.seq} as it is stored here")
        row = state.row if state.seq > 0 and h.time_ms >= state.time_ms else h.seq
        if h.row != row:
            raise DamagedError(key, f"it says that times do not go back since commit {h.row}, not {row}")
        found = list(r.records(key, commit.records))
        if len(found) != h.counts[0]:
            raise DamagedError(key, f"it has {len(found)} records, not {h.counts[0]}")
        if any(kind not in r.ALLOWED[r.COMMIT] for kind, _ in found):
            raise DamagedError(key, "it holds a record that belongs into a checkpoint")
        return commit, found

    def _repeated(self, state: State, seq: int, last: int) -> bool:
        """Applies a damaged commit as a later one repeats it; says whether one does."""
        if seq != state.seq + 1:
            return False
        for later in range(seq + 1, min(last, seq + _MOST_REPEATED) + 1):
            try:
                commit = self.commit(later)
                found = [f for kind, f in r.records(commit.key, commit.records) if kind == r.REPEATED and f[0] == seq]
            except DamagedError:
                continue
            if found:
                _, ms, own = found[0]
                for kind, fields in r.records(commit.key, own):
                    if kind not in r.ALLOWED[r.COMMIT]:
                        raise DamagedError(commit.key, "it repeats a record that belongs into a checkpoint")
                    state.apply(commit.key, kind, fields, ms, seq)
                state.row = state.row if state.seq > 0 and ms >= state.time_ms else seq
                state.seq, state.time_ms, state.chain = seq, ms, None
                return True
        return False

    def _trusted(self, commit: Commit, found: List[r.Record]) -> None:
        assert self.trust is not None
        if commit.seal is None:
            raise UntrustedError(f"{commit.key}: it is not signed")
        self.trust.require(commit.key, self.host, commit.header.seq, commit.seal)
        self.digests[commit.key] = commit.seal.data_digest
        for kind, f in found:
            if kind == r.OBJECT_DIGEST:
                self.digests[f"{f[0]:016x}-{f[1]:016x}"] = f[2]
            elif kind == r.OBJECT_RUN:
                self.digests[object_key(self, f)] = self.digests.get(f"{f[0]:016x}-{f[3]:016x}", b"")

    def _restore(self, state: State, seq: int, revision: int, key: str) -> None:
        table = self.table(key, r.CHECKPOINT, seq)
        for kind, fields in table.records():
            state.apply(key, kind, fields, table.header.time_ms)
        h = table.header
        state.seq, state.time_ms, state.row, state.chain = h.seq, h.time_ms, h.row, h.chain

    def _seq_at(self, checkpoints: List[Tuple[int, int, str]], at: Moment) -> int:
        """Returns the last commit whose time is not after a time, whatever the clock did."""
        usable = [each for each in checkpoints if each[0] <= at.seq]
        base = usable[-1][0] if usable else 0
        listed = [each for each in self.commits(base) if each <= at.seq]
        high = listed[-1] if listed else base
        while high > 0:
            last = self._find(high)
            if last is None:
                raise _Removed
            if last.time_ms <= at.time_ms:
                return high
            low, end, found, removed = last.row, high, 0, False
            while low < end:
                middle = (low + end) // 2
                each = self._find(middle)
                if each is None or each.time_ms <= at.time_ms:
                    found, removed, low = middle, each is None, middle + 1
                else:
                    end = middle
            if removed:
                raise _Removed
            if found:
                return found
            high = last.row - 1
        return 0

    def _find(self, seq: int) -> Optional[Header]:
        if self.signed and seq <= self.signed[0]:
            return None
        try:
            commit = self.commit(seq)
        except MissingObjectError:
            return None
        if self.trust:
            self._trusted(commit, [])
        return commit.header

    # ---- What compaction kept of moments ----------------------------------------------------------------------------

    def histories(self) -> List[Tuple[int, int, int, str]]:
        """Returns what is kept of moments, in the order of last commits: from, to, earliest time, key."""
        marks = {key.rpartition("/")[2] for key in self.store.list(f"compacted/{self.host}/")}
        found, marked = [], []
        for key in self.store.list(self.key("history/")):
            if match := _HISTORY.fullmatch(key.rpartition("/")[2]):
                earliest = int(match[3], 16)
                each = int(match[1]), int(match[2]), earliest - (earliest >> 63 << 64), key
                found.append(each)
                if match[0][:-4] in marks:
                    marked.append(each)
        found.sort(key=lambda each: each[1])
        marked.sort(key=lambda each: each[1])
        if self.trust:
            return [each for each in found if each[3] in self.digests]
        newest = self.checkpoints()
        return marked if newest and _chain(marked, newest[-1][0]) else found

    def _past(self, checkpoints: List[Tuple[int, int, str]], at: Moment) -> State:
        listed = self.histories()
        newest = checkpoints[-1] if checkpoints else None
        for start, end, earliest, key in reversed(listed) if newest else ():
            if start < at.seq and earliest <= at.time_ms:
                moments = [f for kind, f in self.table(key, r.HISTORY, end).records()
                           if kind == r.MOMENT and f[0] <= at.seq and f[1] <= at.time_ms]
                if moments and newest and moments[-1][0] <= newest[0] and _chain(listed, moments[-1][0]):
                    return self._replay(_chain(listed, moments[-1][0]), moments[-1], newest)
        chain = _chain(listed, newest[0]) if newest else []
        if chain:
            seq, time_ms = self._first_moment(chain[0][3], chain[0][1])
            if seq > 1:
                raise ExpiredError(f"host {self.host}: what was before {iso(time_ms)} is expired")
            return State()
        for each in reversed(checkpoints):
            state = State()
            self._restore(state, *each)
            if each[0] <= at.seq and state.time_ms <= at.time_ms:
                return state
        raise ExpiredError(f"host {self.host}: moments before the first checkpoint were compacted away")

    def _replay(self, chain: List[Tuple[int, int, int, str]], moment: List[int], newest: Tuple[int, int, str]) -> State:
        state = State()
        for _, end, _, key in chain:
            applies = False
            for kind, fields in self.table(key, r.HISTORY, end).records():
                if kind == r.MOMENT:
                    if fields[0] > moment[0]:
                        break
                    applies = fields[0] > state.seq
                if applies:
                    state.apply(key, kind, fields, state.time_ms)
        if state.seq < moment[0]:
            raise ExpiredError(f"host {self.host}: the moment is expired")
        now = State()
        self._restore(now, *newest)
        state.horizon_ms, state.sources = now.horizon_ms, now.versions
        if now.horizon_ms is not None and moment[1] < now.horizon_ms:
            raise ExpiredError(f"host {self.host}: what was before {iso(now.horizon_ms)} is expired")
        for version in state.versions.values():
            of = now.versions.get(version.number)
            if of is None or of.start > version.start:
                version.expire(of.start if of else version.end)
            for extent in of.extents if of else ():
                state.attach(newest[2], extent)
            if version.attached() < version.end:
                raise DamagedError(
                    newest[2], f"nothing says where byte {version.attached()} of version {version.number} is")
        return state

    # ---- Times ------------------------------------------------------------------------------------------------------

    def growth(self, until: int) -> Iterator[Tuple[int, Optional[int], int, int]]:
        """Tells how versions grew, in the order of the log: time, then version and its end; first histories."""
        seqs = [seq for seq in self.commits(0) if seq <= until]
        listed, first = set(seqs), until + 1
        while first - 1 in listed:
            first -= 1
        reached, compacted = 0, first - 1
        histories = self.histories() if compacted else []
        if seqs and seqs[0] < first:  # a repair left them, or somebody put again what a history tells
            told = min((self._first_moment(each[3], each[1])[0] for each in histories), default=first)
            yield from self._grown(seq for seq in seqs if seq < min(first, told))
        for _, end, _, key in _chain(histories, compacted):
            new = False
            for kind, f in self.table(key, r.HISTORY, end).records():
                if kind == r.MOMENT:
                    if f[0] > compacted:
                        break
                    new = f[0] > reached
                    if new:
                        reached, ms = f
                        yield ms, None, 0, 0
                elif new and kind == r.LENGTH:
                    yield ms, f[0], 0, f[1]
        yield from self._grown(seq for seq in seqs if seq >= first and seq > reached)

    def _grown(self, seqs: Iterable[int]) -> Iterator[Tuple[int, Optional[int], int, int]]:
        for seq in seqs:
            commit = self.commit(seq)
            yield commit.header.time_ms, None, 0, 0
            for kind, f in r.records(commit.key, commit.records):
                if kind in r.EXTENTS:
                    yield commit.header.time_ms, f[0], f[1], f[1] + f[2]

    def _first_moment(self, key: str, end: int) -> List[int]:
        kind, f = next(self.table(key, r.HISTORY, end).records())
        if kind != r.MOMENT:
            raise DamagedError(key, "it does not begin with a moment")
        return f

    def lost(self, state: State) -> Optional[str]:
        """Says which commits are missing although something names them; None for none. A state may be of any moment."""
        named: Dict[int, str] = {}
        hints = () if self.trust else ("tables/", "history/", "filters/")
        for folder in (*hints, "alive/"):
            for key in self.store.list(self.key(folder)):
                if seq := _named(key[len(self.key("")):]):
                    named.setdefault(seq, key)
        if heard := self._acknowledged():
            named.setdefault(*heard)
        if not named and state.seq == 0 and (streams := self.store.list(self.key("streams/"))):
            named = {1: streams[0]}
        newest = max(named, default=1)  # a host is one that began
        if newest <= state.seq or self.store.size(self.commit_key(newest)) >= 0:
            return None
        last = max(state.seq, *self.commits(0), *(each[0] for each in self.checkpoints()), self._proven(), 0)
        if newest <= last:
            return None
        if not named:
            return "commit 1 is missing, and there is no checkpoint: the host has not begun, or all that it held is gone"
        return f"commits {last + 1} to {newest} are missing, which {named[newest]} names"

    def _proven(self) -> int:
        return self.signed[0] if self.signed else 0

    def _acknowledged(self) -> Optional[Tuple[int, str]]:
        """Returns the last commit that the newest heartbeat says was acknowledged, and its key."""
        living = [key for key in self.store.list(self.key("alive/")) if not key.startswith(self.key("alive/0-fenced/"))]
        if not living:
            return None
        try:
            values = r.text_record(self.store.range(living[0], 0, 16 << 10)) or {}
        except MissingObjectError:  # a compaction removed it
            return None
        seq = values.get("seq", "")
        right = values.get("key", living[0]) == living[0] and re.fullmatch(r"[1-9]\d{0,15}", seq)
        return (int(seq), living[0]) if right else None


def object_key(log: Log, f: List[Any]) -> str:
    """Returns the key of the data object that an object run refers to."""
    return log.key(f"streams/{f[0]:016x}/{f[1]:016}-{f[1] + f[2]:016}-{f[3]:016x}") + ("", ".zst", ".gz")[f[5]]


def iso(ms: int) -> str:
    """Returns a time as people read it."""
    from datetime import datetime, timedelta, timezone

    try:
        return (datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=ms)).isoformat()
    except OverflowError:
        return f"{ms} ms since 1970"


def _chain(histories: List[Tuple[int, int, int, str]], seq: int) -> List[Tuple[int, int, int, str]]:
    """Returns the fewest that cover all commits up to one; none where some commit is not covered."""
    chain: List[Tuple[int, int, int, str]] = []
    reached = 0
    while reached < seq:
        best = max((each for each in histories if each[0] <= reached < each[1]), key=lambda each: each[1], default=None)
        if best is None:
            return []
        chain.append(best)
        reached = best[1]
    return chain


def _named(key: str) -> int:
    """Returns the commit that a key below that of a host names, 0 for none."""
    most = 9_999_999_999_999_999
    if match := re.fullmatch(r"tables/(\d{16})-\d{16}/(?:names|extents)/([^/]*)", key):
        span = re.fullmatch(r"(\d{16})-(\d{16})\.zst", match[2])
        end = most - int(span[1]) if span else 0
        return max(int(match[1]), end if span and end > int(span[2]) else 0)
    if match := re.fullmatch(r"(?:history/(\d{16})-(\d{16})-.*|filters/(\d{16})-(\d{16}))", key):
        return int(match[2] or match[4])
    if match := re.fullmatch(r"alive/(\d{16})-\d{16}/\d+", key):
        return most - int(match[1])
    return 0
