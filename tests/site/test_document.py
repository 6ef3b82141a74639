"""The OpenAPI document: valid, complete, and true of the answers."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from stuckbot.site.api.operations import OPERATIONS
from stuckbot.site.api.public import document
from tests.support import TAKEOVER, Api, file_ticket, make_package, prove


@pytest.fixture(scope="module")
def spec() -> dict[str, Any]:
    return document()


def described(spec: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {
        operation["operationId"]: (path, method)
        for path, methods in spec["paths"].items()
        for method, operation in methods.items()
    }


def fits(spec: dict[str, Any], operation_id: str, status: int, answer: Any) -> None:
    """The answer is what the document says of that operation."""
    path, method = described(spec)[operation_id]
    response = spec["paths"][path][method]["responses"][str(status)]
    schema = response["content"]["application/json"]["schema"]
    whole = {**schema, "components": spec["components"]}
    faults = [
        f"{'.'.join(map(str, error.absolute_path))}: {error.message}"
        for error in Draft202012Validator(whole).iter_errors(answer)
    ]
    assert faults == []


def test_it_is_valid(spec: dict[str, Any]) -> None:
    OpenAPIV31SpecValidator(spec).validate()
    assert spec["openapi"].startswith("3.1")


def test_it_has_every_operation_once(spec: dict[str, Any]) -> None:
    registered = [operation.id for operation in OPERATIONS.values()]
    assert sorted(described(spec)) == sorted(registered)
    assert len(set(registered)) == len(registered)


def test_it_is_served(client: Any, spec: dict[str, Any]) -> None:
    assert client.get("/api/v1/openapi.json").json() == spec


def test_answers_are_as_described(
    spec: dict[str, Any], stuck: Api, solver: Api, alice: Api
) -> None:
    def post(api: Api, operation_id: str, path: str, body: Any, status: int = 200) -> Any:
        answer = api.post(path, body).ok(status)
        fits(spec, operation_id, status, answer)
        return answer

    created = {"package": make_package(**TAKEOVER)}
    post(stuck, "create_ticket", "/api/v1/tickets", created, 201)
    fits(spec, "find_work", 200, solver.get("/api/v1/work").ok())
    post(solver, "claim_ticket", "/api/v1/tickets/SB-1/claim", {})
    post(solver, "renew_claim", "/api/v1/tickets/SB-1/claim/renew", {})
    post(solver, "post_update", "/api/v1/tickets/SB-1/updates", {"body": "On it"}, 201)
    post(alice, "add_comment", "/api/v1/tickets/SB-1/comments", {"body": "Good"}, 201)
    fits(spec, "add_evidence", 201, prove(solver, "SB-1").ok(201))
    post(solver, "submit_stage", "/api/v1/tickets/SB-1/submit", {"stage": "blocker"})
    post(solver, "continue_task", "/api/v1/tickets/SB-1/continue", {})
    post(solver, "escalate_ticket", "/api/v1/tickets/SB-1/escalate", {"reason": "No idea"})
    post(alice, "take_over", "/api/v1/tickets/SB-1/take-over", {})
    fits(spec, "get_ticket", 200, alice.get("/api/v1/tickets/SB-1").ok())
    fits(spec, "list_tickets", 200, alice.get("/api/v1/tickets").ok())
    fits(spec, "list_ticket_events", 200, alice.get("/api/v1/tickets/SB-1/events").ok())
    fits(spec, "find_work", 200, stuck.get("/api/v1/work").ok())
    fits(spec, "get_me", 200, solver.get("/api/v1/agents/me").ok())
    fits(spec, "heartbeat", 200, solver.post("/api/v1/agents/me/heartbeat", {}).ok())
    post(alice, "pause_org", "/api/v1/org/pause", {})


def test_refusals_are_as_described(spec: dict[str, Any], stuck: Api, solver: Api) -> None:
    schema = {"$ref": "#/components/schemas/Error", "components": spec["components"]}
    file_ticket(stuck)
    for reply in (
        stuck.get("/api/v1/nothing"),
        Api("").get("/api/v1/work"),
        solver.post("/api/v1/tickets", {"package": {}}),
        solver.post("/api/v1/tickets/SB-1/submit", {"stage": "blocker"}),
        solver.get("/api/v1/tickets/SB-99"),
    ):
        Draft202012Validator(schema).validate(reply.json)
