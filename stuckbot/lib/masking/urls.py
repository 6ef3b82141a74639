"""Secrets inside addresses: the password before the host, and parameters that let one in."""

import re
from collections.abc import Iterator
from typing import Final

from stuckbot.lib.masking.keys import KEYED, WEAK, telling
from stuckbot.lib.masking.meter import Meter
from stuckbot.lib.masking.randomness import is_drawn, is_hex, is_mixed
from stuckbot.lib.masking.spans import REDACTED_BYTES, Span
from stuckbot.lib.masking.tokens import pattern
from stuckbot.lib.masking.values import is_stand_in

#: Up to the last @ of the authority; a password may hold @, : and what is percent-encoded.
_USERINFO: Final = pattern(r"[A-Za-z][A-Za-z0-9+.-]{0,30}://[^\s/?#\"'<>`@:\\]{0,200}:")
_PASSWORD: Final = re.compile(rb"[^\s/?#\"'<>`\\]*(?=@)")
#: One with a slash that was not encoded.
_WITH_SLASH: Final = re.compile(rb"[^\s?#\"'<>`\\]{0,199}(?=@)")
_PORT: Final = re.compile(rb"\d{1,5}(?:[,\s/?#\"'<>`\\]|\Z)")
#: `user:password@` is how one writes that a user and a password go there.
_ANYBODY: Final = frozenset((b"user:", b"username:", b"usr:", b"login:", b"<user>:"))
_ANYTHING: Final = frozenset((b"pass", b"password", b"passwd", b"pwd", b"secret", b"pw"))
_PARAMETER: Final = re.compile(rb"[?&;]([A-Za-z0-9_.\[\]-]{1,60})=([^\s&#\"'<>`\\;\]\)]+)")
_HAS_PARAMETER: Final = pattern(
    r"[?&;][A-Za-z0-9_.-]{0,40}(?:sig|token|key|secret|pass|pw|auth|code|cred|session|jwt|hmac|ticket|assertion|bearer|psk)"
    r"",
    any_case=True,
)
_PARAMETERS: Final = frozenset({"sig", "signature", "code", "hmac", "ticket", "assertion"})
#: Addresses that let in whoever knows them.
_HOOK: Final = pattern(
    r"://[^\s\"'<>`\\?#]{0,200}(?:hook[a-z0-9_-]{0,20}|hooks\.[a-z0-9.-]{1,60}/[a-z]{1,20}|"
    r"/key|/token|/secret|/incoming|/trigger)/[A-Za-z0-9_@/=.~:%-]{16,}",
    any_case=True,
)
_SEGMENTS: Final = re.compile(rb"[^/@]+")
#: The user alone lets in: `https://TOKEN@host`.
_USER: Final = pattern(r"://[A-Za-z0-9_.~%-]{20,}(?::(?:x-oauth-basic)?)?@")


def url_secrets(text: bytes, meter: Meter) -> Iterator[Span]:
    """Passwords, signed parameters and the tokens of webhook addresses."""
    if b"://" in text:
        yield from _passwords(text, meter)
    if _HAS_PARAMETER.search(text):
        yield from _parameters(text, meter)
    for found in meter.each(_HOOK, text):
        yield from _hook_tokens(text, *found.span())
    for found in meter.each(_USER, text):
        start = found.start() + 3
        user = text[start : found.end() - 1].split(b":")[0]
        if is_mixed(user) or (is_drawn(user, 24) and not is_stand_in(user)):
            yield Span(start, start + len(user), "url_password")


def _hook_tokens(text: bytes, start: int, end: int) -> Iterator[Span]:
    """The parts of the path that look drawn at random."""
    for segment in _SEGMENTS.finditer(text, text.index(b"/", start + 3), end):
        value = segment.group()
        drawn = is_drawn(value) or (len(value) >= 32 and is_hex(value.replace(b"-", b"")))
        if drawn and REDACTED_BYTES not in value:
            yield Span(segment.start(), segment.end(), "webhook_token")


def _passwords(text: bytes, meter: Meter) -> Iterator[Span]:
    done = 0
    for found in meter.each(_USERINFO, text):
        start = found.end()
        if start < done:
            continue
        end = _password_end(text, start)
        done = max(done, end)
        shown = found.group().rsplit(b"/", 1)[1] in _ANYBODY and text[start:end] in _ANYTHING
        if end > start and not shown and not is_stand_in(text[start:end], True):
            yield Span(start, end, "url_password")


def _password_end(text: bytes, start: int) -> int:
    """Where the password that begins at `start` ends; `start` itself where there is none."""
    password = _PASSWORD.match(text, start)
    if password is None and not _PORT.match(text, start):
        password = _WITH_SLASH.match(text, start)
    return start if password is None else password.end()


def _parameters(text: bytes, meter: Meter) -> Iterator[Span]:
    for found in meter.each(_PARAMETER, text):
        name = found.group(1).decode()
        strength = telling(name)
        if strength == WEAK or name.lower() in _PARAMETERS:
            value = found.group(2)
            known = name.lower().endswith(("signature", "sig", "key", "auth"))
            secret = len(value) >= (8 if known else 20) and is_drawn(value, 8)
        else:
            secret = strength >= KEYED
        if secret and not is_stand_in(found.group(2)):
            yield Span(found.start(2), found.end(2), "url_parameter", name)
