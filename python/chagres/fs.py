"""An archive as a file system of fsspec, so that pandas, polars, DuckDB, Dask and pyarrow open its files."""

from typing import Any, Dict, List, Optional

import fsspec
from fsspec.spec import AbstractFileSystem

from .archive import Archive, Host, to_time
from .records import nanoseconds
from .state import DIRECTORY, FILE, LINK, Name


class ChagresFileSystem(AbstractFileSystem):
    """Hosts and what is on them, read only: ``chagres://web1:/var/log/app.log``, or without the scheme.

    Args:
        archive: a directory, an address, or a :class:`chagres.Archive`
        at, identity, trust: as of :class:`chagres.Archive`
        archive_options: for the store of the archive
    """

    protocol = "chagres"
    root_marker = ""
    cachable = False

    def __init__(self, archive: Any = None, at: Any = None, identity: Any = None, trust: Any = None,
                 archive_options: Optional[Dict[str, Any]] = None, **options: Any):
        super().__init__(**options)
        if archive is None:
            raise ValueError("which archive? Give archive= as a storage option")
        self.archive = archive if isinstance(archive, Archive) else Archive(
            archive, at=at, identity=identity, trust=trust, storage_options=archive_options)

    @classmethod
    def _strip_protocol(cls, path: Any) -> Any:
        if isinstance(path, list):
            return [cls._strip_protocol(each) for each in path]
        text = str(path)
        text = text[len("chagres://"):] if text.startswith("chagres://") else text
        return text.rstrip("/").lstrip("/") if ":" not in text else text.rstrip("/")

    def _found(self, path: str) -> "tuple[Host, str, Name]":
        host_name, _, below = path.partition(":")
        try:
            host = self.archive.host(host_name)
        except KeyError:
            raise FileNotFoundError(path) from None
        name = host.find(below)
        if name is None:
            raise FileNotFoundError(path)
        return host, below, name

    @staticmethod
    def _entry(path: str, name: Name) -> Dict[str, Any]:
        kind = {FILE: "file", DIRECTORY: "directory", LINK: "link"}[name.kind]
        version = name.version
        attributes = version.attributes if version else name.attributes
        return {"name": path, "type": kind, "size": version.end if version else 0, "mode": attributes[0],
                "mtime": to_time(nanoseconds(attributes[3]) // 10**6), "uid": attributes[1], "gid": attributes[2],
                "version": version.number if version else None,
                "islink": name.kind == LINK, "destination": name.target if name.kind == LINK else None}

    def info(self, path: str, **kwargs: Any) -> Dict[str, Any]:
        """Returns what is at a path: its type, size, time and version."""
        path = self._strip_protocol(path)
        if not path:
            return {"name": "", "type": "directory", "size": 0}
        _, _, name = self._found(path)
        return self._entry(path, name)

    def ls(self, path: str, detail: bool = True, **kwargs: Any) -> List[Any]:
        """Returns what is in a directory: hosts, if it is none of a host."""
        path = self._strip_protocol(path)
        if not path:
            entries = [{"name": host.name + ":", "type": "directory", "size": 0} for host in self.archive.hosts()]
        else:
            _, _, name = self._found(path)
            entries = [self._entry(path, name)] if name.kind != DIRECTORY else [
                self._entry(f"{path}/{part.decode('utf-8', 'surrogateescape')}", below)
                for part, below in sorted(name.below.items())]
        return entries if detail else [each["name"] for each in entries]

    def modified(self, path: str) -> Any:
        """Returns the modification time."""
        return self.info(path)["mtime"]

    def _open(self, path: str, mode: str = "rb", block_size: Any = None, autocommit: bool = True,
              cache_options: Any = None, **kwargs: Any) -> Any:
        if mode != "rb":
            raise NotImplementedError("an archive is only read")
        path = self._strip_protocol(path)
        host, below, _ = self._found(path)
        return host.open(below)


fsspec.register_implementation("chagres", ChagresFileSystem, clobber=True)
