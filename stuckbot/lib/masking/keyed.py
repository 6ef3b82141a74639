"""Values under telling names: `DB_PASSWORD=…`, `"apiKey": "…"`, `<secret>…</secret>`."""

import re
import string
from collections.abc import Iterator
from typing import Final

from stuckbot.lib.masking.keys import KEYED, SILENT, WEAK, qualifies_key, telling
from stuckbot.lib.masking.meter import Meter
from stuckbot.lib.masking.quoting import Value, texts_inside, to_its_end, value_at
from stuckbot.lib.masking.randomness import is_drawn, is_hex, is_mixed
from stuckbot.lib.masking.spans import Span
from stuckbot.lib.masking.tokens import pattern
from stuckbot.lib.masking.values import is_secret, is_stand_in, is_variable

STEM: Final = (
    r"(?:pass|pw|pswd|psk|secret|token|key|auth|cred|sig|session|sid|cookie|pat|jwt|bearer|"
    r"csrf|xsrf|otp|pin|mnemonic)"
)
_CANDIDATE: Final = pattern(
    STEM + r"[A-Za-z0-9_.-]{0,24}\\{0,7}[\"'`\])]{0,3}[ \t]{0,16}(?:=>|:=|[:=>])", any_case=True
)
_NAME_BACKWARD: Final = re.compile(rb"[A-Za-z0-9_.$-]*+")
_NAME_BYTES: Final = frozenset(b"_.$-" + string.ascii_letters.encode() + string.digits.encode())
_ASSIGNED: Final = re.compile(
    rb"([A-Za-z0-9_.$-]++)(\\{0,7})([\"'`\])]{0,3})[ \t]{0,16}(=>|:=|[:=>])[ \t]{0,16}"
)
_NAME_LENGTH: Final = 80
#: Shorter bare values are flags and counts.
_BARE_LEAST: Final = 4
#: One or two words, then another: somebody is talking.
_PROSE: Final = re.compile(
    rb"(?:[A-Z]?[a-z]+|[A-Z]+)[.!?]?[ \t]+[A-Za-z(\"'<-]|[A-Z]?[a-z]+[.!?,;:]?[ \t]*(?=\()"
)
#: `rust.hpke.Suite2`, a single word: what code gives a name to.
_CHAIN: Final = re.compile(rb"[A-Za-z_]\w*+(?:\.[A-Za-z_]\w*+)++")
_WORD: Final = re.compile(rb"[A-Z]?[a-z]+")
_VARIABLE: Final = re.compile(rb"[A-Za-z_]+")
_CALLED: Final = re.compile(rb"[A-Za-z_][A-Za-z0-9_.:]*[(\[]")
_NEARBY: Final = 80
#: So many values inside an object or list are no more work than one place elsewhere.
_INSIDE_EACH: Final = 2
_USER_BEFORE: Final = re.compile(rb"(?i)(?:user(?:name)?|login|e?mail)[\"']?\s*(?:=>|[:=])")
_WORD_BEFORE: Final = re.compile(rb"([A-Za-z]+) \Z")
#: What may stand before the value and is no part of it.
_LEAD: Final = re.compile(
    rb"(?P<scheme>(?i:bearer|basic|token|digest|apikey|api-key|key|negotiate|aws4-hmac-sha256)"
    rb"[ \t]+(?=\S))"
    rb"|(?P<block>[|>][+-]?[ \t]*\r?\n[ \t]+)"
    rb"|(?P<wrapped>(?:&|Some|Ok|Secret|SecretStr|SecretString|String|String::from|Password|new|bytes)"
    rb"(?:\.new|::new)?\((?=\\{0,7}[\"']))"
    rb"|(?P<other>!(?:vault|Ref|Sub|GetAtt|ImportValue|env|secret|reference|Join)\b"
    rb"|[$#%{]\{|\$[(\[]|\{%|<%)"
)
#: `password: str = "…"`, `token: &'static str = "…"`
_DECLARED: Final = re.compile(
    rb"&?(?:'[a-z]+ )?(?:mut )?([A-Za-z_][A-Za-z0-9_.:]{0,40}+)"
    rb"(?:[<\[][A-Za-z0-9_.:,|<>\[\] ]{0,60}[>\]])?"
    rb"[?!]?(?:[ \t]*\|[ \t]*[A-Za-z]{1,20})?[ \t]*=[ \t]*(?=[\"'`]|[bBrRuUfF]{1,2}[\"']|String)"
)
#: Only behind these can one of them stand.
_LEADS: Final = frozenset(bytes([one]) for one in b"bBtTdDaAkKnN|>&SOP!$#%{<")
_OPENINGS: Final = (b"{", b"[")
#: An object that describes a value and is none.
_SCHEMA: Final = re.compile(
    rb"\{\s*\\*\"(?:\$ref\\*\"|(?:type\\*\"\s*:\s*\\*\""
    rb"(?:string|object|integer|number|array|boolean|apiKey|http|oauth2)\b))"
)
_CONTENT: Final = re.compile(rb"(?:<!\[CDATA\[)?([^<>\0\]]{1,4000}+)(?:\]\]>)?</")


def keyed(text: bytes, meter: Meter) -> Iterator[Span]:
    """Secrets assigned to a name that announces them."""
    done = 0
    for candidate in meter.each(_CANDIDATE, text):
        start = candidate.start()
        if start < done:
            continue
        assigned = _assigned(text, start)
        if assigned is None or _is_in_address(text, assigned):
            continue
        name = assigned.group(1).decode()
        strength = telling(name)
        if strength == WEAK and _is_qualified(text, assigned, name):
            strength = KEYED
        if strength == SILENT:
            continue
        if assigned.group(4) == b">":
            found, end = _element(text, assigned), done
        elif text[assigned.end() : assigned.end() + 1] in _OPENINGS and b'"' in assigned.group(3):
            found, end = _inside(text, assigned, strength)
            meter.count(len(found) // _INSIDE_EACH)
        else:
            found, end = _value(text, assigned, strength), done
        for value in found:
            if holds(text, value, strength, name):
                value = to_its_end(text, value) if strength == WEAK else value
                end = max(end, value.end)
                yield Span(value.start, value.end, "named_secret", name, bare=value.number)
        done = end


def _assigned(text: bytes, stem: int) -> re.Match[bytes] | None:
    """The whole assignment around the telling part of its name."""
    if stem and text[stem - 1] in _NAME_BYTES:
        back = _NAME_BACKWARD.match(text[max(0, stem - _NAME_LENGTH) : stem][::-1])
        stem -= back.end() if back else 0
    return _ASSIGNED.match(text, stem)


def _is_in_address(text: bytes, assigned: re.Match[bytes]) -> bool:
    """A parameter or the user of an address: the rules for those know where it ends."""
    before = text[max(0, assigned.start() - 3) : assigned.start()]
    if assigned.group(4) == b":":
        return before == b"://"
    return before[-1:] in (b"?", b"&") and assigned.group(4) == b"="


def _is_qualified(text: bytes, assigned: re.Match[bytes], name: str) -> bool:
    """What stands before tells: `API key: …`, or a user before `pass: …`."""
    before = text[max(0, assigned.start() - _NEARBY) : assigned.start()]
    if name.lower() == "key":
        word = _WORD_BEFORE.search(before)
        return word is not None and qualifies_key(word.group(1).decode())
    return name.lower() == "pass" and _USER_BEFORE.search(before) is not None


def _inside(text: bytes, assigned: re.Match[bytes], strength: int) -> tuple[list[Value], int]:
    """What the object or list under the name holds, and where it ends."""
    place = assigned.end()
    if strength < KEYED or _SCHEMA.match(text, place):
        return [], place
    # `"TOKEN\"": {`: the escaped quote is the name's own, the other one closes it.
    depth = len(assigned.group(2)) if assigned.group(3).count(b'"') == 1 else 0
    return texts_inside(text, place, depth)


def _element(text: bytes, assigned: re.Match[bytes]) -> list[Value]:
    """What an XML element of that name holds."""
    before = text[max(0, assigned.start() - 1) : assigned.start()]
    held = _CONTENT.match(text, assigned.end()) if before in (b"<", b":") else None
    return [] if held is None else [Value(held.start(1), held.end(1))]


def _value(text: bytes, assigned: re.Match[bytes], strength: int) -> list[Value]:
    """The one value that is assigned."""
    place = assigned.end()
    if assigned.group(4) == b":":
        if text.startswith(b"//", place):
            return []  # `oauth://…` is an address
        declared = _DECLARED.match(text, place)
        if declared and not is_drawn(declared.group(1)):
            place = declared.end()
    lead = _LEAD.match(text, place) if text[place : place + 1] in _LEADS else None
    if lead is not None:
        if lead.lastgroup == "other":
            return []
        place = lead.end()
    numbers = b'"' in assigned.group(3) and assigned.group(4) == b":"
    value = value_at(text, place, numbers=numbers, whole=strength >= KEYED)
    if value is None or (lead is None and _is_talk(text, value, assigned)):
        return []
    scheme = _LEAD.match(text, value.start, value.end) if value.quoted else None
    if scheme is not None and scheme.lastgroup == "scheme":
        value = value._replace(start=scheme.end())
    return [value]


def holds(text: bytes, value: Value, strength: int, name: str) -> bool:
    """Whether what stands there, under a name of that strength, is a secret."""
    held = text[value.start : value.end]
    if value.number:
        return strength >= KEYED
    if (not value.quoted and len(held) < _BARE_LEAST) or _says_its_name(held, name):
        return False
    if strength == WEAK and _is_constant_key(held, name):
        return not is_stand_in(held, value.quoted)
    return is_secret(strength, held, value.quoted)


def _is_constant_key(held: bytes, name: str) -> bool:
    """`ACME_KEY=…`: in the environment, a key that looks drawn is one, in hexadecimal too."""
    if not name.isupper() or not name.endswith("_KEY"):
        return False
    return is_drawn(held) or (is_hex(held) and len(held) >= 32)


def _says_its_name(held: bytes, name: str) -> bool:
    """`PROVIDER_TOKEN = "provider_token"`: a name for the place where a secret will be."""
    if len(held) > len(name):
        return False
    said = held.lower().replace(b"-", b"_").decode("latin-1")
    return len(said) > 4 and "_" in said and said in name.lower().replace("-", "_")


def _is_talk(text: bytes, value: Value, assigned: re.Match[bytes]) -> bool:
    """A sentence or a call stands there, not a value."""
    if value.quoted or value.number:
        return False
    if text[value.end : value.end + 1] in (b"(", b"["):
        return _CALLED.match(text, value.start) is not None
    if assigned.group(3) and _VARIABLE.fullmatch(text, value.start, value.end):
        return True
    if text[assigned.end() - 1] not in b" \t" and assigned.group(4) == b"=":
        return False
    held = text[value.start : value.end].rstrip(b".,:")
    if assigned.group(4) == b"=":
        if is_variable(held) or (_CHAIN.fullmatch(held) and not is_mixed(held)):
            return True
        return _WORD.fullmatch(held) is not None and b"pass" not in assigned.group(1).lower()
    if is_variable(held) and not held.islower():
        return True
    return _PROSE.match(text, value.start) is not None
