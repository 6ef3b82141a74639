"""The watchdog: what an agent holds that went silent is freed for others.

Any call of the agent is a sign of life. It is written down once a minute at most, with when the
agent counts as silent unless it calls again; the sweep looks by that time alone, and decides by
the policy as it is then.
"""

import logging
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import OperationalError
from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.models import Agent, Connector, Org, Signal
from accounts.services.orgs import system_caller
from accounts.services.requests import handoff_moot
from accounts.services.signals import details_content, signal_add, signal_tell
from accounts.sign_in import SignedIn, Watched
from accounts.states import WATCHDOG_SLACK, SignalType
from policy.resolve import Resolved, lowest_limits, policy_resolve
from stuckbot.lib import content, ids
from stuckbot.lib.clock import wire
from stuckbot.lib.masking import mask_text
from stuckbot.lib.models import Timer
from stuckbot.lib.unit import Unit, unit_of_work
from tickets.facts import FACT_COLUMNS, Facts
from tickets.models import Ticket
from tickets.services.claims import leases_end

log = logging.getLogger("stuckbot.watchdog")

WATCHDOG: Final = "watchdog"
_BATCH: Final = 500
#: An agent whose watchdog is off is looked at again after so long: it may be on by then.
_OFF: Final = timedelta(hours=1)
_DEFAULT: Final = Resolved().watchdog_minutes


def agent_called(signed: SignedIn, now: datetime) -> None:
    """Notes a call of an agent with a watchdog, when the one noted last is a minute old."""
    watched = signed.watched
    if watched is None or signed.refused or _noted(watched, now):
        return
    actor = signed.caller
    lowest = lowest_limits(actor.org_id, actor.policy_version)
    minutes = min(lowest.get("watchdog_minutes", _DEFAULT), _DEFAULT)
    silent_at = now + timedelta(minutes=minutes) + WATCHDOG_SLACK
    rows = Agent.objects.of(actor.org_id).filter(
        Q(alive_at=None) | Q(alive_at__lt=now), id=actor.id, retired_at=None
    )
    try:
        rows.update(alive_at=now, silent_at=silent_at, silent_since=None)
    except OperationalError:
        # The next call notes it: no call fails for what it is not about.
        log.warning("a call was not noted: the database is busy")


def _noted(watched: Watched, now: datetime) -> bool:
    """Whether a call less than a minute old is written down."""
    alive_at = watched.alive_at
    return not watched.is_silent and alive_at is not None and now - alive_at < WATCHDOG_SLACK


def silences_due(now: datetime) -> QuerySet[Agent]:
    """Agents that may be silent, by one index; those without a timer yet."""
    known = Timer.unscoped.filter(kind=WATCHDOG, subject=OuterRef("id"))
    return Agent.unscoped.filter(~Exists(known), silent_at__lte=now)


def silences_to_timers(now: datetime) -> None:
    rows = silences_due(now).order_by("silent_at").values_list("id", "org_id", "silent_at")
    due = [
        Timer(id=ids.uuid7(), org_id=org_id, kind=WATCHDOG, subject=agent_id, due_at=at)
        for agent_id, org_id, at in rows[:_BATCH]
        if at is not None
    ]
    if due:
        Timer.unscoped.bulk_create(due, ignore_conflicts=True)


def agent_silence(org_id: UUID, agent_id: UUID, now: datetime) -> None:
    """Frees what a silent agent holds, with a signal and a note on each ticket; safe to run twice.

    Nothing, when it called meanwhile: a call and this change the same columns of its row, and the
    one that comes second sees the first.
    """
    agent = Agent.objects.of(org_id).filter(id=agent_id, silent_at__lte=now).first()
    if agent is None:
        return
    unchanged = Agent.objects.of(org_id).filter(
        id=agent_id, silent_at=agent.silent_at, alive_at=agent.alive_at, retired_at=None
    )
    minutes = _minutes(agent)
    since = agent.alive_at or agent.created_at
    due = since + timedelta(minutes=minutes) + WATCHDOG_SLACK if minutes else now + _OFF
    if due > now:
        unchanged.update(silent_at=due)
        return
    with unit_of_work(system_caller(org_id), now) as unit:
        if unchanged.update(silent_at=None, silent_since=since):
            _freed(unit, agent, since, minutes)


def _minutes(agent: Agent) -> int:
    """How long the agent may be silent: the strictest of the projects it is at work in; 0 is for
    ever. A connector that is locked out has freed what its agents hold."""
    org = Org.objects.only("policy_version").get(id=agent.org_id)
    locked = Connector.objects.of(agent.org_id).filter(disabled_at__isnull=False)
    if agent.connector_id is not None and locked.filter(id=agent.connector_id).exists():
        return 0
    projects: set[UUID | None] = set(_held(agent).values_list("project_id", flat=True))
    if not projects:
        own = agent.project_ids
        projects = {UUID(own[0]) if len(own) == 1 else None}
    said = [
        policy_resolve(
            org_id=agent.org_id,
            version=org.policy_version,
            project_id=project_id,
            connector_id=agent.connector_id,
        ).watchdog_minutes
        for project_id in projects
    ]
    return min((one for one in said if one), default=0)


def _held(agent: Agent) -> QuerySet[Ticket]:
    return Ticket.objects.of(agent.org_id).filter(solver_id=agent.id, claim__isnull=False)


def _freed(unit: Unit, agent: Agent, since: datetime, minutes: int) -> None:
    held = [Facts._make(row) for row in _held(agent).values_list(*FACT_COLUMNS)]
    freed = set(leases_end(unit, agent.id, "silent"))
    details = {"silent_since": wire(since), "minutes": minutes, "freed": sorted(freed)}
    signal = signal_add(
        unit,
        agent_id=agent.id,
        type=SignalType.WATCHDOG,
        details=details_content(agent.org_id, details, root_id=None, about=None),
        ticket_id=held[0].id if len(held) == 1 else None,
        cause=f"watchdog:{wire(since)}",
        told=not freed,
    )
    for facts in held:
        if facts.ref in freed:
            _note(unit, agent, signal, facts, since)
            handoff_moot(unit, agent.id, facts.id)


def _note(unit: Unit, agent: Agent, signal: Signal, facts: Facts, since: datetime) -> None:
    """Says on the ticket why it is free again."""
    minutes = int((unit.now - since).total_seconds() // 60)
    words = (
        f"{agent.name} made no call for {minutes} minutes, so what it held was freed."
        " What it had sent before is kept."
    )
    note = content.prepare(
        org_id=facts.org_id, kind="note", body=mask_text(words), root_id=facts.root_id
    )
    signal_tell(unit, signal, ticket_id=facts.id, content=note, tell=(facts.creator_id,))
