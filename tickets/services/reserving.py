"""Keeping a ticket for one agent, and letting everybody take it again.

A reservation never strands a ticket: it ends when its agent takes the ticket, retires, is locked
out, lets its token run out or falls silent, and when a ticket that can be taken waited too long.
"""

from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final
from uuid import UUID

from accounts.reach import Reach, agent_hold, agent_reach
from accounts.services.orgs import system_caller
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Missing, Stale, invalid_fields
from stuckbot.lib.timers import timer_set
from stuckbot.lib.unit import Unit, unit_of_work
from tickets.facts import FACT_COLUMNS, Facts
from tickets.models import Ticket
from tickets.rows import facts_read
from tickets.services.moves import Change, move_apply
from tickets.states import LEASED

#: The timer that looks after a reservation; its subject is the ticket.
RESERVATION: Final = "reservation"
#: How long a ticket that could be taken waits for the one it is kept for.
WAIT_MOST: Final = timedelta(days=3)
#: A reservation is looked at this often at least.
_LOOK: Final = timedelta(hours=1)


def reserved_get(
    *, org_id: UUID, agent_id: UUID | None, project_id: UUID, path: str, now: datetime
) -> Reach | None:
    """The agent that a ticket of the project may be kept for; None for none.

    `Missing` when the org has no such agent or it cannot read the project; 422 at `path` when it
    could never take it.
    """
    if agent_id is None:
        return None
    reach = agent_reach(org_id, agent_id)
    if reach is None or not reach.reads(project_id):
        raise Missing
    if reach.gone_at <= now:
        raise invalid_fields([(path, f"{reach.name} is gone. Name an agent that is at work.")])
    if "tickets:claim" not in reach.scopes:
        told = f"{reach.name} may not take tickets. Name an agent with the scope tickets:claim."
        raise invalid_fields([(path, told)])
    return reach


def reservation_begin(unit: Unit, ticket_id: UUID, reach: Reach | None) -> None:
    """Looks after the reservation from now on, in the write in hand that makes it.

    Raises `Stale` when the agent retires at this moment.
    """
    if reach is None:
        return
    if not agent_hold(unit.actor.org_id, reach.id):
        raise Stale
    due_at = min(reach.gone_at, unit.now + _LOOK)
    unit.last(partial(_watch, unit.actor.org_id, ticket_id, due_at))


def _watch(org_id: UUID, ticket_id: UUID, due_at: datetime) -> None:
    timer_set(org_id=org_id, kind=RESERVATION, subject=ticket_id, due_at=due_at)


def reservation_fields(facts: Facts) -> dict[str, Any]:
    """The columns of a move with which the reservation has served."""
    return {} if facts.reserved_for_id is None else {"reserved_for_id": None}


def reservations_drop(unit: Unit, agent_id: UUID, why: str) -> list[str]:
    """Ends every reservation for an agent that leaves, in the write in hand; the refs.

    Raises `Stale` when one of the tickets moved meanwhile; the caller begins again.
    """
    kept = Ticket.objects.of(unit.actor.org_id).filter(reserved_for_id=agent_id, closed_at=None)
    dropped = []
    for row in kept.order_by("number").values_list(*FACT_COLUMNS):
        facts = Facts._make(row)
        _drop(unit, facts, why)
        dropped.append(facts.ref)
    return dropped


def _drop(unit: Unit, facts: Facts, why: str) -> None:
    change = Change(
        fields={"reserved_for_id": None},
        data={"agent_id": str(facts.reserved_for_id), "why": why},
    )
    move_apply(unit, facts, "drop_reservation", change)


def reservation_check(org_id: UUID, ticket_id: UUID, now: datetime) -> None:
    """The timer's work: drops a reservation that nobody is there for any more, or looks later."""
    facts = facts_read(org_id, "id", ticket_id)
    if facts is None or facts.reserved_for_id is None or facts.is_closed:
        return
    reach = agent_reach(org_id, facts.reserved_for_id)
    since = _waits_since(facts)
    why = _why_drop(facts, reach, since, now)
    if not why:
        _watch(org_id, ticket_id, _look_at(reach, since, now))
        return
    try:
        with unit_of_work(system_caller(org_id), now) as unit:
            _drop(unit, facts, why)
    except Stale:
        _watch(org_id, ticket_id, now + timedelta(seconds=1))


def _why_drop(facts: Facts, reach: Reach | None, since: datetime | None, now: datetime) -> str:
    if reach is None or reach.gone_at <= now:
        return "agent_gone"
    if "tickets:claim" not in reach.scopes or not reach.reads(facts.project_id):
        return "agent_cannot"
    return "not_taken" if since is not None and since + WAIT_MOST <= now else ""


def _waits_since(facts: Facts) -> datetime | None:
    """Since when it could be taken; None while it cannot, and while somebody holds it."""
    if facts.state in LEASED or facts.project_paused_at is not None:
        return None
    tickets = Ticket.objects.of(facts.org_id).filter(id=facts.id, org__paused_at=None)
    return tickets.values_list("offer_at", flat=True).first()


def _look_at(reach: Reach | None, since: datetime | None, now: datetime) -> datetime:
    bounds = [now + _LOOK]
    bounds += [reach.gone_at] if reach is not None else []
    bounds += [since + WAIT_MOST] if since is not None else []
    return min(bounds)


def is_kept_from(actor: Caller, facts: Facts) -> bool:
    """The ticket is kept for somebody else than the caller."""
    return facts.reserved_for_id not in (None, actor.id)
