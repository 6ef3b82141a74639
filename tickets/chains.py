"""Chains of tickets: a root and what it was handed on to, one child after the other."""

from typing import Final, NamedTuple
from uuid import UUID

from django.db import connection

from stuckbot.lib import sql
from stuckbot.lib.content import text_of
from tickets.cards import Card, cards_where
from tickets.facts import Facts
from tickets.states import State

#: A chain longer than this is shown with its root and as many of its newest tickets as fit.
CHAIN_MOST: Final = 50
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
    out. `reasons` are why those who filed them handed their parents on, by ticket."""

    cards: list[Card]
    more: int
    reasons: dict[UUID, str]

    @property
    def tip(self) -> Card:
        return self.cards[-1]


def is_chained(facts: Facts) -> bool:
    """Whether there is more than one ticket in the chain. A root that was handed on stays so."""
    return facts.depth > 0 or facts.state == State.HANDED_OFF


def chain_of(card: Card) -> Chain:
    """The chain that a ticket is in, in two statements; in none for one that is alone."""
    facts = card.facts
    if not is_chained(facts):
        return Chain([card], 0, {})
    org, root = sql.uuid(facts.org_id), sql.uuid(facts.root_id)
    found = cards_where(facts.org_id, _IDS, [root, org, root, org, root])
    cards = sorted(found, key=lambda one: one.facts.depth)
    more = cards[-1].facts.depth + 1 - len(cards)
    return Chain(cards, more, _reasons(facts))


#: The root by its key; the newest of the others by the index of chains.
_IDS: Final = f"""t.id IN (
  SELECT c.id FROM tickets_ticket c WHERE c.id = %s
  UNION ALL
  SELECT c.id FROM tickets_ticket c WHERE c.org_id = %s AND c.root_id = %s AND c.depth > 0
    AND c.depth > (SELECT MAX(d.depth) FROM tickets_ticket d
      WHERE d.org_id = %s AND d.root_id = %s AND d.depth > 0) - {CHAIN_MOST - 1}
)"""  # noqa: S608


def _reasons(facts: Facts) -> dict[UUID, str]:
    with connection.cursor() as cursor:
        cursor.execute(_REASONS, [sql.uuid(facts.org_id), sql.uuid(facts.root_id)])
        rows = cursor.fetchall()
    found = {sql.to_uuid(row[0]): text_of(row[1], row[2]) for row in rows}
    return {one: reason for one, reason in found.items() if one is not None}


_REASONS: Final = f"""
SELECT c.id, x.bytes, x.key_id FROM tickets_ticket c
JOIN core_content x ON x.id = c.handoff_reason_id
WHERE c.org_id = %s AND c.root_id = %s AND c.depth > 0
ORDER BY c.depth DESC LIMIT {CHAIN_MOST - 1}
"""  # noqa: S608


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
