"""Signatures of commits, and whose count."""

import hashlib
import os
import re
from typing import Dict, Iterable, NamedTuple, Set, Union

from .errors import ChagresError, UntrustedError


class Seal(NamedTuple):
    """What a signed commit has behind its records."""

    data_digest: bytes
    key: bytes
    signature: bytes
    digest: bytes  # of the payload up to the key

    @staticmethod
    def of(payload: bytes, at: int) -> "Seal":
        """Takes the seal at an offset of a payload."""
        signed = hashlib.sha256(payload[:at + 32]).digest()
        return Seal(payload[at:at + 32], payload[at + 32:at + 64], payload[at + 64:at + 128], signed)


class Trust:
    """Whose signatures count: lines of a host id and a key, ``ed25519:...``; a host may have several.

    Args:
        given: the path of a trust file, or its lines
    """

    def __init__(self, given: Union[str, "os.PathLike[str]", Iterable[str]]):
        import base64

        lines: Iterable[str]
        if isinstance(given, (str, os.PathLike)):
            with open(given, encoding="utf-8") as file:
                lines = file.read().splitlines()
        else:
            lines = given
        self.keys: Dict[str, Set[bytes]] = {}
        for line in lines:
            words = line.split()
            if not words or line.startswith("#"):
                continue
            if len(words) < 2 or not re.fullmatch("[0-9a-f]{16}", words[0]) or not words[1].startswith("ed25519:"):
                raise ChagresError(f"'{line}' is no line of a trust file: it is 'HOST-ID ed25519:...'")
            self.keys.setdefault(words[0], set()).add(base64.b64decode(words[1][8:]))
        if not self.keys:
            raise ChagresError("the trust file names no key")

    def require(self, key: str, host: str, seq: int, seal: Seal) -> None:
        """Refuses a commit whose signature is not that of a key that is trusted for its host."""
        try:
            from cryptography.exceptions import InvalidSignature
            from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
        except ImportError:
            raise UntrustedError("trust= needs 'pip install cryptography'") from None
        if seal.key not in self.keys.get(host, set()):
            raise UntrustedError(f"{key}: it is signed by a key that is not trusted for this host")
        message = f"chagres 1 commit {host} {seq} {seal.digest.hex()}".encode()
        try:
            Ed25519PublicKey.from_public_bytes(seal.key).verify(seal.signature, message)
        except (InvalidSignature, ValueError):
            raise UntrustedError(f"{key}: its signature is not that of its key") from None
