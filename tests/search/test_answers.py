"""The answer to whoever asked: on the wire, in updates, on the page; a rejected one is none."""

from typing import Any

import pytest

from policy.states import Approval
from tests.matrix.scene import approval
from tests.pages.acting import page_of, signed_in
from tests.support import TAKEOVER, Api, Desk, file_ticket, prove

ANSWER: dict[str, Any] = {
    "outcome": "Added python3 to the image",
    "resolution": {
        "branch": "fix/python",
        "commit": "4f2e1c9",
        "url": "https://git.example/pull/7",
        "summary": "One line in the Dockerfile",
    },
}


def _claim_and_submit(api: Api, ref: str, answer: Any, stage: str = "blocker") -> Any:
    if stage == "blocker":
        prove(api, ref).ok(201)
    else:
        report = {"criterion": "t1", "type": "test_report"}
        payload = {"runner": "pytest", "passed": 3, "failed": 0}
        api.post(f"/api/v1/tickets/{ref}/evidence", {**report, "payload": payload}).ok(201)
    return api.post(f"/api/v1/tickets/{ref}/submit", {"stage": stage, **answer}).ok()


def _updates(api: Api) -> dict[str, Any]:
    """Newest content by type of event."""
    found = api.get("/api/v1/work").ok()["updates"]
    return {one["type"]: one.get("content") for one in found}


def _resolution(api: Api, ref: str = "SB-1") -> Any:
    return api.get(f"/api/v1/tickets/{ref}").ok()["ticket"]["resolution"]


def test_the_creator_hears_the_answer_with_the_approval(stuck: Api, solver: Api) -> None:
    ref = file_ticket(stuck)["ref"]
    solver.post(f"/api/v1/tickets/{ref}/claim", {}).ok()
    _claim_and_submit(solver, ref, ANSWER)
    updates = _updates(stuck)
    assert updates["stage_submitted"] == updates["stage_approved"] == ANSWER
    told = _resolution(stuck)
    assert (told["stage"], told["state"], told["by"]["name"]) == ("blocker", "approved", "solver")
    assert told["assurance"] == "self_reported"
    assert told["content"] == ANSWER
    assert [one["content"] for one in told["stages"]] == [ANSWER]


@pytest.mark.parametrize(
    ("sent", "heard"),
    [
        ({"outcome": "Done"}, {"outcome": "Done", "resolution": None}),
        ({"resolution": {"branch": "b"}}, {"outcome": None, "resolution": {"branch": "b"}}),
        ({}, None),
    ],
)
def test_an_answer_may_be_partial(stuck: Api, solver: Api, sent: Any, heard: Any) -> None:
    ref = file_ticket(stuck)["ref"]
    solver.post(f"/api/v1/tickets/{ref}/claim", {}).ok()
    _claim_and_submit(solver, ref, sent)
    assert _updates(stuck)["stage_approved"] == heard
    assert (_resolution(stuck) or {"content": None})["content"] == heard


def test_a_rejected_answer_is_none_and_the_next_takes_its_place(
    desk: Desk, stuck: Api, solver: Api, bob: Api
) -> None:
    approval(desk, Approval.PERSON)
    ref = file_ticket(stuck)["ref"]
    solver.post(f"/api/v1/tickets/{ref}/claim", {}).ok()
    job = _claim_and_submit(solver, ref, {"outcome": "First try"})["verification"]
    assert job["content"]["outcome"] == "First try"
    assert _updates(stuck)["stage_submitted"]["outcome"] == "First try"
    told = _resolution(stuck)
    assert (told["state"], told["content"]["outcome"]) == ("submitted", "First try")
    page = page_of(signed_in(desk, "carol"), f"/tickets/{ref}")
    assert "What the solver says of it" in page

    decide = f"/api/v1/verifications/{job['id']}/decision"
    bob.post(decide, {"decision": "reject", "reason": "No"}).ok()
    assert _resolution(stuck) is None
    page = page_of(signed_in(desk, "carol"), f"/tickets/{ref}")
    assert ('class="answer"' in page, "First try" in page) == (False, True)
    kept = stuck.get(f"/api/v1/tickets/{ref}").ok()["ticket"]["verifications"]
    assert [one["content"]["outcome"] for one in kept] == ["First try"]

    job = _claim_and_submit(solver, ref, ANSWER)["verification"]
    bob.post(f"/api/v1/verifications/{job['id']}/decision", {"decision": "approve", "reason": "y"})
    assert _updates(stuck)["stage_approved"] == {"reason": "y", **ANSWER}
    assert _resolution(stuck)["content"] == ANSWER


def test_the_page_says_that_nobody_agreed_yet(desk: Desk, stuck: Api, solver: Api) -> None:
    approval(desk, Approval.AGENT)
    ref = file_ticket(stuck)["ref"]
    solver.post(f"/api/v1/tickets/{ref}/claim", {}).ok()
    _claim_and_submit(solver, ref, ANSWER)
    page = page_of(signed_in(desk, "carol"), f"/tickets/{ref}")
    assert page.index("Nobody has agreed to it yet.") < page.index(ANSWER["outcome"])


def test_each_stage_has_its_answer(stuck: Api, solver: Api) -> None:
    ref = file_ticket(stuck, **TAKEOVER)["ref"]
    solver.post(f"/api/v1/tickets/{ref}/claim", {}).ok()
    _claim_and_submit(solver, ref, ANSWER)
    solver.post(f"/api/v1/tickets/{ref}/continue", {}).ok()
    assert _resolution(stuck)["content"] == ANSWER
    _claim_and_submit(solver, ref, {"outcome": "Shipped"}, "task")
    told = _resolution(stuck)
    assert [one["stage"] for one in told["stages"]] == ["blocker", "task"]
    assert (told["stage"], told["content"]["outcome"]) == ("task", "Shipped")


def test_a_rejected_task_leaves_the_blockers_answer(
    desk: Desk, stuck: Api, solver: Api, bob: Api
) -> None:
    ref = file_ticket(stuck, **TAKEOVER)["ref"]
    solver.post(f"/api/v1/tickets/{ref}/claim", {}).ok()
    _claim_and_submit(solver, ref, ANSWER)
    approval(desk, Approval.PERSON)
    solver.post(f"/api/v1/tickets/{ref}/continue", {}).ok()
    job = _claim_and_submit(solver, ref, {"outcome": "Shipped"}, "task")["verification"]
    path = f"/api/v1/verifications/{job['id']}/decision"
    bob.post(path, {"decision": "reject", "reason": "Not yet"}).ok()
    assert _resolution(stuck)["content"] == ANSWER


def test_a_person_may_approve_over_a_rejection_and_the_answer_stands(
    desk: Desk, stuck: Api, solver: Api, bob: Api
) -> None:
    approval(desk, Approval.PERSON)
    ref = file_ticket(stuck)["ref"]
    solver.post(f"/api/v1/tickets/{ref}/claim", {}).ok()
    for _ in range(3):
        job = _claim_and_submit(solver, ref, ANSWER)["verification"]
        path = f"/api/v1/verifications/{job['id']}/decision"
        bob.post(path, {"decision": "reject", "reason": "No"}).ok()
    assert stuck.get(f"/api/v1/tickets/{ref}").ok()["ticket"]["state"] == "needs_human"
    assert _resolution(stuck) is None
    bob.post(f"/api/v1/tickets/{ref}/approve", {"reason": "Good after all"}).ok()
    assert _updates(stuck)["stage_approved"] == {"reason": "Good after all", **ANSWER}
    assert _resolution(stuck)["content"] == ANSWER


def test_reopening_and_closing_say_what_stands(stuck: Api, solver: Api, bob: Api) -> None:
    ref = file_ticket(stuck)["ref"]
    solver.post(f"/api/v1/tickets/{ref}/claim", {}).ok()
    _claim_and_submit(solver, ref, ANSWER)
    bob.post(f"/api/v1/tickets/{ref}/reopen").ok()
    assert _resolution(stuck) is None
    bob.post(f"/api/v1/tickets/{ref}/close", {"outcome": "Nobody needs it"}).ok()
    told = _resolution(stuck)
    assert (told["state"], told["by"]) == ("closed", None)
    assert told["content"] == {"outcome": "Nobody needs it", "resolution": None}
    assert _updates(stuck)["ticket_closed"] == told["content"]


def test_the_page_opens_with_it_and_links_https_alone(desk: Desk, stuck: Api, solver: Api) -> None:
    for url, is_link in (("https://git.example/7", True), ("javascript:alert(1)", False)):
        ref = file_ticket(stuck)["ref"]
        solver.post(f"/api/v1/tickets/{ref}/claim", {}).ok()
        answer = {"outcome": "It <b>builds</b>", "resolution": {"branch": "fix/a", "url": url}}
        _claim_and_submit(solver, ref, answer)
        page = page_of(signed_in(desk, "alice"), f"/tickets/{ref}")
        happened = page.index("What happened")
        assert happened < page.index("It &lt;b&gt;builds&lt;/b&gt;") < page.index("What is wrong")
        assert "removed the blocker" in page
        assert "<code><bdi>fix/a</bdi></code>" in page
        assert (f'href="{url}"' in page) is is_link
        assert url in page


def test_a_ticket_of_before_has_no_answer_of_its_stage(stuck: Api, solver: Api) -> None:
    ref = file_ticket(stuck)["ref"]
    solver.post(f"/api/v1/tickets/{ref}/claim", {}).ok()
    prove(solver, ref).ok(201)
    solver.post(f"/api/v1/tickets/{ref}/submit", {"stage": "blocker"}).ok()
    assert _resolution(stuck) is None
