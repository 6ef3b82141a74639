"""An agent that shuts down: its work goes back, its tokens stop."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from accounts.models import Agent, Token
from accounts.services.requests import requests_acknowledge
from accounts.states import RequestEnd
from stuckbot.lib.caller import Caller
from stuckbot.lib.idempotency import Keep
from stuckbot.lib.unit import Unit, unit_of_work
from tickets.models import Ticket
from tickets.services.claims import leases_end
from tickets.services.reserving import reservations_drop
from tickets.states import IN_REVIEW


@dataclass(frozen=True, slots=True)
class Retired:
    """Refs of the tickets that are free again, and of those that stay in review."""

    released: list[str]
    waiting: list[str]


def agent_retire(
    *, actor: Caller, agent_id: UUID, now: datetime, keep: Keep | None = None
) -> Retired:
    """Retires an agent: the calling one, or one that an admin revokes.

    One transaction: leases end, tickets in review stay with a note, tokens are revoked.
    """
    with unit_of_work(actor, now, keep) as unit:
        agents = Agent.objects.of(actor.org_id).filter(id=agent_id)
        # First of all: a claim that is being made either is seen below, or sees this and is lost.
        fresh = agents.filter(retired_at=None).update(retired_at=now, silent_at=None)
        agent = agents.get()
        if not fresh:
            unit.result = gone = Retired([], [])
            return gone
        requests_acknowledge(unit, agent.id, RequestEnd.RETIRE, None)
        released = leases_end(unit, agent.id, "retired")
        reservations_drop(unit, agent.id, "agent_gone")
        waiting = _reviews_note(unit, agent)
        Token.objects.of(actor.org_id).filter(agent=agent, revoked_at=None).update(revoked_at=now)
        unit.audit("agent_retired", str(agent.id), released=released, waiting=waiting)
        unit.result = retired = Retired(released, waiting)
    return retired


def _reviews_note(unit: Unit, agent: Agent) -> list[str]:
    waiting = []
    reviews = Ticket.objects.of(agent.org_id).filter(
        solver_id=agent.id, state__in=sorted(IN_REVIEW)
    )
    for ticket in reviews.order_by("number"):
        unit.event("agent_retired", ticket_id=ticket.id, tell=(ticket.creator_id,))
        waiting.append(f"SB-{ticket.number}")
    return waiting
