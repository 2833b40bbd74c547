"""The archives of the tests are written by the program's own tests, which say where they are."""

import os
import pathlib

import pytest

ARCHIVES = os.environ.get("CHAGRES_TEST_ARCHIVES")


@pytest.fixture
def archives() -> pathlib.Path:
    """A folder with the archives ``plain`` and ``compacted``, see QueryArchive, ``many``, ``filtered``, ``sparse``,
    ``names`` and ``encrypted``."""
    if not ARCHIVES:
        pytest.skip("PythonPackageTest of the module archive writes the archives")
    return pathlib.Path(ARCHIVES)
