"""Where the objects of an archive are: a directory, or whatever fsspec opens."""

import errno
import os
import stat
from typing import Any, Dict, List, Optional

from .errors import ChagresError, DamagedError, MissingObjectError

_NO_OBJECT = "what has its name is no object"


class Store:
    """A flat store of immutable objects. Safe for any thread."""

    name: str

    def list(self, folder: str) -> List[str]:
        """Returns the keys below a folder, which ends with ``/``, in order."""
        raise NotImplementedError

    def folders(self, folder: str) -> List[str]:
        """Returns the names of the folders directly below one."""
        raise NotImplementedError

    def size(self, key: str) -> int:
        """Returns the size of an object in bytes; -1 where there is none."""
        raise NotImplementedError

    def range(self, key: str, offset: int, length: int) -> bytes:
        """Returns bytes of an object, fewer at its end.

        Raises:
            MissingObjectError: where there is none
        """
        raise NotImplementedError

    def get(self, key: str) -> bytes:
        """Returns a whole object."""
        size = self.size(key)
        if size < 0:
            raise MissingObjectError(key, "it is missing")
        return self.range(key, 0, size)


class DirectoryStore(Store):
    """An archive in a directory: an object is a file, its key is the path."""

    def __init__(self, path: str):
        self.name = path
        if not os.path.isdir(path):
            raise ChagresError(f"{path} is no directory")
        self._root = os.path.join(path, "")

    def list(self, folder: str) -> List[str]:
        found, folders = [], [folder]
        while folders:
            at = folders.pop()
            try:
                with os.scandir(self._root + at) as entries:
                    for each in entries:
                        if each.is_dir(follow_symlinks=False):
                            folders.append(f"{at}{each.name}/")
                        elif each.is_file(follow_symlinks=False):  # a link or a FIFO is no object
                            found.append(at + each.name)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as e:  # a folder that cannot be listed is not an empty one
                raise _unread(at, e) from None
        return sorted(found)

    def folders(self, folder: str) -> List[str]:
        try:
            with os.scandir(self._root + folder) as entries:
                return sorted(each.name for each in entries if each.is_dir())
        except FileNotFoundError:
            return []
        except OSError as e:
            raise _unread(folder, e) from None

    def size(self, key: str) -> int:
        try:
            return _of_object(key, os.lstat(self._root + key)).st_size
        except (FileNotFoundError, NotADirectoryError):
            return -1
        except OSError as e:
            raise _unread(key, e) from None

    def range(self, key: str, offset: int, length: int) -> bytes:
        try:
            file = os.open(self._root + key, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                _of_object(key, os.fstat(file))
                data = os.pread(file, length, offset)
                while 0 < len(data) < length and (more := os.pread(file, length - len(data), offset + len(data))):
                    data += more
                return data
            finally:
                os.close(file)
        except (FileNotFoundError, NotADirectoryError):
            raise MissingObjectError(key, "it is missing") from None
        except OSError as e:
            if e.errno == errno.ELOOP:
                raise DamagedError(key, _NO_OBJECT) from None
            raise _unread(key, e) from None


def _of_object(key: str, found: os.stat_result) -> os.stat_result:
    """Nobody waits for a FIFO, and a link leads out of the archive."""
    if not stat.S_ISREG(found.st_mode):
        raise DamagedError(key, _NO_OBJECT)
    return found


def _unread(key: str, error: Exception) -> ChagresError:
    why = error.strerror if isinstance(error, OSError) and error.strerror else str(error) or type(error).__name__
    return ChagresError(f"{key}: the store does not give it: {why}")


class FsspecStore(Store):
    """An archive in whatever fsspec opens: ``s3://bucket/prefix``, ``gs://``, ``abfs://``, ``memory://``."""

    def __init__(self, url: str, options: Dict[str, Any]):
        try:
            import fsspec
        except ImportError:
            raise ChagresError(f"{url} needs fsspec: 'pip install chagres[s3]', [gcs] or [azure]") from None
        self.name = url
        self._fs, root = fsspec.core.url_to_fs(url, **options)
        self._root = root.rstrip("/") + "/" if root else ""

    def list(self, folder: str) -> List[str]:
        try:
            self._fs.invalidate_cache()
            found = self._fs.find(self._root + folder)
        except FileNotFoundError:
            return []
        except Exception as e:  # each store has its own
            raise _unread(folder, e) from e
        return sorted(each[each.index(self._root) + len(self._root):] for each in found)

    def folders(self, folder: str) -> List[str]:
        try:
            self._fs.invalidate_cache()
            found = self._fs.ls(self._root + folder, detail=True)
        except FileNotFoundError:
            return []
        except Exception as e:
            raise _unread(folder, e) from e
        return sorted(each["name"].rstrip("/").rpartition("/")[2] for each in found if each["type"] == "directory")

    def size(self, key: str) -> int:
        try:
            return int(self._fs.info(self._root + key)["size"])
        except FileNotFoundError:
            return -1
        except Exception as e:
            raise _unread(key, e) from e

    def range(self, key: str, offset: int, length: int) -> bytes:
        if length <= 0:
            return b""
        try:
            return bytes(self._fs.cat_file(self._root + key, start=offset, end=offset + length))
        except FileNotFoundError:
            raise MissingObjectError(key, "it is missing") from None
        except Exception as e:  # a range behind the end is refused, by each store in its own way
            if 0 <= self.size(key) <= offset:
                return b""
            raise _unread(key, e) from e


class Ahead:
    """One object that is read from front to back: a remote store is asked for few large ranges. Not for two threads."""

    _FIRST, _MOST = 1 << 20, 8 << 20

    def __init__(self, store: Store, key: str):
        self._store, self.key = store, key
        self.size = store.size(key)
        if self.size < 0:
            raise MissingObjectError(key, "it is missing")
        self._at, self._data, self._window = 0, b"", self._FIRST
        self._remote = not isinstance(store, DirectoryStore)

    def read(self, offset: int, length: int) -> bytes:
        """Returns bytes, fewer at the end."""
        if not self._remote:
            return self._store.range(self.key, offset, length)
        within = offset - self._at
        if not 0 <= within <= within + length <= len(self._data):
            follows = 0 <= within <= len(self._data)
            self._window = min(self._MOST, self._window * 2) if follows and self._data else self._FIRST
            end = min(self.size, offset + max(length, self._window))
            self._at, within = offset, 0
            self._data = self._store.range(self.key, offset, end - offset) if end > offset else b""
        return self._data[within:within + length]


def open_store(url: "str | os.PathLike[str]", options: Optional[Dict[str, Any]] = None) -> Store:
    """Opens a directory, ``file://`` or any other address that fsspec knows."""
    text = os.fspath(url)
    if text.startswith("file://"):
        text = text[len("file://"):]
    return FsspecStore(text, options or {}) if "://" in text else DirectoryStore(text)
