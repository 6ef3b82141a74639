"""The types that only masking makes, and the functions that make them."""

from typing import Any, Final

from stuckbot.lib.masking.engine import find
from stuckbot.lib.masking.leaves import Leaves
from stuckbot.lib.masking.meter import Flood
from stuckbot.lib.masking.spans import Finding
from stuckbot.lib.masking.writing import findings, masked, whole

_KEY: Final = object()


class Masked:
    """Text that has passed the door."""

    __slots__ = ("findings", "text")

    def __init__(self, key: object, text: str, findings: tuple[Finding, ...] = ()) -> None:
        if key is not _KEY:
            raise TypeError("Only stuckbot.lib.masking makes Masked text.")
        self.text = text
        self.findings = findings

    def encoded(self) -> bytes:
        return self.text.encode()


class MaskedValue:
    """A JSON value every text of which has passed the door."""

    __slots__ = ("findings", "value")

    def __init__(self, key: object, value: Any, findings: tuple[Finding, ...] = ()) -> None:
        if key is not _KEY:
            raise TypeError("Only stuckbot.lib.masking makes a MaskedValue.")
        self.value = value
        self.findings = findings


def mask_text(text: str, where: str = "") -> Masked:
    """The text with each secret in it replaced; `where` is the path its findings will name."""
    raw = text.encode("utf-8", "surrogatepass")
    try:
        spans = find(raw)
    except Flood:
        spans = [whole(raw)]
    if not spans:
        return Masked(_KEY, text)
    fresh = masked(raw, spans).decode("utf-8", "surrogatepass")
    return Masked(_KEY, fresh, findings(raw, spans, where))


def mask_value(value: Any, where: str = "") -> MaskedValue:
    """The JSON value with each secret in its texts, names and named values replaced.

    Booleans and null stay as they are, and numbers do unless their name announces a secret.
    Findings name the path below `where`: `package.context.errors[0]`.
    """
    leaves = Leaves(value, where)
    try:
        spans = find(leaves.text, leaves.known)
    except Flood:
        spans = leaves.each_part()
    if not spans:
        return MaskedValue(_KEY, value)
    fresh = leaves.rebuilt(spans)
    return MaskedValue(_KEY, fresh, tuple(leaves.findings))


def looks_secret(text: str) -> bool:
    """A word that must not be stored at all: as a label, a skill or a criterion's key."""
    return mask_text(text).text != text
