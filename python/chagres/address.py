"""Names of hosts and paths: how they are written, and patterns that match them."""

import functools
import re
import unicodedata
from typing import List, Pattern, Tuple, Union

Path = Union[str, bytes]

_SHOWN = re.compile(r"\\x([01][0-9a-f]|7f|[89a-f][0-9a-f])")  # a byte as the program prints it
_SHOWN_RUN = re.compile(f"(?:{_SHOWN.pattern})+")
_SPECIAL = set("*?[]{},:!^-\\")
_MARKED = set("*?[{\\")
_TURNING = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")  # their neighbours


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
    """Splits ``web1:/var/log/app.log`` into the host and the path, at the first colon without a backslash before it.

    Raises:
        ValueError: where there is no colon
    """
    match = re.match(r"((?:[^\\:]|\\.)*):", name, re.DOTALL)
    if not match:
        raise ValueError(f"'{name}' needs a host and a colon, as in 'web1:/var/log/app.log'")
    return match[1], name[match.end():]


def quoted(path: bytes) -> str:
    """Returns a path as the program prints it: a backslash stands before what means something in patterns, and bytes
    that are not shown are written as ``\\xnn``."""
    return "".join("\\" + each if each in _MARKED else each if _is_shown(each) else
                   "".join(f"\\x{byte:02x}" for byte in to_bytes(each)) for each in to_text(path))


def _is_shown(char: str) -> bool:
    return unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp") and char not in _TURNING


def unquoted(text: str) -> bytes:
    """Returns the path that :func:`quoted`, or the program, made a text of."""
    parts, at = [], 0
    while at < len(text):
        if shown := _SHOWN.match(text, at):
            parts.append(bytes([int(shown[1], 16)]))
            at += 4
        else:
            at += text[at] == "\\" and text[at + 1:at + 2] in _SPECIAL
            parts.append(to_bytes(text[at]))
            at += 1
    return b"".join(parts)


_BRACES = re.compile(r"((?:[^\\{]|\\.|\{(?!(?:[^\\{}]|\\.)*\}))*)\{((?:[^\\{}]|\\.)*)\}", re.DOTALL)


def _braces(pattern: str) -> List[str]:
    match = _BRACES.match(pattern)
    if not match:
        return [pattern]
    found: List[str] = []
    for choice in _choices(match[2]):
        found += _braces(match[1] + choice + pattern[match.end():])
    if len(found) > 1024:
        raise ValueError(f"too many alternatives in the pattern {pattern}")
    return found


def _choices(text: str) -> List[str]:
    choices = [""]
    for token in re.findall(r"\\.|.", text, re.DOTALL):
        if token == ",":
            choices.append("")
        else:
            choices[-1] += token
    return choices


def _regex(pattern: str) -> str:
    text, at = "", 0
    while at < len(pattern):
        char = pattern[at]
        if char == "*":
            if pattern.startswith("**/", at) and pattern[at - 1:at] in ("", "/"):
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
        elif shown := _SHOWN_RUN.match(pattern, at):  # several may be one character
            text, at = text + re.escape(to_text(unquoted(shown[0]))), shown.end()
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
