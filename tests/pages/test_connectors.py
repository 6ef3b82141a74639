"""Keys of single agents, and the connectors that fleets come by: made, changed, stopped, revoked."""

import re

import pytest
from django.test import Client

from accounts.models import Agent, Connector
from tests.pages.test_agents import audits, words
from tests.pages.test_people import key, page, signed_in
from tests.support import Api, Desk


@pytest.fixture
def alices(desk: Desk) -> Client:
    return signed_in(desk, "alice")


def test_a_key_is_shown_once_and_signs_in(desk: Desk, alices: Client) -> None:
    text = page(alices, "/agents/key")
    sent = {"name": "nightly", "scopes": ["tickets:read_project"], "expiry": "30", "key": key(text)}
    shown = alices.post("/agents/key/new", sent, follow=True).content.decode()
    found = re.search(r"STUCKBOT_TOKEN=(sbk_\w+)", shown)
    assert found is not None
    me = Api(found[1]).get("/api/v1/agents/me").ok()["agent"]
    assert (me["name"], me["scopes"]) == ("nightly", ["tickets:read_project"])
    assert alices.get("/agents/key/shown").status_code == 410
    text = page(alices, f"/agents/{me['id']}")
    assert "Key of its own" in words(text)
    assert found[1][4:40] not in text
    renewed = alices.post(f"/agents/{me['id']}/key", {}, follow=True).content.decode()
    fresh = re.search(r"STUCKBOT_TOKEN=(sbk_\w+)", renewed)
    assert fresh is not None
    assert Api(fresh[1]).get("/api/v1/agents/me").status == 200
    assert Api(found[1]).get("/api/v1/agents/me").code == "token_revoked"
    assert audits(desk).count("direct_key_made") == 2


def test_a_key_sent_twice_is_made_once(desk: Desk, alices: Client) -> None:
    sent = {"name": "nightly", "scopes": ["verify"], "expiry": "never", "key": "twice"}
    alices.post("/agents/key/new", sent)
    alices.post("/agents/key/new", sent)
    assert Agent.objects.of(desk.org.id).filter(name="nightly").count() == 1


def test_a_key_wants_a_name_and_a_scope(desk: Desk, alices: Client) -> None:
    sent = {"name": "ghp_" + "A1b2C3d4E5f6" * 3, "expiry": "30"}
    response = alices.post("/agents/key/new", sent)
    assert response.status_code == 422
    assert "Tick one at least." in response.content.decode()
    assert not Agent.objects.of(desk.org.id).exists()


def test_a_connector_is_made_changed_stopped_and_let_in(
    desk: Desk, solver: Api, alices: Client
) -> None:
    sent = {"name": "Night fleet", "scopes": ["tickets:create"], "key": "made"}
    text = alices.post("/agents/connectors/new", sent, follow=True).content.decode()
    made = Connector.objects.of(desk.org.id).get(name="Night fleet")
    assert (made.scopes, made.set_up_by_id) == (["tickets:create"], desk.people["alice"].actor_id)
    assert "It has none, so no agent can register. Make a secret" in words(text)
    assert "older secret" not in text
    path = f"/agents/connectors/{made.id}"
    project = desk.org.default_project
    assert project is not None
    change = {"name": "Day fleet", "scopes": ["verify"], "projects": [project.id], "key": "save"}
    assert alices.post(f"{path}/save", change).status_code == 303
    made.refresh_from_db()
    assert (made.name, made.scopes, made.projects.get()) == ("Day fleet", ["verify"], project)
    shown = alices.post(f"{path}/secret", {}, follow=True).content.decode()
    secret = re.search(r"STUCKBOT_ENROLL=(sbe_\w+)", shown)
    assert secret is not None
    assert "Make a new secret" in (text := words(page(alices, path)))
    assert "The older secret stops at once" in text
    joined = Api(secret[1]).post("/api/v1/agents/register", {"scopes": ["verify"]}).ok(201)
    agent = Api(joined["token"])
    alices.post(f"{path}/stop", {"key": "stop"})
    assert agent.get("/api/v1/agents/me").status == 401
    assert "The fleet Day fleet is stopped." in words(page(alices, "/agents"))
    alices.post(f"{path}/start", {"key": "start"})
    assert agent.get("/api/v1/agents/me").status == 200
    alices.post(f"{path}/revoke", {"key": "revoke"})
    assert agent.get("/api/v1/agents/me").status == 401
    assert "Make a new secret" not in page(alices, path)
    assert audits(desk)[-7:] == [
        "connector_added",
        "connector_changed",
        "enrollment_secret_made",
        "agent_registered",
        "connector_disabled",
        "connector_enabled",
        "connector_tokens_revoked",
    ]


def test_two_connectors_have_two_names(desk: Desk, alices: Client) -> None:
    sent = {"name": desk.connector.name, "scopes": ["verify"], "key": "same"}
    response = alices.post("/agents/connectors/new", sent)
    assert response.status_code == 409
    assert "There is a connector of that name already." in response.content.decode()
    other = {"name": "Other", "scopes": ["verify"], "key": "other"}
    alices.post("/agents/connectors/new", other)
    made = Connector.objects.of(desk.org.id).get(name="Other")
    response = alices.post(f"/agents/connectors/{made.id}/save", sent)
    assert response.status_code == 409
    made.refresh_from_db()
    assert made.name == "Other"
