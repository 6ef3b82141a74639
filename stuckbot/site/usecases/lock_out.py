"""A connector that is locked out: what its agents hold is free for others."""

from datetime import datetime
from uuid import UUID

from accounts.models import Agent, Connector
from accounts.services.orgs import system_caller
from stuckbot.lib.errors import Stale
from stuckbot.lib.unit import unit_of_work
from tickets.models import Ticket
from tickets.services.claims import leases_end
from tickets.services.reserving import reservations_drop


def fleet_free(org_id: UUID, connector_id: UUID, now: datetime) -> None:
    """Ends the leases of a locked out connector's agents and what is kept for them, agent by agent;
    safe to run twice.

    Nothing, when the connector was let in again meanwhile. An agent that retires or whose ticket
    moves at the same moment is tried again by the timer.
    """
    locked = Connector.objects.of(org_id).filter(id=connector_id, disabled_at__isnull=False)
    if not locked.exists():
        return
    agents = Agent.objects.of(org_id).filter(connector_id=connector_id)
    tickets, theirs = Ticket.objects.of(org_id), agents.values("actor_id")
    held = tickets.filter(claim__isnull=False, solver_id__in=theirs).values_list("solver_id")
    kept = tickets.filter(closed_at=None, reserved_for_id__in=theirs)
    moved = False
    for (agent_id,) in held.union(kept.values_list("reserved_for_id")).order_by("solver_id"):
        moved |= not _freed(org_id, agent_id, now)
    if moved:
        raise Stale


def _freed(org_id: UUID, agent_id: UUID, now: datetime) -> bool:
    try:
        with unit_of_work(system_caller(org_id), now) as unit:
            leases_end(unit, agent_id, "locked_out")
            reservations_drop(unit, agent_id, "agent_gone")
    except Stale:
        return False
    return True
