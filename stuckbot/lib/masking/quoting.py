"""Reads one value where it stands: in quotes at any depth of escaping, a number, or bare."""

import re
from typing import Final, NamedTuple

#: Longer values end there: nobody's password, and no reason to walk a whole log.
_LONGEST: Final = 65_536
_OPENING: Final = re.compile(rb"(?:[bBrRuUfF]{1,2}(?=[\"']))?(\\{0,7})(\"\"\"|'''|[\"'`])")
#: What a quoted value begins with.
_OPENERS: Final = frozenset(bytes([one]) for one in b"\"'`\\bBrRuUfF")
_NUMBER: Final = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?=\s*\\*[,}\]]|\s*\Z|\s*\n)")
#: Where a bare value ends: white space, quotes, brackets, and what separates it from the next.
_BARE: Final = re.compile(rb"(?:[^\s\"'`,;<>|(){}\[\]\\\0&]++|&(?![A-Za-z0-9_.\[\]-]{1,60}=))++")
#: So much of a bare value is read to judge it, and the rest only when it is to be masked.
_JUDGED: Final = 300
_LINE: Final = re.compile(rb"[^\n\r\0]*+")
_MARKS: Final = {
    quote: re.compile(rb"(?<!\\)(\\*+)" + quote + rb"|[\n\0]") for quote in (b'"', b"'", b"`")
}
#: Most values hold neither an escape nor a line break.
_PLAIN: Final = {
    quote: re.compile(rb"[^\\\n\0" + quote + rb"]{0,200}+" + quote) for quote in (b'"', b"'", b"`")
}
_JSON_TOKEN: Final = re.compile(rb"(?<!\\)(\\*+)\"|[{}\[\]\0]|-?\d[\d.eE+-]*+")
_LEVELS: Final = {b"{": 1, b"[": 1, b"}": -1, b"]": -1}
_KEY_FOLLOWS: Final = re.compile(rb"\s*:")


class Value(NamedTuple):
    """Where a value stands, without its quotes; `quoted` says whether it had any, `number` that
    it is a number of a JSON text."""

    start: int
    end: int
    quoted: bool = True
    number: bool = False


def value_at(text: bytes, place: int, *, numbers: bool = False, whole: bool = True) -> Value | None:
    """The value that begins at `place`, or None where nothing that could be one does."""
    if text[place : place + 1] in _OPENERS:
        opening = _OPENING.match(text, place)
        if opening is not None:
            return _quoted(text, opening)
    if numbers and (number := _NUMBER.match(text, place)):
        return Value(place, number.end(), quoted=False, number=True)
    bare = _BARE.match(text, place, place + _JUDGED)
    if bare is None:
        return None
    if whole and bare.end() == place + _JUDGED:
        bare = _BARE.match(text, place, place + _LONGEST)
        assert bare is not None  # it matched the shorter stretch
    return Value(place, bare.end(), quoted=False)


def to_its_end(text: bytes, value: Value) -> Value:
    """All of a bare value of which only so much was read as it takes to judge it."""
    bare = None if value.quoted else _BARE.match(text, value.start, value.start + _LONGEST)
    return value if bare is None else value._replace(end=bare.end())


def _quoted(text: bytes, opening: re.Match[bytes]) -> Value:
    """Up to the same quote, as deeply escaped; where it never closes, to the end of the line."""
    start = opening.end()
    depth, quote = len(opening.group(1)), opening.group(2)
    end = _closing(text, start, depth, quote)
    if end is not None:
        return Value(start, end)
    rest = _LINE if quote == b'"' and not text[start : start + 1].isspace() else _BARE
    line = rest.match(text, start, start + _LONGEST)
    return Value(start, line.end() if line else start)


def _closing(text: bytes, start: int, depth: int, quote: bytes) -> int | None:
    """Where the quote that closes stands, its backslashes included; None where none does.

    Behind `depth` backslashes opened, it closes behind as many; each escape doubles those it
    stands behind, so 2 (depth + 1) more or twice that are escaped backslashes before it.
    """
    if len(quote) == 3:
        end = text.find(quote, start, start + _LONGEST)
        return None if end == -1 else end
    if depth == 0 and (plain := _PLAIN[quote].match(text, start)):
        return plain.end() - 1
    for mark in _MARKS[quote].finditer(text, start, start + _LONGEST):
        slashes = mark.group(1)
        if slashes is None:
            return None
        if len(slashes) < depth:
            return mark.start()  # the text around it closes
        if _closes(len(slashes), depth):
            return mark.end() - 1 - depth
    return None


def _closes(slashes: int, depth: int) -> bool:
    return slashes % (2 * (depth + 1)) == depth


def texts_inside(text: bytes, place: int, depth: int) -> tuple[list[Value], int]:
    """The texts and numbers inside the JSON object or list that opens at `place`, names left out,
    and where it ends. Its quotes stand behind `depth` backslashes; what never closes ends with
    the text."""
    found: list[Value] = []
    level = 0
    opened: int | None = None
    end = place
    for token in _JSON_TOKEN.finditer(text, place, place + _LONGEST):
        end = token.end()
        what = token.group()
        if token.group(1) is not None:
            if not _closes(len(token.group(1)), depth):
                continue
            if opened is None:
                opened = end
            else:
                if not _KEY_FOLLOWS.match(text, end):
                    found.append(Value(opened, end - 1 - depth))
                opened = None
        elif what == b"\0":
            break
        elif opened is not None:
            continue
        elif what in _LEVELS:
            level += _LEVELS[what]
            if level == 0:
                break
        else:
            found.append(Value(token.start(), end, quoted=False, number=True))
    return found, end
