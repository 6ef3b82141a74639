"""JSON as the API takes it: UTF-8, no NaN, no key twice, no bottomless nesting.

What two parsers could read differently is refused, so what was checked is what was sent.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from stuckbot.lib.cutting import masked_cut
from stuckbot.lib.errors import BadRequest

DEPTH_LIMIT: Final = 64
INTEGER_DIGITS: Final = 4_300

_BOM: Final = b"\xef\xbb\xbf"
#: The closing quote is optional so that an unclosed string is crossed once, not once a quote.
_STRING: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_NOT_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))
_OPENERS: Final = frozenset(b"[{")
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")


class BadJSON(BadRequest):
    """The bytes are not JSON this server takes; the message says what to mend."""


def loads(raw: bytes) -> Any:
    """The value in `raw`, or BadJSON. Lone surrogates pass here: `text_faults` finds them."""
    text = _decoded(raw)
    if _is_too_deep(raw):
        raise BadJSON(f"Nest the JSON at most {DEPTH_LIMIT} levels deep.")
    try:
        return json.loads(
            text,
            object_pairs_hook=_object,
            parse_float=_float,
            parse_int=_integer,
            parse_constant=_constant,
        )
    except json.JSONDecodeError as error:
        raise BadJSON(
            f"Send valid JSON: what is at line {error.lineno}, column {error.colno} is not."
        ) from error


def dumps(value: Any) -> bytes:
    """Compact UTF-8, keys in the order given. ValueError for NaN and for lone surrogates."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def text_faults(value: Any, path: str = "") -> list[tuple[str, str]]:
    """(path, message) for each string or key that holds NUL or half a surrogate pair.

    Paths read like `package.blocker_criteria[0].url`; a key at fault is named with `?` in the
    place of what cannot be sent back.
    """
    if _is_clean(value):
        return []
    found: list[tuple[str, str]] = []
    waiting = [(path, value)]
    while waiting:
        where, item = waiting.pop()
        if isinstance(item, str):
            if bad := _unstorable(item):
                found.append((where, f"Remove {bad} from {where or 'the text'}."))
        elif isinstance(item, dict | list):
            children = list(_children(where, item, found))
            waiting.extend(reversed(children))
    return found


def text_cleaned(value: Any) -> Any:
    """The value with `?` in the place of what `text_faults` finds."""
    if isinstance(value, str):
        return shown_key(value)
    if isinstance(value, dict):
        return {shown_key(str(key)): text_cleaned(item) for key, item in value.items()}
    if isinstance(value, list):
        return [text_cleaned(item) for item in value]
    return value


def _is_clean(value: Any) -> bool:
    """Written out at once and searched, which is quicker than a walk. False says: walk."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return False
    return "\\u0000" not in text and (text.isascii() or not _UNSTORABLE.search(text))


def _children(
    where: str, item: dict[Any, Any] | list[Any], found: list[tuple[str, str]]
) -> Iterator[tuple[str, Any]]:
    if isinstance(item, list):
        yield from ((f"{where}[{index}]", child) for index, child in enumerate(item))
        return
    for key, child in item.items():
        bad = _unstorable(str(key))
        name = shown_key(str(key))
        inner = f"{where}.{name}" if where else name
        if bad:
            found.append((inner, f"Remove {bad} from the name of the field {inner}."))
        yield inner, child


def shown_key(name: str) -> str:
    """The key as an answer may name it: `?` for what cannot be stored or sent back."""
    return _UNSTORABLE.sub("?", name)


def _unstorable(text: str) -> str:
    match = None if text.isascii() and "\x00" not in text else _UNSTORABLE.search(text)
    if match is None:
        return ""
    return "the NUL character" if match.group() == "\x00" else "the unpaired surrogate"


def _decoded(raw: bytes) -> str:
    if raw.startswith(_BOM):
        raise BadJSON("Send the JSON without a byte order mark at its start.")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadJSON(f"Send the JSON as UTF-8: byte {error.start} is not.") from error


def _is_too_deep(raw: bytes) -> bool:
    """Looked up before parsing, for the parser would run into the interpreter's own limit."""
    if raw.count(b"[") + raw.count(b"{") <= DEPTH_LIMIT:
        return False
    depth = 0
    for byte in _STRING.sub(b"", raw).translate(None, _NOT_BRACKETS):
        depth += 1 if byte in _OPENERS else -1
        if depth > DEPTH_LIMIT:
            return True
    return False


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        counted = Counter(key for key, _ in pairs)
        twice = counted.most_common(1)[0][0]
        raise BadJSON(f"Name each key once in an object: {_shown(twice)} is there more than once.")
    return made


def _shown(key: str) -> str:
    return json.dumps(shown_key(masked_cut(key, 80)), ensure_ascii=False)


def _float(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise BadJSON("Send numbers that fit a double: one of them is too large.")
    return number


def _integer(digits: str) -> int:
    if len(digits.removeprefix("-")) > INTEGER_DIGITS:
        raise BadJSON(f"Send whole numbers of at most {INTEGER_DIGITS:,} digits.")
    return int(digits)


def _constant(name: str) -> float:
    raise BadJSON(f"{name} is not JSON: send a number or null.")
