"""Other readings of a text: percent-encoding, escapes and base64 undone, wrapped lines joined.

A secret is looked for in each, and what is found there is masked in the text itself.
"""

import base64
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple

from stuckbot.lib.masking.spans import Span
from stuckbot.lib.masking.tokens import pattern


class View:
    """A text with runs of it replaced by what they stand for, and the way back.

    Every byte that a run stands for takes the same number of bytes in the text.
    """

    __slots__ = ("_ends", "_lengths", "_places", "_starts", "text")

    def __init__(self, text: bytes, runs: Iterable[Any], decode: Callable[[bytes], bytes]) -> None:
        self._places: list[int] = []  # where a run begins in the view
        self._lengths: list[int] = []  # how long it is there
        self._starts: list[int] = []  # where it begins in the text
        self._ends: list[int] = []  # and ends
        pieces: list[bytes] = []
        read = written = 0
        for run in runs:
            start, end = run.span()
            decoded = decode(text[start:end])
            pieces += (text[read:start], decoded)
            written += start - read
            self._places.append(written)
            self._lengths.append(len(decoded))
            self._starts.append(start)
            self._ends.append(end)
            written += len(decoded)
            read = end
        pieces.append(text[read:])
        self.text = b"".join(pieces)

    def back(self, span: Span) -> Span:
        """The stretch of the text that the stretch of the view stands for."""
        last = self._place(span.end - 1)
        return span._replace(start=self._place(span.start)[0], end=last[1])

    def runs_inside(self, span: Span) -> int:
        """How many runs begin behind the first byte of the stretch and before its end."""
        return bisect_left(self._places, span.end) - bisect_right(self._places, span.start)

    def _place(self, place: int) -> tuple[int, int]:
        """Where in the text the byte of the view begins and ends."""
        at = bisect_right(self._places, place) - 1
        if at < 0:
            return place, place + 1
        inside = place - self._places[at]
        length = self._lengths[at]
        if inside >= length:
            start = self._ends[at] + inside - length
            return start, start + 1
        width = (self._ends[at] - self._starts[at]) // length
        start = self._starts[at] + inside * width
        return start, start + width


_PERCENT: Final = pattern(r"(?:%[0-9A-Fa-f]{2})+")
_UNICODE: Final = pattern(r"(?:\\u00[0-7][0-9A-Fa-f])+")
_HEX: Final = pattern(r"(?:\\x[0-7][0-9A-Fa-f])+")
_ESCAPED: Final = pattern(r"(?:\\[\"\\/])+")


def _percent(run: bytes) -> bytes:
    return bytes.fromhex(run.replace(b"%", b"").decode())


def _unicode(run: bytes) -> bytes:
    return bytes.fromhex(run.replace(b"\\u00", b"").decode())


def _hex(run: bytes) -> bytes:
    return bytes.fromhex(run.replace(b"\\x", b"").decode())


def _escapes(run: bytes) -> bytes:
    return run[1::2]


_DECODERS: Final = (
    (b"%", _PERCENT, _percent),
    (b"\\u00", _UNICODE, _unicode),
    (b"\\x", _HEX, _hex),
    (b"\\", _ESCAPED, _escapes),
)


def decoded_views(text: bytes) -> Iterator[View]:
    """A view for each way of encoding that the text uses."""
    for mark, runs, decode in _DECODERS:
        if mark in text and runs.search(text):
            yield View(text, runs.finditer(text), decode)


_WRAP: Final = pattern(r"[A-Za-z0-9_+/=.-]\r?\n[ \t]*[A-Za-z0-9_+/=.-]")


class _Gap(NamedTuple):
    start: int
    end: int

    def span(self) -> tuple[int, int]:
        return self.start, self.end


def joined_view(text: bytes) -> View:
    """The text with the line breaks between the halves of words taken out."""
    gaps = (_Gap(wrap.start() + 1, wrap.end() - 1) for wrap in _WRAP.finditer(text))
    return View(text, gaps, _nothing)


def squeezed(text: bytes) -> bytes:
    """The text without white space, to see quickly whether a word broke anywhere."""
    return text.translate(None, b" \t\r\n")


def _nothing(_run: bytes) -> bytes:
    return b""


#: Runs of base64 that hold a sentence or more; where a line is full, the next goes on with it.
_RUN: Final = pattern(
    r"[A-Za-z0-9+/_-]{60,}(?:(?:\\{1,4}r)?(?:\\{1,4}n|\r?\n)[ \t]{0,16}[A-Za-z0-9+/_-]+)*={0,2}"
    r"|[A-Za-z0-9+/_-]{16,}={0,2}"
)
#: Base64 of a text has capitals; paths and digests have none.
_CAPITAL: Final = re.compile(rb"[A-Z]")
_STANDARD: Final = bytes.maketrans(b"-_", b"+/")
_BETWEEN: Final = re.compile(rb"(?:\\+[rn])?\s*")
_GLUED: Final = re.compile(rb"/")
_NO_TEXT: Final = bytes(one if one in b"\t\n\r" or 32 <= one < 127 else 0 for one in range(256))
_TEXT: Final = re.compile(rb"[\t\n\r -~]{8}")


class Decoded:
    """What the runs of base64 in a text say, one after the other, NUL between them and where
    a byte is no text. A word glued to the front of a run shifts it, so that all four alignments
    are read."""

    __slots__ = ("_places", "_runs", "text")

    def __init__(self, text: bytes) -> None:
        self._places: list[int] = []
        self._runs: list[tuple[int, int]] = []
        pieces: list[bytes] = []
        written = 0
        for run in _RUN.finditer(text):
            start, end = run.span()
            if not _CAPITAL.search(text, start, end):
                continue
            for piece in _readings(text[start:end]):
                pieces.append(piece)
                self._places.append(written)
                self._runs.append((start, end))
                written += len(piece) + 1
        self.text = b"\0".join(pieces)

    def back(self, span: Span) -> Span:
        """The whole run: half a base64 text helps nobody."""
        start, end = self._runs[bisect_right(self._places, span.start) - 1]
        return span._replace(start=start, end=end, bare=False)


def _readings(run: bytes) -> Iterator[bytes]:
    """The run decoded at each alignment at which it holds text."""
    digits = _BETWEEN.sub(b"", run) if b"\\" in run or b"\n" in run else run
    digits = digits.translate(_STANDARD, b"=")
    for skipped in range(4 if _GLUED.search(run) else 1):
        rest = len(digits) - skipped
        whole = digits[skipped : len(digits) - (rest % 4 == 1)]
        decoded = base64.b64decode(whole + b"=" * (-len(whole) % 4)).translate(_NO_TEXT)
        if _TEXT.search(decoded):
            yield decoded
