"""Rows that hang on more than state and caller: who is gone, what was proved, what was claimed."""

from typing import Any

import pytest

from tests.api.refusals import nothing_changes, refused
from tests.matrix.scene import TASK, Scene
from tests.matrix.stage import Stage
from tests.support import Api, Desk, make_package
from verification.models import Verification


@pytest.fixture
def stage(desk: Desk, other: Desk) -> Stage:
    return Stage(desk, other, "takeover")


@pytest.mark.parametrize(
    ("state", "ends", "answer"),
    [
        ("claimed", "open", "released"),
        ("working", "open", "released"),
        ("continuing", "blocker_resolved", "released"),
        ("blocker_review.agent", "blocker_review", "waiting"),
        ("blocker_review.person", "blocker_review", "waiting"),
        ("task_review.agent", "task_review", "waiting"),
        ("needs_human", "needs_human", ""),
        ("blocker_resolved", "blocker_resolved", ""),
    ],
)
def test_retiring_frees_what_is_held_and_leaves_what_is_in_review(
    state: str, ends: str, answer: str, stage: Stage
) -> None:
    stage.scene.reach(state)
    told = len(stage.events())
    heard = stage.callers["solver"].post("/api/v1/agents/me/retire").ok()
    expected: dict[str, list[str]] = {"released": [], "waiting": []}
    if answer:
        expected[answer] = [stage.scene.ref]
    assert heard == expected
    event = {"released": ["ticket_released"], "waiting": ["agent_retired"], "": []}[answer]
    assert stage.events()[told:] == event
    assert (stage.scene.row.state, stage.scene.row.claim_id) == (ends, None)


@pytest.mark.parametrize(("stuck_in", "ends"), [("", "open"), ("task", "blocker_resolved")])
def test_sending_back_to_a_solver_that_is_gone_sends_back_to_all(
    stuck_in: str, ends: str, stage: Stage
) -> None:
    stage.scene.reach(f"needs_human.{stuck_in}" if stuck_in else "needs_human")
    stage.callers["solver"].post("/api/v1/agents/me/retire").ok()
    attempt = stage.scene.row.attempt
    assert stage.act("member", "send_back_solver").status == 200
    row = stage.scene.row
    assert (row.state, row.claim_id, row.attempt) == (ends, None, attempt + 1)


@pytest.mark.parametrize(
    ("state", "ends"),
    [
        ("open", "open"),
        ("working", "open"),
        ("blocker_resolved", "blocker_resolved"),
        ("continuing", "blocker_resolved"),
        ("task_review.person", "blocker_resolved"),
        ("needs_human.task", "blocker_resolved"),
    ],
)
def test_reopening_goes_back_to_what_was_proved(state: str, ends: str, stage: Stage) -> None:
    stage.scene.reach(state)
    stage.act("member", "block")
    assert stage.act("member", "close").status == 200
    closed = stage.scene.row
    assert closed.assurance == ("none" if ends == "open" else "self_reported")
    assert closed.closed_at is not None
    assert stage.act("creator", "reopen").status == 200
    row = stage.scene.row
    assert (row.state, row.closed_at, row.blocked_since) == (ends, None, None)
    assert row.attempt == closed.attempt + 1
    take = "claim" if ends == "open" else "continue"
    assert stage.act("agent", take).status == 200


@pytest.mark.parametrize("state", ["blocker_review.agent", "task_review.person"])
def test_closing_takes_the_open_verification_along(state: str, stage: Stage, desk: Desk) -> None:
    stage.scene.reach(state)
    assert stage.act("member", "close").status == 200
    jobs = Verification.objects.of(desk.org.id).filter(ticket=stage.scene.row).order_by("id")
    assert [job.state for job in jobs][-1] == "cancelled"
    assert not jobs.filter(decided_at=None).exists()


def test_a_holder_hears_that_its_ticket_was_closed(stage: Stage) -> None:
    stage.scene.reach("working")
    assert stage.act("member", "close").status == 200
    heard = [one["type"] for one in stage.callers["solver"].get("/api/v1/work").ok()["updates"]]
    assert heard == ["ticket_closed"]


def test_a_new_solver_begins_a_new_attempt(stage: Stage) -> None:
    stage.scene.reach("working")
    stage.scene.prove("blocker")
    assert stage.act("solver", "release").status == 200
    assert stage.act("agent", "claim").status == 200
    detail = stage.callers["agent"].get(stage.scene.path).ok()["ticket"]
    assert [one["counts"] for one in detail["evidence"]] == [False]
    assert stage.act("agent", "submit_blocker").details == {"missing": ["b1"], "failing": []}


def _package(**changes: Any) -> dict[str, Any]:
    return {"package": make_package(**{**TASK, **changes})}


BLOCKER = make_package()["blocker_criteria"]
CHANGED = [{**BLOCKER[0], "command": "true"}]
MORE = [*BLOCKER, {**BLOCKER[0], "key": "extra", "command": "npm test"}]


def _change(scene: Scene, by: Api, criteria: list[dict[str, Any]]) -> Any:
    return by.post(f"{scene.path}/package", _package(blocker_criteria=criteria))


def test_criteria_may_change_until_somebody_claims(stage: Stage) -> None:
    detail = _change(stage.scene, stage.callers["creator"], CHANGED).ok()["ticket"]
    assert detail["content"]["package"]["blocker_criteria"][0]["command"] == "true"
    assert detail["package_version"] == 2


@pytest.mark.parametrize("released", [True, False])
def test_criteria_are_only_added_once_somebody_claimed(released: bool, stage: Stage) -> None:
    stage.scene.reach("working")
    by = stage.callers["solver"]
    if released:
        assert stage.act("solver", "release").status == 200
        by = stage.callers["creator"]
    with nothing_changes("WordSet"):
        reply = _change(stage.scene, by, CHANGED)
        assert refused(reply, 409, "criteria_locked") == {"criteria": ["b1"]}
        reply = by.post(f"{stage.scene.path}/package", {"package": make_package()})
        assert refused(reply, 409, "criteria_locked") == {"criteria": ["t1", "mode"]}
    detail = _change(stage.scene, by, MORE).ok()["ticket"]
    assert [one["key"] for one in detail["criteria"]] == ["b1", "extra", "t1"]


def test_handed_off_names_the_tip_to_reopen(stage: Stage) -> None:
    stage.scene.reach("handed_off")
    tip = f"SB-{stage.scene.row.number + 1}"
    assert stage.act("creator", "reopen").details["tip"] == tip
