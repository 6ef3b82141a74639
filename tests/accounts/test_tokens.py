"""Tokens as text and as rows: what is kept of them, and who may still use them."""

import re
from datetime import timedelta

import pytest
import time_machine
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import Agent, Connector, Membership, Token
from accounts.services.orgs import (
    connector_disable,
    connector_enable,
    direct_key_make,
    enrollment_secret_make,
    person_token_make,
    system_caller,
)
from accounts.states import SCOPES, Role, TokenKind
from accounts.tokens import token_fresh, token_lookup, token_matches
from stuckbot.lib import clock, ids
from stuckbot.lib.models import Audit
from tests.api.refusals import refused
from tests.support import Api, Desk, file_ticket


@pytest.mark.parametrize("kind", list(TokenKind))
def test_it_makes_a_token_that_only_its_bearer_knows(kind: TokenKind) -> None:
    fresh = token_fresh(kind, org_id=ids.uuid7(), now=clock.now())
    assert re.fullmatch(rf"{kind}_[0-9A-Za-z]{{61}}", fresh.text)
    assert token_lookup(fresh.text) == fresh.row.lookup
    assert token_matches(fresh.text, fresh.row.sha256)
    assert fresh.text[16:] not in repr(vars(fresh.row))


def test_it_tells_a_typo_without_the_database() -> None:
    text = token_fresh(TokenKind.AGENT, org_id=ids.uuid7(), now=clock.now()).text
    for place in range(4, len(text)):
        wrong = "a" if text[place] != "a" else "b"
        assert token_lookup(text[:place] + wrong + text[place + 1 :]) is None
        assert token_lookup(text[:place]) is None


@given(st.text())
def test_it_takes_any_text_for_no_token(text: str) -> None:
    assert token_lookup(text) is None
    assert token_lookup(f"sba_{text}") is None


def test_a_fresh_enrollment_secret_takes_the_older_ones_place(desk: Desk) -> None:
    system = system_caller(desk.org.id)
    fresh = enrollment_secret_make(actor=system, connector=desk.connector, now=clock.now())
    refused(Api(desk.enrollment_secret).post("/api/v1/agents/register", {}), 401, "token_revoked")
    Api(fresh.text).post("/api/v1/agents/register", {}).ok(201)


def test_a_fleet_stops_and_goes_on(desk: Desk, stuck: Api) -> None:
    system = system_caller(desk.org.id)
    connector = Connector.objects.of(desk.org.id).get()
    connector_disable(actor=system, connector=connector, now=clock.now())
    assert stuck.get("/api/v1/work").status == 401
    connector_enable(actor=system, connector=connector, now=clock.now())
    assert stuck.get("/api/v1/work").status == 200
    acts = Audit.objects.of(desk.org.id).order_by("no").values_list("no", "action")
    assert [number for number, _ in acts] == list(range(1, len(acts) + 1))
    assert [act for _, act in acts][-2:] == ["connector_disabled", "connector_enabled"]


def test_a_persons_token_goes_by_the_role_of_the_day(desk: Desk, stuck: Api, bob: Api) -> None:
    file_ticket(stuck)
    bob.post("/api/v1/tickets/SB-1/comments", {"body": "x"}).ok(201)
    members = Membership.objects.of(desk.org.id).filter(id=desk.people["bob"].id)
    members.update(role=Role.VIEWER)
    reply = bob.post("/api/v1/tickets/SB-1/comments", {"body": "x"})
    refused(reply, 403, "not_eligible")
    assert bob.get("/api/v1/tickets/SB-1").status == 200
    members.delete()
    refused(bob.get("/api/v1/tickets/SB-1"), 401, "invalid_token")


def test_a_persons_token_can_end_by_itself(desk: Desk) -> None:
    now = clock.now()
    fresh = person_token_make(
        membership=desk.people["bob"], name="x", now=now, expires_at=now + timedelta(days=1)
    )
    assert Api(fresh.text).get("/api/v1/tickets").status == 200
    with time_machine.travel(now + timedelta(days=1)):
        refused(Api(fresh.text).get("/api/v1/tickets"), 401, "token_expired")


def test_a_direct_key_ends_only_when_it_is_said_to(desk: Desk) -> None:
    now = clock.now()
    system = system_caller(desk.org.id)
    lasting = direct_key_make(actor=system, org=desk.org, name="a", scopes=SCOPES, now=now)
    ending = direct_key_make(
        actor=system,
        org=desk.org,
        name="b",
        scopes=SCOPES,
        now=now,
        expires_at=now + timedelta(days=7),
    )
    with time_machine.travel(now + timedelta(days=400)):
        assert Api(lasting.text).get("/api/v1/work").status == 200
        refused(Api(ending.text).get("/api/v1/work"), 401, "token_expired")


def test_an_agent_sees_its_projects_and_what_is_its_own(desk: Desk, other: Desk) -> None:
    agent = desk.agent("narrow", project_ids=[str(desk.org.default_project_id)])
    file_ticket(desk.agent("stuck"))
    assert len(agent.get("/api/v1/tickets").ok()["tickets"]) == 1
    Agent.objects.of(desk.org.id).filter(name="narrow").update(project_ids=[str(ids.uuid7())])
    assert agent.get("/api/v1/tickets").ok()["tickets"] == []
    refused(agent.get("/api/v1/tickets/SB-1"), 404, "not_found")
    refused(agent.post("/api/v1/tickets/SB-1/claim"), 404, "not_found")
    assert agent.get("/api/v1/work").ok()["claimable"] == []


def test_an_agent_without_the_scope_reads_its_own_alone(desk: Desk, stuck: Api) -> None:
    file_ticket(stuck)
    poor = desk.agent("poor", scopes=["tickets:create"])
    own = file_ticket(poor)["ref"]
    assert [one["ref"] for one in poor.get("/api/v1/tickets").ok()["tickets"]] == [own]
    assert poor.get(f"/api/v1/tickets/{own}").status == 200
    assert poor.get(f"/api/v1/tickets/{own}/events").status == 200
    refused(poor.get("/api/v1/tickets/SB-1"), 403, "insufficient_scope")


def test_asking_for_no_scope_gives_all_but_verify(desk: Desk) -> None:
    me = desk.agent("plain").get("/api/v1/agents/me").ok()["agent"]
    assert me["scopes"] == [scope for scope in SCOPES if scope != "verify"]
    me = desk.agent("sworn", scopes=["verify"]).get("/api/v1/agents/me").ok()["agent"]
    assert me["scopes"] == ["verify"]


def test_every_token_is_told_by_its_hash_alone(desk: Desk, stuck: Api, alice: Api) -> None:
    for row in Token.objects.of(desk.org.id):
        assert re.fullmatch(r"[0-9a-f]{64}", row.sha256)
        assert len(row.lookup) == 12
