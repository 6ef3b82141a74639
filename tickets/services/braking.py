"""No agent floods the desk with tickets, whichever door it files them by."""

from datetime import timedelta
from uuid import UUID

from django.conf import settings

from policy.resolve import policy_resolve
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import TooMany
from stuckbot.lib.pace import Bound, pace_take
from stuckbot.lib.unit import Unit


def bound_of(actor: Caller, project_id: UUID) -> Bound:
    """What the policy of the project and the agent's connector allows it."""
    policy = policy_resolve(
        org_id=actor.org_id,
        version=actor.policy_version,
        project_id=project_id,
        connector_id=actor.connector_id,
    )
    return Bound(policy.create_per_hour, policy.create_burst)


def brake(unit: Unit, project_id: UUID) -> None:
    """Counts a ticket that an agent files in this write; 429 with when to come back if it is one
    too many. First of all: nothing else is written then, and a write that fails counts nothing.

    People are not braked, and nobody is while rate limits are off.
    """
    actor = unit.actor
    if not actor.is_agent or settings.RATE_LIMIT is None:
        return
    bound = bound_of(actor, project_id)
    wait = pace_take(org_id=actor.org_id, actor_id=actor.id, bound=bound, now=unit.now)
    if wait is not None:
        when = (unit.now + timedelta(seconds=wait)).strftime("%H:%M:%S")
        raise TooMany(
            f"You file tickets faster than the policy allows: {bound.per_hour:,} an hour, and"
            f" {bound.burst:,} at once. Wait {wait:,} s, until {when} UTC, and send it again.",
            retry_after=wait,
        )
