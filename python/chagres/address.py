"""Names of hosts and paths: how they are written, and patterns that match them."""

import functools
import re
from typing import List, Pattern, Tuple, Union

Path = Union[str, bytes]

_SHOWN = re.compile(r"\\x([01][0-9a-f]|7f|[89a-f][0-9a-f])")  # a byte as the program prints it
_SPECIAL = set("*?[]{},:!^-\\")


def to_bytes(path: Path) -> bytes:
    """Returns the bytes of a path, as the kernel has them."""
    return path if isinstance(path, bytes) else path.encode("utf-8", "surrogateescape")


def to_text(path: bytes) -> str:
    """Returns a path as Python has those of the file system: bytes that are not UTF-8 are surrogates."""
    return path.decode("utf-8", "surrogateescape")


def to_shown(path: bytes) -> str:
    """Returns a path that any program takes as text: bytes that are not UTF-8 are written as ``\\xnn``."""
    return path.decode("utf-8", "backslashreplace")


def split(name: str) -> Tuple[str, str]:
    """Splits ``web1:/var/log/app.log`` into the host and the path.

    Raises:
        ValueError: where there is no colon
    """
    host, colon, path = name.partition(":")
    if not colon:
        raise ValueError(f"'{name}' needs a host and a colon, as in 'web1:/var/log/app.log'")
    return host, path


def _braces(pattern: str) -> List[str]:
    match = re.search(r"\{([^{}]*)\}", pattern)
    if not match:
        return [pattern]
    found: List[str] = []
    for choice in match[1].split(","):
        found += _braces(pattern[:match.start()] + choice + pattern[match.end():])
    if len(found) > 1024:
        raise ValueError(f"too many alternatives in the pattern {pattern}")
    return found


def _regex(pattern: str) -> str:
    text, at = "", 0
    while at < len(pattern):
        char = pattern[at]
        if char == "*":
            if pattern.startswith("**/", at):
                text, at = text + "(?:.*/)?", at + 3
            elif pattern.startswith("**", at):
                text, at = text + ".*", at + 2
            else:
                text, at = text + "[^/]*", at + 1
        elif char == "?":
            text, at = text + "[^/]", at + 1
        elif char == "[":
            end = pattern.find("]", at + 2)
            if end < 0:
                raise ValueError(f"an open [ in the pattern {pattern}")
            inner = pattern[at + 1:end]
            negated = inner[0] in "!^"
            inner = re.sub(r"([\\\[\]&~|^])", r"\\\1", inner[negated:])
            text, at = text + f"(?!/)[{'^' if negated else ''}{inner}]", end + 1
        elif shown := _SHOWN.match(pattern, at):
            value = int(shown[1], 16)
            text, at = text + re.escape(chr(value if value < 128 else 0xDC00 + value)), at + 4
        elif char == "\\" and pattern[at + 1:at + 2] in _SPECIAL:
            text, at = text + re.escape(pattern[at + 1]), at + 2
        else:
            text, at = text + re.escape(char), at + 1
    return text


@functools.lru_cache(256)
def glob(pattern: str) -> "Pattern[str]":
    """Compiles a pattern of paths as the program has them: ``*`` and ``?`` within a component, ``**`` over many,
    ``[a-z]``, ``{a,b}``, and what the program prints of a path. Without ``/`` in front it matches whole components at
    the end of a path. One without
    wildcards, or with ``/`` at its end, names everything below it, too; an empty one names all."""
    stem = pattern.rstrip("/")
    if not stem:
        return re.compile("", re.DOTALL)
    choices = "|".join(_regex(each) for each in _braces(stem))
    below = stem != pattern or not re.search(r"(?<!\\)[*?\[{]", pattern)
    front = "" if stem.startswith("/") else "(?:.*/)?"
    return re.compile(f"{front}(?:{choices}){'(?:/.*)?' if below else ''}\\Z", re.DOTALL)
