"""Methods, headers, types and addresses: what the door itself says."""

import re

import pytest
from django.test import Client

from stuckbot.lib.models import OrgClock
from stuckbot.site.api import urls
from stuckbot.site.api.operations import OPERATIONS
from tests.api.refusals import nothing_changes, refused, send
from tests.support import Api, Desk, Reply, file_ticket
from tickets.models import Package

FORM = "application/x-www-form-urlencoded"


def test_it_takes_an_empty_body_for_an_empty_object(stuck: Api, solver: Api) -> None:
    file_ticket(stuck)
    for raw in (b"", b"  \n"):
        assert send(solver.token, "/api/v1/tickets/SB-1/claim", raw, FORM).status == 200
    assert send(solver.token, "/api/v1/tickets/SB-1/release", b"", "").status == 200
    assert send(solver.token, "/api/v1/tickets/SB-1/claim", b"", "text/html; x=y").status == 200


@pytest.mark.parametrize("kind", [FORM, "text/plain", "multipart/form-data; boundary=x", ""])
def test_it_takes_json_alone(kind: str, stuck: Api) -> None:
    file_ticket(stuck)
    with nothing_changes():
        reply = send(stuck.token, "/api/v1/tickets/SB-1/comments", b'{"body": "x"}', kind)
        refused(reply, 415, "unsupported_media_type")


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "application/ld+json"])
def test_it_takes_json_under_its_other_names(kind: str, stuck: Api) -> None:
    file_ticket(stuck)
    raw = b'{"body": "x"}'
    assert send(stuck.token, "/api/v1/tickets/SB-1/comments", raw, kind).status == 201


@pytest.mark.parametrize("path", ["/api/v1", "/api/v1/tickets", "/schemas/handoff-package-1.json"])
def test_it_answers_json_alone(path: str, stuck: Api) -> None:
    refused(stuck.get(path, accept="text/html"), 406, "not_acceptable")
    refused(stuck.get(path, accept="text/html, image/png;q=0.5"), 406, "not_acceptable")
    for accept in ("*/*", "application/json", "text/html, */*;q=0.1", "application/*"):
        assert stuck.get(path, accept=accept).status == 200


def test_it_names_the_methods_an_address_takes(stuck: Api) -> None:
    assert urls.MODULES
    places: dict[str, set[str]] = {}
    for path, method in OPERATIONS:
        places.setdefault(path, set()).add(method)
    for place, methods in places.items():
        path = place[1:] if place.startswith("//") else f"/api/v1{place}"
        path = path.replace("{id}", "SB-1")
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"} - methods:
            reply = stuck.call(method, path)
            refused(reply, 405, "method_not_allowed")
            heads = {"HEAD"} if "GET" in methods else set()
            assert set((reply.header("Allow") or "").split(", ")) == methods | heads


def test_it_answers_head_as_get_without_a_body(stuck: Api) -> None:
    for path in ("/api/v1", "/api/v1/tickets", "/api/v1/agents/me", "/api/v1/work"):
        reply, whole = stuck.call("HEAD", path), stuck.get(path)
        assert (reply.status, reply.response.content) == (200, b"")
        assert reply.header("Content-Length") == str(len(whole.response.content))
    assert stuck.call("HEAD", "/api/v1/tickets/SB-9").status == 404


@pytest.mark.parametrize(
    "path",
    [
        "/api",
        "/api/",
        "/api/v1/",
        "/api/v1/tickets/",
        "/api/v1/tickets/SB-1/",
        "/api/v1/work/",
        "/api/v2/tickets",
        "/api/v1/nothing",
        "/api//v1",
        "/api/a%0Ab",
        "/api/%00",
        "/api/v1/tickets/a%2Fb/claim",
        "/api/v1/%E2%80%AE",
        "/api/v1/%FF",
        "/schemas/",
        "/schemas/none.json",
        "/.well-known/none",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_it_redirects_nowhere(method: str, path: str, db: None) -> None:
    refused(Api("").call(method, path), 404, "not_found")


def test_it_gives_every_answer_an_id_of_its_own(desk: Desk, stuck: Api, solver: Api) -> None:
    file_ticket(stuck)
    replies = [
        stuck.get("/api/v1/agents/me"),
        stuck.get("/api/v1/nothing"),
        stuck.call("PUT", "/api/v1/tickets"),
        Api("").get("/api/v1/tickets"),
        solver.get("/api/v1/work"),
        solver.post("/api/v1/tickets/SB-1/claim", {"x": 1}),
    ]
    Package.objects.of(desk.org.id).delete()
    broken = Api(stuck.token, Client(raise_request_exception=False)).get("/api/v1/tickets/SB-1")
    refused(broken, 500, "internal_error")
    ids = [reply.header("X-Request-Id") or "" for reply in [*replies, broken]]
    assert all(re.fullmatch(r"req_[0-9a-f]{16}", one) for one in ids)
    assert len(set(ids)) == len(ids)


def test_it_rolls_all_back_when_something_breaks(desk: Desk, stuck: Api, solver: Api) -> None:
    """A write that fails at its very end, for the answer cannot be made, changes nothing."""
    file_ticket(stuck)
    Package.objects.of(desk.org.id).delete()
    bearer = Api(stuck.token, Client(raise_request_exception=False))
    assert OrgClock.unscoped.count() == 1
    with nothing_changes():
        body = {"package": {"title": "x"}}
        assert bearer.post("/api/v1/tickets/SB-1/package", body).status == 422
        reply = bearer.get("/api/v1/tickets/SB-1", idempotency_key="k")
        refused(reply, 500, "internal_error")


def test_it_refuses_parameters_that_nothing_reads(stuck: Api) -> None:
    refused(stuck.get("/api/v1/tickets?stat=open"), 422, "invalid_request")
    refused(stuck.get("/api/v1/agents/me?limit=1"), 422, "invalid_request")
    many = "&".join(f"a{number}=1" for number in range(1_100))
    refused(stuck.get(f"/api/v1/tickets?{many}"), 422, "invalid_request")
    assert stuck.get(f"/api/v1?{many}").status in (200, 422)


@pytest.mark.parametrize("key", ["", "x" * 256, "two words", "tab\there", "ümlaut", " lead"])
def test_it_refuses_a_key_that_is_none(key: str, stuck: Api) -> None:
    file_ticket(stuck)
    with nothing_changes():
        for path in ("tickets/SB-1/comments", "agents/me/heartbeat", "tickets/SB-1/claim/renew"):
            reply = stuck.post(f"/api/v1/{path}", {"body": "x"}, idempotency_key=key)
            refused(reply, 400, "invalid_header")


def test_it_takes_a_key_of_255(stuck: Api) -> None:
    file_ticket(stuck)
    for _ in range(2):
        sent = stuck.post("/api/v1/tickets/SB-1/comments", {"body": "x"}, idempotency_key="~" * 255)
        sent.ok(201)
    assert len(stuck.get("/api/v1/tickets/SB-1").ok()["ticket"]["comments"]) == 1


def test_public_answers_need_no_token_and_mind_no_bad_one(db: None) -> None:
    for path in ("/api/v1", "/api/v1/openapi.json", "/schemas/handoff-package-1.json"):
        for header in ("", "Bearer sba_half", "Basic eDp5", "nonsense"):
            reply = Reply(Client().get(path, headers={"Authorization": header}))
            assert reply.status == 200
