"""What an agent can take, and whether it still lives: for tickets that are kept for one."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from accounts.models import Agent
from stuckbot.lib import sql

#: An agent that made no call for this long counts as gone, whatever any policy says.
SILENT: Final = timedelta(hours=24)
#: A list to choose from that is longer is no use.
_CHOICES_MOST: Final = 200


@dataclass(frozen=True, slots=True)
class Reach:
    """An agent as somebody who keeps a ticket for it must know it.

    `project_ids` is None when it reads every project. It counts as gone from `gone_at` on, unless
    it calls or renews its token before.
    """

    id: UUID
    name: str
    scopes: frozenset[str]
    project_ids: frozenset[UUID] | None
    gone_at: datetime

    def reads(self, project_id: UUID) -> bool:
        return self.project_ids is None or project_id in self.project_ids


def agent_reach(org_id: UUID, agent_id: UUID) -> Reach | None:
    """None when the org has no such agent."""
    found = _agents(org_id).filter(id=agent_id).first()
    return None if found is None else _reach(found)


def agents_reachable(org_id: UUID, now: datetime) -> list[Reach]:
    """The org's newest agents that live, as many as anybody would choose from."""
    newest = _agents(org_id).filter(retired_at=None).order_by("-created_at", "-id")
    return [one for one in map(_reach, newest[:_CHOICES_MOST]) if one.gone_at > now]


def _agents(org_id: UUID) -> QuerySet[Agent]:
    agents = Agent.objects.of(org_id).select_related("connector")
    return agents.prefetch_related("connector__projects", "tokens")


def _reach(agent: Agent) -> Reach:
    scopes, projects = frozenset(agent.scopes), frozenset(map(UUID, agent.project_ids)) or None
    if agent.connector is not None:
        scopes &= frozenset(agent.connector.scopes)
        most = frozenset(one.id for one in agent.connector.projects.all()) or None
        projects = projects or most if projects is None or most is None else projects & most
    return Reach(agent.id, agent.name, scopes, projects, _gone_at(agent))


def _gone_at(agent: Agent) -> datetime:
    """When it retired, was locked out or told to stop, its last token runs out, or its silence is
    too long."""
    locked = agent.connector.disabled_at if agent.connector is not None else None
    over = [one for one in (agent.retired_at, agent.stopped_at, locked) if one is not None]
    if over:
        return min(over)
    tokens = list(agent.tokens.all())
    calls = [agent.created_at, agent.last_seen_at, *(one.used_at for one in tokens)]
    heard = max(one for one in calls if one is not None)
    live = [one.expires_at for one in tokens if one.revoked_at is None]
    if None in live:
        return heard + SILENT
    return min([heard + SILENT, max((one for one in live if one is not None), default=heard)])


def agent_hold(org_id: UUID, agent_id: UUID) -> bool:
    """Whether it has not retired; holds its row until the commit, so that a retirement either has
    been seen or sees what this write does."""
    share = " FOR SHARE" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute(f"{_HOLD}{share}", [sql.uuid(org_id), sql.uuid(agent_id)])
        return cursor.fetchone() is not None


_HOLD: Final = "SELECT 1 FROM accounts_agent WHERE org_id = %s AND id = %s AND retired_at IS NULL"
