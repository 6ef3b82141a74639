"""What a rule finds: a stretch of bytes, and what is told of it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

#: What stands where a secret stood.
REDACTED: Final = "[REDACTED]"
REDACTED_BYTES: Final = REDACTED.encode()
_BACKSLASH: Final = ord("\\")
#: What may stand behind a backslash in JSON, quotes and slashes aside.
_ESCAPE: Final = re.compile(rb"[bfnrt]|u[0-9a-fA-F]{4}")


class Span(NamedTuple):
    """Bytes `start` to `end` (excluded) are a secret of a kind. `name` is the key it stood under,
    if any. `bare` says that it is a JSON number, which needs quotes once it is masked."""

    start: int
    end: int
    kind: str
    name: str = ""
    bare: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """A secret that was masked: the path where it stood (`package.context.logs[2]`), a code for
    what kind it is (`github_token`), and a preview that does not give the value away."""

    where: str
    kind: str
    preview: str


def merged(spans: Iterable[Span]) -> list[Span]:
    """In order and apart: what overlaps is one span, of the kind of its first and longest part."""
    whole: list[Span] = []
    for span in sorted(spans, key=lambda one: (one.start, -one.end)):
        last = whole[-1] if whole else None
        if last is None or span.start >= last.end:
            whole.append(span)
        elif span.end > last.end:
            whole[-1] = last._replace(end=span.end, bare=False)
    return whole


def settled(text: bytes, spans: Iterable[Span]) -> list[Span]:
    """In order, apart and fit to be replaced: of whole characters and escapes, and around the
    marks of a text that was masked before, not in them. So masking again changes nothing."""
    whole = merged(_of_whole_characters(text, span) for span in spans)
    if whole and b"\\" in text:
        whole = merged(_behind_escape(text, span) for span in whole)
    if not whole or REDACTED_BYTES not in text:
        return whole
    return merged(filter(None, (_around_marks(text, span) for span in whole)))


def _of_whole_characters(text: bytes, span: Span) -> Span:
    start, end = span.start, span.end
    while start > 0 and _is_inside(text[start]):
        start -= 1
    while end < len(text) and _is_inside(text[end]):
        end += 1
    return span._replace(start=start, end=end) if (start, end) != span[:2] else span


def _behind_escape(text: bytes, span: Span) -> Span:
    """`\\nsbe_…`: the letter of an escape is no part of the word behind it."""
    start = slashes = span.start
    while slashes > 0 and text[slashes - 1] == _BACKSLASH:
        slashes -= 1
    escape = _ESCAPE.match(text, start) if (start - slashes) % 2 else None
    return span if escape is None else span._replace(start=min(escape.end(), span.end))


def _is_inside(byte: int) -> bool:
    """A byte of UTF-8 that begins no character."""
    return byte & 0xC0 == 0x80


def _around_marks(text: bytes, span: Span) -> Span | None:
    size = len(REDACTED_BYTES)
    near = max(0, span.start - size + 1), span.end + size - 1
    first, last = text.find(REDACTED_BYTES, *near), text.rfind(REDACTED_BYTES, *near)
    if first < 0:
        return span
    around = span._replace(start=min(span.start, first), end=max(span.end, last + size))
    return None if around.end - around.start == size else around
