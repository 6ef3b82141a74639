"""Finds every secret in a text: each rule on each reading of it, then what was found, again."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from stuckbot.lib.masking.headers import header_secrets
from stuckbot.lib.masking.keyed import keyed
from stuckbot.lib.masking.meter import Meter
from stuckbot.lib.masking.pem import private_keys
from stuckbot.lib.masking.programs import command_secrets
from stuckbot.lib.masking.repeats import FEW, SHORTEST, again
from stuckbot.lib.masking.spans import Span, settled
from stuckbot.lib.masking.stated import paired, piped, said, stated
from stuckbot.lib.masking.tokens import may_be_split, pattern, split_tokens, tokens
from stuckbot.lib.masking.urls import url_secrets
from stuckbot.lib.masking.values import is_in_words
from stuckbot.lib.masking.views import (
    Decoded,
    Inner,
    Plain,
    Reading,
    joined_view,
    readings_of,
    squeezed,
)

Rule = Callable[[bytes, Meter], Iterator[Span]]

#: Every rule reads a text and yields where in it a secret stands.
RULES: Final[tuple[Rule, ...]] = (
    tokens,
    private_keys,
    keyed,
    paired,
    stated,
    said,
    piped,
    header_secrets,
    url_secrets,
    command_secrets,
)
#: Without one of these no rule finds anything: most texts are told apart by one look.
_HINT: Final = pattern(
    r"pass|pw|pswd|psk|secret|token|key|auth|cred|sig|session|sid|cookie|pat|jwt|bearer|csrf|"
    r"xsrf|otp|pin|mnemonic|kty|stdin|sudo|://|[A-Za-z0-9_+/=.%\\-]{16}|\blogin\b|basic|identified|"
    r":\\{1,7}/|&#[0-9xX]|\\u\{|sqlplus|impdp|expdp|lftp|/p:|:[0-9]{2,5}:[^:\s]{1,99}:|-[pauw] ?\S|"
    r"[A-Za-z0-9+/]\r?\n",
    any_case=True,
)


def find(text: bytes, known: Iterable[Span] = ()) -> list[Span]:
    """The secrets in the text, in order and apart; `known` are some that the caller knows of.

    Raises Flood for a text that is little else than places where a secret could be.
    """
    spans = list(known)
    if not spans and not _HINT.search(text):
        return []
    meter = Meter(len(text))
    secrets = {text[span.start : span.end]: span for span in spans}
    readings: list[Reading] = []
    for reading in _readings(text, spans):
        readings.append(reading)
        for rule in RULES:
            for span in rule(reading.text, meter):
                spans.append(reading.back(span))
                secrets.setdefault(reading.text[span.start : span.end], span)
        if b"\n" in reading.text and may_be_split(squeezed(reading.text)):
            spans += map(reading.back, _wrapped(reading.text, meter))
    spans += _repeated(readings, secrets)
    return settled(text, spans)


def _readings(text: bytes, found: list[Span]) -> Iterator[Reading]:
    """The text, then what it says otherwise; `found` fills while they are read."""
    yield Plain(text)
    yield from readings_of(text)
    decoded = Decoded(text, found)
    yield decoded
    for inner in readings_of(decoded.text, 1):
        yield Inner(decoded, inner)


def _wrapped(text: bytes, meter: Meter) -> Iterator[Span]:
    """Tokens that one line break goes through."""
    view = joined_view(text)
    for span in split_tokens(view.text, meter):
        if view.runs_inside(span) == 1:
            yield view.back(span)


def _repeated(readings: list[Reading], secrets: dict[bytes, Span]) -> Iterator[Span]:
    """What was found, wherever it stands again, in whatever form."""
    long = {
        secret: span
        for secret, span in secrets.items()
        if len(secret) >= SHORTEST and not is_in_words(secret)
    }
    if len(long) > FEW:
        # Shapes that tell by themselves were found wherever they stand alone.
        long = {secret: span for secret, span in long.items() if span.kind != "token"}
    for reading in readings if long else ():
        for start, end in again(reading.text, long):
            span = long[reading.text[start:end]]
            yield reading.back(span._replace(start=start, end=end, bare=False))
