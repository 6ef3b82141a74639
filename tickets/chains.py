"""Chains of tickets: a root and what it was handed on to, one child after the other."""

from typing import Final, NamedTuple
from uuid import UUID

from django.db import connection

from stuckbot.lib import sql
from stuckbot.lib.caller import Caller
from tickets.cards import Card, card_find
from tickets.facts import Facts
from tickets.selectors import reads_project_of, tickets_readable
from tickets.states import State

#: What the creators of earlier tickets hear of the later ones: how the chain came to its end, or
#: goes on after it.
CHAIN_EVENTS: Final = frozenset(
    {
        "stage_approved",
        "ticket_closed",
        "ticket_handed_off",
        "ticket_reopened",
        "ticket_withdrawn",
    }
)


class Chain(NamedTuple):
    """The tickets of a chain by depth; `more`: how many between the root and the rest are left
    out."""

    cards: list[Card]
    more: int

    @property
    def tip(self) -> Card:
        return self.cards[-1]


def chain_made(cards: list[Card]) -> Chain:
    """The chain of these tickets: its root and its newest ones, by depth."""
    return Chain(cards, cards[-1].facts.depth + 1 - len(cards))


def is_chained(facts: Facts) -> bool:
    """Whether there is more than one ticket in the chain. A root that was handed on stays so."""
    return facts.depth > 0 or facts.state == State.HANDED_OFF


def chain_of(card: Card) -> Chain:
    """The chain that a ticket is in, in one statement; in none for one that is alone."""
    facts = card.facts
    if not is_chained(facts):
        return Chain([card], 0)
    return chain_made(card_find(facts.org_id, "id", facts.id).chain)


def chain_seen(actor: Caller, chain: Chain) -> Chain:
    """Of a chain that the actor reads a ticket of, those that it reads.

    A chain is in one project, and whoever reads that costs no statement; another agent reads its
    own tickets alone.
    """
    if reads_project_of(actor, chain.tip.facts):
        return chain
    readable = tickets_readable(actor).filter(id__in=[one.facts.id for one in chain.cards])
    there = set(readable.values_list("id", flat=True))
    return Chain([one for one in chain.cards if one.facts.id in there], chain.more)


def chain_hears(facts: Facts, event: str) -> tuple[UUID, ...]:
    """Who filed earlier tickets of the chain and should hear of this event on a later one."""
    if facts.depth == 0 or event not in CHAIN_EVENTS:
        return ()
    with connection.cursor() as cursor:
        org, root = sql.uuid(facts.org_id), sql.uuid(facts.root_id)
        cursor.execute(_CREATORS, [root, org, root, facts.depth])
        found = [sql.to_uuid(row[0]) for row in cursor.fetchall()]
    return tuple(one for one in found if one is not None)


_CREATORS: Final = """
SELECT r.creator_id FROM tickets_ticket r WHERE r.id = %s
UNION
SELECT c.creator_id FROM tickets_ticket c
WHERE c.org_id = %s AND c.root_id = %s AND c.depth > 0 AND c.depth < %s
"""
