"""Telling the holder that its lease is about to end."""

from datetime import datetime
from uuid import UUID

from stuckbot.lib.caller import Caller
from stuckbot.lib.clock import wire
from stuckbot.lib.unit import unit_of_work
from tickets.models import Ticket


def lease_warn(*, system: Caller, claim_id: UUID, now: datetime) -> bool:
    """Tells the holder once that the lease ends; False when there is nothing (more) to tell.

    A renewal sets the time anew, so whoever renews late hears of the next end too. No version:
    nothing about the ticket changes.
    """
    due = Ticket.objects.of(system.org_id).filter(claim=claim_id, warn_at__lte=now)
    row = due.values_list("id", "solver_id", "lease_until", "warn_at").first()
    if row is None:
        return False
    ticket_id, holder_id, until, warn_at = row
    if until is None or until <= now:
        return False
    with unit_of_work(system, now) as unit:
        same = due.filter(id=ticket_id, warn_at=warn_at, lease_until=until)
        if not same.update(warn_at=None):
            return False
        unit.event(
            "claim_ending",
            ticket_id=ticket_id,
            data={"holder_id": str(holder_id), "expires_at": wire(until)},
            tell=(holder_id,),
        )
    return True
