"""Claiming, approving and rejecting: the rows of the review states, one by one."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine

from stuckbot.lib import clock
from tests.api.refusals import nothing_changes, refused
from tests.support import Api, Desk
from tests.verification.bench import COMMAND, MANUAL, Review, claim, decide, nobody, proof

REVIEW = {"blocker": "blocker_review", "task": "task_review"}
DONE = {"blocker": "blocker_resolved", "task": "completed"}
BACK = {"blocker": "working", "task": "continuing"}
FREE = {"blocker": "open", "task": "blocker_resolved"}


@pytest.fixture(params=["blocker", "task"])
def review(request: pytest.FixtureRequest, desk: Desk, stuck: Api, solver: Api) -> Review:
    return Review(desk, stuck, solver, stage=str(request.param))


@pytest.fixture
def verifier(desk: Desk) -> Api:
    return desk.agent("verifier", scopes=["verify"])


@pytest.fixture
def second(desk: Desk) -> Api:
    return desk.agent("second", scopes=["verify"])


def test_a_verifier_holds_a_job_for_a_while(review: Review, verifier: Api, second: Api) -> None:
    with time_machine.travel(clock.now(), tick=False) as traveller:
        job = review.review("agent")
        told = len(review.told())
        held = claim(verifier, job).ok()["verification"]
        assert (held["state"], held["claim"]["holder"]["name"]) == ("waiting_agent", "verifier")
        assert review.told(told) == ["verification_claimed"]
        shown = verifier_view(review)
        assert (shown["status_color"], shown["status"]["rule"]) == ("YELLOW", "verifying")
        traveller.shift(timedelta(minutes=10))
        claim(verifier, job).ok()
        assert review.told(told) == ["verification_claimed"]
        traveller.shift(timedelta(minutes=10))
        refused(claim(second, job), 409, "already_claimed")
        refused(decide(second, job), 409, "already_claimed")
        traveller.shift(timedelta(minutes=6))
        assert verifier_view(review)["status"]["rule"] == "waits_for_verifier"
        decide(verifier, job).ok()
    assert review.row.state == DONE[review.stage]


def verifier_view(review: Review) -> Any:
    return review.creator.get(review.path).ok()["ticket"]


def test_another_takes_a_job_whose_time_is_over(review: Review, verifier: Api, second: Api) -> None:
    with time_machine.travel(clock.now(), tick=False) as traveller:
        job = review.review("agent")
        claim(verifier, job).ok()
        traveller.shift(timedelta(minutes=15))
        claim(second, job).ok()
        refused(decide(verifier, job), 409, "already_claimed")
        decide(second, job, "reject").ok()
    assert review.row.state == BACK[review.stage]


@pytest.mark.parametrize("kind", ["agent", "person"])
def test_an_approval_moves_it_on(kind: str, review: Review, verifier: Api, bob: Api) -> None:
    job = review.review(kind)
    told = len(review.told())
    api = verifier if kind == "agent" else bob
    answer = decide(api, job).ok()
    assurance = {"agent": "agent_verified", "person": "person_approved"}[kind]
    trust = {"agent": "verifier_confirmed", "person": "person_approved"}[kind]
    assert (answer["verification"]["state"], answer["verification"]["assurance"]) == (
        "approved",
        assurance,
    )
    assert answer["verification"]["content"]["reason"] == "Seen"
    row = review.row
    assert (row.state, row.assurance, row.proven) == (DONE[review.stage], assurance, True)
    assert (row.waits_for, row.verifier_id, row.claim_id) == ("", None, None)
    assert review.told(told) == ["stage_approved"]
    detail = review.creator.get(review.path).ok()["ticket"]
    assert [one["trust_label"] for one in detail["evidence"]][-1] == trust


@pytest.mark.parametrize("kind", ["agent", "person"])
def test_a_rejection_sends_it_back(kind: str, review: Review, verifier: Api, bob: Api) -> None:
    job = review.review(kind)
    told, attempt = len(review.told()), review.row.attempt
    decide(verifier if kind == "agent" else bob, job, "reject").ok()
    row = review.row
    assert (row.state, row.attempt) == (BACK[review.stage], attempt + 1)
    assert (row.claim_id is not None, row.solver_id) == (True, row.solver_id)
    assert review.told(told) == ["stage_rejected"]
    heard = review.solver.get("/api/v1/work").ok()["updates"][-1]
    assert (heard["type"], heard["content"]) == ("stage_rejected", {"reason": "Seen"})
    review.solver.post(f"{review.path}/claim/renew").ok()
    reply = review.solver.post(f"{review.path}/submit", {"stage": review.stage})
    assert reply.details == {"missing": [review.key], "failing": []}


@pytest.mark.parametrize("how", ["retired", "locked out"])
def test_a_rejection_frees_it_when_the_solver_is_gone(
    how: str, desk: Desk, review: Review, verifier: Api
) -> None:
    job = review.review("agent")
    if how == "retired":
        review.solver.post("/api/v1/agents/me/retire").ok()
        decide(verifier, job, "reject").ok()
    else:
        desk.connector.disabled_at = clock.now()
        desk.connector.save()
        decide(desk.person("bob"), job, "reject").ok()
    row = review.row
    assert (row.state, row.claim_id) == (FREE[review.stage], None)


def test_the_third_rejection_asks_a_person(review: Review, verifier: Api) -> None:
    review.begin()
    for count in (1, 2, 3):
        job = review.submit("agent")
        told = len(review.told())
        decide(verifier, job, "reject").ok()
        assert review.events()[told].data["rejections"] == count
    row = review.row
    assert (row.state, row.claim_id, row.waits_for) == ("needs_human", None, "")
    assert review.told(told) == ["stage_rejected", "needs_human"]


def test_sending_back_begins_to_count_anew(review: Review, verifier: Api, bob: Api) -> None:
    review.begin()
    for _ in range(2):
        decide(verifier, review.submit("agent", max_rejections=2), "reject").ok()
    assert review.row.state == "needs_human"
    bob.post(f"{review.path}/send-back", {"note": "Again", "to_solver": True}).ok()
    decide(verifier, review.submit("agent", max_rejections=2), "reject").ok()
    assert review.row.state == BACK[review.stage]


def test_both_agree_in_that_order(review: Review, verifier: Api, bob: Api) -> None:
    job = review.review("agent_then_person")
    details = refused(decide(bob, job), 409, "invalid_transition")
    assert details == {"state": "waiting_agent", "allowed": ["reject"]}
    told = len(review.told())
    passed = decide(verifier, job).ok()["verification"]
    assert (passed["state"], passed["assurance"]) == ("waiting_person", None)
    assert review.told(told) == ["verification_passed_on"]
    assert review.row.waits_for == "person"
    refused(decide(verifier, job), 409, "invalid_transition")
    refused(claim(verifier, job), 409, "invalid_transition")
    assert decide(bob, job).ok()["verification"]["assurance"] == "person_approved"
    assert review.row.state == DONE[review.stage]


def test_a_manual_criterion_waits_for_a_person_after_a_verifier(
    desk: Desk, stuck: Api, solver: Api, verifier: Api, bob: Api
) -> None:
    review = Review(desk, stuck, solver, criteria=[COMMAND, MANUAL])
    job = review.review("agent")
    assert decide(verifier, job).ok()["verification"]["state"] == "waiting_person"
    answer = decide(bob, job, reason="As drawn").ok()["verification"]
    assert answer["unproved"] == {"unchecked": [], "manual": ["b2"]}
    assert answer["assurance"] == "person_approved"
    [told] = [one for one in review.events() if one.type == "stage_approved"]
    assert told.data["unproved"] == {"manual": ["b2"]}
    detail = stuck.get(review.path).ok()["ticket"]
    assert [one["status"] for one in detail["criteria"][:2]] == ["passed", "passed"]
    assert detail["evidence"][-1]["content"] == {"note": "As drawn"}


@pytest.mark.parametrize("kind", ["agent", "person"])
def test_a_late_decision_hears_what_became_of_it(
    kind: str, review: Review, verifier: Api, bob: Api
) -> None:
    job = review.review(kind)
    decide(bob, job).ok()
    with nothing_changes():
        for api in (verifier, bob):
            details = refused(decide(api, job), 409, "invalid_transition")
            assert details == {"state": "approved", "allowed": []}
        assert refused(claim(verifier, job), 409, "invalid_transition")["state"] == "approved"


def test_a_closed_ticket_takes_no_decision(review: Review, verifier: Api, bob: Api) -> None:
    job = review.review("agent")
    claim(verifier, job).ok()
    bob.post(f"{review.path}/close").ok()
    assert (review.row.verifier_id, review.row.waits_for) == (None, "")
    assert refused(decide(verifier, job), 409, "invalid_transition")["state"] == "cancelled"
    heard = [one["type"] for one in verifier.get("/api/v1/work").json.get("updates", [])]
    assert heard in ([], ["ticket_closed"])


def test_what_fails_is_never_approved(review: Review, verifier: Api, bob: Api) -> None:
    job = review.review("agent")
    failed = proof(review.key, exit_code=1)
    with nothing_changes():
        for api in (verifier, bob):
            reply = decide(api, job, evidence=[failed])
            assert refused(reply, 422, "invalid_request")["failing"] == [review.key]
    decide(verifier, job, "reject", evidence=[failed]).ok()
    detail = review.creator.get(review.path).ok()["ticket"]
    last = detail["evidence"][-1]
    assert (last["result"], last["counts"], last["by"]["name"]) == ("fail", False, "verifier")
    # Evidence of a decision never counts against its author.
    decide(verifier, review.submit("agent"), evidence=[proof(review.key)]).ok()
    detail = review.creator.get(review.path).ok()["ticket"]
    last = detail["evidence"][-1]
    assert (last["counts"], last["trust_label"]) == (True, "verifier_confirmed")


def test_it_names_every_fault_of_the_evidence_at_once(
    desk: Desk, stuck: Api, solver: Api, verifier: Api
) -> None:
    review = Review(desk, stuck, solver, criteria=[COMMAND, {**COMMAND, "command": "npm test"}])
    review.begin()
    second = {"criterion": "b2", "type": "command_run"}
    payload = {"command": "npm test", "exit_code": 0}
    solver.post(f"{review.path}/evidence", {**second, "payload": payload}).ok(201)
    job = review.submit("agent")
    sent = [
        proof("b1", exit_code="0", more=1),
        {**second, "payload": {"command": "npm x", "exit_code": 0}},
        proof("b1"),
        {**second, "criterion": "t1", "payload": payload},
        {**second, "criterion": "b2"},
    ]
    with nothing_changes():
        details = refused(decide(verifier, job, evidence=sent), 422, "invalid_request")
    assert sorted(one["path"] for one in details["fields"]) == [
        "evidence[0].payload.exit_code",
        "evidence[0].payload.more",
        "evidence[1].payload.command",
        "evidence[3].criterion",
        "evidence[4].payload",
    ]
    assert details["expected_command"] == "npm test"


def test_it_knows_no_job_of_others(review: Review, mallory: Api, other: Desk, carol: Api) -> None:
    job = review.review("agent")
    foreign = other.agent("foreign", scopes=["verify"])
    for target in (job, nobody(), "no-id"):
        for api in (mallory, foreign):
            refused(decide(api, target), 404, "not_found")
        refused(claim(foreign, target), 404, "not_found")
    refused(decide(carol, job), 403, "not_eligible")
    refused(claim(carol, job), 403, "not_eligible")
