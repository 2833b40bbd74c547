"""Reads archives of Chagres: hosts, files and their versions, whose bytes are compared with checksums of the log.

    import chagres

    archive = chagres.Archive("/mnt/archive")
    with archive.open("web1:/var/log/app.log", at="2026-11-22T09:00:00Z") as file:
        print(file.read(100))

It is written from docs/FORMAT.md alone and shares no code with the program.
"""

from .age import Identity
from .archive import Archive, File, FileInfo, Host, LostCommitsWarning
from .errors import (ChagresError, DamagedError, EncryptedError, ExpiredError, MissingObjectError, UntrustedError)

__version__ = "0.1.0"

__all__ = ["Archive", "ChagresError", "DamagedError", "EncryptedError", "ExpiredError", "File", "FileInfo", "Host",
           "Identity", "LostCommitsWarning", "MissingObjectError", "UntrustedError"]
