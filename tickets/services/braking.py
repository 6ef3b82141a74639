"""No agent floods the desk with tickets, whichever door it files them by."""

from datetime import timedelta
from typing import Final
from uuid import UUID, uuid5

from django.conf import settings

from policy.resolve import policy_resolve
from stuckbot.lib import sql
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import TooMany
from stuckbot.lib.pace import Bound, pace_take
from stuckbot.lib.unit import Unit
from tickets.loops import WINDOW
from tickets.models import Ticket


def bound_of(actor: Caller, project_id: UUID | None) -> Bound:
    """What the policy of the project and the agent's connector allows it."""
    policy = policy_resolve(
        org_id=actor.org_id,
        version=actor.policy_version,
        project_id=project_id,
        connector_id=actor.connector_id,
    )
    return Bound(policy.create_per_hour, policy.create_burst)


def _counted_by(actor: Caller, project_id: UUID, bound: Bound) -> UUID:
    """Where its tickets are counted: a project with a pace of its own counts apart.

    One count under two rules would take what the wider one let it do for a clock gone wrong, and
    begin anew at each change of project.
    """
    is_usual = bound == bound_of(actor, None)
    return actor.id if is_usual else uuid5(actor.id, str(project_id))


def brake(unit: Unit, ticket: Ticket) -> int:
    """Counts a ticket that an agent files in this write; 429 with when to come back if it is one
    too many. First of all: nothing else is written then, and a write that fails counts nothing.

    Gives back how many of the same fingerprint it filed within the last hour before. People are
    not braked, and nobody is while rate limits are off.
    """
    actor = unit.actor
    if not actor.is_agent or settings.RATE_LIMIT is None:
        return 0
    bound = bound_of(actor, ticket.project_id)
    same = [sql.uuid(ticket.org_id), ticket.fingerprint, sql.uuid(actor.id)]
    taken = pace_take(
        org_id=actor.org_id,
        actor_id=_counted_by(actor, ticket.project_id, bound),
        bound=bound,
        now=unit.now,
        along=(_SAME, [*same, sql.at(unit.now - WINDOW)]),
    )
    if taken.wait is None:
        return taken.along
    when = (unit.now + timedelta(seconds=taken.wait)).strftime("%H:%M:%S")
    raise TooMany(
        f"You file tickets faster than the policy allows: {bound.per_hour:,} an hour, and"
        f" {bound.burst:,} at once. Wait {taken.wait:,} s, until {when} UTC, and send it again.",
        retry_after=taken.wait,
    )


_SAME: Final = (
    "(SELECT COUNT(*) FROM (SELECT t.creator_id, t.created_at FROM tickets_ticket t"
    " WHERE t.org_id = %s AND t.fingerprint = %s ORDER BY t.number DESC LIMIT 200) x"
    " WHERE x.creator_id = %s AND x.created_at > %s)"
)
