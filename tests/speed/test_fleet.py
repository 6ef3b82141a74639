"""The pages of agents at ten thousand of them: all within their time, in few statements."""

from datetime import timedelta
from typing import Any

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Actor, Agent, Token
from accounts.services.orgs import connector_make
from accounts.states import SCOPES, ActorKind, TokenKind
from bench.bulk import insert_alike
from stuckbot.lib import clock, ids
from tests.speed.page_times import TIME_MOST, took
from tests.support import Desk

AGENTS = 10_000
CONNECTORS = 20
#: One in so many can sign in; the others retired, or their token ran out.
LIVE_OF = 10
TOKENS_EACH = 3
STATEMENTS_MOST = 12


def crowd(desk: Desk, agents: int) -> list[Agent]:
    """Agents of many connectors with a few tokens each; one in ten can sign in."""
    now = clock.now()
    connectors = [
        connector_make(
            org=desk.org, name=f"Fleet {place:02}", scopes=SCOPES, set_up_by=None, now=now
        )
        for place in range(CONNECTORS)
    ]
    made: list[dict[str, Any]] = [
        {"id": ids.uuid7(), "name": f"agent-{place * 7919 % agents:05}", "place": place}
        for place in range(agents)
    ]
    actor = Actor(org=desk.org, kind=ActorKind.AGENT, name="")
    insert_alike(actor, ({"id": one["id"], "name": one["name"]} for one in made))
    agent = Agent(org=desk.org, scopes=list(SCOPES), usage={"tokens": 1000.0}, created_at=now)
    insert_alike(
        agent,
        (
            {
                "id": one["id"],
                "actor_id": one["id"],
                "name": one["name"],
                "connector_id": connectors[one["place"] % CONNECTORS].id,
                "retired_at": now if one["place"] % LIVE_OF > LIVE_OF // 2 else None,
            }
            for one in made
        ),
    )
    token = Token(org=desk.org, kind=TokenKind.AGENT, sha256="0" * 64, created_at=now)
    insert_alike(
        token,
        (
            {
                "id": ids.uuid7(),
                "lookup": f"{one['place']}.{turn}",
                "agent_id": one["id"],
                "expires_at": now + timedelta(hours=1 if one["place"] % LIVE_OF == 0 else -1),
                "used_at": now,
            }
            for one in made
            for turn in range(TOKENS_EACH)
        ),
    )
    return list(Agent.objects.of(desk.org.id).order_by("name"))


def signed_in(desk: Desk) -> Client:
    client = Client()
    client.force_login(desk.people["alice"].user, "django.contrib.auth.backends.ModelBackend")
    return client


def test_pages_of_ten_thousand_agents_come_in_time_and_few_statements(desk: Desk) -> None:
    agents = crowd(desk, AGENTS)
    middle = agents[AGENTS // 2].id
    client = signed_in(desk)
    paths = [
        "/agents",
        "/agents?show=all",
        f"/agents?show=all&after={middle}",
        "/agents?show=working",
        f"/agents?show=all&before={middle}",
        "/agents?show=retired&name=agent-0",
        f"/agents/{middle}",
    ]
    for path in paths:
        client.get(path)
        with CaptureQueriesContext(connection) as captured:
            client.get(path)
        assert len(captured) <= STATEMENTS_MOST, path
    slow = {path: ms for path in paths[1::2] if (ms := took(client, path)) > TIME_MOST}
    assert slow == {}
