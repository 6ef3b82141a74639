"""The row of a list names what could not be checked, as long as that rests on whoever reads it."""

import pytest
from django.test import Client

from tests.checks.bench import PRIVATE, Opened, opened
from tests.pages.acting import page_of, signed_in
from tests.pages.test_deciding import words_of
from tests.support import Api, Desk
from tests.verification.bench import decide, policy, proof

SAID = "could not open “a.example”"


@pytest.fixture
def person(desk: Desk) -> Client:
    return signed_in(desk, "bob")


@pytest.fixture
def submitted(desk: Desk, stuck: Api, solver: Api) -> Opened:
    made = Opened(desk, stuck, solver)
    made.begin()
    made.report()
    return made


def _row(person: Client) -> str:
    row = words_of(page_of(person, "/?color=red"))
    assert "SB-1" in row
    return row


def test_what_was_approved_with_the_stage_before_rests_on_nobody(
    desk: Desk, submitted: Opened, alice: Api, person: Client
) -> None:
    policy(desk, blocker="automatic", task="person")
    submitted.hand_in()
    opened(PRIVATE)
    assert SAID in _row(person)
    decide(alice, str(submitted.job.id)).ok()
    submitted.solver.post(f"{submitted.path}/continue").ok()
    submitted.solver.post(f"{submitted.path}/evidence", proof("t1")).ok(201)
    submitted.solver.post(f"{submitted.path}/submit", {"stage": "task"}).ok()
    assert (submitted.row.state, submitted.row.attempt) == ("task_review", 1)
    assert SAID not in _row(person)


@pytest.mark.parametrize("saw", [True, False])
def test_what_a_verifier_saw_counts_instead(
    saw: bool, desk: Desk, submitted: Opened, person: Client
) -> None:
    policy(desk, blocker="agent_then_person")
    submitted.hand_in()
    check = opened(PRIVATE)
    payload = {"url": check.url, "status": 200}
    seen = {"criterion": "b1", "type": "external_check", "payload": payload}
    verifier = desk.agent("verifier", scopes=["verify"])
    decide(verifier, str(submitted.job.id), evidence=[seen] if saw else []).ok()
    assert submitted.row.waits_for == "person"
    assert (SAID in _row(person)) is not saw
