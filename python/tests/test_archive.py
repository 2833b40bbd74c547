"""Reads the archives that the tests of the program write."""

import errno
import io
import os
import shutil
import warnings

import pytest

import chagres
from chagres.__main__ import main
from chagres.crc import crc32c

LOG = "web1:/var/log/app.log"


def expected(count):
    ends = {True: " with an error in it\n", False: " of a log that is long\n"}
    return "".join(f"line {i}{ends[i % 100 == 7]}" for i in range(count)).encode()


WHOLE = expected(60_000) + expected(20_000) + expected(50_000)
BEFORE_NINE = expected(60_000) + expected(20_000)


@pytest.fixture(params=["plain", "compacted"])
def archive(request, archives):
    return chagres.Archive(archives / request.param)


def test_files_and_hosts(archive):
    host, = archive.hosts()
    assert (host.name, host.id) == ("web1", "0123456789abcdef")
    assert [file.path for file in archive.files("web1:")] == [
        "/etc/a", "/etc/b", "/etc/c", '/etc/d"\n', "/var/log/app.log"]
    file, = archive.files("w*:/var/**")
    assert (file.size, file.named, file.state, file.version) == (len(WHOLE), True, "growing", 1)
    assert archive.files("web1:nothing") == []
    with pytest.raises(KeyError, match="there are 0 hosts web2"):
        archive.open("web2:/a")


def test_bytes_by_position(archive):
    with archive.open(LOG) as file:
        assert file.read() == WHOLE
        for position in (0, 1, 262_143, 262_144, len(WHOLE) - 5, len(WHOLE), len(WHOLE) + 9):
            file.seek(position)
            assert file.read(10) == WHOLE[position:position + 10]
        assert file.seek(-3, io.SEEK_END) == len(WHOLE) - 3
        assert file.readline() == WHOLE[-3:]
    with pytest.raises(FileNotFoundError):
        archive.open("web1:/nothing")
    with pytest.raises(IsADirectoryError):
        archive.open("web1:/var")


def test_at_a_moment(archive):
    for at in ("2026-11-22T09:00:00Z", 1795338000):
        assert archive.open(LOG, at=at).read() == BEFORE_NINE
    assert archive.open(LOG, at="2026-11-22T08:30:00Z").read() == expected(60_000)
    assert archive.at("2026-11-22T08:00:00Z").files() == []
    assert archive.at("2026-11-22T09:00:00Z").host("web1").commit == 2


def test_a_missing_object_is_an_error_that_names_the_range(archives, tmp_path):
    folder = shutil.copytree(archives / "compacted", tmp_path / "copy")
    for each in folder.glob("hosts/*/streams/0000000000000001/*"):
        os.remove(each)
    file = chagres.Archive(folder).open(LOG)
    with pytest.raises(chagres.MissingObjectError, match=r"web1:/var/log/app.log: it is missing; bytes 0 to 262144 "):
        file.read(1)
    with pytest.raises(chagres.DamagedError, match="web1:/var/log/app.log"):
        chagres.Archive(folder).lines().read_all()


def test_a_changed_byte_is_never_given(archives, tmp_path):
    folder = shutil.copytree(archives / "compacted", tmp_path / "copy")
    stream = max(folder.glob("hosts/*/streams/0000000000000001/*"), key=os.path.getsize)
    data = bytearray(stream.read_bytes())
    data[len(data) // 2] ^= 1
    stream.write_bytes(data)
    with pytest.raises(chagres.DamagedError, match="bytes .* cannot be read"):
        chagres.Archive(folder).open(LOG).read()


def test_lost_commits_are_told(archives, tmp_path):
    folder = shutil.copytree(archives / "compacted", tmp_path / "copy")
    for each in [*folder.glob("hosts/*/checkpoints/*"), *folder.glob("compacted/*/*")]:
        os.remove(each)
    with pytest.warns(chagres.LostCommitsWarning, match="commits 1 to 3 are missing"):
        assert chagres.Archive(folder).files() == []


def test_no_archive(tmp_path):
    with pytest.raises(chagres.ChagresError, match="is no archive"):
        chagres.Archive(tmp_path)
    with pytest.raises(chagres.ChagresError, match="is no directory"):
        chagres.Archive(tmp_path / "nothing")


def test_encrypted(archives):
    pytest.importorskip("cryptography")
    folder = archives / "encrypted"
    with pytest.raises(chagres.EncryptedError, match="is encrypted; give identity="):
        chagres.Archive(folder).files()
    archive = chagres.Archive(folder, identity=archives / "key")
    assert archive.open("db1:/secret").read() == b"".join(b"secret %d\n" % i for i in range(50_000))
    other = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"
    with pytest.raises(chagres.EncryptedError, match="to others"):
        chagres.Archive(folder, identity=other).files()


def test_damaged_hosts_leave_others(archives, tmp_path):
    folder = shutil.copytree(archives / "many", tmp_path / "copy")
    log = sorted(folder.glob("hosts/*/log/*"))[0]
    log.write_bytes(log.read_bytes()[:-1])
    archive = chagres.Archive(folder)
    whole = []
    for host in archive.hosts():
        try:
            whole += host.files()
        except chagres.DamagedError as e:
            assert "instead of" in str(e)
    assert len(whole) == 2


def test_what_the_program_prints_opens_that_file(archives):
    archive = chagres.Archive(archives / "names")
    printed = (archives / "names.txt").read_text("utf-8").splitlines()
    assert sorted(file.address for file in archive.files()) == sorted(printed)
    bare = {file.address.partition(":/")[0] + ":" + file.path: file.address for file in archive.files()}
    twice = {each for each in printed if bare.get(each, each) != each}  # printed of a file, and the name of another
    assert "h\\:1:/a\\[" in twice
    for each in printed:
        if each in twice:
            with pytest.raises(ValueError, match="another one is printed so"):
                archive.open(each)
            continue
        with archive.open(each) as file:
            assert file.read().decode() == each
        assert [file.address for file in archive.files(each)] == [each]
    for file in archive.files():
        if "\\" not in file.path:
            assert archive.open(f"{file.host.replace(':', chr(92) + ':')}:{file.path}").read().decode() == file.address


def of_program(capfd, *arguments):
    code = main([str(each) for each in arguments])
    out, err = capfd.readouterr()
    assert "Traceback" not in err
    return code, out, err


def test_the_command_names_commits_that_are_missing(archives, tmp_path, capfd):
    folder = shutil.copytree(archives / "compacted", tmp_path / "copy")
    assert of_program(capfd, folder, "list")[0] == 0
    for each in folder.glob("hosts/*/checkpoints/*"):
        os.remove(each)
    code, _, err = of_program(capfd, folder, "list")
    assert code == 1 and "commits 1 to 3 are missing" in err


def test_the_command_names_a_host_of_which_nothing_is_left(archives, tmp_path, capfd):
    folder = shutil.copytree(archives / "many", tmp_path / "copy")
    for each in ("log", "streams"):
        shutil.rmtree(next(iter(sorted(folder.glob("hosts/*")))) / each, ignore_errors=True)
    code, out, err = of_program(capfd, folder, "list")
    assert code == 1 and len(out.splitlines()) == 2 and "commit 1 is missing" in err


def test_a_heartbeat_names_the_last_commit(archives, tmp_path):
    folder = shutil.copytree(archives / "plain", tmp_path / "copy")
    host = next(folder.glob("hosts/*"))
    last = max((host / "log").iterdir())
    key = f"alive/{10**16 - 2:016}-{10**16 - 1:016}/{10**16 - 2:016}"
    (host / key).parent.mkdir(parents=True)
    text = f"format=1\nstate=running\nseq={int(last.name[:16])}\nkey=hosts/{host.name}/{key}\n"
    (host / key).write_text(f"{text}crc32c={crc32c(text.encode()):08x}\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        chagres.Archive(folder).files()
    os.remove(last)
    with pytest.warns(chagres.LostCommitsWarning, match=f"to {int(last.name[:16])} are missing"):
        chagres.Archive(folder).files()


def test_a_damaged_file_leaves_others(archives, tmp_path, capfd):
    folder = shutil.copytree(archives / "compacted", tmp_path / "copy")
    assert of_program(capfd, folder, "restore", tmp_path / "whole")[0] == 0
    for each in folder.glob("hosts/*/streams/0000000000000001/*"):
        os.remove(each)
    code, _, err = of_program(capfd, folder, "restore", tmp_path / "rest")
    assert code == 1 and f"{LOG}: it is missing; bytes" in err and "it was not restored" in err
    whole, rest = ({each.relative_to(root) for each in root.rglob("*")}
                   for root in (tmp_path / "whole", tmp_path / "rest"))
    assert {str(each) for each in whole - rest} == {LOG.replace(":", "")}


@pytest.mark.parametrize("made", [os.mkfifo, os.mkdir, lambda path: os.symlink("/dev/zero", path)])
@pytest.mark.parametrize("folder", ["log", "streams/0000000000000001"])
def test_nobody_waits_for_what_is_no_object(archives, tmp_path, capfd, made, folder):
    copy = shutil.copytree(archives / "plain", tmp_path / "copy")
    for key in copy.glob(f"hosts/*/{folder}/*"):
        key.rename(tmp_path / "kept")
        made(key)
        code, _, err = of_program(capfd, copy, "restore", tmp_path / "out")
        assert code == 1 and key.name in err
        shutil.rmtree(tmp_path / "out", ignore_errors=True)
        (os.rmdir if key.is_dir() else os.remove)(key)
        (tmp_path / "kept").rename(key)


def test_mistakes_are_said(archives, tmp_path, capfd):
    assert "Invalid isoformat" in of_program(capfd, archives / "plain", "list", "--at", "soon")[2]
    assert "nothing" in of_program(capfd, archives / "plain", "list", "--trust", tmp_path / "nothing")[2]
    (tmp_path / "web1").mkdir()
    assert "exists" in of_program(capfd, archives / "plain", "restore", tmp_path)[2]
    assert of_program(capfd, archives / "names", "list")[0] == 0


def test_a_folder_that_cannot_be_listed_is_not_empty(archives, tmp_path, monkeypatch):
    def scandir(top):
        raise OSError(errno.EIO, os.strerror(errno.EIO), top)

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(chagres.ChagresError, match="does not give it"):
        chagres.Archive(archives / "plain").files()
