"""The door every free text passes before it is stored.

`Masked` and `MaskedValue` can only be made here, and storing takes nothing else, so the type
checker proves that no text slips past. The rules that find secrets hang on `_mask`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

_KEY: Final = object()


@dataclass(frozen=True, slots=True)
class Finding:
    """A secret that was masked: where it stood, what kind it is, a preview without the value."""

    where: str
    kind: str
    preview: str


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


def mask_text(text: str) -> Masked:
    return Masked(_KEY, _mask(text))


def mask_value(value: Any) -> MaskedValue:
    """Masks every text inside a JSON value; numbers, booleans and null stay as they are."""
    return MaskedValue(_KEY, _walk(value))


def _walk(value: Any) -> Any:
    if isinstance(value, str):
        return _mask(value)
    if isinstance(value, Mapping):
        return {key: _walk(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_walk(item) for item in value]
    return value


def _mask(text: str) -> str:
    return text
