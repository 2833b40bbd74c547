"""Reads archives in object stores through fsspec. PythonStoreTest starts the server, and has the archives put there."""

import os

import pytest

import chagres
from chagres.errors import MissingObjectError
from chagres.store import open_store

ENDPOINT = os.environ.get("CHAGRES_TEST_S3")
LOG = "web1:/var/log/app.log"

pytestmark = pytest.mark.skipif(not ENDPOINT, reason="PythonStoreTest of the module archive starts the server")


@pytest.fixture
def options():
    pytest.importorskip("s3fs")
    return {
        "key": os.environ["CHAGRES_TEST_S3_KEY"],
        "secret": os.environ["CHAGRES_TEST_S3_SECRET"],
        "client_kwargs": {"endpoint_url": ENDPOINT, "region_name": "us-east-1"},
    }


@pytest.fixture(params=["plain", "compacted"])
def both(request, archives, options):
    return (chagres.Archive(archives / request.param),
            chagres.Archive(f"s3://archives/{request.param}", storage_options=options))


def test_an_archive_in_s3_is_what_it_is_in_a_directory(both):
    local, remote = both
    assert [str(file) for file in remote.files()] == [str(file) for file in local.files()]
    with local.open(LOG) as expected, remote.open(LOG) as file:
        whole = expected.read()
        assert file.read() == whole
        for position in (0, 262_143, len(whole) - 5, len(whole), len(whole) + 9):
            file.seek(position)
            assert file.read(10) == whole[position:position + 10]
    at = "2026-11-22T09:00:00Z"
    with local.open(LOG, at=at) as expected, remote.open(LOG, at=at) as file:
        assert file.read() == expected.read()


def test_lines_of_an_archive_in_s3(both):
    pytest.importorskip("pyarrow")
    local, remote = both
    wanted = {"paths": "/var/log/**", "containing": "with an error"}
    assert remote.lines(**wanted).read_all().num_rows == local.lines(**wanted).read_all().num_rows


def test_ranges_end_where_an_object_does(archives, options):
    store = open_store("s3://archives/plain", options)
    key = next(each for each in store.list("hosts/") if "/log/" in each)
    size = store.size(key)
    with open(archives / "plain" / key, "rb") as file:
        content = file.read()
    assert store.get(key) == content
    assert store.range(key, size - 3, 10) == content[-3:]
    assert store.range(key, size, 10) == b""
    assert store.range(key, 0, 0) == b""
    assert store.size("hosts/none") == -1
    with pytest.raises(MissingObjectError):
        store.range("hosts/none", 0, 1)
    assert store.list("none/") == []
    assert store.folders("none/") == []
