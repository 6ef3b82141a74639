"""Secrets stated with no sign between name and value: settings files, SQL, scripts, sentences."""

import re
from collections.abc import Iterator
from typing import Final

from stuckbot.lib.masking.keyed import STEM, holds
from stuckbot.lib.masking.keys import KEYED, STRONG, qualifies_key, telling
from stuckbot.lib.masking.meter import Meter
from stuckbot.lib.masking.quoting import value_at
from stuckbot.lib.masking.randomness import has_letters_and_digits, is_drawn, is_hex, is_mixed
from stuckbot.lib.masking.spans import Span
from stuckbot.lib.masking.tokens import pattern
from stuckbot.lib.masking.values import is_secret, is_stand_in

#: `name: DB_PASSWORD` with `value: …` beside or below it.
_PAIRED: Final = pattern(
    r"(?:name|key|id|variable|property)\\{0,7}[\"']?[ \t]*[:=][ \t]*\\{0,7}[\"']?"
    r"[A-Za-z0-9_.-]{0,40}" + STEM + r"[A-Za-z0-9_.-]{0,24}\\{0,7}[\"']?\s{0,40}[,;/]?\s{0,40}"
    r"(?:-\s)?\\{0,7}[\"']?(?:value|default)\\{0,7}[\"']?[ \t]*[:=][ \t]*",
    any_case=True,
)
#: `variable "db_password" { … default = "…" }`
_VARIABLE: Final = pattern(
    r"variable[ \t]+\"[A-Za-z0-9_-]{0,40}"
    + STEM
    + r"[A-Za-z0-9_-]{0,24}\"[ \t]*\{[^{}\x00]{0,400}\bdefault[ \t]*=[ \t]*",
    any_case=True,
)
#: `define("DB_PASSWORD", "…")`, `("Authorization", "…")`
_CALL: Final = pattern(
    r"\(\s{0,4}\\{0,7}[\"'][A-Za-z0-9_.-]{0,40}"
    + STEM
    + r"[A-Za-z0-9_.-]{0,24}\\{0,7}[\"']\s{0,4},\s{0,4}",
    any_case=True,
)
#: `var token string = "…"`, `char password[] = "…"`
_TYPED: Final = pattern(
    STEM + r"[A-Za-z0-9_]{0,24}(?:[ \t]+string|\[[0-9]{0,4}\])[ \t]{0,4}=[ \t]{0,4}",
    any_case=True,
)
#: `.setPassword("…")`, `.apiKey("…")`
_SETTER: Final = pattern(
    r"(?:\b(?:set|with|add|use)_?|\.)(?:api|access|secret|private|auth|account|user|db|client|"
    r"bearer|sas)?_?(?:password|passwd|passphrase|pwd|secret|token|key)\(\s{0,4}",
    any_case=True,
)
#: `ENV DB_PASSWORD …`, `setenv API_TOKEN …`
_SET_LINE: Final = pattern(
    r"\b(?:ENV|ARG|setenv|setx|set -[gUx]+|config:set|(?:config(?:ure)?|secrets?|variable) set)"
    r"[ \t]+[A-Za-z0-9_]{0,40}" + STEM + r"[A-Za-z0-9_]{0,24}[ \t]+",
    any_case=True,
)
#: `requirepass …`, `bindpw …`, `user x password …` alone on a line, or all that quotes hold
_LINE: Final = pattern(
    r"(?m)(?:^|[\"\x00])[ \t]*[A-Za-z0-9_.-]{0,40}"
    r"(?:pass(?:word|wd|phrase)?|pwd?|secret|token|key|auth)"
    r"[ \t]+[\"']?[^\s:=\"\x00]{6,}(?:\"?[ \t]*;?[ \t]*\r?$|[\"\x00])",
    any_case=True,
)
#: `IDENTIFIED BY '…'`, `WITH PASSWORD '…'`
_SQL: Final = pattern(
    r"\b(?:identified(?:[ \t]+with[ \t]+\S{1,60})?[ \t]+by|password|passwd|passphrase|secret)"
    r"(?:[ \t]+|[ \t]*=[ \t]*|\()N?'",
    any_case=True,
)
#: Of two arguments both may be names.
_ARGUMENT: Final = re.compile(rb"[A-Za-z_ .-]+[0-9]?|[0-9]{4}_[a-z0-9_]+")
_NETRC: Final = pattern(r"\blogin[ \t]+\S{1,100}\s{1,8}password[ \t]+", any_case=True)
#: `<entry key="db.password">…`, `<key>Password</key><string>…`
_ELEMENT: Final = pattern(
    r"(?:(?:name|key|id)=[\"'][A-Za-z0-9_.-]{0,40}"
    + STEM
    + r"[A-Za-z0-9_.-]{0,24}[\"']\s{0,8}>|<key>[A-Za-z0-9_.-]{0,40}"
    + STEM
    + r"[A-Za-z0-9_.-]{0,24}</key>\s{0,40}<string>)",
    any_case=True,
)
_CONTENT: Final = re.compile(rb"([^<>\0]{1,4000}+)</")
#: `auth=("user", "…")`, `login("user", "…")`
_CREDENTIALS: Final = pattern(
    r"(?:auth|login|credentials?)[a-z_]{0,12}\s{0,2}(?:=\s{0,2})?\(\s{0,4}"
    r"[\"'][^\"'\n\x00]{0,100}[\"']\s{0,4},\s{0,4}",
    any_case=True,
)
#: `host:5432:database:user:…`
_PGPASS: Final = pattern(r"(?m)^[^:\s#]+:(?:[0-9]{2,5}|\*):[^:\s]+:[^:\s]+:")
#: `:password "…"`
_EDN: Final = pattern(
    r"[:(](?:[a-z-]{0,20}-)?(?:password|secret|token|api-key)[ \t]+", any_case=True
)
#: Shorter arguments of a setter are no secrets.
_SET_LEAST: Final = 8
_NAME: Final = re.compile(rb"[\w.-]+")


def paired(text: bytes, meter: Meter) -> Iterator[Span]:
    """A name and its value as two entries, or as two arguments."""
    for shape in (_PAIRED, _VARIABLE, _CALL, _TYPED):
        for found in meter.each(shape, text):
            start, end = found.span()
            name = _telling_name(text[start:end])
            for span in _value(text, end, name, quoted=shape in (_CALL, _TYPED)):
                if shape is not _CALL or not _ARGUMENT.fullmatch(text[span.start : span.end]):
                    yield span
    for found in meter.each(_ELEMENT, text):
        start, end = found.span()
        name, held = _telling_name(text[start:end]), _CONTENT.match(text, end)
        if held is not None and is_secret(telling(name), held.group(1), True):
            yield Span(end, held.end(1), "named_secret", name)
    for found in meter.each(_SETTER, text):
        start, end = found.span()
        for span in _value(text, end, text[start : end - 1].decode().strip(".( "), quoted=True):
            if span.end - span.start >= _SET_LEAST:
                yield span


def _telling_name(head: bytes) -> str:
    """The name in the head of a pair that announces a secret most."""
    names: list[bytes] = _NAME.findall(head)
    return max((name.decode() for name in names), key=telling)


def _value(text: bytes, place: int, name: str, *, quoted: bool = False) -> Iterator[Span]:
    value = value_at(text, place)
    if value is None or (quoted and not value.quoted):
        return
    if holds(text, value, telling(name), name):
        yield Span(value.start, value.end, "named_secret", name)


def stated(text: bytes, meter: Meter) -> Iterator[Span]:
    """`ENV DB_PASSWORD x`, `requirepass x`, `IDENTIFIED BY 'x'`, netrc."""
    for found in meter.each(_SET_LINE, text):
        start, end = found.span()
        yield from _value(text, end, text[start:end].split()[-1].decode())
    for found in meter.each(_NETRC, text):
        yield from _value(text, found.end(), "password")
    for shape in (_PGPASS, _EDN, _CREDENTIALS):
        for found in meter.each(shape, text):
            yield from _value(text, found.end(), "password", quoted=shape is not _PGPASS)
    for found in meter.each(_SQL, text):
        end = found.end()
        yield from _value(text, end - 1, "password")
    for found in meter.each(_LINE, text):
        start, end = found.span()
        name, value = text[start:end].lstrip(b'"\0').split()[:2]
        value = value.rstrip(b";\\\"'\0").lstrip(b"\"'")
        is_line = text[start] != _QUOTE
        if telling(name.decode()) >= KEYED and _is_stated(name, value, is_line):
            begin = text.index(value, start + len(name))
            yield Span(begin, begin + len(value), "named_secret", name.decode())


def _is_stated(name: bytes, value: bytes, is_line: bool) -> bool:
    """A line that begins as nobody would begin a sentence, or a value that is no word."""
    is_setting = name.lower() not in _PLAIN_WORDS
    is_no_word = has_letters_and_digits(value) or is_drawn(value, 12 if is_setting else 16)
    return ((is_line and is_setting) or is_no_word) and not is_stand_in(value)


_QUOTE: Final = ord('"')
_PLAIN_WORDS: Final = frozenset((b"password", b"passphrase", b"secret", b"token"))
_SAID: Final = pattern(
    r"\b(?:token|secret|password|passphrase|passcode|credential|bearer|jwt|key|pat)s?\b"
    r"(?:[ \t]+(?:is|was|of|to|provided|used|set|value|now|for[ \t]+[A-Za-z0-9_@.-]{1,40}:))?"
    r"(?:[ \t]{0,2}[:=][ \t]{0,2}|[ \t]{1,2})"
    r"[\"'`]?[A-Za-z0-9_+/=.~!@#$%^&*-]{6,}",
    any_case=True,
)
_SAID_PARTS: Final = re.compile(
    rb"(?i)([a-z]+)(?:[ \t]+(is|was|of|to|provided|used|set|value|now|for[ \t]+[\w@.-]+:))?"
    rb"[ \t]*[:=]?[ \t]*[\"'`]?"
    rb"([A-Za-z0-9_+/=.~!@#$%^&*-]+)\Z"
)


_WORD_BEFORE: Final = re.compile(rb"([A-Za-z]+)[ _-]\Z")
#: A path, a version, a place in code.
_NAMED: Final = re.compile(rb"[/:]|[0-9]\.[0-9]|\.[a-z]{2,4}\Z|_")
_TOKEN_LEAST: Final = 20
_UNBROKEN: Final = re.compile(rb"[A-Za-z0-9]{20}")


def said(text: bytes, meter: Meter) -> Iterator[Span]:
    """`token 9dQ…`, `the password is hunter2`: a telling word, then what looks like its value."""
    for found in meter.each(_SAID, text):
        start, end = found.span()
        parts = _SAID_PARTS.match(text[start:end])
        if parts is None or text[max(0, start - 1) : start] in (b"?", b"&"):
            continue
        value = _without_host(parts.group(3).rstrip(b".,"))
        begin = start + parts.start(3)
        word = parts.group(1).lower()
        is_said, is_any_key = parts.group(2) is not None, _is_any_key(text, start, word)
        if _is_told(word, value, is_said=is_said, is_any_key=is_any_key):
            yield Span(begin, begin + len(value), "named_secret", word.decode())


def _without_host(value: bytes) -> bytes:
    """`x-access-token:…@host/path`: what stands behind a long token and an @ is a host."""
    return value[:_TOKEN_LEAST] + value[_TOKEN_LEAST:].partition(b"@")[0]


def _is_any_key(text: bytes, start: int, word: bytes) -> bool:
    """`key` alone is a word like others; an `api key` is a token."""
    if not word.startswith(b"key"):
        return False
    before = _WORD_BEFORE.search(text[max(0, start - 24) : start])
    return before is None or not qualifies_key(before.group(1).decode())


def _is_told(word: bytes, value: bytes, *, is_said: bool, is_any_key: bool) -> bool:
    if b"=" in value.rstrip(b"=") or not is_secret(STRONG, value):
        return False
    if len(value) >= _TOKEN_LEAST and value[:1] != b"/":
        if is_any_key:
            return len(value) >= 28 and is_mixed(value)
        if is_hex(value):
            return len(value) >= 32
        return is_mixed(value) or (is_drawn(value) and _UNBROKEN.search(value) is not None)
    if is_said and len(value) >= 12 and not is_any_key and is_mixed(value):
        return not _NAMED.search(value)
    if not word.startswith(b"pass") or not has_letters_and_digits(value):
        return False
    return is_said or (len(value) >= 8 and not is_hex(value) and not _NAMED.search(value))


#: `echo … | docker login --password-stdin`
_PIPED: Final = pattern(
    r"\b(?:echo|printf)(?:[ \t]+-[neE]+)?[ \t]+[^|\n\x00]{4,300}\|[^\n\x00]{0,200}"
    r"(?:--password-stdin|--passphrase-fd|--with-token|--stdin|passwd|sudo -S)",
    any_case=True,
)
_ECHOED: Final = re.compile(rb"(?i)(?:echo|printf)(?:\s+-[neE]+)?(?:\s+[\"']?%s[\"']?)?\s+")
#: The private members of a JSON Web Key.
_WEB_KEY: Final = re.compile(rb"\"(?:d|p|q|dp|dq|qi|k)\\{0,15}\"\s{0,40}:\s{0,40}(?=\\{0,15}\")")


def piped(text: bytes, meter: Meter) -> Iterator[Span]:
    """What is fed to a program that asks for a password, and private web keys."""
    for found in meter.each(_PIPED, text):
        echoed = _ECHOED.match(text, found.start())
        if echoed is not None:
            yield from _value(text, echoed.end(), "password")
    if b'"kty' in text or b'kty\\"' in text:
        for member in meter.each(_WEB_KEY, text):
            value = value_at(text, member.end())
            if value is not None and value.end - value.start >= 16:
                yield Span(value.start, value.end, "private_key")
