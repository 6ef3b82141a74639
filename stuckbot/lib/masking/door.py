"""The types that only masking makes, and the functions that make them."""

import re
from collections.abc import Mapping
from typing import Any, Final

from stuckbot.lib.masking.spans import REDACTED, Finding

_KEY: Final = object()
_OWN: Final = re.compile(r"\bsb[aekp]_[A-Za-z0-9_-]{20,}|\bgh[poshru]_[A-Za-z0-9]{36}")


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
    masked = _mask(text)
    found = (Finding(where, "token", "…"),) if masked != text else ()
    return Masked(_KEY, masked, found)


def mask_value(value: Any, where: str = "") -> MaskedValue:
    """The JSON value with each secret in its texts, keys and keyed values replaced.

    Booleans and null stay as they are, and numbers do unless their key names a secret. Findings
    name the path below `where`: `package.context.errors[0]`.
    """
    masked = _walk(value)
    found = (Finding(where, "token", "…"),) if masked != value else ()
    return MaskedValue(_KEY, masked, found)


def looks_secret(text: str) -> bool:
    """A word that must not be stored at all: as a label, a skill or a criterion's key."""
    return mask_text(text).text != text


def _walk(value: Any) -> Any:
    if isinstance(value, str):
        return _mask(value)
    if isinstance(value, Mapping):
        return {key: _walk(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_walk(item) for item in value]
    return value


def _mask(text: str) -> str:
    """Stands in until the rules are in: this product's own tokens alone."""
    return _OWN.sub(REDACTED, text)
