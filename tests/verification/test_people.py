"""What people do: the exit of needing a person, manual criteria, work of their own."""

from typing import Any

import pytest

from tests.api.refusals import nothing_changes, refused
from tests.support import Api, Desk
from tests.verification.bench import COMMAND, MANUAL, Review, decide, proof

DONE = {"blocker": "blocker_resolved", "task": "completed"}


@pytest.fixture(params=["blocker", "task"])
def review(request: pytest.FixtureRequest, desk: Desk, stuck: Api, solver: Api) -> Review:
    return Review(desk, stuck, solver, stage=str(request.param))


def _approve(api: Api, review: Review, reason: str = "Good enough") -> Any:
    return api.post(f"{review.path}/approve", {"reason": reason})


def _escalated(review: Review, *, proved: bool) -> None:
    review.begin()
    if proved:
        review.solver.post(f"{review.path}/evidence", proof(review.key)).ok(201)
    review.solver.post(f"{review.path}/escalate", {"reason": "Look at it"}).ok()


def test_a_person_approves_what_needs_a_person(review: Review, bob: Api) -> None:
    _escalated(review, proved=True)
    told = len(review.told())
    ticket = _approve(bob, review).ok()["ticket"]
    assert ticket["state"] == DONE[review.stage]
    row = review.row
    assert (row.assurance, row.proven) == ("person_approved", True)
    assert review.told(told) == ["stage_approved"]
    detail = bob.get(review.path).ok()["ticket"]
    job = detail["verifications"][-1]
    assert (job["state"], job["stage"], job["policy"]) == ("approved", review.stage, "person")
    assert (job["submitted_by"]["name"], job["decided_by"]["name"]) == ("solver", "bob")
    assert job["content"]["reason"] == "Good enough"
    assert detail["evidence"][-1]["trust_label"] == "person_approved"


def test_who_approves_a_ticket_whose_fix_waits_is_told_to_decide_on_that(
    review: Review, bob: Api
) -> None:
    review.review("person")
    with nothing_changes():
        answer = _approve(bob, review)
    refused(answer, 409, "invalid_transition")
    told = str(answer.json["error"]["message"])
    assert told.endswith(
        "allows no approve. A fix of it waits for a decision: decide its verification instead."
    )


def test_nobody_approves_what_is_not_proved(review: Review, bob: Api, solver: Api) -> None:
    _escalated(review, proved=False)
    with nothing_changes():
        assert refused(_approve(bob, review), 422, "invalid_request")["missing"] == [review.key]
        refused(_approve(solver, review), 403, "not_eligible")


def test_a_person_approves_over_a_verifiers_word_but_not_over_what_failed(
    review: Review, desk: Desk, bob: Api
) -> None:
    verifier = desk.agent("verifier", scopes=["verify"])
    job = review.review("agent", max_rejections=1)
    decide(verifier, job, "reject", "I do not like it").ok()
    assert review.row.state == "needs_human"
    _approve(bob, review).ok()
    assert review.row.state == DONE[review.stage]


def test_nobody_approves_over_a_check_that_failed(review: Review, desk: Desk, bob: Api) -> None:
    verifier = desk.agent("verifier", scopes=["verify"])
    job = review.review("agent", max_rejections=1)
    decide(verifier, job, "reject", evidence=[proof(review.key, exit_code=1)]).ok()
    assert refused(_approve(bob, review), 422, "invalid_request")["failing"] == [review.key]


def test_it_names_the_manual_criteria_that_were_approved(
    desk: Desk, stuck: Api, solver: Api, bob: Api
) -> None:
    review = Review(desk, stuck, solver, criteria=[COMMAND, MANUAL])
    _escalated(review, proved=True)
    _approve(bob, review, "I looked").ok()
    job = bob.get(review.path).ok()["ticket"]["verifications"][-1]
    assert job["unproved"] == {"unchecked": [], "manual": ["b2"]}


@pytest.mark.parametrize("kind", ["automatic", "agent"])
def test_a_manual_criterion_that_is_met_waits_for_nobody(
    kind: str, desk: Desk, stuck: Api, solver: Api, bob: Api
) -> None:
    review = Review(desk, stuck, solver, criteria=[COMMAND, MANUAL])
    review.begin()
    told = len(review.told())
    bob.post(f"{review.path}/criteria/b2/met", {"note": "As drawn"}).ok()
    assert review.told(told) == ["criterion_met"]
    detail = stuck.get(review.path).ok()["ticket"]
    assert [one["status"] for one in detail["criteria"][:2]] == ["missing", "passed"]
    assert detail["evidence"][-1]["trust_label"] == "person_approved"
    assert detail["evidence"][-1]["content"] == {"note": "As drawn"}
    job = review.submit(kind)
    if kind == "agent":
        answer = decide(desk.agent("verifier", scopes=["verify"]), job).ok()
        assert answer["verification"]["unproved"] == {"unchecked": [], "manual": []}
    assert review.row.state == "blocker_resolved"
    assert review.job.assurance == {"automatic": "self_reported", "agent": "agent_verified"}[kind]


def test_a_mark_holds_for_its_attempt_alone(desk: Desk, stuck: Api, solver: Api, bob: Api) -> None:
    review = Review(desk, stuck, solver, criteria=[COMMAND, MANUAL])
    review.begin()
    bob.post(f"{review.path}/criteria/b2/met", {"note": "As drawn"}).ok()
    decide(bob, review.submit("person"), "reject").ok()
    detail = stuck.get(review.path).ok()["ticket"]
    assert [one["status"] for one in detail["criteria"][:2]] == ["missing", "waiting"]


def test_it_marks_manual_criteria_of_a_stage_in_hand_alone(
    desk: Desk, stuck: Api, solver: Api, bob: Api, carol: Api, mallory: Api
) -> None:
    review = Review(desk, stuck, solver, criteria=[COMMAND, MANUAL])
    path, body = f"{review.path}/criteria", {"note": "Fine"}
    with nothing_changes():
        refused(bob.post(f"{path}/b1/met", body), 422, "invalid_request")
        refused(bob.post(f"{path}/b9/met", body), 404, "not_found")
        refused(mallory.post(f"{path}/b2/met", body), 404, "not_found")
        refused(carol.post(f"{path}/b2/met", body), 403, "not_eligible")
        refused(solver.post(f"{path}/b2/met", body), 403, "not_eligible")
    decide(bob, review.review("person")).ok()
    refused(bob.post(f"{path}/b2/met", body), 409, "invalid_transition")


def test_who_did_the_work_marks_nothing_of_it(desk: Desk, stuck: Api, bob: Api, alice: Api) -> None:
    review = Review(desk, stuck, bob, criteria=[COMMAND, MANUAL])
    review.begin()
    refused(bob.post(f"{review.path}/criteria/b2/met", {"note": "Fine"}), 403, "own_fix")
    alice.post(f"{review.path}/criteria/b2/met", {"note": "Fine"}).ok()
    job = review.submit("person")
    refused(decide(bob, job), 403, "own_fix")
    assert decide(alice, job).ok()["verification"]["assurance"] == "person_approved"


def test_a_person_whose_fix_is_rejected_has_it_back(
    desk: Desk, stuck: Api, bob: Api, alice: Api
) -> None:
    review = Review(desk, stuck, bob)
    decide(alice, review.review("person"), "reject").ok()
    row = review.row
    assert (row.state, row.solver_id) == ("working", desk.people["bob"].actor_id)
    desk.people["bob"].role = "viewer"
    desk.people["bob"].save()
    alice_decides = desk.person("alice")
    desk.people["bob"].role = "member"
    desk.people["bob"].save()
    job = review.submit("person")
    desk.people["bob"].role = "viewer"
    desk.people["bob"].save()
    decide(alice_decides, job, "reject").ok()
    assert (review.row.state, review.row.claim_id) == ("open", None)


def test_it_shows_what_the_solver_changed_in_the_package(
    desk: Desk, stuck: Api, solver: Api, bob: Api
) -> None:
    review = Review(desk, stuck, solver)
    package = stuck.get(review.path).ok()["ticket"]["content"]["package"]
    stuck.post(f"{review.path}/package", {"package": {**package, "remaining": ["Mine"]}}).ok()
    review.begin()
    added = {**COMMAND, "key": "b2", "command": "npm ls"}
    changed = {
        **package,
        "next_steps": ["Nothing"],
        "human_summary": {**package["human_summary"], "impact": "None"},
        "blocker_criteria": [*package["blocker_criteria"], added],
    }
    solver.post(f"{review.path}/package", {"package": changed}).ok()
    sent = {"criterion": "b2", "type": "command_run"}
    payload = {"command": "npm ls", "exit_code": 0}
    solver.post(f"{review.path}/evidence", {**sent, "payload": payload}).ok(201)
    job = review.submit("person")
    shown = bob.get(review.path).ok()["ticket"]["verifications"][-1]
    assert shown["notes"] == ["package_changed_by_solver"]
    changes = {one["path"]: (one["before"], one["after"]) for one in _changes(shown)}
    assert changes["package.next_steps"] == (["Add python3"], ["Nothing"])
    assert changes["package.human_summary.impact"] == ("Nothing can be tested.", "None")
    assert changes["package.remaining"] == (["Mine"], ["Build the image"])
    before, after = changes["package.blocker_criteria.b2"]
    assert (before, after["command"]) == (None, "npm ls")
    assert len(changes) == 4
    assert _changes(decide(bob, job).ok()["verification"]) == _changes(shown)


def _changes(shown: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = shown["content"]["package_changes"]
    return found


def test_texts_of_a_decision_are_masked(review: Review, bob: Api) -> None:
    secret = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"
    job = review.review("person")
    sent = proof(review.key, output_excerpt=f"token {secret}")
    answer = decide(bob, job, reason=f"I used {secret}", evidence=[sent])
    assert secret not in answer.response.content.decode()
    detail = bob.get(review.path)
    assert secret not in detail.response.content.decode()
    places = {one["where"] for one in detail.ok()["ticket"]["findings"]}
    assert places == {"decision.reason", f"evidence.{review.key}.output_excerpt"}
