"""An empty desk: what it says to whom, the secret that is shown once, what has come so far."""

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Connector, Token
from accounts.services.orgs import direct_key_make, member_add, org_make, system_caller
from accounts.states import WORK_SCOPES, Role
from stuckbot.lib import clock
from tests.support import Api, Desk, file_ticket

SECRET = re.compile(r"sbe_[0-9A-Za-z]{61}")


def person(desk: Desk, name: str) -> Client:
    client = Client()
    client.force_login(desk.people[name].user, "django.contrib.auth.backends.ModelBackend")
    return client


def text(response: Any) -> str:
    assert response.status_code == 200
    return html.unescape(response.content.decode())


def test_an_empty_board_says_how_to_connect_an_agent(desk: Desk, settings: Any) -> None:
    settings.PUBLIC_URL = "https://desk.acme.example"
    page = text(person(desk, "bob").get("/"))
    assert "Connect your first agent" in page
    assert "export STUCKBOT_URL=https://desk.acme.example\n" in page
    assert "pip install stuckbot" in page
    assert "from stuckbot import FleetAgent" in page
    assert "$STUCKBOT_URL/api/v1/agents/register" in page
    assert "No agent has registered yet" in page


def test_what_it_says_to_paste_is_accepted(desk: Desk) -> None:
    page = text(person(desk, "bob").get("/"))
    python, curl = re.findall(
        r"create_ticket\((\{.*?\n\})\)|\"package\": (\{.*?\n\})\}'", page, re.S
    )
    assert json.loads(python[0]) == json.loads(curl[1])
    guide = (Path(__file__).parents[2] / "docs/first-ticket.md").read_text(encoding="utf-8")
    assert guide.count(python[0]) == 2
    reply = desk.agent("first").post("/api/v1/tickets", {"package": json.loads(python[0])})
    assert reply.ok(201)["warnings"] == []


@pytest.fixture
def _within_one_minute() -> Iterator[None]:
    """A page is new each minute of the clock."""
    with time_machine.travel(clock.now(), tick=False):
        yield


@pytest.mark.usefixtures("_within_one_minute")
def test_it_shows_what_came_by_itself(desk: Desk) -> None:
    client = person(desk, "bob")
    client.get("/")
    first = client.get("/")  # the first answer sets a cookie that the tag goes by
    etag = first.headers["ETag"]
    same = client.get("/", HTTP_IF_NONE_MATCH=etag, HTTP_X_REFRESH="1")
    assert same.status_code == 304
    agent = desk.agent("<b>deploy</b>")
    came = client.get("/", HTTP_IF_NONE_MATCH=etag, HTTP_X_REFRESH="1")
    assert came.status_code == 200
    assert "&lt;b&gt;deploy" in came.content.decode()
    assert "has registered" in came.content.decode()
    assert "No ticket has come yet" in came.content.decode()
    file_ticket(agent)
    last = client.get("/", HTTP_IF_NONE_MATCH=came.headers["ETag"], HTTP_X_REFRESH="1")
    assert "data-arrivals" not in text(last)
    assert "The image service cannot be built" in text(last)
    assert "Tickets have come." in text(client.get("/connect"))


def test_a_key_that_nobody_used_is_no_agent_that_came(desk: Desk) -> None:
    direct_key_make(
        actor=system_caller(desk.org.id),
        org=desk.org,
        name="direct",
        scopes=WORK_SCOPES,
        now=clock.now(),
    )
    assert "No agent has registered yet" in text(person(desk, "bob").get("/"))


def test_an_owner_makes_a_secret_that_is_shown_once(desk: Desk) -> None:
    client = person(desk, "alice")
    assert "made" in text(client.get("/"))
    made = client.post("/connect/secret")
    assert made.status_code == 302
    shown = client.get(made.headers["Location"])
    assert "no-store" in shown.headers["Cache-Control"]
    found = SECRET.findall(shown.content.decode())
    assert len(found) == 1
    assert Api(found[0]).post("/api/v1/agents/register", {"name": "new"}).status == 201
    tokens = Token.objects.of(desk.org.id).count()
    again = client.get(made.headers["Location"])
    assert again.status_code == 410
    assert not SECRET.search(again.content.decode())
    assert Token.objects.of(desk.org.id).count() == tokens
    # The older one was replaced.
    late = Api(desk.enrollment_secret).post("/api/v1/agents/register", {"name": "late"})
    assert late.code == "token_revoked"


def test_the_button_makes_a_connector_where_there_is_none(desk: Desk) -> None:
    org = org_make(name="Fresh", now=clock.now())
    member_add(org=org, user=desk.people["alice"].user, role=Role.OWNER, now=clock.now())
    client = person(desk, "alice")
    page = text(client.get(f"/?org={org.id}"))
    assert "Make an enrollment secret" in page
    made = client.post("/connect/secret")
    secret = SECRET.findall(client.get(made.headers["Location"]).content.decode())[0]
    connector = Connector.objects.of(org.id).get()
    assert (connector.name, connector.scopes) == ("Agents", list(WORK_SCOPES))
    registered = Api(secret).post("/api/v1/agents/register", {"name": "new"}).ok(201)
    assert registered["agent"]["name"] == "new"
    assert Connector.objects.of(desk.org.id).count() == 1


@pytest.mark.parametrize("name", ["bob", "carol"])
def test_others_are_told_whom_to_ask(desk: Desk, name: str) -> None:
    client = person(desk, name)
    page = text(client.get("/"))
    assert "These can make one:" in page
    assert "alice" in page
    assert 'action="/connect/secret"' not in page
    desk.people["alice"].user.is_active = False
    desk.people["alice"].user.save()
    assert "alice" not in text(client.get("/connect"))
    before = Token.objects.of(desk.org.id).count()
    assert client.post("/connect/secret").status_code == 403
    assert Token.objects.of(desk.org.id).count() == before


def test_nothing_is_made_by_a_look_or_by_a_stranger(desk: Desk, other: Desk) -> None:
    before = Token.unscoped.count()
    assert person(desk, "alice").get("/connect/secret").status_code == 405
    assert Client().post("/connect/secret").status_code == 302
    for path in ("/connect", "/connect/secret/shown"):
        assert Client().get(path).status_code == 302
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(desk.people["alice"].user, "django.contrib.auth.backends.ModelBackend")
    assert strict.post("/connect/secret").status_code == 403
    stranger = person(other, "mallory").get(f"/connect?org={desk.org.id}")
    assert stranger.status_code == 404
    assert Token.unscoped.count() == before


@pytest.mark.parametrize("path", ["/", "/connect"])
def test_it_takes_few_statements(desk: Desk, path: str) -> None:
    for turn in range(6):
        desk.agent(f"agent {turn}")
    client = person(desk, "bob")
    client.get(path)
    with CaptureQueriesContext(connection) as asked:
        text(client.get(path))
    assert len(asked) <= 12
