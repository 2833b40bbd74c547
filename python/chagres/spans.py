"""Tables of spans: what commits changed, so that nobody has to read these. A reader may do without."""

import re
from typing import Any, Dict, List, NamedTuple, Optional, Set, Tuple

from . import records as r
from .errors import DamagedError
from .state import Extent, State
from .store import Store
from .tables import Header, Table

_MOST = 9_999_999_999_999_999
_SPAN = re.compile(r"(\d{16})-(\d{16})\.zst")


class Span(NamedTuple):
    """A table of the commits behind one up to another."""

    start: int
    end: int
    key: str


def listed(store: Store, folder: str) -> List[Span]:
    """Returns the tables in a folder."""
    found = []
    for key in store.list(folder):
        match = _SPAN.fullmatch(key.rpartition("/")[2])
        if match and int(match[2]) < _MOST - int(match[1]):
            found.append(Span(int(match[2]), _MOST - int(match[1]), key))
    return found


def covering(spans: List[Span], base: int) -> List[Span]:
    """Returns tables, which may overlap, that cover all commits from one on as far as possible."""
    chosen: List[Span] = []
    reached = base
    while True:
        best = max((each for each in spans if each.start <= reached < each.end), key=lambda s: s.end, default=None)
        if best is None:
            return chosen
        chosen.append(best)
        reached = best.end


def leading(spans: List[Span], base: int, until: int) -> List[Span]:
    """Returns tables that follow each other from one commit on, as far as they lead up to another."""
    ways: Dict[int, Tuple[int, Optional[Span]]] = {}  # from a commit: how far, and by which table next
    for each in sorted((span for span in spans if span.end <= until), reverse=True):
        end = ways.get(each.end, (each.end, None))[0]
        if end > ways.get(each.start, (0, None))[0]:
            ways[each.start] = end, each
    chosen: List[Span] = []
    while (found := ways.get(base, (0, None))[1]) is not None:
        chosen.append(found)
        base = found.end
    return chosen


class SpanTables:
    """Applies tables of names and of extents to the state of a checkpoint.

    Args:
        open: returns the table of a key that ends with a commit
    """

    def __init__(self, open: Any):
        self._open = open
        self._spans: Dict[int, Tuple[int, int]] = {}  # by version: its first and last commit with extents
        self._paths: Dict[int, bytes] = {}
        self._names: Dict[int, int] = {}

    def apply(self, state: State, names: List[Span], extents: List[Span]) -> None:
        """Applies them, the oldest first."""
        header: Optional[Header] = None
        for span in names:
            header = self._apply_names(state, span)
        if header is None:
            return
        self._attach(state, [span for span in extents if span.start < names[-1].end])
        for number, (first, _) in self._spans.items():
            version = state.versions[number]
            if version.attached() < version.end:
                raise DamagedError(
                    names[-1].key, f"nothing says where byte {version.attached()} of version {number} is")
        state.seq, state.time_ms, state.row, state.chain = header.seq, header.time_ms, header.row, header.chain

    def _apply_names(self, state: State, span: Span) -> Header:
        table: Table = self._open(span.key, r.TABLE, span.end)
        self._paths.clear()
        self._names.clear()
        for kind, f in table.records():
            if kind in r.EXTENTS:
                raise DamagedError(span.key, "it holds a record that belongs elsewhere")
            self._apply_row(state, span.key, kind, f, table.header.time_ms)
        for number, path in self._paths.items():  # which names that go would change
            state.versions[number].path = path
        for number, count in self._names.items():
            if state.versions[number].names != count:
                raise DamagedError(span.key, "its versions have not as many names as they say")
        return table.header

    def _apply_row(self, state: State, subject: str, kind: int, f: List[Any], ms: int) -> None:
        if kind == r.VERSION_OPENED:
            state.renew(f, ms)
            self._names[f[0]] = 1
            self._spans.pop(f[0], None)
            self._paths[f[0]] = f[7]
        elif kind == r.VERSION_NAMES:
            self._names[f[0]] = f[1]
        elif kind == r.LENGTH:
            version = state.version(subject, f[0])
            version.grow(f[1], f[2], ms)
            if f[4] > 0:
                self._spans[f[0]] = f[3], f[4]
        elif kind == r.TIMES:
            state.apply(subject, kind, f, ms)
            self._paths[f[0]] = f[3] or self._paths.get(f[0], b"")
        else:
            state.apply(subject, kind, f, ms)

    def _attach(self, state: State, extents: List[Span]) -> None:
        wanted: Set[str] = set()
        for first, last in self._spans.values():
            wanted.update(span.key for span in extents if span.start < last and first <= span.end)
        for span in extents:
            if span.key in wanted:
                for kind, f in self._open(span.key, r.TABLE, span.end).records():
                    if kind not in r.EXTENTS:
                        raise DamagedError(span.key, "it holds a record that belongs elsewhere")
                    state.attach(span.key, Extent(kind, f))
