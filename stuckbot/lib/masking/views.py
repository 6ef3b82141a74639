"""Other readings of a text: percent-encoding, escapes and base64 undone, wrapped lines joined.

A secret is looked for in each, and what is found there is masked in the text itself.
"""

import base64
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from html import unescape
from typing import Final, Protocol

from stuckbot.lib.masking.spans import Span, merged
from stuckbot.lib.masking.tokens import pattern


class Reading(Protocol):
    """The text itself or what it says when read another way."""

    text: bytes

    def back(self, span: Span) -> Span:
        """The stretch of the text behind a stretch of the reading."""


class Plain:
    """The text as it is."""

    __slots__ = ("text",)

    def __init__(self, text: bytes) -> None:
        self.text = text

    def back(self, span: Span) -> Span:
        return span


class Inner:
    """A reading of a reading."""

    __slots__ = ("_inner", "_outer", "text")

    def __init__(self, outer: Reading, inner: Reading) -> None:
        self._outer, self._inner = outer, inner
        self.text = inner.text

    def back(self, span: Span) -> Span:
        return self._outer.back(self._inner.back(span))


class View:
    """A text with runs of it replaced by what they stand for.

    Every byte that a run stands for takes the same number of bytes in the text. The way back is
    looked up only once something was found.
    """

    __slots__ = ("_decode", "_ends", "_lengths", "_places", "_runs", "_source", "_starts", "text")

    def __init__(
        self, source: bytes, runs: re.Pattern[bytes], decode: Callable[[bytes], bytes]
    ) -> None:
        self._source, self._runs, self._decode = source, runs, decode
        self._places: list[int] | None = None  # where a run begins in the view
        self._lengths: list[int] = []  # how long it is there
        self._starts: list[int] = []  # where it begins in the text
        self._ends: list[int] = []  # and ends
        self.text = runs.sub(lambda run: decode(run[0]), source)

    def back(self, span: Span) -> Span:
        return span._replace(start=self._place(span.start)[0], end=self._place(span.end - 1)[1])

    def runs_inside(self, span: Span) -> int:
        """How many runs begin behind the first byte of the stretch and before its end."""
        places = self._mapped()
        return bisect_left(places, span.end) - bisect_right(places, span.start)

    def _mapped(self) -> list[int]:
        if self._places is None:
            self._places = []
            saved = 0
            for run in self._runs.finditer(self._source):
                start, end = run.span()
                length = len(self._decode(run[0]))
                self._places.append(start - saved)
                self._lengths.append(length)
                self._starts.append(start)
                self._ends.append(end)
                saved += end - start - length
        return self._places

    def _place(self, place: int) -> tuple[int, int]:
        """Where in the text the byte of the view begins and ends."""
        places = self._mapped()
        at = bisect_right(places, place) - 1
        if at < 0:
            return place, place + 1
        inside = place - places[at]
        length = self._lengths[at]
        if inside >= length:
            start = self._ends[at] + inside - length
            return start, start + 1
        width = (self._ends[at] - self._starts[at]) // length
        start = self._starts[at] + inside * width
        return start, start + width


#: Letters, digits, signs and white space alone: the rest of UTF-8 holds no secret, and `%DB%` is a
#: variable.
_PERCENT: Final = re.compile(rb"(?:%(?:[2-7][0-9A-Fa-f]|0[9ADad]))+")
#: The same where a form was sent: a plus sign is a space, beside words or what is encoded.
_FORM: Final = re.compile(
    rb"(?:%(?:[2-7][0-9A-Fa-f]|0[9ADad]))+|(?<=[A-Za-z0-9:=-])\++(?=[A-Za-z%-])"
)
_UNICODE: Final = re.compile(rb"(?:\\u00[0-7][0-9A-Fa-f])+")
_HEX: Final = re.compile(rb"(?:\\x[0-7][0-9A-Fa-f])+")
_BRACED: Final = re.compile(rb"\\u\{[2-7][0-9A-Fa-f]\}")
#: What HTML and XML write for quotes and the like, and letters by their number.
_ENTITY: Final = re.compile(
    rb"&(?:quot|apos|amp|lt|gt|#(?:0?(?:3[2-9]|[4-9][0-9])|1[01][0-9]|12[0-6]|[xX][2-7][0-9A-Fa-f]));"
)
_ESCAPED: Final = re.compile(rb"(?:\\[\"\\/nrt])+")
_MEANT: Final = bytes.maketrans(b"nrt", b"\n\r\t")


def _percent(run: bytes) -> bytes:
    return bytes.fromhex(run.replace(b"%", b"").decode())


def _form(run: bytes) -> bytes:
    return run.replace(b"+", b" ") if run[:1] == b"+" else _percent(run)


def _unicode(run: bytes) -> bytes:
    return bytes.fromhex(run.replace(b"\\u00", b"").decode())


def _hex(run: bytes) -> bytes:
    return bytes.fromhex(run.replace(b"\\x", b"").decode())


def _braced(run: bytes) -> bytes:
    return bytes.fromhex(run[3:-1].decode())


def _escapes(run: bytes) -> bytes:
    return run[1::2].translate(_MEANT)


def _entity(run: bytes) -> bytes:
    return unescape(run.decode()).encode()


_DECODERS: Final = (
    (b"%", _PERCENT, _percent),
    (b"+", _FORM, _form),
    (b"\\u00", _UNICODE, _unicode),
    (b"\\x", _HEX, _hex),
    (b"\\u{", _BRACED, _braced),
    (b"&", _ENTITY, _entity),
    (b"\\", _ESCAPED, _escapes),
)
#: Encoded once more; deeper, nothing a person sends is.
_DEPTH: Final = 2


def readings_of(text: bytes, depth: int = _DEPTH) -> Iterator[Reading]:
    """What the text says with each encoding in it undone, and those below undone too."""
    if depth < _DEPTH:
        yield Decoded(text)
    for mark, runs, decode in _DECODERS if depth else ():
        if mark in text and runs.search(text) and (mark != b"+" or _PERCENT.search(text)):
            view = View(text, runs, decode)
            yield view
            for inner in readings_of(view.text, depth - 1):
                yield Inner(view, inner)


_WRAP: Final = re.compile(rb"(?<=[A-Za-z0-9_+/=.:-])\\?\r?\n[ \t]*(?=[A-Za-z0-9_+/=.:-])")


def joined_view(text: bytes) -> View:
    """The text with the line breaks between the halves of words taken out."""
    return View(text, _WRAP, _nothing)


def squeezed(text: bytes) -> bytes:
    """The text without white space, to see quickly whether a word broke anywhere."""
    return text.translate(None, b" \t\r\n\\")


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
_NO_TEXT: Final = bytes(one if one in b"\t\n\r" or 32 <= one < 127 else 0 for one in range(256))
#: Every other byte of UTF-16.
_HIGH: Final = bytes(4)
#: No digest is made of the digits of printable characters alone.
_HEXED: Final = re.compile(rb"(?:[2-7][0-9a-fA-F]|0[9aAdD]){12,}+")
_TEXT: Final = re.compile(rb"[\t\n\r -~]{8}")
#: Shorter stretches of it stand in any bytes by chance, and say nothing.
_STRETCH: Final = re.compile(rb"[\t\n\r -~]{6,}")


class Decoded:
    """What the runs of base64 in a text say, one after the other, NUL between them and where
    a byte is no text. A word glued to the front of a run shifts it, so that all four alignments
    are read."""

    __slots__ = ("_places", "_runs", "text")

    def __init__(self, text: bytes, known: list[Span] | None = None) -> None:
        """Runs inside one of the `known` spans are not read: they are masked already."""
        self._places: list[int] = []
        self._runs: list[tuple[int, int]] = []
        pieces: list[bytes] = []
        written = 0
        skip = merged(known) if known else []
        starts = [span.start for span in skip]
        for run in _RUN.finditer(text):
            start, end = run.span()
            at = bisect_right(starts, start) - 1
            if at >= 0 and skip[at].end >= end:
                continue
            for piece in _said_by(text, start, end):
                pieces.append(piece)
                self._places.append(written)
                self._runs.append((start, end))
                written += len(piece) + 1
        self.text = b"\0".join(pieces)

    def back(self, span: Span) -> Span:
        """The whole run: half a base64 text helps nobody."""
        start, end = self._runs[bisect_right(self._places, span.start) - 1]
        return span._replace(start=start, end=end, bare=False)


def _said_by(text: bytes, start: int, end: int) -> Iterator[bytes]:
    """What a run says as base64, or as hexadecimal digits of text."""
    if _HEXED.fullmatch(text, start, end):
        yield bytes.fromhex(text[start:end].decode())
    elif _CAPITAL.search(text, start, end):
        yield from _readings(text[start:end])


def _readings(run: bytes) -> Iterator[bytes]:
    """The run decoded at each alignment at which it holds text."""
    digits = _BETWEEN.sub(b"", run) if b"\\" in run or b"\n" in run else run
    digits = digits.translate(_STANDARD, b"=")
    for skipped in range(4 if b"/" in run else 1):
        rest = len(digits) - skipped
        whole = digits[skipped : len(digits) - (rest % 4 == 1)]
        decoded = base64.b64decode(whole + b"=" * (-len(whole) % 4))
        if decoded[3:11:2] == _HIGH:
            decoded = decoded[::2]
        decoded = decoded.translate(_NO_TEXT)
        if _TEXT.search(decoded):
            yield b"\0".join(_STRETCH.findall(decoded))
