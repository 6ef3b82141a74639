"""Writes over what was found, and says what it was without giving it away."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from stuckbot.lib.masking.engine import find
from stuckbot.lib.masking.spans import REDACTED_BYTES, Finding, Span
from stuckbot.lib.masking.tokens import kind_of

_LINE_BREAK: Final = re.compile(rb"(\r?\n[ \t]*)")
_QUOTES: Final = (b'"', b"u0022", b"%22")
_BACKSLASH: Final = ord("\\")
#: Kinds whose first characters are the vendor's, the same for everybody.
_BRANDED: Final = re.compile(
    rb"[A-Za-z]{1,12}(?:[-_.](?:[a-z]{2,5}|v1)(?=[-_.]))?[-_.]|AKIA|ASIA|AIza|eyJ|SK|dapi"
)
#: So many findings of one text are told.
MOST: Final = 500
#: Longer names are no names.
_LONGEST_NAME: Final = 40
_TAIL: Final = 4
_LEAST_FOR_TAIL: Final = 24
_PRIVATE: Final = frozenset(
    {"named_secret", "command_secret", "url_password", "url_parameter", "cookie", "authorization"}
)


def masked(text: bytes, spans: Iterable[Span]) -> bytes:
    """The text with each span replaced; every line break stays where it was."""
    pieces: list[bytes] = []
    read, mark = 0, b'"'
    for span in spans:
        pieces.append(text[read : span.start])
        if span.bare:
            mark = _mark_before(text, read, span.start) or mark
            pieces += (mark, REDACTED_BYTES, mark)
        else:
            pieces.append(_instead(text[span.start : span.end]))
        read = span.end
    pieces.append(text[read:])
    return b"".join(pieces)


def _mark_before(text: bytes, start: int, end: int) -> bytes:
    """The last quote there as it is written, behind backslashes or encoded; empty without one."""
    at, sign = max((text.rfind(sign, start, end), sign) for sign in _QUOTES)
    if at < 0:
        return b""
    behind = at
    while behind > start and text[behind - 1] == _BACKSLASH:
        behind -= 1
    return text[behind:at] + sign


def _instead(secret: bytes) -> bytes:
    """What stands in the place of a secret."""
    return _by_lines(_LINE_BREAK.split(secret)) if b"\n" in secret else REDACTED_BYTES


def _by_lines(parts: list[bytes]) -> bytes:
    """The first and the last line are marked, those between are emptied."""
    lines = [REDACTED_BYTES if part else b"" for part in parts[::2]]
    lines[1:-1] = [b""] * (len(lines) - 2)
    parts[::2] = lines
    return b"".join(parts)


def whole(text: bytes) -> Span:
    """All of a text."""
    return Span(0, len(text), "flood")


def findings(text: bytes, spans: list[Span], where: str) -> tuple[Finding, ...]:
    """One for each span of a text, at most MOST: more tell nobody more."""
    return tuple(finding(text, span, where) for span in spans[:MOST])


def finding(text: bytes, span: Span, where: str) -> Finding:
    """What is told of a secret: enough to know which key to rotate, and no more."""
    secret = text[span.start : span.end]
    kind = kind_of(secret) if span.kind == "token" else span.kind
    return Finding(where, kind, preview(secret, span))


def preview(secret: bytes, span: Span) -> str:
    """`ghp_…k3Zq` for a token; `DB_PASSWORD=…` for what stood under a name."""
    if span.kind in _PRIVATE:
        return f"{span.name}=…" if _is_telling_only(span.name) else "…"
    brand = _BRANDED.match(secret)
    if brand is None or not secret.isascii() or b"\n" in secret:
        return "…"
    tail = secret[-_TAIL:].decode() if len(secret) >= _LEAST_FOR_TAIL else ""
    return f"{brand.group().decode()}…{tail}"


@lru_cache(maxsize=1024)
def _is_telling_only(name: str) -> bool:
    """A name to show: not long, and no secret itself."""
    return 0 < len(name) <= _LONGEST_NAME and not find(name.encode("utf-8", "surrogatepass"))
