"""Operations of the public client that wait for their subject: there, checked, and honest."""

import re
from typing import Any, Final

import pytest

from accounts.states import SCOPES
from stuckbot.lib import ids
from tests import truth
from tests.api.refusals import nothing_changes, paths, refused, send
from tests.support import Api, Desk, file_ticket, make_package

#: What the public client calls, the grant keys left out.
CLIENT: Final = {
    "register_agent": "POST /api/v1/agents/register",
    "renew_agent_token": "POST /api/v1/agents/me/token",
    "heartbeat": "POST /api/v1/agents/me/heartbeat",
    "get_me": "GET /api/v1/agents/me",
    "list_my_signals": "GET /api/v1/agents/me/signals",
    "retire_agent": "POST /api/v1/agents/me/retire",
    "report_signal": "POST /api/v1/signals",
    "create_ticket": "POST /api/v1/tickets",
    "list_tickets": "GET /api/v1/tickets",
    "get_ticket": "GET /api/v1/tickets/{}",
    "list_ticket_events": "GET /api/v1/tickets/{}/events",
    "find_work": "GET /api/v1/work",
    "claim_ticket": "POST /api/v1/tickets/{}/claim",
    "continue_task": "POST /api/v1/tickets/{}/continue",
    "renew_claim": "POST /api/v1/tickets/{}/claim/renew",
    "release_ticket": "POST /api/v1/tickets/{}/release",
    "withdraw_ticket": "POST /api/v1/tickets/{}/withdraw",
    "post_update": "POST /api/v1/tickets/{}/updates",
    "add_comment": "POST /api/v1/tickets/{}/comments",
    "upload_attachment": "POST /api/v1/tickets/{}/attachments",
    "download_attachment": "GET /api/v1/attachments/{}",
    "add_evidence": "POST /api/v1/tickets/{}/evidence",
    "submit_stage": "POST /api/v1/tickets/{}/submit",
    "handoff_ticket": "POST /api/v1/tickets/{}/handoff",
    "update_package": "POST /api/v1/tickets/{}/package",
    "escalate_ticket": "POST /api/v1/tickets/{}/escalate",
    "request_access": "POST /api/v1/tickets/{}/access-requests",
    "get_context": "GET /api/v1/tickets/{}/context",
    "list_verifications": "GET /api/v1/verifications",
    "claim_verification": "POST /api/v1/verifications/{}/claim",
    "decide_verification": "POST /api/v1/verifications/{}/decision",
    "list_data_stores": "GET /api/v1/data-stores",
    "get_upload_grant": "POST /api/v1/data-stores/{}/upload-grants",
    "get_data_grants": "POST /api/v1/tickets/{}/data-grants",
    "api_index": "GET /api/v1",
    "get_openapi": "GET /api/v1/openapi.json",
    "get_handoff_package_schema": "GET /schemas/handoff-package-1.json",
}
#: What is refused of a ticket, with a good body and a bad one that has two faults.
OF_TICKETS: Final[list[tuple[str, Any, Any, list[str]]]] = [
    (
        "access-requests",
        {"what": "The build log", "reason": "To see why"},
        {"reason": 1},
        ["reason", "what"],
    ),
    (
        "data-grants",
        {"objects": ["sha256:" + "0" * 64]},
        {"objects": [1], "x": 1},
        ["objects[0]", "x"],
    ),
]


def test_the_document_has_what_the_public_client_calls() -> None:
    served = {
        operation["operationId"]: f"{method.upper()} " + re.sub(r"\{\w+\}", "{}", path)
        for path, methods in truth.spec()["paths"].items()
        for method, operation in methods.items()
    }
    assert {name: served.get(name) for name in CLIENT} == CLIENT


def test_files_are_bytes_in_the_document() -> None:
    _, upload = truth.operation_find("POST", "/api/v1/tickets/SB-1/attachments") or ("", {})
    assert list(upload["requestBody"]["content"]) == ["application/octet-stream"]
    _, download = truth.operation_find("GET", "/api/v1/attachments/x") or ("", {})
    assert list(download["responses"]["200"]["content"]) == ["application/octet-stream"]
    assert "application/json" not in str(upload["requestBody"])


def test_what_is_public_asks_for_no_bearer() -> None:
    for path in ("/api/v1", "/api/v1/openapi.json", "/schemas/handoff-package-1.json"):
        _, described = truth.operation_find("GET", path) or ("", {})
        assert described["security"] == []
        Api("").get(path).ok()


def test_an_answer_unlike_its_description_is_found(stuck: Api) -> None:
    file_ticket(stuck)
    answer = stuck.get("/api/v1/tickets/SB-1").ok()
    assert truth.faults_of("get_ticket", "200", answer) == []
    answer["ticket"]["created_by"]["secret"] = 1
    del answer["ticket"]["you"]
    answer["ticket"]["closed_at"] = "yesterday"
    assert len(truth.faults_of("get_ticket", "200", answer)) == 3


def test_reads_are_empty(desk: Desk, stuck: Api, alice: Api, carol: Api) -> None:
    file_ticket(stuck)
    verifier = desk.agent("verifier", scopes=["verify"])
    context: dict[str, Any] = {"grants": [], "access_requests": []}
    stores: dict[str, Any] = {"data_stores": [], "strict_privacy_projects": []}
    for api in (stuck, alice, carol):
        assert api.get("/api/v1/tickets/SB-1/context").ok() == context
        assert api.get("/api/v1/data-stores").ok() == stores
    for api in (verifier, alice, carol):
        assert api.get("/api/v1/verifications").ok() == {"verifications": []}
    assert stuck.get("/api/v1/agents/me/signals?limit=1").ok() == {
        "signals": [],
        "handoff_requested": None,
        "stop_requested": None,
    }


@pytest.mark.parametrize("path", ["verifications", "agents/me/signals"])
@pytest.mark.parametrize("limit", ["0", "101", "x", "-1"])
def test_reads_take_a_limit(path: str, limit: str, desk: Desk) -> None:
    verifier = desk.agent("verifier", scopes=["verify"])
    reply = verifier.get(f"/api/v1/{path}?limit={limit}")
    assert paths(refused(reply, 422, "invalid_request")) == ["limit"]


@pytest.mark.parametrize(("act", "body", "bad", "faults"), OF_TICKETS)
def test_writes_say_what_state_the_ticket_is_in(
    act: str, body: Any, bad: Any, faults: list[str], stuck: Api, solver: Api
) -> None:
    file_ticket(stuck)
    for state, api in (("open", stuck), ("claimed", solver)):
        if state == "claimed":
            solver.post("/api/v1/tickets/SB-1/claim").ok()
        with nothing_changes():
            reply = api.post(f"/api/v1/tickets/SB-1/{act}", body)
            details = refused(reply, 409, "invalid_transition")
        assert details["state"] == state
        assert ("release" in details["allowed"]) is (state == "claimed")
        assert act not in details["allowed"]


@pytest.mark.parametrize(("act", "body", "bad", "faults"), OF_TICKETS)
def test_writes_are_checked_before_they_are_refused(
    act: str, body: Any, bad: Any, faults: list[str], stuck: Api
) -> None:
    file_ticket(stuck)
    with nothing_changes():
        reply = stuck.post(f"/api/v1/tickets/SB-1/{act}", bad)
        assert paths(refused(reply, 422, "invalid_request")) == faults
        refused(stuck.post(f"/api/v1/tickets/SB-9/{act}", body), 404, "not_found")
        refused(Api("").post(f"/api/v1/tickets/SB-1/{act}", body), 401, "invalid_token")


def test_a_handoff_names_an_agent_by_its_id(stuck: Api) -> None:
    file_ticket(stuck)
    body = {"package": make_package(), "for_agent": "racer"}
    reply = stuck.post("/api/v1/tickets/SB-1/handoff", body)
    assert paths(refused(reply, 422, "invalid_request")) == ["for_agent"]


@pytest.mark.parametrize(
    "body",
    [
        {"type": "self_report", "details": {"why": "I go in circles"}},
        {"type": "watchdog"},
        {"type": "budget", "usage": {"tokens": 90_000, "cost_usd": 1.5}},
        # A package of a signal may be incomplete.
        {"type": "self_report", "package": {"title": "Stuck"}},
    ],
)
def test_signals_are_taken(body: dict[str, Any], stuck: Api) -> None:
    told = stuck.post("/api/v1/signals", body).ok(201)
    assert told["signal"]["type"] == body["type"]
    assert told.get("ticket", {}).get("incomplete") is (True if "package" in body else None)


def test_signals_are_checked(stuck: Api, alice: Api) -> None:
    bad = {"type": "bored", "usage": {"tokens": -1}, "details": "no", "extra": 1}
    reply = stuck.post("/api/v1/signals", bad)
    faults = paths(refused(reply, 422, "invalid_request"))
    assert faults == ["details", "extra", "type", "usage.tokens"]
    reply = stuck.post("/api/v1/signals", {"type": "budget", "project_id": "x"})
    assert paths(refused(reply, 422, "invalid_request")) == ["project_id"]
    refused(alice.post("/api/v1/signals", {"type": "budget"}), 401, "invalid_token")


@pytest.mark.parametrize("scope", ["tickets:create", "handoff:create", "evidence:submit"])
def test_data_stores_take_any_one_of_three_scopes(scope: str, desk: Desk) -> None:
    writer = desk.agent("writer", scopes=[scope])
    writer.get("/api/v1/data-stores").ok()
    reply = writer.post("/api/v1/data-stores/main/upload-grants", {})
    refused(reply, 409, "invalid_transition")


def test_data_stores_want_one_of_the_scopes(desk: Desk) -> None:
    wanted = {"tickets:create", "handoff:create", "evidence:submit"}
    reader = desk.agent("reader", scopes=sorted(set(SCOPES) - wanted))
    for reply in (
        reader.get("/api/v1/data-stores"),
        reader.post("/api/v1/data-stores/main/upload-grants", {}),
    ):
        assert refused(reply, 403, "insufficient_scope")["required_scope"] in wanted


@pytest.mark.parametrize("name", ["a" * 65, "a_b", "a%20b", "%00"])
def test_a_data_store_that_cannot_be_is_not_there(name: str, stuck: Api) -> None:
    refused(stuck.post(f"/api/v1/data-stores/{name}/upload-grants", {}), 404, "not_found")


def test_no_attachment_is_there(stuck: Api) -> None:
    for target in (str(ids.uuid7()), "x", "SB-1"):
        for accept in ("*/*", "image/png"):
            reply = stuck.get(f"/api/v1/attachments/{target}", accept=accept)
            refused(reply, 404, "not_found")


UPLOADS: Final = "/api/v1/tickets/SB-1/attachments"


@pytest.mark.parametrize(
    "kind",
    ["application/json", "multipart/form-data; boundary=x", "text/plain", "image/png", ""],
)
@pytest.mark.parametrize("raw", [b"", b"{not json", b'{"a": NaN}', bytes(range(256)) * 8_192])
def test_a_file_is_never_parsed(kind: str, raw: bytes, stuck: Api) -> None:
    file_ticket(stuck)
    with nothing_changes():
        reply = send(stuck.token, f"{UPLOADS}?filename=build.log&restricted=1", raw, kind)
        assert refused(reply, 409, "invalid_transition")["state"] == "open"


def test_a_file_is_checked_before_it_is_refused(stuck: Api) -> None:
    file_ticket(stuck)
    reply = send(stuck.token, f"{UPLOADS}?filename={'x' * 256}&restricted=maybe", b"x")
    assert paths(refused(reply, 422, "invalid_request")) == ["filename", "restricted"]
    reply = send(stuck.token, f"{UPLOADS}?filename=%00", b"x")
    assert paths(refused(reply, 422, "invalid_request")) == ["filename"]
    reply = send(stuck.token, f"{UPLOADS}?name=x", b"x")
    assert paths(refused(reply, 422, "invalid_request")) == ["name"]
    refused(send(stuck.token, UPLOADS.replace("SB-1", "SB-9"), b"x"), 404, "not_found")


def test_a_file_may_be_of_25_megabytes(stuck: Api) -> None:
    file_ticket(stuck)
    most = 25 * 1024 * 1024
    refused(send(stuck.token, UPLOADS, bytes(most)), 409, "invalid_transition")
    refused(send(stuck.token, UPLOADS, bytes(most + 1)), 413, "too_large")


def test_a_file_is_part_of_what_a_key_repeats(stuck: Api) -> None:
    file_ticket(stuck)
    first, again, other = (
        send(stuck.token, UPLOADS, raw, idempotency_key="k") for raw in (b"a", b"a", b"b")
    )
    refused(first, 409, "invalid_transition")
    assert again.response.content == first.response.content
    assert again.header("Idempotent-Replayed") == "true"
    refused(other, 422, "idempotency_key_reused")
