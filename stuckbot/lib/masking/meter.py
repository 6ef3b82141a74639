"""Bounds the work that one text may cost, however it was made up."""

from collections.abc import Iterator
from typing import Any, Final

#: What one text may hold of places where a secret could be: so many, and one more in so many bytes.
_FREE: Final = 500
_BYTES_EACH: Final = 40


class Flood(Exception):
    """The text is little else than places where a secret could be."""


class Meter:
    """Counts the places that rules look at, in all readings of a text together.

    A log has one in some hundred bytes, the densest of 1,300 files of source code, minified
    scripts and documentation one in 40; a text that passes the bound is masked whole.
    """

    __slots__ = ("_left",)

    def __init__(self, size: int) -> None:
        self._left = _FREE + size // _BYTES_EACH

    def each(
        self, shape: Any, text: bytes, start: int = 0, end: int | None = None
    ) -> Iterator[Any]:
        """What the shape finds in the text, each counted. Raises Flood past the bound."""
        for found in shape.finditer(text, start, len(text) if end is None else end):
            self.count(1)
            yield found

    def count(self, places: int) -> None:
        """So many places more. Raises Flood past the bound."""
        self._left -= places
        if self._left < 0:
            raise Flood
