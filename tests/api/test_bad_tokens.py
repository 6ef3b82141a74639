"""Tokens that do not sign in, and what is told of it."""

from collections.abc import Callable
from datetime import timedelta

import pytest
import time_machine

from accounts.models import Connector, Token, User
from accounts.services.orgs import connector_disable, direct_key_make, system_caller, token_revoke
from accounts.states import SCOPES
from stuckbot.lib import clock
from tests.api.refusals import nothing_changes, refused
from tests.support import Api, Desk, file_ticket


def _key(desk: Desk, name: str = "direct") -> Api:
    system = system_caller(desk.org.id)
    fresh = direct_key_make(actor=system, org=desk.org, name=name, scopes=SCOPES, now=clock.now())
    return Api(fresh.text)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: "",
        lambda text: text[:20],
        lambda text: text[:-1],
        lambda text: text + "x",
        lambda text: text[:-1] + ("x" if text[-1] != "x" else "y"),
        lambda text: "sbk_" + text[4:],
        lambda text: text.upper(),
        lambda text: text + " " + text,
        lambda text: "sba_" + "0" * 61,
        lambda text: "sba_" + "é" * 61,
        lambda text: "x" * 5_000,
        lambda text: "\x00",
    ],
)
def test_it_knows_half_a_token(spoil: Callable[[str], str], stuck: Api) -> None:
    with nothing_changes():
        bearer = Api(spoil(stuck.token))
        refused(bearer.get("/api/v1/tickets"), 401, "invalid_token")
        refused(bearer.post("/api/v1/tickets", {}), 401, "invalid_token")


@pytest.mark.parametrize("header", ["", "Bearer", "Basic eDp5", "Token x", "Bearer  "])
def test_it_wants_a_bearer(header: str, db: None) -> None:
    refused(Api("").get("/api/v1/tickets", authorization=header), 401, "invalid_token")


def test_it_takes_each_kind_in_its_place(desk: Desk, stuck: Api, alice: Api) -> None:
    secret, key = Api(desk.enrollment_secret), _key(desk)
    with nothing_changes():
        for path in ("/api/v1/tickets", "/api/v1/work", "/api/v1/agents/me"):
            refused(secret.get(path), 401, "invalid_token")
        for bearer in (stuck, alice, key):
            refused(bearer.post("/api/v1/agents/register", {}), 401, "invalid_token")
        for path in ("token", "heartbeat", "retire"):
            refused(alice.post(f"/api/v1/agents/me/{path}"), 401, "invalid_token")
    assert key.get("/api/v1/agents/me").ok()["agent"]["connector_id"] is None


def test_it_refuses_a_token_past_its_time(stuck: Api) -> None:
    with time_machine.travel(clock.now() + timedelta(hours=24, seconds=1)), nothing_changes():
        refused(stuck.get("/api/v1/agents/me"), 401, "token_expired")
        refused(stuck.post("/api/v1/agents/me/token"), 401, "token_expired")
        refused(stuck.post("/api/v1/tickets", {}), 401, "token_expired")


def test_it_refuses_a_revoked_token(desk: Desk, stuck: Api) -> None:
    token = Token.objects.of(desk.org.id).get(lookup=stuck.token[4:16])
    token_revoke(actor=system_caller(desk.org.id), token=token, now=clock.now())
    with nothing_changes():
        refused(stuck.get("/api/v1/agents/me"), 401, "token_revoked")
        refused(stuck.post("/api/v1/agents/me/retire"), 401, "token_revoked")


def test_it_stops_a_retired_agent(stuck: Api) -> None:
    stuck.post("/api/v1/agents/me/retire").ok()
    with nothing_changes():
        refused(stuck.get("/api/v1/work"), 401, "token_revoked")
        refused(stuck.post("/api/v1/agents/me/token"), 401, "token_revoked")


def test_it_stops_the_fleet_of_a_disabled_connector(desk: Desk, stuck: Api) -> None:
    key = _key(desk)
    connector = Connector.objects.of(desk.org.id).get()
    connector_disable(actor=system_caller(desk.org.id), connector=connector, now=clock.now())
    with nothing_changes():
        secret = Api(desk.enrollment_secret)
        refused(secret.post("/api/v1/agents/register", {}), 401, "token_revoked")
        refused(stuck.get("/api/v1/work"), 401, "token_revoked")
        refused(stuck.post("/api/v1/agents/me/token"), 401, "token_revoked")
    assert key.get("/api/v1/work").status == 200


def test_it_stops_a_person_who_may_not_sign_in(desk: Desk, bob: Api) -> None:
    assert bob.get("/api/v1/tickets").status == 200
    User.objects.filter(email__startswith="bob@").update(is_active=False)
    refused(bob.get("/api/v1/tickets"), 401, "token_revoked")


def test_it_does_not_renew_a_direct_key(desk: Desk) -> None:
    key = _key(desk)
    with nothing_changes():
        refused(key.post("/api/v1/agents/me/token"), 403, "not_eligible")
    key.post("/api/v1/agents/me/retire").ok()
    refused(key.get("/api/v1/work"), 401, "token_revoked")


def test_it_does_not_renew_beyond_an_agents_life(desk: Desk) -> None:
    start = clock.now()
    with time_machine.travel(start, tick=False) as traveller:
        bearer = desk.agent("old")
        for day in range(1, 30):
            traveller.move_to(start + timedelta(days=day, seconds=-day))
            bearer = Api(bearer.post("/api/v1/agents/me/token").ok()["token"])
        traveller.move_to(start + timedelta(days=29, seconds=1))
        with nothing_changes():
            refused(bearer.post("/api/v1/agents/me/token"), 401, "lifetime_exceeded")
        assert bearer.get("/api/v1/agents/me").status == 200
        traveller.move_to(start + timedelta(days=31))
        refused(bearer.get("/api/v1/agents/me"), 401, "token_expired")
        refused(bearer.post("/api/v1/agents/me/token"), 401, "token_expired")


def test_it_keeps_the_old_token_for_a_minute(desk: Desk, stuck: Api) -> None:
    with time_machine.travel(clock.now(), tick=False) as traveller:
        fresh = stuck.post("/api/v1/agents/me/token").ok()
        assert fresh["token"] != stuck.token
        traveller.shift(timedelta(seconds=59))
        assert stuck.get("/api/v1/agents/me").status == 200
        traveller.shift(timedelta(seconds=2))
        refused(stuck.get("/api/v1/agents/me"), 401, "token_expired")
        assert Api(fresh["token"]).get("/api/v1/agents/me").status == 200


def test_it_registers_no_more_agents_than_the_org_may_have(desk: Desk) -> None:
    desk.org.agent_limit = 2
    desk.org.save(update_fields=["agent_limit"])
    first = desk.agent("one")
    desk.agent("two")
    secret = Api(desk.enrollment_secret)
    with nothing_changes():
        reply = secret.post("/api/v1/agents/register", {}, idempotency_key="k")
        refused(reply, 429, "agent_limit")
        assert reply.header("Retry-After") is None
    first.post("/api/v1/agents/me/retire").ok()
    secret.post("/api/v1/agents/register", {}, idempotency_key="k").ok(201)


def test_it_never_grants_more_than_the_connector_has(desk: Desk) -> None:
    Connector.objects.of(desk.org.id).update(scopes=["tickets:read_project", "verify"])
    secret = Api(desk.enrollment_secret)
    with nothing_changes():
        reply = secret.post("/api/v1/agents/register", {"scopes": ["tickets:create"]})
        details = refused(reply, 403, "insufficient_scope")
        assert details == {"required_scope": "tickets:create"}
        reply = secret.post("/api/v1/agents/register", {"scopes": ["root"]})
        refused(reply, 422, "invalid_request")
    agent = secret.post("/api/v1/agents/register", {}).ok(201)["agent"]
    assert agent["scopes"] == ["tickets:read_project"]


def test_it_names_the_scope_that_is_missing(desk: Desk, stuck: Api) -> None:
    file_ticket(stuck)
    poor = desk.agent("poor", scopes=["tickets:read_project"])
    with nothing_changes():
        reply = poor.post("/api/v1/tickets/SB-1/claim", {}, idempotency_key="k")
        assert refused(reply, 403, "insufficient_scope") == {"required_scope": "tickets:claim"}
