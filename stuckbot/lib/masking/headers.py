"""Secrets in HTTP headers: Authorization, Cookie, and Bearer or Basic anywhere."""

import re
from collections.abc import Iterator
from typing import Final

from stuckbot.lib.masking.meter import Meter
from stuckbot.lib.masking.randomness import has_letters_and_digits, is_drawn, names_a_user
from stuckbot.lib.masking.spans import Span
from stuckbot.lib.masking.tokens import pattern
from stuckbot.lib.masking.values import is_shown, is_stand_in

_SCHEME: Final = pattern(r"\b(?:bearer|basic)[ \t]+[A-Za-z0-9_~+/.=-]{6,}", any_case=True)
_COOKIE: Final = pattern(
    r"\b(?:set-)?cookie2?\\{0,7}[\"']?[ \t]*[:=,][ \t]*[^\r\n]{4,}", any_case=True
)
_AUTHORIZATION: Final = pattern(
    r"\bauthorization\\{0,7}[\"']?[ \t]{0,4}[:=,][ \t]{0,4}(?:f?\\{0,7}[\"'])?"
    r"[A-Za-z0-9_=:+/.-]{2,}(?:[ \t]+[^\s\"'\\]+)*",
    any_case=True,
)
_SMTP: Final = pattern(r"\bAUTH (?:PLAIN|LOGIN|XOAUTH2|CRAM-MD5) [A-Za-z0-9+/]{8,}={0,2}")
_CREDENTIALS: Final = re.compile(
    rb"(?i)[:=,]\s*(?:f?\\*[\"'])?(?:[a-z][a-z0-9-]{0,24}[ \t]+)?(?:[a-z_]{1,20}[=:])?([^\s,]{8,})"
)
_SESSION: Final = re.compile(rb"(?i)sess|sid$|auth|token|jwt|remember|login|csrf|xsrf")
_UNBROKEN: Final = re.compile(rb"[A-Za-z0-9]{16}")
_PAIR: Final = re.compile(rb"[:; ,\"']([^\s=;:,\"']{1,100})=([^\s;,\"'\\]{12,})")


def header_secrets(text: bytes, meter: Meter) -> Iterator[Span]:
    """What lets one in, wherever a header is quoted."""
    for found in meter.each(_SCHEME, text):
        start, end = found.span()
        credential = text[start:end].split()[-1]
        if _lets_in(credential, True):
            yield Span(end - len(credential), end, "authorization")
    for found in meter.each(_AUTHORIZATION, text):
        start, end = found.span()
        given = _CREDENTIALS.search(text[start:end])
        if given is not None and _lets_in(given.group(1), False):
            yield Span(start + given.start(1), start + given.end(1), "authorization")
    for found in meter.each(_SMTP, text):
        start, end = found.span()
        credential = text[start:end].split()[-1]
        yield Span(end - len(credential), end, "authorization")
    for found in meter.each(_COOKIE, text):
        start, end = found.span()
        for pair in meter.each(_PAIR, text, start, end):
            name, value = pair.group(1), pair.group(2)
            if _is_session(name, value) and not is_stand_in(value, True):
                yield Span(pair.start(2), pair.end(2), "cookie", name.decode("latin-1"))


def _is_session(name: bytes, value: bytes) -> bool:
    """A name that says so, or a long unbroken run that looks drawn; not a counter or a choice."""
    if _SESSION.search(name):
        return has_letters_and_digits(value)
    return _UNBROKEN.search(value) is not None and is_drawn(value)


def _lets_in(value: bytes, has_scheme: bool) -> bool:
    if is_stand_in(value) or is_shown(value):
        return False
    if has_scheme and names_a_user(value):
        return True
    return len(value) >= 12 and has_letters_and_digits(value)
