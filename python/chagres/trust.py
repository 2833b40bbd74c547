"""Signatures of commits, and whose count."""

import base64
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
    """Whose signatures count: lines of a host id and a key, ``ed25519:...``, for its commits, and behind the word
    ``compact`` for what compaction made of it, of every host with ``*``. A host may have several keys of either kind.

    Args:
        given: the path of a trust file, or its lines
    """

    def __init__(self, given: Union[str, "os.PathLike[str]", Iterable[str]]):
        lines: Iterable[str]
        if isinstance(given, (str, os.PathLike)):
            with open(given, encoding="utf-8") as file:
                lines = file.read().splitlines()
        else:
            lines = given
        self.keys: Dict[str, Set[bytes]] = {}
        self.compactors: Dict[str, Set[bytes]] = {}
        for line in lines:
            words = line.split()
            if not words or line.startswith("#"):
                continue
            compacts = words[0] == "compact"
            words = words[1:] if compacts else words
            is_host = words and (re.fullmatch("[0-9a-f]{16}", words[0]) or compacts and words[0] == "*")
            if len(words) < 2 or not is_host or not words[1].startswith("ed25519:"):
                raise ChagresError(f"'{line}' is no line of a trust file: it is 'HOST-ID ed25519:...', or the same"
                                   " behind 'compact'")
            keys = self.compactors if compacts else self.keys
            keys.setdefault(words[0], set()).add(base64.b64decode(words[1][8:]))
        if not self.keys and not self.compactors:
            raise ChagresError("the trust file names no key")

    def require(self, key: str, host: str, seq: int, seal: Seal) -> None:
        """Refuses a commit whose signature is not that of a key that is trusted for its host."""
        if seal.key not in self.keys.get(host, set()):
            raise UntrustedError(f"{key}: it is signed by a key that is not trusted for this host")
        message = f"chagres 1 commit {host} {seq} {seal.digest.hex()}"
        if not _verifies(seal.key, seal.signature, message):
            raise UntrustedError(f"{key}: its signature is not that of its key")

    def manifest(self, host: str, seq: int, revision: int, text: bytes) -> Dict[str, bytes]:
        """Returns the digests in the manifest of a checkpoint, by the keys of the objects.

        Raises:
            UntrustedError: where it is none, or nobody signed it whom somebody trusts with that
        """
        key = f"compacted/{host}/{seq:016}-{revision:016}-manifest"
        lines, end, last = text[:-1].rpartition(b"\n")
        digest = hashlib.sha256(lines + end).hexdigest()
        message = f"chagres 1 checkpoint {host} {seq}-{revision} {digest}"
        words = last.decode("latin-1").rpartition(" ")
        says, _, by = words[0].rpartition(" ")
        if not text.endswith(b"\n") or says != message or not by.startswith("ed25519:"):
            raise UntrustedError(f"{key}: what was signed is something else")
        public, signature = _decoded(key, by[8:]), _decoded(key, words[2])
        if public not in self.compactors.get(host, set()) | self.compactors.get("*", set()):
            raise UntrustedError(f"{key}: it is signed by a key that is not trusted with compaction of this host")
        if not _verifies(public, signature, message):
            raise UntrustedError(f"{key}: its signature is not that of its key")
        pairs = [line.split(" ") for line in lines.decode("latin-1").split("\n")]
        return {f"hosts/{host}/{name}": bytes.fromhex(sha256) for name, sha256 in pairs}


def _decoded(key: str, text: str) -> bytes:
    found = base64.b64decode(text)
    if base64.b64encode(found).decode() != text:
        raise UntrustedError(f"{key}: its last line is not in the form that is signed")
    return found


def _verifies(key: bytes, signature: bytes, message: str) -> bool:
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        raise UntrustedError("trust= needs 'pip install cryptography'") from None
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message.encode())
    except (InvalidSignature, ValueError):
        return False
    return True
