"""Parts that need no archive."""

import struct
import time
from datetime import datetime

import pytest
import zstandard

from chagres import DamagedError, Identity
from chagres.address import glob, split
from chagres.archive import to_ms
from chagres.crc import crc32c
from chagres.filters import rest, tokens, xxh64
from chagres.frames import Frames, decompress
from chagres.records import PIECE, records


def test_crc32c_is_that_of_its_document():
    assert crc32c(b"123456789") == 0xE3069283
    assert crc32c(b"") == 0


def test_xxh64_of_eight_bytes():
    assert xxh64(0) == 0x34C96ACDCADB1BBB


def test_tokens_need_a_long_word():
    assert tokens(b"short word") == []
    assert tokens(b"abcdefghijkl") == []  # it may be part of a longer word
    assert len(tokens(b" abcdefghijkl ")) == 1
    assert tokens(b" abcdefghijklmnop ") == tokens(b"abcdefghijklmnop")


def test_a_frame_takes_no_memory_that_it_only_declares():
    whole = zstandard.compress(b"some text")
    declaring = whole[:4] + bytes([0xE0]) + struct.pack("<Q", 1 << 62) + whole[6:]  # a size of 8 bytes, and not of 1
    with pytest.raises(DamagedError, match="what is said of it"):
        decompress("it", declaring, 9)
    assert decompress("it", whole, 9) == b"some text"


def test_frames_without_a_seek_table_end_at_what_a_frame_may_hold():
    many = zstandard.ZstdCompressor(write_content_size=False).compress(bytes(1 << 30))
    assert len(many) < 2 * PIECE
    walked = Frames.walk("it", lambda at, length: many[at:at + length], len(many))
    assert walked.frames == []
    one = zstandard.compress(b"some text") + zstandard.compress(b"more")
    walked = Frames.walk("it", lambda at, length: one[at:at + length], len(one))
    assert [frame[1] for frame in walked.frames] == [9, 4]


def test_no_clock_shows_what_summer_time_leaves_out(monkeypatch):
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        assert to_ms("2026-03-29T03:30:00") == to_ms("2026-03-29T01:30:00Z")
        assert to_ms(datetime(2026, 10, 25, 2, 30, fold=1)) == to_ms("2026-10-25T01:30:00Z")
        for moment in ("2026-03-29T02:30:00", datetime(2026, 3, 29, 2, 30, fold=1)):
            with pytest.raises(ValueError, match="no clock"):
                to_ms(moment)
    finally:
        monkeypatch.undo()
        time.tzset()


def test_rest_leaves_out_ranges():
    assert rest([(0, 10), (5, 20), (30, 40)], 0, 50) == [(20, 30), (40, 50)]
    assert rest([], 3, 3) == []


@pytest.mark.parametrize("pattern, path, matches", [
    ("", "/any", True), ("/var/log", "/var/log/a", True), ("/var/log", "/var/logs", False),
    ("app.log", "/x/app.log", True), ("*.log", "/x/app.log", True), ("*.log", "/x/app.log/y", False),
    ("/var/*/a", "/var/x/y/a", False), ("/var/**/a", "/var/a", True), ("/var/**/a", "/var/x/y/a", True),
    ("a**/b", "/ab", False), ("a**/b", "/ax/b", True), ("**/b", "/x/b", True),
    ("a{b,c}", "/ac", True), ("[!a]b", "/ab", False), ("\\*", "/*", True), ("\\*", "/x", False),
    ("\\xff", "/\udcff", True), ("x\\ny", "/x\\ny", True), ("log/", "/log/a", True),
])
def test_patterns_are_those_of_the_program(pattern, path, matches):
    assert bool(glob(pattern).match(path)) == matches


def test_braces_with_a_backslash_are_letters():
    assert glob("/\\xff}\\{}").match("/\udcff}{}")
    assert glob("/{a\\,b,c}").match("/a,b")
    assert glob("/{a\\}b,c}").match("/a}b")
    assert glob("/\\\\{a,b}").match("/\\b")
    assert glob("/a{,.1}").match("/a") and glob("/a{,.1}").match("/a.1")
    assert not glob("/\\{a,b}").match("/a")


def test_an_address_has_a_colon():
    assert split("web1:/a:b") == ("web1", "/a:b")
    with pytest.raises(ValueError, match="needs a host"):
        split("/a")


def test_records_are_not_believed():
    assert list(records("x", b"\x02\x01")) == [(2, [True])]
    for bytes_ in (b"\x02", b"\x02\x02", b"\xff", b"\x05\x01/", b"\x0e\x00\x00", b"\x0e" + b"\x80" * 11):
        with pytest.raises(DamagedError, match="^x: "):
            list(records("x", bytes_))


def test_an_identity_is_whole_and_is_not_shown():
    with pytest.raises(ValueError, match="no key of age"):
        Identity("age1qqqq")
    with pytest.raises(ValueError, match="not whole"):
        Identity("AGE-SECRET-KEY-1" + "Q" * 58)
