"""Secrets in HTTP headers: Authorization, Cookie, and Bearer or Basic anywhere."""

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Final

from stuckbot.lib.masking.randomness import has_letters_and_digits, is_drawn
from stuckbot.lib.masking.spans import Span
from stuckbot.lib.masking.tokens import pattern
from stuckbot.lib.masking.values import is_shown, is_stand_in

_SCHEME: Final = pattern(r"\b(?:bearer|basic)[ \t]+[A-Za-z0-9_~+/.=-]{6,}", any_case=True)
_CREDENTIAL: Final = re.compile(rb"\s([^\s]+)\Z")
_COOKIE: Final = pattern(
    r"\b(?:set-)?cookie2?\\{0,7}[\"']?[ \t]*[:=,][ \t]*[^\r\n]{4,}", any_case=True
)
_PAIR: Final = re.compile(rb"[:; ,\"']([^\s=;:,\"']{1,100})=([^\s;,\"'\\]{12,})")


def header_secrets(text: bytes) -> Iterator[Span]:
    """What lets one in, wherever a header is quoted."""
    for found in _SCHEME.finditer(text):
        start, end = found.span()
        credential = _CREDENTIAL.search(text[start:end])
        if credential is not None and _lets_in(text[start], credential.group(1)):
            yield Span(start + credential.start(1), end, "authorization")
    for found in _COOKIE.finditer(text):
        start, end = found.span()
        for pair in _PAIR.finditer(text, start, end):
            value = pair.group(2)
            if is_drawn(value, 12) and not is_stand_in(value, True):
                yield Span(pair.start(2), pair.end(2), "cookie", pair.group(1).decode("latin-1"))


def _lets_in(first: int, value: bytes) -> bool:
    if is_stand_in(value) or is_shown(value):
        return False
    if first in b"Bb" and _names_a_user(value):
        return True
    return len(value) >= 16 and has_letters_and_digits(value)


def _names_a_user(value: bytes) -> bool:
    """Base64 of `user:password`."""
    try:
        decoded = base64.b64decode(value + b"=" * (-len(value) % 4), validate=True)
    except (ValueError, binascii.Error):
        return False
    return b":" in decoded and decoded.isascii() and decoded.decode().isprintable()
