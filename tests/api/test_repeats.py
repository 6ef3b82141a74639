"""Idempotency keys: what is kept and replayed, and what never is."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine

from accounts.models import Token
from stuckbot.lib import clock
from stuckbot.lib.models import Idempotency
from tests.api.refusals import nothing_changes, refused
from tests.support import Api, Desk, Reply, file_ticket, make_package
from tickets.models import Ticket


def _is_replay(reply: Reply) -> bool:
    return reply.header("Idempotent-Replayed") == "true"


def test_it_refuses_a_key_for_another_request(stuck: Api, solver: Api) -> None:
    file_ticket(stuck)
    path = "/api/v1/tickets/SB-1/comments"
    stuck.post(path, {"body": "One"}, idempotency_key="k").ok(201)
    with nothing_changes():
        reply = stuck.post(path, {"body": "Two"}, idempotency_key="k")
        refused(reply, 422, "idempotency_key_reused")
        reply = stuck.post("/api/v1/tickets/SB-1/pause", {"body": "One"}, idempotency_key="k")
        refused(reply, 422, "idempotency_key_reused")
    # Keys are each caller's own.
    assert not _is_replay(solver.post(path, {"body": "One"}, idempotency_key="k"))


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("tickets/SB-9/comments", {"body": "x"}, 404),
        ("tickets/SB-1/updates", {"body": "x"}, 409),
        ("tickets/SB-1/reopen", None, 409),
        ("tickets/SB-1/comments", {"body": 1}, 422),
        ("tickets", {"package": {}}, 422),
    ],
)
def test_it_keeps_a_refusal_it_decided(path: str, body: Any, status: int, stuck: Api) -> None:
    file_ticket(stuck)
    with nothing_changes("Idempotency"):
        first = stuck.post(f"/api/v1/{path}", body, idempotency_key="k")
        again = stuck.post(f"/api/v1/{path}", body, idempotency_key="k")
    assert (first.status, again.status) == (status, status)
    assert (_is_replay(first), _is_replay(again)) == (False, True)
    assert first.response.content == again.response.content
    assert Idempotency.unscoped.filter(status=status).count() == 1
    assert again.header("X-RateLimit-Limit") == "600"


def test_it_replays_a_refusal_though_it_would_now_succeed(stuck: Api, solver: Api) -> None:
    file_ticket(stuck)
    path, body = "/api/v1/tickets/SB-1/updates", {"body": "x"}
    refused(solver.post(path, body, idempotency_key="k"), 409, "not_claim_holder")
    solver.post("/api/v1/tickets/SB-1/claim").ok()
    assert _is_replay(solver.post(path, body, idempotency_key="k"))
    solver.post(path, body, idempotency_key="other").ok(201)


def test_it_keeps_no_401_403_413_415_or_429(desk: Desk, stuck: Api, settings: Any) -> None:
    file_ticket(stuck)
    poor = desk.agent("poor", scopes=["tickets:read_project"])
    big = {"body": "x" * 1_100_000}
    with nothing_changes():
        sent = {"idempotency_key": "k"}
        Api("").post("/api/v1/tickets", {}, **sent)
        assert poor.post("/api/v1/tickets", {"package": make_package()}, **sent).status == 403
        assert stuck.post("/api/v1/tickets/SB-1/comments", big, **sent).status == 413
        comments = "/api/v1/tickets/SB-1/comments"
        assert stuck.post(comments, {"body": "x"}, content_type="text/plain", **sent).status == 415
        settings.RATE_LIMIT = 1
        assert stuck.post(comments, {"body": "x"}, **sent).status == 429
    settings.RATE_LIMIT = 600
    assert not _is_replay(stuck.post(comments, {"body": "x"}, **sent))


@pytest.mark.parametrize("action", ["claim", "continue"])
def test_it_keeps_no_lost_claim(action: str, stuck: Api, solver: Api, racer: Api) -> None:
    file_ticket(stuck)
    solver.post("/api/v1/tickets/SB-1/claim").ok()
    path = f"/api/v1/tickets/SB-1/{action}"
    with nothing_changes():
        refused(racer.post(path, {}, idempotency_key="k"), 409, "already_claimed")
    solver.post("/api/v1/tickets/SB-1/release").ok()
    reply = racer.post(path, {}, idempotency_key="k")
    assert not _is_replay(reply)
    assert reply.status == (200 if action == "claim" else 409)


def test_it_keeps_no_record_of_heartbeats_and_renewals(stuck: Api, solver: Api) -> None:
    file_ticket(stuck)
    solver.post("/api/v1/tickets/SB-1/claim").ok()
    for _ in range(2):
        for path in ("agents/me/heartbeat", "tickets/SB-1/claim/renew"):
            assert not _is_replay(solver.post(f"/api/v1/{path}", {}, idempotency_key="k"))
    assert Idempotency.unscoped.count() == 0


def test_it_hands_a_repeated_register_a_fresh_token(desk: Desk) -> None:
    secret = Api(desk.enrollment_secret)
    first = secret.post("/api/v1/agents/register", {"name": "a"}, idempotency_key="k").ok(201)
    reply = secret.post("/api/v1/agents/register", {"name": "a"}, idempotency_key="k")
    again = reply.ok(201)
    assert _is_replay(reply)
    assert set(again) == set(first)
    assert (again["agent"]["id"], again["org"]) == (first["agent"]["id"], first["org"])
    refused(Api(first["token"]).get("/api/v1/agents/me"), 401, "token_revoked")
    third = secret.post("/api/v1/agents/register", {"name": "a"}, idempotency_key="k").ok(201)
    refused(Api(again["token"]).get("/api/v1/agents/me"), 401, "token_revoked")
    assert Api(third["token"]).get("/api/v1/agents/me").status == 200


def test_it_hands_a_repeated_renewal_a_fresh_token(desk: Desk, stuck: Api) -> None:
    first = stuck.post("/api/v1/agents/me/token", idempotency_key="k").ok()
    reply = stuck.post("/api/v1/agents/me/token", idempotency_key="k")
    assert _is_replay(reply)
    again = reply.ok()
    assert again["agent"]["id"] == first["agent"]["id"]
    refused(Api(first["token"]).get("/api/v1/agents/me"), 401, "token_revoked")
    assert Api(again["token"]).get("/api/v1/agents/me").status == 200
    # The key is the agent's: its newer token repeats the same renewal.
    assert _is_replay(Api(again["token"]).post("/api/v1/agents/me/token", idempotency_key="k"))


def test_it_stores_no_token(desk: Desk, stuck: Api) -> None:
    fresh = stuck.post("/api/v1/agents/me/token", idempotency_key="k").ok()["token"]
    secret = fresh[16:]
    for model in (Idempotency, Token):
        for row in model.unscoped.values_list():
            shown = [bytes(one) if isinstance(one, memoryview) else one for one in row]
            assert secret not in repr(shown)


def test_it_answers_a_repeated_retire_though_its_token_is_revoked(stuck: Api, solver: Api) -> None:
    file_ticket(stuck)
    solver.post("/api/v1/tickets/SB-1/claim").ok()
    first = solver.post("/api/v1/agents/me/retire", idempotency_key="k")
    assert first.ok() == {"released": ["SB-1"], "waiting": []}
    with nothing_changes():
        again = solver.post("/api/v1/agents/me/retire", idempotency_key="k")
        assert (again.ok(), _is_replay(again)) == (first.ok(), True)
        reply = solver.post("/api/v1/agents/me/retire", idempotency_key="other")
        refused(reply, 401, "token_revoked")
        reply = solver.post("/api/v1/tickets/SB-1/claim", idempotency_key="k")
        refused(reply, 401, "token_revoked")


def test_it_forgets_a_key_after_a_day(desk: Desk) -> None:
    with time_machine.travel(clock.now(), tick=False) as traveller:
        stuck = desk.agent("stuck")
        traveller.shift(timedelta(hours=1))
        body = {"package": make_package()}
        stuck.post("/api/v1/tickets", body, idempotency_key="k").ok(201)
        traveller.shift(timedelta(hours=22))
        stuck = Api(stuck.post("/api/v1/agents/me/token").ok()["token"])
        traveller.shift(timedelta(hours=1, minutes=59))
        assert _is_replay(stuck.post("/api/v1/tickets", body, idempotency_key="k"))
        traveller.shift(timedelta(minutes=2))
        fresh = stuck.post("/api/v1/tickets", body, idempotency_key="k")
        assert (fresh.status, _is_replay(fresh)) == (201, False)
        assert _is_replay(stuck.post("/api/v1/tickets", body, idempotency_key="k"))
    assert Ticket.objects.of(desk.org.id).count() == 2
