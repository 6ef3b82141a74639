"""A connector that is locked out: what its agents hold is free for others."""

from datetime import datetime
from uuid import UUID

from accounts.models import Agent, Connector
from accounts.services.orgs import system_caller
from stuckbot.lib.errors import Stale
from stuckbot.lib.unit import unit_of_work
from tickets.models import Ticket
from tickets.services.claims import leases_end


def fleet_free(org_id: UUID, connector_id: UUID, now: datetime) -> None:
    """Ends the leases of a locked out connector's agents, agent by agent; safe to run twice.

    Nothing, when the connector was let in again meanwhile. An agent that retires or whose ticket
    moves at the same moment is tried again by the timer.
    """
    locked = Connector.objects.of(org_id).filter(id=connector_id, disabled_at__isnull=False)
    if not locked.exists():
        return
    agents = Agent.objects.of(org_id).filter(connector_id=connector_id)
    held = Ticket.objects.of(org_id).filter(
        claim__isnull=False, solver_id__in=agents.values("actor_id")
    )
    moved = False
    for holder_id in list(
        held.order_by("solver_id").values_list("solver_id", flat=True).distinct()
    ):
        if holder_id is not None:
            moved |= not _freed(org_id, holder_id, now)
    if moved:
        raise Stale


def _freed(org_id: UUID, holder_id: UUID, now: datetime) -> bool:
    try:
        with unit_of_work(system_caller(org_id), now) as unit:
            leases_end(unit, holder_id, "locked_out")
    except Stale:
        return False
    return True
