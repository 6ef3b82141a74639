"""Values under telling names: `DB_PASSWORD=…`, `"apiKey": "…"`, `<secret>…</secret>`."""

import re
from collections.abc import Iterator
from typing import Final

from stuckbot.lib.masking.keys import SILENT, STRONG, telling
from stuckbot.lib.masking.quoting import Value, texts_inside, value_at
from stuckbot.lib.masking.randomness import has_letters_and_digits, is_drawn, is_hex, is_mixed
from stuckbot.lib.masking.spans import Span
from stuckbot.lib.masking.tokens import pattern
from stuckbot.lib.masking.values import is_secret

STEM: Final = (
    r"(?:pass|pwd|pswd|psk|secret|token|key|auth|cred|sig|session|sid|cookie|pat|jwt|bearer|"
    r"csrf|xsrf|otp|pin|mnemonic)"
)
_CANDIDATE: Final = pattern(
    STEM + r"[A-Za-z0-9_.-]{0,24}\\{0,7}[\"'`\])]{0,3}[ \t]{0,16}(?:=>|:=|[:=>])", any_case=True
)
_NAME_BACKWARD: Final = re.compile(rb"[A-Za-z0-9_.$-]*+")
_ASSIGNED: Final = re.compile(
    rb"([A-Za-z0-9_.$-]++)(\\{0,7})([\"'`\])]{0,3})[ \t]{0,16}(=>|:=|[:=>])[ \t]{0,16}"
)
_NAME_LENGTH: Final = 80
#: Shorter bare values are flags and counts.
_BARE_LEAST: Final = 4
_SCHEME: Final = re.compile(
    rb"(?i)(?:bearer|basic|token|digest|apikey|api-key|key|negotiate|aws4-hmac-sha256)[ \t]+(?=\S)"
)
#: One or two words, then another: somebody is talking.
_PROSE: Final = re.compile(
    rb"(?:[A-Z]?[a-z]+|[A-Z]+)[.!?]?[ \t]+[A-Za-z(\"'<-]|[A-Z]?[a-z]+[.!?,;:]?[ \t]*(?=\()"
)
_CALLED: Final = re.compile(rb"[A-Za-z_][A-Za-z0-9_.:]*[(\[]")
_TAGGED: Final = re.compile(rb"!(?:vault|Ref|Sub|GetAtt|ImportValue|env|secret|reference|Join)\b")
_EXPANDED: Final = (b"${", b"$(", b"{{", b"%{", b"#{", b"<%", b"$[")


def keyed(text: bytes) -> Iterator[Span]:
    """Secrets assigned to a name that announces them."""
    done = 0
    for candidate in _CANDIDATE.finditer(text):
        start = candidate.start()
        if start < done:
            continue
        assigned = _assigned(text, start)
        if assigned is None:
            continue
        name = assigned.group(1).decode()
        strength = telling(name)
        if strength == SILENT or (assigned.group(4) == b">" and not _is_element(text, assigned)):
            continue
        for span in _values(text, assigned, name, strength):
            done = max(done, span.end)
            yield span


def _assigned(text: bytes, stem: int) -> re.Match[bytes] | None:
    """The whole assignment around the telling part of its name."""
    before = text[max(0, stem - _NAME_LENGTH) : stem][::-1]
    back = _NAME_BACKWARD.match(before)
    return _ASSIGNED.match(text, stem - (back.end() if back else 0))


def _is_element(text: bytes, assigned: re.Match[bytes]) -> bool:
    before = assigned.start() - 1
    return before >= 0 and text[before] in b"<:" and not assigned.group(3)


def _values(text: bytes, assigned: re.Match[bytes], name: str, strength: int) -> Iterator[Span]:
    place = assigned.end()
    in_quotes = b'"' in assigned.group(3)
    if in_quotes and text[place : place + 1] in (b"{", b"["):
        if strength == STRONG:
            inside, _ = texts_inside(text, place, len(assigned.group(2)))
            yield from (_span(value, name) for value in inside if _holds(text, value, strength))
        return
    if text.startswith(_EXPANDED, place) or _TAGGED.match(text, place):
        return
    scheme = _SCHEME.match(text, place)
    place = scheme.end() if scheme else place
    value = value_at(text, place, numbers=in_quotes and assigned.group(4) == b":")
    if value is None or (scheme is None and _is_talk(text, value, assigned)):
        return
    value = _without_scheme(text, value)
    if _holds(text, value, strength):
        yield _span(value, name)


def _span(value: Value, name: str) -> Span:
    return Span(value.start, value.end, "named_secret", name, bare=value.number)


def _without_scheme(text: bytes, value: Value) -> Value:
    scheme = _SCHEME.match(text, value.start, value.end)
    return value._replace(start=scheme.end()) if scheme else value


def _holds(text: bytes, value: Value, strength: int) -> bool:
    held = text[value.start : value.end]
    if value.number:
        return strength == STRONG
    if not value.quoted and len(held) < _BARE_LEAST:
        return False
    return is_secret(strength, held, value.quoted)


def _is_talk(text: bytes, value: Value, assigned: re.Match[bytes]) -> bool:
    """A sentence or a call stands there, not a value."""
    if value.quoted or value.number:
        return False
    if text[value.end : value.end + 1] in (b"(", b"["):
        return _CALLED.match(text, value.start) is not None
    colon = assigned.group(4) != b"=" or text[assigned.end() - 1 : assigned.end()] == b" "
    return colon and _PROSE.match(text, value.start) is not None


_PAIRED: Final = pattern(
    r"(?:name|key|id|variable)\\{0,7}[\"']?[ \t]*[:=][ \t]*\\{0,7}[\"']?[A-Za-z0-9_.-]{0,40}"
    + STEM
    + r"[A-Za-z0-9_.-]{0,24}\\{0,7}[\"']?\s{0,40}[,;]?\s{0,40}(?:-\s)?\\{0,7}[\"']?"
    + r"value\\{0,7}[\"']?[ \t]*[:=][ \t]*",
    any_case=True,
)
_PAIR_NAME: Final = re.compile(
    rb"(?i)(?:name|key|id|variable)\\*[\"']?[ \t]*[:=][ \t]*\\*[\"']?([\w.-]+)"
)
_SET: Final = pattern(
    r"(?:define|setenv|putenv|set|export|add|append|header|config|setProperty|secret)"
    r"[A-Za-z_]{0,12}\(\s{0,4}[\"'][A-Za-z0-9_.-]{0,40}"
    + STEM
    + r"[A-Za-z0-9_.-]{0,24}[\"']\s{0,4},\s{0,4}",
    any_case=True,
)
_SET_NAME: Final = re.compile(rb"\(\s*[\"']([\w.-]+)")


def paired(text: bytes) -> Iterator[Span]:
    """`name: DB_PASSWORD` with `value: …` beside or below it, and `define("DB_PASSWORD", "…")`."""
    for shape, named in ((_PAIRED, _PAIR_NAME), (_SET, _SET_NAME)):
        for found in shape.finditer(text):
            start, end = found.span()
            name = named.search(text, start, end)
            value = value_at(text, end)
            if name is None or value is None or text.startswith(_EXPANDED, end):
                continue
            if _holds(text, value, telling(name.group(1).decode())):
                yield _span(value, name.group(1).decode())


_SAID: Final = pattern(
    r"\b(?:token|secret|password|passphrase|passcode|credential|bearer|jwt|key)s?\b"
    r"(?:[ \t]+(?:is|was|of|to|provided|used|set|value|now))?"
    r"(?:[ \t]{0,2}[:=][ \t]{0,2}|[ \t]{1,2})"
    r"[\"'`]?[A-Za-z0-9_+/=.~!@#$%^&*-]{6,}",
    any_case=True,
)
_SAID_PARTS: Final = re.compile(
    rb"(?i)([a-z]+)(?:[ \t]+(is|was|of|to|provided|used|set|value|now))?[ \t]*[:=]?[ \t]*[\"'`]?"
    rb"([A-Za-z0-9_+/=.~!@#$%^&*-]+)\Z"
)


def said(text: bytes) -> Iterator[Span]:
    """`token 9dQ…`, `the password is hunter2`: a telling word, then what looks like its value."""
    for found in _SAID.finditer(text):
        start, end = found.span()
        parts = _SAID_PARTS.match(text[start:end])
        if parts is None:
            continue
        value = parts.group(3).rstrip(b".,")
        begin = start + parts.start(3)
        if _is_told(parts.group(1).lower(), parts.group(2) is not None, value):
            yield Span(begin, begin + len(value), "named_secret", parts.group(1).decode().lower())


def _is_told(word: bytes, is_said: bool, value: bytes) -> bool:
    if not is_secret(STRONG, value):
        return False
    if len(value) >= 20 and b"/" not in value[:1]:
        if is_hex(value):
            return len(value) >= 32 and not word.startswith(b"key")
        return is_mixed(value) and is_drawn(value)
    return is_said and word.startswith(b"pass") and has_letters_and_digits(value)
