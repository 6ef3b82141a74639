"""Asking the index, and the tickets it names: by match, then newest.

A ticket that is named (SB-12) comes first, then those with all words in the title, then those with
them anywhere. What the index says is only where to look: who may read a ticket, and what else is
wished, is asked of the ticket itself.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from stuckbot.lib import paging, sql
from stuckbot.lib.caller import Caller
from tickets.models import Ticket
from tickets.search.document import scope_project, scope_reader
from tickets.search.engine import NUMBERS, TIERS, Wanted, doc_id, slot_range
from tickets.search.index import engine, slot_find
from tickets.search.query import Query
from tickets.selectors import READ_SCOPE, tickets_readable

#: What the index is asked for, one after the other, for one page: mostly the first is enough. Where
#: few of what it names may be read or is wished, a page ends early and says where it goes on.
_ASKED: Final = (100, 300, 400, 500, 700)
#: The place of a ticket that is named; `TIERS` follow.
_NAMED: Final = 0

Narrow = Callable[[QuerySet[Ticket]], QuerySet[Ticket]]


class Mark(NamedTuple):
    """Where a page ended: in which tier, at which ticket's number."""

    tier: int
    number: int


class Page(NamedTuple):
    """Tickets in order, and where the next page begins; None after the last."""

    ticket_ids: list[UUID]
    next: Mark | None


def mark_make(mark: Mark) -> str:
    return paging.mark_make(f"q{mark.tier}", mark.number)


def mark_read(cursor: str) -> Mark:
    """The mark behind a cursor; refuses text that no page ever gave out."""
    scope, number = paging.mark_read(cursor)
    tiers = {f"q{tier}": tier for tier in range(len(TIERS) + 1)}
    if scope not in tiers or number > NUMBERS:
        raise paging.bad_cursor()
    return Mark(tiers[scope], number)


def search(
    *, actor: Caller, query: Query, narrow: Narrow, after: Mark | None = None, limit: int
) -> Page:
    """A page of what the actor may read and `narrow` lets through. Two statements for each time
    the index is asked and two besides: twelve at most."""
    seek = _Seek(actor, query, narrow, limit)
    if after is None and query.number is not None:
        seek.named(query.number)
    slot = slot_find(actor.org_id)
    if not query.wanted or slot is None:
        return Page(seek.found, None)
    place = after or Mark(_NAMED, NUMBERS)
    return Page(seek.found, seek.run(slot, place))


class _Seek:
    """One page in the making."""

    def __init__(self, actor: Caller, query: Query, narrow: Narrow, limit: int) -> None:
        self.actor, self.query, self.narrow, self.limit = actor, query, narrow, limit
        self.found: list[UUID] = []
        self.scope = reader_words(actor)

    def named(self, number: int) -> None:
        chosen = tickets_readable(self.actor).filter(number=number)
        self.found += self.narrow(chosen).values_list("id", flat=True)

    def run(self, slot: int, after: Mark) -> Mark | None:
        """Fills the page from `after` on; says where it ended, None when nothing is left."""
        low, _ = slot_range(slot)
        tier, high = after.tier, after.number - 1
        if tier == _NAMED:
            tier, high = 1, NUMBERS - 1
        for most in _ASKED:
            asked = self._ask(tier, low, doc_id(slot, high), most)
            taken = self._take(asked)
            if taken is not None:
                return Mark(tier, taken - low)
            if len(asked) == most:
                high = asked[-1][0] - low - 1
            elif tier < len(TIERS):
                tier, high = tier + 1, NUMBERS - 1
            else:
                return None
        return Mark(tier, high + 1)

    def _ask(self, tier: int, low: int, high: int, most: int) -> list[tuple[int, UUID]]:
        wanted = Wanted(self.query, TIERS[tier - 1], self.scope, low, high, most)
        with connection.cursor() as cursor:
            cursor.execute(*engine().find(wanted))
            rows = [(int(row[0]), sql.to_uuid(row[1])) for row in cursor.fetchall()]
        return [(place, one) for place, one in rows if one is not None]

    def _take(self, asked: Sequence[tuple[int, UUID]]) -> int | None:
        """Adds what may be had; once the page is full and more is there, above what it ends."""
        chosen = tickets_readable(self.actor).filter(id__in=[one for _, one in asked])
        if self.query.number is not None:
            chosen = chosen.exclude(number=self.query.number)
        there = set(self.narrow(chosen).values_list("id", flat=True)) if asked else set()
        for place, one in asked:
            if one not in there:
                continue
            if len(self.found) == self.limit:
                return place + 1
            self.found.append(one)
        return None


def reader_words(actor: Caller) -> list[str]:
    """Words of which a ticket the actor may read has one; none for who reads all of the org."""
    if actor.kind in ("person", "system"):
        return []
    own = scope_reader(actor.id)
    if READ_SCOPE not in actor.scopes:
        return [own]
    if actor.project_ids is None:
        return []
    return [own, *sorted(scope_project(one) for one in actor.project_ids)]
