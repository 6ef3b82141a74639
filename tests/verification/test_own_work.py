"""Nobody agrees with work of their own by a way round: marks made early, evidence of a rejection,
tickets taken over again, packages rewritten while nobody holds them."""

from typing import Any

import pytest

from tests.api.refusals import refused
from tests.support import Api, Desk, file_ticket, make_package, prove
from tests.verification.bench import COMMAND, MANUAL, Review, decide, policy

NOTE = {"note": "As drawn"}


@pytest.fixture
def review(desk: Desk, stuck: Api, bob: Api) -> Review:
    """What bob solves, in an org with another member."""
    return Review(desk, stuck, bob, criteria=[COMMAND, MANUAL])


def _statuses(review: Review) -> list[str]:
    criteria: list[Any] = review.creator.get(review.path).ok()["ticket"]["criteria"]
    return [one["status"] for one in criteria if one["stage"] == review.stage]


def test_a_mark_made_before_claiming_is_no_other_persons_word(review: Review, bob: Api) -> None:
    bob.post(f"{review.path}/criteria/b2/met", NOTE).ok()
    job = review.review("automatic")
    assert _statuses(review) == ["passed", "waiting"]
    assert review.job.state == "waiting_person"
    refused(decide(bob, job), 403, "own_fix")


def test_who_solved_the_blocker_marks_nothing_of_the_task(
    desk: Desk, stuck: Api, bob: Api, alice: Api
) -> None:
    review = Review(desk, stuck, bob, stage="task", criteria=[MANUAL])
    bob.post(f"{review.path}/claim").ok()
    prove(bob, review.ref).ok(201)
    refused(bob.post(f"{review.path}/criteria/t1/met", NOTE), 403, "own_fix")
    alice.post(f"{review.path}/criteria/t1/met", NOTE).ok()


def test_evidence_that_comes_with_rejecting_ones_own_work_is_a_solvers(
    review: Review, bob: Api, alice: Api
) -> None:
    job = review.review("automatic", max_rejections=1)
    looked = {"criterion": "b2", "type": "manual_note", "payload": NOTE}
    decide(bob, job, "reject", evidence=[looked]).ok()
    assert review.row.state == "needs_human"
    assert _statuses(review) == ["passed", "waiting"]
    detail = bob.get(review.path).ok()["ticket"]
    assert detail["evidence"][-1]["trust_label"] == "self_reported"
    alice.post(f"{review.path}/approve", {"reason": "I looked"}).ok()
    job_shown = bob.get(review.path).ok()["ticket"]["verifications"][-1]
    assert job_shown["unproved"] == {"unchecked": [], "manual": ["b2"]}


def test_what_was_rejected_proves_nothing_once_taken_over(
    review: Review, bob: Api, alice: Api
) -> None:
    looked = {"criterion": "b2", "type": "manual_note", "payload": NOTE}
    decide(alice, review.review("automatic", max_rejections=1), "reject", evidence=[looked]).ok()
    assert _statuses(review) == ["passed", "passed"]
    bob.post(f"{review.path}/take-over").ok()
    assert _statuses(review) == ["missing", "waiting"]
    refused(bob.post(f"{review.path}/submit", {"stage": "blocker"}), 422, "invalid_request")


def test_a_solver_that_filed_the_ticket_rewrites_it_by_name(desk: Desk, bob: Api) -> None:
    both = desk.agent("both")
    ref = file_ticket(both)["ref"]
    path = f"/api/v1/tickets/{ref}"
    both.post(f"{path}/package", {"package": make_package(objective="Ship it soon")}).ok()
    for action in ("claim", "release"):
        both.post(f"{path}/{action}").ok()
    both.post(f"{path}/package", {"package": make_package(objective="Ship a part")}).ok()
    both.post(f"{path}/claim").ok()
    prove(both, ref).ok(201)
    policy(desk, blocker="person", task="person")
    shown = both.post(f"{path}/submit", {"stage": "blocker"}).ok()["verification"]
    assert shown["notes"] == ["package_changed_by_solver"]
    approved = decide(bob, shown["id"]).ok()["verification"]
    assert approved["notes"] == ["package_changed_by_solver"]
