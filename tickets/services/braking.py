"""No agent floods the desk with tickets, whichever door it files them by."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID, uuid5

from django.conf import settings

from policy.resolve import policy_resolve
from stuckbot.lib import ids, sql
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import TooMany
from stuckbot.lib.pace import Bound, Count, Taken, pace_take
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


#: Whoever registered less than this ago is counted together with the other newcomers of its
#: connector too, so that to register again does not forgive without end.
NEWCOMER: Final = timedelta(hours=1)
#: All newcomers of a connector together may file as much as so many agents.
NEWCOMERS_MOST: Final = 20


def _counts(actor: Caller, project_id: UUID, bound: Bound, now: datetime) -> list[Count]:
    """Where its tickets are counted: by itself, with the other newcomers of its connector, and in
    a project with a pace of its own apart.

    One count under two rules would take what the wider one let it do for a clock gone wrong, and
    begin anew at each change of project.
    """
    connector_id = _newcomer_of(actor, now)
    counts = [Count(actor.id, bound)]
    if connector_id is not None:
        wide = Bound(bound.per_hour * NEWCOMERS_MOST, bound.burst * NEWCOMERS_MOST)
        counts.append(Count(_together(connector_id), wide))
    if bound == bound_of(actor, None):
        return counts
    return [Count(_apart(one.by, project_id), one.bound) for one in counts]


def counts_of(
    actors: Iterable[UUID], connectors: Iterable[UUID], projects: Collection[UUID]
) -> list[UUID]:
    """Everywhere that tickets of these may have been counted."""
    counted = [*actors, *(_together(one) for one in connectors)]
    return [*counted, *(_apart(who, project) for who in counted for project in projects)]


def _together(connector_id: UUID) -> UUID:
    return uuid5(connector_id, "newcomers")


def _apart(who: UUID, project_id: UUID) -> UUID:
    return uuid5(who, str(project_id))


def _newcomer_of(actor: Caller, now: datetime) -> UUID | None:
    """The connector with whose other newcomers the agent is counted too, if it is one."""
    return actor.connector_id if now - ids.made_at(actor.id) < NEWCOMER else None


def brake(unit: Unit, ticket: Ticket) -> int:
    """Counts a ticket that an agent files in this write; 429 with when to come back if it is one
    too many. First of all that is written, and after every agent's row that the write holds: a
    row that many count on is the later lock for all of them. A write that fails counts nothing.

    Gives back how many of the same fingerprint it filed within the last hour before. People are
    not braked, and nobody is while rate limits are off.
    """
    actor = unit.actor
    if not actor.is_agent or settings.RATE_LIMIT is None:
        return 0
    bound = bound_of(actor, ticket.project_id)
    same = [sql.uuid(ticket.org_id), ticket.fingerprint, sql.uuid(actor.id)]
    counts = _counts(actor, ticket.project_id, bound, unit.now)
    taken = pace_take(
        org_id=actor.org_id,
        counts=counts,
        now=unit.now,
        along=(_SAME, [*same, sql.at(unit.now - WINDOW)]),
    )
    if taken.wait is None:
        return taken.along
    raise _refusal(unit, counts, taken)


def _refusal(unit: Unit, counts: Sequence[Count], taken: Taken) -> TooMany:
    wait = taken.wait or 1
    when = (unit.now + timedelta(seconds=wait)).strftime("%H:%M:%S")
    bound = next(one.bound for one in counts if one.by == taken.by)
    who = "You file"
    if taken.by != counts[0].by:
        who = "The agents that registered with your connector in the last hour together file"
    return TooMany(
        f"{who} tickets faster than the policy allows: {bound.per_hour:,} an hour, and"
        f" {bound.burst:,} at once. Wait {wait:,} s, until {when} UTC, and send it again.",
        retry_after=wait,
    )


_SAME: Final = (
    "(SELECT COUNT(*) FROM (SELECT t.creator_id, t.created_at FROM tickets_ticket t"
    " WHERE t.org_id = %s AND t.fingerprint = %s ORDER BY t.number DESC LIMIT 200) x"
    " WHERE x.creator_id = %s AND x.created_at > %s)"
)
