"""A JSON value as one text of all its texts, so that what one of them tells holds for all."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from stuckbot.lib.masking.engine import find
from stuckbot.lib.masking.keys import KEYED, SILENT, STRONG, telling
from stuckbot.lib.masking.meter import Flood
from stuckbot.lib.masking.spans import REDACTED, Finding, Span
from stuckbot.lib.masking.values import is_secret
from stuckbot.lib.masking.writing import MOST, findings, masked, whole

#: Shorter names hold no secret themselves.
_NAME_LEAST: Final = 12
#: Between the items of a list, which may be the lines of one log; and between all others.
_SIBLING: Final = b"\n"
_APART: Final = b"\n\0\n"
#: Beside one of these, `pass` is a password.
_PASSES: Final = frozenset({"pass", "pw"})
_USERS: Final = frozenset({"user", "username", "login", "email", "mail"})
#: What holds the value that is named beside it, and the name.
_VALUES: Final = frozenset({"value", "val", "content", "default"})
_NAMES: Final = ("name", "key", "field", "variable", "header", "var")
_LONGEST_NAME: Final = 80
#: A flood of texts is read in so many parts, and each of them again.
_PARTS: Final = 16
_LINE_END: Final = b"\n"
_NAME: Final = re.compile(r"[A-Za-z0-9_.-]+")
#: `-p`, `--password`, `-phunter2`: an argument of a command, not a line of a list.
_FLAG: Final = re.compile(r"--?[A-Za-z]\S*")
_MOST_WORDS: Final = 64
_LONGEST_WORD: Final = 2_000
#: Beside a telling name in a list of two: eight characters or more, letters and digits.
_VALUE: Final = re.compile(r"(?=.{8})(?=.*[0-9])(?=.*[A-Za-z])")
#: `password:`, `Authorization: Bearer`
_INTRODUCES: Final = re.compile(r"(?i)(?:\b[a-z][a-z0-9_-]*[\"']?\s*[:=]|\b(?:bearer|basic))\s*\Z")


_SCHEMA_TYPES: Final = (
    "string",
    "object",
    "integer",
    "number",
    "array",
    "boolean",
    "apiKey",
    "http",
    "oauth2",
)


class _Leaf(NamedTuple):
    start: int
    end: int


class _Under(NamedTuple):
    """The name a value stands under, and how telling it is."""

    name: str = ""
    strength: int = SILENT


class Leaves:
    """The texts of a JSON value and its long names, in order, joined in `text`.

    `known` are those that are secrets by the name they stand under. `rebuilt` gives the value
    anew with what was found in the text masked, and fills `findings`.
    """

    def __init__(self, value: Any, where: str) -> None:
        self._value = value
        self._where = where
        self._pieces: list[bytes] = []
        self._leaves: list[_Leaf] = []
        self._length = 0
        self.known: list[Span] = []
        self.findings: list[Finding] = []
        self._collect(value, _Under(), _APART)
        self.text = b"".join(self._pieces)

    def _collect(self, value: Any, under: _Under, gap: bytes) -> None:
        if isinstance(value, str):
            self._add(value, under, gap)
        elif isinstance(value, Mapping):
            under = _Under() if is_schema(value) else under
            for key, item in value.items():
                if len(key) >= _NAME_LEAST:
                    self._add(key, _Under(), _APART)
                self._collect(item, _below(under, key, value), _APART)
        elif isinstance(value, list | tuple):
            is_command = _is_command(value)
            for place, item in enumerate(value):
                gap = b" " if is_command and place else _gap(value, place)
                self._collect(item, under, gap)
        elif _is_kept_number(value, under):
            self._add(str(value), under, gap)

    def _add(self, text: str, under: _Under, gap: bytes) -> None:
        raw = text.encode("utf-8", "surrogatepass")
        start = self._length + len(gap)
        end = start + len(raw)
        self._pieces += (gap, raw)
        self._length = end
        self._leaves.append(_Leaf(start, end))
        if under.strength and is_secret(under.strength, raw, True):
            self.known.append(Span(start, end, "named_secret", under.name))

    def each_part(self) -> list[Span]:
        """The secrets when the texts are too much together: they are read in parts, and one text
        that is too much even alone is masked whole."""
        return list(self._parted(self._leaves))

    def _parted(self, leaves: list[_Leaf]) -> Iterator[Span]:
        first = 0
        while first < len(leaves):
            behind = self._part_end(leaves, first, max(1, len(leaves) // _PARTS))
            yield from self._in_part(leaves[first:behind])
            first = behind

    def _in_part(self, leaves: list[_Leaf]) -> Iterator[Span]:
        start, end = leaves[0].start, leaves[-1].end
        text = self.text[start:end]
        first, behind = (bisect_left(self.known, at, key=_start) for at in (start, end))
        try:
            found = find(text, [_moved(span, -start) for span in self.known[first:behind]])
        except Flood:
            if len(leaves) > 1:
                yield from self._parted(leaves)
                return
            found = [whole(text)]
        yield from (_moved(span, start) for span in found)

    def _part_end(self, leaves: list[_Leaf], first: int, size: int) -> int:
        """Where a part ends: not between two that tell of one another, if that can be helped. All
        the leaves are no part, as they are too much together."""
        wanted = first + size
        last = min(wanted + _MOST_WORDS, len(leaves))
        for at in range(wanted, last):
            if self.text[leaves[at].start - 1] in _LINE_END:
                return at
        return last if first and last == len(leaves) else wanted

    def rebuilt(self, spans: list[Span]) -> Any:
        """The value with the spans masked; they are in order and apart."""
        self._spans = iter(spans)
        self._next: Span | None = next(self._spans, None)
        self._order = iter(self._leaves)
        return self._rebuild(self._value, _Under(), self._where)

    def _rebuild(self, value: Any, under: _Under, path: str) -> Any:
        if isinstance(value, str):
            return self._fresh(value, path)
        if isinstance(value, Mapping):
            return self._rebuilt_object(value, under, path)
        if isinstance(value, list | tuple):
            return [
                self._rebuild(item, under, f"{path}[{place}]") for place, item in enumerate(value)
            ]
        if _is_kept_number(value, under):
            text = self._fresh(str(value), path)
            return value if text == str(value) else text
        return value

    def _rebuilt_object(self, value: Mapping[str, Any], under: _Under, path: str) -> dict[str, Any]:
        fresh: dict[str, Any] = {}
        under = _Under() if is_schema(value) else under
        for key, item in value.items():
            name = self._fresh(key, path) if len(key) >= _NAME_LEAST else key
            name = _free(name, fresh)
            inside = f"{path}.{name}" if path else name
            fresh[name] = self._rebuild(item, _below(under, key, value), inside)
        return fresh

    def _fresh(self, text: str, path: str) -> str:
        """The text of the next leaf, masked."""
        leaf = next(self._order)
        inside = list(self._inside(leaf))
        if not inside:
            return text
        raw = self.text[leaf.start : leaf.end]
        moved = [_moved(span, -leaf.start) for span in inside]
        if len(self.findings) < MOST:
            self.findings += findings(raw, moved, path)
        if moved[0].start == 0 and moved[0].end == len(raw):
            return REDACTED
        return masked(raw, moved).decode("utf-8", "surrogatepass")

    def _inside(self, leaf: _Leaf) -> Iterator[Span]:
        """The parts of spans that lie in the leaf; one may go on in the next."""
        while self._next is not None and self._next.start < leaf.end:
            span = self._next
            start, end = max(span.start, leaf.start), min(span.end, leaf.end)
            if start < end:
                yield span._replace(start=start, end=end)
            if span.end > leaf.end:
                return
            self._next = next(self._spans, None)


def _start(span: Span) -> int:
    return span.start


def _moved(span: Span, by: int) -> Span:
    return span._replace(start=span.start + by, end=span.end + by)


def _is_kept_number(value: Any, under: _Under) -> bool:
    """A number under a telling name is a secret; booleans and null never are."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and under.strength >= KEYED


def _below(under: _Under, key: str, owner: Mapping[str, Any]) -> _Under:
    """What the values below a key stand under: that key, or a telling one above it."""
    if under.strength >= KEYED:
        return under
    if key.lower() in _PASSES and isinstance(owner[key], str):
        return _Under(key, STRONG if _USERS.intersection(map(str.lower, owner)) else telling(key))
    name = _name_beside(owner, key) if key.lower() in _VALUES else key
    strength = telling(name)
    return _Under(name, strength) if strength else under


def _name_beside(owner: Mapping[str, Any], key: str) -> str:
    """`{"name": "DB_PASSWORD", "value": …}`: the name, in whatever case its key is written; the
    value's own key where there is none."""
    given = {key.lower(): item for key, item in owner.items() if isinstance(item, str)}
    return next((given[name] for name in _NAMES if given.get(name)), key)


def _gap(items: Sequence[Any], place: int) -> bytes:
    """What stands before an item of a list: a line break, unless the item before tells of it."""
    before, item = items[place - 1] if place else None, items[place]
    if not isinstance(before, str) or not isinstance(item, str) or len(before) > _LONGEST_NAME:
        return _SIBLING
    if _INTRODUCES.search(before):
        return b" "
    pair = len(items) == 2 and _NAME.fullmatch(before) and telling(before)
    return b": " if pair and _VALUE.match(item) else _SIBLING


def _is_command(items: Sequence[Any]) -> bool:
    """`["docker", "login", "-p", …]`: the words of one command."""
    words = [item for item in items[:_MOST_WORDS] if isinstance(item, str)]
    short = len(words) == len(items) and all(len(word) <= _LONGEST_WORD for word in words)
    return short and any(map(_FLAG.fullmatch, words))


def is_schema(value: Mapping[str, Any]) -> bool:
    """It describes a value and is none: `{"type": "string"}` under `password`."""
    return "$ref" in value or value.get("type") in _SCHEMA_TYPES


def _free(name: str, taken: Mapping[str, Any]) -> str:
    """The name, numbered where another became the same, so that nothing is lost."""
    fresh, place = name, 2
    while fresh in taken:
        fresh, place = f"{name} {place}", place + 1
    return fresh
