"""Submitting, by the first row that fits: what is missing, what runs, what the policy says."""

from typing import Any

import pytest

from policy.states import Approval
from tests.matrix.scene import approval
from tests.support import Api, Desk, Reply, file_ticket, prove
from tickets.models import Ticket

CHECK = {"description": "It answers", "method": "external_check", "url": "https://a.example/"}
MANUAL = {"description": "It looks right", "method": "manual"}
COMMAND = {"description": "It builds", "method": "command", "command": "npm ci"}


def _criterion(kind: dict[str, str]) -> dict[str, str]:
    return {"expected": "as described", **kind}


def _submit(api: Api, stage: str) -> Reply:
    return api.post("/api/v1/tickets/SB-1/submit", {"stage": stage})


def _evidence(api: Api, key: str, type: str, **payload: Any) -> Any:
    body = {"criterion": key, "type": type, "payload": payload}
    return api.post("/api/v1/tickets/SB-1/evidence", body).ok(201)["evidence"]


def _stands(desk: Desk) -> tuple[str, str, bool, bool]:
    """State, what it waits for, whether a lease runs, whether the solver is remembered."""
    ticket = Ticket.objects.of(desk.org.id).get(number=1)
    return ticket.state, ticket.waits_for, ticket.claim_id is not None, bool(ticket.solver_id)


@pytest.fixture(params=["blocker", "task"])
def stage(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def _begin(stage: str, kinds: list[dict[str, str]], stuck: Api, solver: Api) -> str:
    """A ticket held in `stage` whose criteria there are `kinds`; the key of the first."""
    rows = [_criterion(kind) for kind in kinds]
    plain = [_criterion(COMMAND)]
    criteria = (rows, plain) if stage == "blocker" else (plain, rows)
    file_ticket(
        stuck,
        mode="takeover_allowed",
        blocker_criteria=criteria[0],
        task_criteria=criteria[1],
    )
    solver.post("/api/v1/tickets/SB-1/claim").ok()
    if stage == "blocker":
        return "b1"
    prove(solver, "SB-1", "b1").ok(201)
    _submit(solver, "blocker").ok()
    solver.post("/api/v1/tickets/SB-1/continue").ok()
    return "t1"


REVIEW = {"blocker": "blocker_review", "task": "task_review"}
DONE = {"blocker": "blocker_resolved", "task": "completed"}
HELD = {"blocker": "claimed", "task": "continuing"}


def test_it_refuses_what_is_missing(stage: str, desk: Desk, stuck: Api, solver: Api) -> None:
    key = _begin(stage, [COMMAND], stuck, solver)
    reply = _submit(solver, stage)
    assert (reply.status, reply.details) == (422, {"missing": [key], "failing": []})
    assert _stands(desk) == (HELD[stage], "", True, True)


def test_it_refuses_what_fails_before_a_check_that_runs(
    stage: str, stuck: Api, solver: Api
) -> None:
    key = _begin(stage, [COMMAND, CHECK], stuck, solver)
    prove(solver, "SB-1", key, exit_code=1).ok(201)
    waiting = _evidence(solver, f"{key[0]}2", "external_check", url=CHECK["url"])
    assert waiting["result"] == "waiting"
    reply = _submit(solver, stage)
    assert (reply.status, reply.details) == (422, {"missing": [], "failing": [key]})


def test_it_waits_for_a_check_before_any_policy(
    stage: str, desk: Desk, stuck: Api, solver: Api
) -> None:
    key = _begin(stage, [CHECK], stuck, solver)
    _evidence(solver, key, "external_check", url=CHECK["url"])
    approval(desk, Approval.PERSON)
    job = _submit(solver, stage).ok()["verification"]
    assert job["state"] == "waiting_checks"
    assert _stands(desk) == (REVIEW[stage], "checks", False, True)


@pytest.mark.parametrize("kind", [Approval.AGENT, Approval.AGENT_THEN_PERSON])
def test_it_waits_for_an_agent(
    kind: Approval, stage: str, desk: Desk, stuck: Api, solver: Api
) -> None:
    key = _begin(stage, [COMMAND, MANUAL], stuck, solver)
    prove(solver, "SB-1", key).ok(201)
    approval(desk, kind)
    job = _submit(solver, stage).ok()["verification"]
    assert job["state"] == "waiting_agent"
    assert _stands(desk) == (REVIEW[stage], "verifier", False, True)


def test_it_waits_for_a_person(stage: str, desk: Desk, stuck: Api, solver: Api) -> None:
    key = _begin(stage, [COMMAND], stuck, solver)
    prove(solver, "SB-1", key).ok(201)
    approval(desk, Approval.PERSON)
    job = _submit(solver, stage).ok()["verification"]
    assert job["state"] == "waiting_person"
    assert _stands(desk) == (REVIEW[stage], "person", False, True)


def test_it_waits_for_a_person_over_a_manual_criterion(
    stage: str, desk: Desk, stuck: Api, solver: Api
) -> None:
    key = _begin(stage, [COMMAND, MANUAL], stuck, solver)
    prove(solver, "SB-1", key).ok(201)
    job = _submit(solver, stage).ok()["verification"]
    assert job["state"] == "waiting_person"
    assert _stands(desk) == (REVIEW[stage], "person", False, True)


def test_it_passes_at_once_under_the_automatic_policy(
    stage: str, desk: Desk, stuck: Api, solver: Api
) -> None:
    key = _begin(stage, [COMMAND], stuck, solver)
    prove(solver, "SB-1", key).ok(201)
    job = _submit(solver, stage).ok()["verification"]
    assert (job["state"], job["assurance"]) == ("approved", "self_reported")
    assert _stands(desk) == (DONE[stage], "", False, True)
