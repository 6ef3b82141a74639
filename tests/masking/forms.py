"""The forms in which a text stands in another, and whether a value can still be read from it."""

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterator
from typing import Final
from urllib.parse import quote, unquote

Form = Callable[[str], str]


def plain(text: str) -> str:
    return text


def percent(text: str) -> str:
    return quote(text, safe="")


def base64_of(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def base64url_of(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


FORMS: Final[dict[str, Form]] = {
    "plain": plain,
    "json": json.dumps,
    "percent": percent,
    "base64": base64_of,
    "base64url": base64url_of,
}
NESTED: Final[dict[str, Form]] = {
    "json in json": lambda text: json.dumps({"body": json.dumps({"log": text})}),
    "base64 of json": lambda text: base64_of(json.dumps({"log": text})),
    "base64 of percent": lambda text: base64_of(percent(text)),
    "base64 in json": lambda text: json.dumps({"data": base64_of(text)}),
    "percent of base64": lambda text: percent(base64_of(text)),
    "percent in json": lambda text: json.dumps({"query": percent(text)}),
    "json in percent": lambda text: percent(json.dumps({"log": text})),
}
_RUN: Final = re.compile(r"[A-Za-z0-9+/_-]{8,}")
_DEPTH: Final = 3


def survives(value: str, text: str) -> bool:
    """Whether the value stands in the text, or in what the text says once decoded."""
    return any(value in one or json.dumps(value)[1:-1] in one for one in _said(text, _DEPTH))


def _said(text: str, depth: int) -> Iterator[str]:
    yield text
    if depth == 0:
        return
    for other in {unquote(text), _unescaped(text), *_decoded(text)} - {text}:
        yield from _said(other, depth - 1)


def _unescaped(text: str) -> str:
    return re.sub(r'\\(["\\/])', r"\1", text).replace("\\n", "\n")


def _decoded(text: str) -> Iterator[str]:
    for run in _RUN.findall(text):
        digits = run.replace("-", "+").replace("_", "/")
        digits = digits[: len(digits) - (len(digits) % 4 == 1)]
        try:
            yield base64.b64decode(digits + "=" * (-len(digits) % 4)).decode("latin-1")
        except binascii.Error:
            continue
