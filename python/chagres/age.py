"""What is encrypted: files in the age format, version 1, with X25519 recipients; see https://c2sp.org/age."""

import base64
import hashlib
import hmac
import os
from typing import Callable, Iterable, List, Optional, Tuple, Union

from .bech32 import bech32
from .errors import ChagresError, DamagedError, EncryptedError

BEGIN = b"age-encryption.org/v1\n"
CHUNK = 64 << 10
_TAG = 16
_MAX_HEADER = 1 << 20


def _need():  # type: ignore[no-untyped-def]
    try:
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
    except ImportError:
        raise EncryptedError("the archive is encrypted: 'pip install cryptography' lets an identity open it") from None
    return InvalidTag, X25519PrivateKey, X25519PublicKey, ChaCha20Poly1305


def _hkdf(secret: bytes, salt: bytes, info: bytes) -> bytes:
    key = hmac.new(salt or bytes(32), secret, hashlib.sha256).digest()
    return hmac.new(key, info + b"\x01", hashlib.sha256).digest()


class Identity:
    """An X25519 key that opens what is encrypted to it. Its text is secret."""

    def __init__(self, text: str):
        self._secret = bech32("age-secret-key-", text.strip())

    def __repr__(self) -> str:
        return "Identity(...)"

    def open(self, share: bytes, body: bytes) -> Optional[bytes]:
        """Returns the key of a file that was encrypted to this one; None if it was to another."""
        invalid, private, public, cipher = _need()
        secret = private.from_private_bytes(self._secret)
        own = secret.public_key().public_bytes_raw()
        try:
            shared = secret.exchange(public.from_public_bytes(share))
            wrap = _hkdf(shared, share + own, b"age-encryption.org/v1/X25519")
            return cipher(wrap).decrypt(bytes(12), body, None)
        except (invalid, ValueError):
            return None


IdentitySource = Union[str, "os.PathLike[str]", Identity]


def identities(given: Union[None, IdentitySource, Iterable[IdentitySource]]) -> List[Identity]:
    """Takes keys of age: each is a key (``AGE-SECRET-KEY-1...``), or the path of a file with one a line."""
    if given is None:
        return []
    if isinstance(given, (str, os.PathLike, Identity)):
        given = [given]
    found: List[Identity] = []
    for each in given:
        if isinstance(each, Identity):
            found.append(each)
        elif isinstance(each, str) and each.strip().upper().startswith("AGE-SECRET-KEY-1"):
            found.append(Identity(each))
        else:
            with open(each, encoding="utf-8") as file:
                lines = [line.strip() for line in file]
            keys = [Identity(line) for line in lines if line and not line.startswith("#")]
            if not keys:
                raise ChagresError(f"{os.fspath(each)}: there is no identity in it")
            found += keys
    return found


def _decode(subject: str, text: bytes) -> bytes:
    try:
        decoded = base64.b64decode(text + b"=" * (-len(text) % 4), validate=True)
    except ValueError:
        decoded = b""
    if base64.b64encode(decoded).rstrip(b"=") != text:
        raise DamagedError(subject, "its header of age is damaged")
    return decoded


def _header(subject: str, data: bytes) -> Tuple[List[Tuple[List[bytes], bytes]], int, bytes, int]:
    """Returns the stanzas, where what the MAC covers ends, the MAC, and where the header ends."""
    bad = DamagedError(subject, "its header of age is damaged")
    at, stanzas = len(BEGIN), []

    def line() -> bytes:
        nonlocal at
        end = data.find(b"\n", at)
        if end < 0:
            raise bad
        found, at = data[at:end], end + 1
        return found

    while (found := line()).startswith(b"-> "):
        body = b""
        while True:
            part = line()
            if len(part) > 64:
                raise bad
            body += part
            if len(part) < 64:
                break
        stanzas.append((found[3:].split(b" "), _decode(subject, body)))
    if not found.startswith(b"--- ") or not stanzas:
        raise bad
    covered = at - len(found) - 1 + 3
    return stanzas, covered, _decode(subject, found[4:]), at


class Decrypted:
    """An encrypted file that is decrypted where it is read.

    Args:
        subject: its key, for messages
        read: takes an offset and a length and returns that number of stored bytes, fewer at the end
        size: of the stored file
    """

    def __init__(self, subject: str, read: Callable[[int, int], bytes], size: int, keys: List[Identity]):
        self.subject, self._read = subject, read
        first = 4096
        head = read(0, min(first, size))
        while b"\n--- " not in head or head.find(b"\n", head.find(b"\n--- ") + 1) < 0:
            if first >= min(size, _MAX_HEADER):
                raise DamagedError(subject, "its header of age is damaged")
            first *= 4
            head = read(0, min(first, size))
        stanzas, covered, mac, end = _header(subject, head)
        file_key = self._file_key(stanzas, keys)
        if not hmac.compare_digest(mac, hmac.new(
                _hkdf(file_key, b"", b"header"), head[:covered], hashlib.sha256).digest()):
            raise DamagedError(subject, "its header of age was changed")
        nonce = read(end, 16) if size >= end + 16 else b""
        self._invalid, _, _, cipher = _need()
        self._cipher = cipher(_hkdf(file_key, nonce, b"payload"))
        self._start = end + 16
        body = size - self._start
        self._chunks = -(-body // (CHUNK + _TAG))
        self.size = body - self._chunks * _TAG
        if body < _TAG or self._chunks > 1 and body % (CHUNK + _TAG) in range(1, _TAG + 1):
            raise DamagedError(subject, "it is cut off")
        self._cached: Tuple[int, bytes] = (-1, b"")

    def _file_key(self, stanzas: List[Tuple[List[bytes], bytes]], keys: List[Identity]) -> bytes:
        for arguments, body in stanzas:
            if arguments[0] == b"X25519" and len(arguments) == 2:
                share = _decode(self.subject, arguments[1])
                if len(share) != 32 or len(body) != 32:
                    raise DamagedError(self.subject, "its header of age is damaged")
                for key in keys:
                    if found := key.open(share, body):
                        return found
        if not keys:
            raise EncryptedError(f"{self.subject} is encrypted; give identity= to open it")
        raise EncryptedError(f"{self.subject} is encrypted to others: no identity that was given opens it")

    def _decrypt(self, index: int, stored: bytes) -> bytes:
        nonce = index.to_bytes(11, "big") + bytes([index == self._chunks - 1])
        try:
            return self._cipher.decrypt(nonce, stored, None)
        except self._invalid:
            raise DamagedError(self.subject, "it cannot be decrypted: it was changed, or is cut off") from None

    def read(self, offset: int, length: int) -> bytes:
        """Returns bytes of the content, fewer at its end."""
        end = min(offset + length, self.size)
        if offset >= end:
            return b""
        first, last = offset // CHUNK, (end - 1) // CHUNK
        if self._cached[0] == first == last:
            return self._cached[1][offset - first * CHUNK:end - first * CHUNK]
        whole = CHUNK + _TAG
        stored = self._read(self._start + first * whole, (last + 1 - first) * whole)
        parts = [self._decrypt(first + i, stored[i * whole:(i + 1) * whole]) for i in range(last + 1 - first)]
        self._cached = last, parts[-1]
        return b"".join(parts)[offset - first * CHUNK:end - first * CHUNK]


def decrypt(subject: str, data: bytes, keys: List[Identity]) -> bytes:
    """Returns the content of an encrypted file that is in memory."""
    opened = Decrypted(subject, lambda offset, length: data[offset:offset + length], len(data), keys)
    return opened.read(0, max(1, opened.size))
