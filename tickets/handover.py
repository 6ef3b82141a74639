"""What those who left a ticket said to whoever takes it next."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from accounts.models import Actor
from stuckbot.lib.models import HANDOVER_EVENTS
from tickets.cards import Card, Who
from tickets.events import ticket_handovers

#: The newest so many are read out.
MOST: Final = 10
#: Events to look at for these, with the barrier before them.
HANDOVERS: Final = MOST + 1
#: With these a stretch of work ended well or began anew: what was left before is of no use.
_BARRIERS: Final = frozenset({"stage_approved", "ticket_reopened"})
_REASONS: Final = {
    "claim_expired": "expired",
    "needs_human": "escalated",
    "stage_rejected": "rejected",
    "ticket_released": "released",
    "ticket_sent_back": "sent_back",
}


class Left(NamedTuple):
    """Who left it, when and how: `released`, `ended_by_person`, `retired`, `locked_out`, `silent`,
    `expired`, `escalated`, `rejected`, `sent_back` or `handed_off`; `note` in their own words."""

    by: Who
    at: datetime
    reason: str
    note: str | None


def handover_of(card: Card) -> list[Left]:
    """Since the ticket was filed, opened again or had its blocker approved, oldest first; in one
    statement, one more when a lease ran out, none once it is closed."""
    facts = card.facts
    if facts.is_closed:
        return []
    if not facts.ever_claimed:
        return lefts_of(card, ())
    events = ticket_handovers(org_id=facts.org_id, ticket_id=facts.id, limit=HANDOVERS)
    return _named(lefts_of(card, events), facts.org_id)


def lefts_of(card: Card, events: Iterable[dict[str, Any]]) -> list[Left]:
    """The same from events of the ticket, newest first. Whoever let a lease run out has no name
    yet."""
    found: list[Left] = []
    if card.facts.is_closed:
        return found
    for event in events:
        if event["type"] in _BARRIERS:
            return found[:MOST][::-1]
        if event["type"] in HANDOVER_EVENTS:
            found.append(_left(event))
    if card.handoff_reason is not None:
        created = card.facts.created_at
        found.append(Left(card.creator, created, "handed_off", card.handoff_reason))
    return found[:MOST][::-1]


def _left(event: dict[str, Any]) -> Left:
    actor, data, said = event["actor"], event["data"], event.get("content", {})
    reason = _REASONS[event["type"]]
    by = Who(UUID(actor["id"]), actor["kind"], actor["name"])
    if reason == "expired" and data.get("holder_id"):
        by = Who(UUID(data["holder_id"]), "agent", "")
    elif reason == "released":
        reason = "ended_by_person" if data.get("forced") else str(data.get("why", reason))
    note = next((said[name] for name in ("note", "reason") if said.get(name)), None)
    return Left(by, datetime.fromisoformat(event["at"]), reason, note)


def _named(lefts: list[Left], org_id: UUID) -> list[Left]:
    """With the names of those whose time ran out."""
    nameless = {one.by.id for one in lefts if not one.by.name}
    if not nameless:
        return lefts
    rows = Actor.objects.of(org_id).filter(id__in=nameless).values_list("id", "kind", "name")
    names = {row[0]: Who(*row) for row in rows}
    return [one._replace(by=names.get(one.by.id, one.by)) for one in lefts]
