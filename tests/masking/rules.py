"""What one rule finds by itself, in texts in which that is marked by hand: ‹so›."""

import re

from stuckbot.lib.masking.engine import Rule
from stuckbot.lib.masking.meter import Meter
from stuckbot.lib.masking.spans import Span


def plain(marked: str) -> str:
    return re.sub("[‹›]", "", marked)


def spans(rule: Rule, text: str) -> list[Span]:
    raw = text.encode()
    return sorted(rule(raw, Meter(len(raw))))


def marked_by(rule: Rule, text: str) -> str:
    """The text with what the rule finds in it marked."""
    raw = text.encode()
    for span in reversed(spans(rule, text)):
        found = raw[span.start : span.end]
        raw = b"".join((raw[: span.start], "‹".encode(), found, "›".encode(), raw[span.end :]))
    return raw.decode()
