"""Lines as Arrow batches, and the file system of fsspec."""

import datetime
import os
import shutil
import subprocess
import sys

import pytest

import chagres

from test_archive import BEFORE_NINE, LOG, WHOLE

pa = pytest.importorskip("pyarrow")


@pytest.fixture(params=["plain", "compacted"])
def archive(request, archives):
    return chagres.Archive(archives / request.param)


def test_every_line(archive):
    table = archive.lines("web1", "/var/log/*").read_all()
    lines = WHOLE.decode().splitlines()
    assert table["line"].to_pylist() == lines
    offsets, at = [], 0
    for line in lines:
        offsets.append(at)
        at += len(line) + 1
    assert table["offset"].to_pylist() == offsets
    assert set(table["host"].to_pylist()) == {"web1"} and set(table["path"].to_pylist()) == {"/var/log/app.log"}
    times = table["commit_time"].to_pylist()
    assert times == sorted(times) and times[-1] == datetime.datetime(
        2026, 11, 22, 9, 30, tzinfo=datetime.timezone.utc)
    assert times.index(times[-1]) == 80_000


def test_one_file_after_the_other(archive):
    table = archive.lines(paths="/etc").read_all()
    assert table["line"].to_pylist() == ["a 1", "b 1", "b 2", "c 1", "c 2", "c 3", "d"]
    assert archive.lines(paths="/nothing").read_all().num_rows == 0
    with pytest.raises(KeyError, match="no host"):
        archive.lines("web7")


def test_windows(archive):
    nine = "2026-11-22T09:00:00Z"
    before = archive.lines(paths="/var", until=nine).read_all()
    after = archive.lines(paths="/var", since=nine).read_all()
    assert (before.num_rows, after.num_rows) == (80_000, 50_000)
    assert after["offset"][0].as_py() == len(BEFORE_NINE)


def test_a_commit_that_is_put_again_changes_no_time(archives, tmp_path):
    folder = shutil.copytree(archives / "compacted", tmp_path / "copy")
    before = chagres.Archive(folder).lines().read_all()
    number = "0000000000000001.zst"
    again, log = next(archives.glob(f"plain/hosts/*/log/{number}")), next(folder.glob("hosts/*/log"))
    assert not (log / number).exists()
    shutil.copy(again, log / number)
    assert chagres.Archive(folder).lines().read_all() == before


@pytest.mark.parametrize("text, count", [("error", 1300), ("line 59907 with", 1), ("no such word anywhere", 0)])
def test_containing(archive, text, count):
    assert archive.lines(containing=text).read_all().num_rows == count
    assert archive.lines(containing=text.encode(), binary=True, threads=1).read_all().num_rows == count


def test_filters_keep_pieces_from_being_read(archives, tmp_path):
    folder = shutil.copytree(archives / "filtered", tmp_path / "copy")
    archive = chagres.Archive(folder)
    found = archive.lines(containing="needle-in-a-haystack").read_all()
    assert found["line"].to_pylist() == ["the needle-in-a-haystack"]
    for each in folder.glob("hosts/*/streams/0000000000000001/*"):
        os.remove(each)  # of a file that cannot have the text
    assert chagres.Archive(folder).lines(containing="needle-in-a-haystack").read_all().num_rows == 1
    for each in folder.glob("hosts/*/filters/*"):
        data = bytearray(each.read_bytes())
        data[30] ^= 1
        each.write_bytes(data)
    with pytest.raises(chagres.MissingObjectError):
        chagres.Archive(folder).lines(containing="needle-in-a-haystack").read_all()


def test_what_is_no_utf8(archives):
    archive = chagres.Archive(archives / "filtered")
    assert archive.lines(paths="/bytes").read_all()["line"].to_pylist() == ["a\ufffdb", "\u00e4"]
    assert archive.lines(paths="/bytes", binary=True).read_all()["line"].to_pylist() == [b"a\xffb", "\u00e4".encode()]


def test_lines_over_pieces(archives):
    archive = chagres.Archive(archives / "filtered")
    table = archive.lines(paths="/long", binary=True).read_all()
    assert [len(line) for line in table["line"].to_pylist()] == [9_000_000, 1, 0, 20_000_000]


def test_blocks_end_where_lines_do(archives, monkeypatch):
    import chagres.lines

    folder = archives / "compacted"
    whole = {binary: chagres.Archive(folder).lines(binary=binary).read_all() for binary in (False, True)}
    for size in (1, 300_000, 1 << 30):
        monkeypatch.setattr(chagres.lines, "_BLOCK", size)
        for binary, expected in whole.items():
            assert chagres.Archive(folder).lines(binary=binary).read_all() == expected


def test_lines_need_no_pandas(archives):
    program = "import sys, chagres; chagres.Archive(sys.argv[1]).lines().read_all(); assert 'pandas' not in sys.modules"
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    subprocess.run([sys.executable, "-c", program, str(archives / "plain")], check=True, env=environment)


def test_a_hole_ends_a_line(archives):
    table = chagres.Archive(archives / "sparse").lines().read_all()
    assert table["line"].to_pylist() == ["first", "needle 1", "", "needle 2", "last"]
    assert table["offset"].to_pylist()[2:4] == [14 + (1 << 60), 15 + (1 << 60)]


def test_fsspec(archive):
    pytest.importorskip("fsspec")
    fs = archive.filesystem()
    assert fs.ls("", detail=False) == ["web1:"]
    assert fs.ls("chagres://web1:/var/log", detail=False) == ["web1:/var/log/app.log"]
    assert fs.glob("web1:/etc/?") == ["web1:/etc/a", "web1:/etc/b", "web1:/etc/c"]
    assert fs.find("web1:/var") == ["web1:/var/log/app.log"]
    assert fs.info(LOG)["size"] == len(WHOLE)
    assert fs.isdir("web1:") and fs.isfile(LOG) and not fs.exists("web2:/x") and not fs.exists("web1:/x")
    assert fs.cat_file(LOG, start=10, end=20) == WHOLE[10:20]
    with fs.open(LOG) as file:
        file.seek(100)
        assert file.read(5) == WHOLE[100:105]
    with pytest.raises(FileNotFoundError):
        fs.open("web1:/nothing")


def test_fsspec_by_its_address(archives):
    fsspec = pytest.importorskip("fsspec")
    import chagres.fs  # noqa: F401, registers it where the package is not installed

    with fsspec.open(f"chagres://{LOG}", archive=str(archives / "plain")) as file:
        assert file.read(6) == WHOLE[:6]


def test_duckdb(archive):
    duckdb = pytest.importorskip("duckdb")
    lines = archive.lines(paths="/var/log/*")  # noqa: F841, named in the query
    query = duckdb.sql("select count(*) filter (line like '%error%'), count(*) from lines")
    assert query.fetchall() == [(1300, 130_000)]


def test_pandas(archive):
    pandas = pytest.importorskip("pandas")
    fs = archive.filesystem()
    with fs.open("web1:/etc/c") as file:
        frame = pandas.read_csv(file, sep=" ", names=["letter", "number"])
    assert frame["number"].sum() == 6
    assert len(archive.lines(paths="/etc/b").read_pandas()) == 2
