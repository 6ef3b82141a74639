"""What the two databases have in common in keeping and finding words.

Ids of `SearchDoc` are the org's slot and the ticket's number in one, so a range of them is an org,
newest last, and no search leaves the org it began in.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol
from uuid import UUID

from tickets.search.document import Document
from tickets.search.query import Query

#: A ticket's number is below this.
NUMBER_BITS: Final = 32
NUMBERS: Final = 2**NUMBER_BITS
#: Where a query's words must stand: `title` in the title, `elsewhere` anywhere but not so.
Tier = str
TIERS: Final[tuple[Tier, ...]] = ("title", "elsewhere")


class Wanted(NamedTuple):
    """A question to the index: whose (`scope`: any of these words; empty is all of the org), which
    words, in which tier, of which ids (`low` to `high`, the highest first), how many."""

    query: Query
    tier: Tier
    scope: Sequence[str]
    low: int
    high: int
    limit: int


class Reach(NamedTuple):
    """Docs with ids from `low` to `high`, and with any of the words of `scope` if there are any."""

    low: int
    high: int
    scope: Sequence[str] = ()


class Engine(Protocol):
    """One of the two databases."""

    def write(self, doc_id: int, document: Document) -> None:
        """Keeps the words of a ticket whose `SearchDoc` is there, instead of those it had."""

    def find(self, wanted: Wanted) -> tuple[str, list[Any]]:
        """A statement for rows of (id, ticket id), the highest id first."""

    def known_by(self, weights: Mapping[str, int], reach: Reach) -> tuple[str, list[Any]]:
        """A statement for rows of (id, weight), of docs whose problem is known by a stem: a row
        for each stem, with its weight."""


def doc_id(slot: int, number: int) -> int:
    return slot * NUMBERS + number


def slot_range(slot: int) -> tuple[int, int]:
    """The lowest and the highest id of an org's docs."""
    return slot * NUMBERS, (slot + 1) * NUMBERS - 1


Found = list[tuple[int, UUID]]
