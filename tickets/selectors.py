"""Reads of tickets. All take the actor; what it may not see is `Missing`, like what is not."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.selectors import scope_require
from stuckbot.lib import ids
from stuckbot.lib.caller import Caller
from stuckbot.lib.content import value_of
from stuckbot.lib.errors import Missing
from tickets.cards import Card, Found, card_find, cards_of, cards_read
from tickets.events import ticket_events_seen
from tickets.facts import Facts
from tickets.models import Claim, Criterion, Finding, Note, Package, Ticket
from tickets.rows import facts_read
from tickets.states import ALWAYS_CLOSED, State

READ_SCOPE: Final = "tickets:read_project"
FINDINGS_SHOWN: Final = 500
_REF: Final = re.compile(r"[Ss][Bb]-([1-9][0-9]{0,17})")


def tickets_readable(actor: Caller) -> QuerySet[Ticket]:
    """Every ticket the actor can read: those of its projects, and those that are its own."""
    tickets = Ticket.objects.of(actor.org_id)
    if actor.kind in ("person", "system"):
        return tickets
    if READ_SCOPE in actor.scopes:
        if actor.project_ids is None:
            return tickets
        return tickets.filter(Q(project_id__in=actor.project_ids) | _own(actor))
    return tickets.filter(_own(actor))


def _own(actor: Caller) -> Q:
    """Created, held or solved by the actor, now or before."""
    held = Claim.objects.of(actor.org_id).filter(ticket=OuterRef("pk"), actor_id=actor.id)
    return Q(creator_id=actor.id) | Q(solver_id=actor.id) | Q(Exists(held))


def by_ref(ref: str) -> Q:
    """The filter for a ticket's UUID (any case) or its reference SB-12."""
    return Q(_ref_parts(ref))


def _ref_parts(ref: str) -> tuple[str, UUID | int]:
    match = _REF.fullmatch(ref)
    if match:
        return "number", int(match[1])
    found = ids.parse_uuid(ref)
    if found is None:
        raise Missing
    return "id", found


def facts_get(*, actor: Caller, ref: str) -> Facts:
    """A ticket's own facts: the plain read before a write."""
    facts = facts_read(actor.org_id, *_ref_parts(ref))
    if facts is None or not _reads(actor, facts):
        raise unread(actor)
    return facts


def _reads(actor: Caller, facts: Facts) -> bool:
    """What `tickets_readable` says; asks the database only when it may hang on a past claim."""
    return reads_project_of(actor, facts) or tickets_readable(actor).filter(id=facts.id).exists()


def reads_project_of(actor: Caller, facts: Facts) -> bool:
    """The actor reads whatever is in the ticket's project."""
    if actor.kind in ("person", "system"):
        return True
    return READ_SCOPE in actor.scopes and actor.reads_project(facts.project_id)


def card_get(*, actor: Caller, ref: str) -> Card:
    """A ticket as its summary shows it."""
    cards = cards_read(tickets_readable(actor).filter(by_ref(ref))[:1])
    if not cards:
        raise unread(actor)
    return cards[0]


def card_with_events(
    *,
    actor: Caller,
    ref: str,
    before: int | None,
    limit: int,
    handovers: int,
    listed: int = 0,
) -> tuple[Found, list[Any], list[Any]]:
    """A ticket as a person sees it with the first `listed` cards of the list that it is on and its
    chain; its newest events with an id below `before`; its newest handovers.

    The card is read after the events, so it is never older than the newest of them.
    """
    column, value = _ref_parts(ref)
    events, lefts = ticket_events_seen(
        org_id=actor.org_id, ticket=value, before=before, limit=limit, handovers=handovers
    )
    most = listed if actor.is_person else 0
    found = card_find(actor.org_id, column, value, listed=most)
    if found.card is None or not _reads(actor, found.card.facts):
        raise unread(actor)
    return found, events, lefts


def card_of(ticket_id: UUID, org_id: UUID) -> Card:
    """The card of a ticket that the caller was already allowed to write."""
    return cards_of([ticket_id], org_id)[0]


def unread(actor: Caller) -> Missing:
    """The 404; for an agent without the scope, which reads only its own, the 403 that says so."""
    if not actor.is_person:
        scope_require(actor, READ_SCOPE)
    return Missing()


@dataclass(frozen=True, slots=True)
class Narrowing:
    """Which tickets a list is to have; empty means no matter.

    `mine`: created, held or solved by the actor. `archived` True: closed ones alone, False: open
    ones alone, None: both.
    """

    mine: bool = False
    states: frozenset[str] = frozenset()
    project_ids: frozenset[UUID] = frozenset()
    colors: frozenset[str] = frozenset()
    archived: bool | None = None

    def of(self, tickets: QuerySet[Ticket], actor: Caller, now: datetime) -> QuerySet[Ticket]:
        if self.mine:
            tickets = tickets.filter(_own(actor))
        if self.project_ids:
            tickets = tickets.filter(project_id__in=self.project_ids)
        if self.states:
            tickets = tickets.filter(in_states(self.states, now))
        if self.colors:
            tickets = tickets.filter(in_colors(self.colors, actor.org_paused, now))
        if self.archived is not None:
            tickets = tickets.filter(closed_at__isnull=not self.archived)
        return tickets


def tickets_list(
    *,
    actor: Caller,
    now: datetime,
    narrowing: Narrowing,
    after: tuple[datetime, UUID] | None = None,
    limit: int,
) -> list[Card]:
    """A page of tickets, newest first; one more than `limit` when there is a next page."""
    tickets = narrowing.of(tickets_readable(actor), actor, now)
    if after is not None:
        at, row_id = after
        tickets = tickets.filter(created_at__lte=at).exclude(created_at=at, id__gte=row_id)
    return cards_read(tickets.order_by("-created_at", "-id")[: limit + 1])


def in_states(states: frozenset[str], now: datetime) -> Q:
    """States as readers see them: a lease that ran out has freed its ticket already."""
    live = states - {State.OPEN, State.BLOCKER_RESOLVED}
    chosen = Q(state__in=live) & (Q(lease_until=None) | Q(lease_until__gt=now))
    for freed_state, leased in (
        (State.OPEN, (State.CLAIMED, State.WORKING)),
        (State.BLOCKER_RESOLVED, (State.CONTINUING,)),
    ):
        if freed_state in states:
            chosen |= Q(state=freed_state) | Q(state__in=leased, lease_until__lte=now)
    return chosen


def in_colors(colors: frozenset[str], org_paused: bool, now: datetime) -> Q:
    """Colours from a ticket's own facts, by the same rules as `tickets.colours`."""
    is_open = Q(closed_at=None)
    red = Q(own_red__isnull=False) | Q(project__paused_at__isnull=False)
    if org_paused:
        red = Q(id__isnull=False)
    live = Q(claim__isnull=False, lease_until__gt=now) | Q(waits_for="checks")
    live |= Q(verifier_until__gt=now)
    rules = {
        "GREEN": Q(closed_at__isnull=False),
        "RED": is_open & red,
        "YELLOW": is_open & ~red & live,
        "ORANGE": is_open & ~red & ~live,
    }
    chosen = Q(pk__in=[])
    for color in sorted(colors):
        chosen |= rules[color]
    return chosen


def held_list(*, actor: Caller, now: datetime) -> list[Card]:
    """What the actor holds now, by leases that run."""
    held = Ticket.objects.of(actor.org_id).filter(
        solver_id=actor.id, claim__isnull=False, lease_until__gt=now
    )
    return cards_read(held.order_by("created_at", "id")[:100])


def newest_claim(ticket_id: UUID, org_id: UUID) -> Claim | None:
    return Claim.objects.of(org_id).filter(ticket_id=ticket_id).order_by("-seq").first()


def criteria_list(ticket_id: UUID, org_id: UUID) -> list[Criterion]:
    """The criteria in package order, the blocker's first."""
    criteria = Criterion.objects.of(org_id).filter(ticket_id=ticket_id)
    return list(criteria.order_by("stage", "position"))


def package_get(ticket_id: UUID, n: int, org_id: UUID) -> Package:
    packages = Package.objects.of(org_id).select_related("content")
    return packages.get(ticket_id=ticket_id, n=n)


def packages_get(ticket_id: UUID, wanted: Collection[int], org_id: UUID) -> dict[int, Any]:
    """Versions of a package by number."""
    rows = Package.objects.of(org_id).filter(ticket_id=ticket_id, n__in=wanted)
    return {
        row.n: value_of(row.content.bytes, row.content.key_id) or {}
        for row in rows.select_related("content")
    }


def notes_list(ticket_id: UUID, org_id: UUID) -> list[Note]:
    """Updates and comments, oldest first."""
    notes = Note.objects.of(org_id).filter(ticket_id=ticket_id)
    return list(notes.select_related("by", "content").order_by("id"))


def notes_newest(
    ticket_id: UUID, org_id: UUID, *, before: UUID | None = None, limit: int
) -> list[Note]:
    """The newest updates and comments, of those before a note when one is named; oldest first."""
    notes = Note.objects.of(org_id).filter(ticket_id=ticket_id)
    if before is not None:
        notes = notes.filter(id__lt=before)
    return list(notes.select_related("by", "content").order_by("-id")[:limit])[::-1]


def findings_list(ticket_id: UUID, org_id: UUID) -> list[Finding]:
    """What was masked in the ticket's texts, oldest first; of very many the newest alone."""
    findings = Finding.objects.of(org_id).filter(ticket_id=ticket_id)
    return list(findings.order_by("-id")[:FINDINGS_SHOWN])[::-1]


CLOSED_STATES: Final = ALWAYS_CLOSED
