"""The task stage to its end: who continues, every policy, every way out and back."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine

from policy.states import Approval
from stuckbot.lib import clock
from stuckbot.site.tasks import sweep
from tests.chains.house import detail, hand_on, offered, row, types
from tests.matrix.scene import TASK, approval
from tests.pages.acting import done, send, signed_in
from tests.support import Api, Desk, Reply, file_ticket, prove, resolve

PLACE = "/api/v1/tickets/SB-1"


@pytest.fixture
def continuing(stuck: Api, solver: Api, racer: Api) -> Api:
    """A task that another agent than the blocker's solver took over."""
    file_ticket(stuck, **TASK)
    resolve(solver, "SB-1")
    racer.post(f"{PLACE}/continue", {}).ok()
    return racer


def submitted(desk: Desk, api: Api, kind: Approval) -> Any:
    """Proves the task and submits it under a policy; the state, and what it waits for."""
    approval(desk, kind)
    prove(api, "SB-1", "t1", command="make").ok(201)
    told = api.post(f"{PLACE}/submit", {"stage": "task", "outcome": "Built"}).ok()
    approval(desk, None)
    return told["verification"]


def decide(api: Api, job: str, decision: str) -> Any:
    body = {"decision": decision, "reason": "I looked"}
    return api.post(f"/api/v1/verifications/{job}/decision", body)


@pytest.fixture
def verifier(desk: Desk) -> Api:
    return desk.agent("verifier", scopes=["verify"])


@pytest.mark.parametrize("kind", list(Approval))
def test_each_policy_ends_it(
    kind: Approval, desk: Desk, continuing: Api, verifier: Api, bob: Api
) -> None:
    job = submitted(desk, continuing, kind)
    if kind == Approval.AUTOMATIC:
        assert row(desk, 1).state == "completed"
        return
    assert row(desk, 1).state == "task_review"
    if kind in (Approval.AGENT, Approval.AGENT_THEN_PERSON):
        assert job["state"] == "waiting_agent"
        decide(verifier, job["id"], "approve").ok()
    if kind in (Approval.PERSON, Approval.AGENT_THEN_PERSON):
        assert row(desk, 1).state == "task_review"
        assert decide(verifier, job["id"], "approve").status in (403, 404, 409)
        decide(bob, job["id"], "approve").ok()
    ticket = detail(continuing, "SB-1")
    assert (ticket["state"], ticket["status"]["rule"]) == ("completed", "completed")
    assert (row(desk, 1).claim_id, row(desk, 1).closed_at is None) == (None, False)


@pytest.mark.parametrize("kind", [one for one in Approval if one != Approval.AUTOMATIC])
def test_a_rejection_gives_it_back_to_whoever_continued(
    kind: Approval, desk: Desk, continuing: Api, verifier: Api, bob: Api
) -> None:
    job = submitted(desk, continuing, kind)
    decide(bob if kind == Approval.PERSON else verifier, job["id"], "reject").ok()
    ticket = detail(continuing, "SB-1")
    assert (ticket["state"], ticket["you"]["holds_claim"]) == ("continuing", True)
    handover = detail(bob, "SB-1")["handover"]
    assert [(one["reason"], one["content"]["note"]) for one in handover] == [
        ("rejected", "I looked")
    ]


@pytest.mark.parametrize("kind", [one for one in Approval if one != Approval.AUTOMATIC])
def test_a_rejected_task_of_one_who_went_waits_for_the_next(
    kind: Approval, desk: Desk, continuing: Api, solver: Api, verifier: Api, bob: Api
) -> None:
    job = submitted(desk, continuing, kind)
    assert continuing.post("/api/v1/agents/me/retire").ok()["waiting"] == ["SB-1"]
    decide(bob if kind == Approval.PERSON else verifier, job["id"], "reject").ok()
    assert row(desk, 1).state == "blocker_resolved"
    assert offered(solver) == ["SB-1"]


def test_the_third_rejection_asks_a_person_who_sends_it_back(
    desk: Desk, continuing: Api, verifier: Api, bob: Api, solver: Api
) -> None:
    for _ in range(3):
        job = submitted(desk, continuing, Approval.AGENT)
        decide(verifier, job["id"], "reject").ok()
    assert row(desk, 1).state == "needs_human"
    bob.post(f"{PLACE}/send-back", {"note": "Try the older compiler"}).ok()
    assert (row(desk, 1).state, offered(solver)) == ("blocker_resolved", ["SB-1"])
    left = detail(solver, "SB-1")["handover"]
    assert left[-1]["reason"] == "sent_back"
    assert left[-1]["content"] == {"note": "Try the older compiler"}
    assert left[-1]["by"]["name"] == "bob"
    solver.post(f"{PLACE}/continue", {}).ok()
    job = submitted(desk, solver, Approval.AGENT)
    decide(verifier, job["id"], "reject").ok()
    assert row(desk, 1).state == "continuing"


@pytest.mark.parametrize(
    ("path", "body", "ends", "holder"),
    [
        ("send-back", {"note": "Again"}, "blocker_resolved", None),
        ("send-back", {"note": "Again", "to_solver": True}, "continuing", "racer"),
        ("take-over", {}, "continuing", "bob"),
    ],
)
def test_what_was_escalated_while_continuing_comes_back_to_the_task(
    path: str, body: Any, ends: str, holder: str | None, desk: Desk, continuing: Api, bob: Api
) -> None:
    continuing.post(f"{PLACE}/escalate", {"reason": "It needs a licence"}).ok()
    assert (row(desk, 1).state, row(desk, 1).proven) == ("needs_human", True)
    ticket = bob.post(f"{PLACE}/{path}", body or None).ok()["ticket"]
    claim = ticket["claim"]
    assert (ticket["state"], claim and claim["holder"]["name"]) == (ends, holder)


def test_a_person_approves_an_escalated_task_on_its_proof(
    desk: Desk, continuing: Api, bob: Api
) -> None:
    prove(continuing, "SB-1", "t1", command="make").ok(201)
    continuing.post(f"{PLACE}/escalate", {"reason": "Is it enough?"}).ok()
    bob.post(f"{PLACE}/approve", {"reason": "It is"}).ok()
    assert row(desk, 1).state == "completed"


@pytest.mark.parametrize("way", ["release", "force", "expire", "retire"])
def test_what_is_let_go_keeps_the_resolved_blocker(
    way: str, desk: Desk, continuing: Api, solver: Api, bob: Api
) -> None:
    if way == "release":
        continuing.post(f"{PLACE}/release", {"note": "Half of it builds"}).ok()
    elif way == "force":
        bob.post(f"{PLACE}/release", {"note": "It hangs", "force": True}).ok()
    elif way == "retire":
        continuing.post("/api/v1/agents/me/retire").ok()
    with time_machine.travel(clock.now() + timedelta(hours=2), tick=False):
        assert detail(solver, "SB-1")["state"] == "blocker_resolved"
        sweep()
        left = detail(solver, "SB-1")["handover"][-1]
    assert row(desk, 1).state == "blocker_resolved"
    by = {"force": "bob"}.get(way, "racer")
    reason = {"release": "released", "force": "ended_by_person", "expire": "expired"}
    assert (left["by"]["name"], left["reason"]) == (by, reason.get(way, "retired"))
    assert offered(solver) == ["SB-1"]


def test_its_creator_may_continue(desk: Desk, stuck: Api, solver: Api) -> None:
    file_ticket(stuck, **TASK)
    resolve(solver, "SB-1")
    assert offered(stuck) == []
    ticket = stuck.post(f"{PLACE}/continue", {}).ok()["ticket"]
    assert (ticket["state"], ticket["claim"]["holder"]["name"]) == ("continuing", "stuck")
    prove(stuck, "SB-1", "t1", command="make").ok(201)
    stuck.post(f"{PLACE}/submit", {"stage": "task"}).ok()
    assert row(desk, 1).state == "completed"


def test_a_person_continues_by_the_page(desk: Desk, stuck: Api, solver: Api) -> None:
    file_ticket(stuck, **TASK)
    resolve(solver, "SB-1")
    bob = signed_in(desk, "bob")
    assert "Finish the task" in bob.get("/tickets/SB-1").content.decode()
    done(send(bob, "SB-1", "continue"))
    assert (row(desk, 1).state, row(desk, 1).solver_id) == (
        "continuing",
        desk.people["bob"].actor_id,
    )
    proof = {"command": "make", "exit_code": "0"}
    done(send(bob, "SB-1", "evidence", criterion="t1", **proof))
    done(send(bob, "SB-1", "submit", outcome="Built by hand"))
    assert row(desk, 1).state == "completed"


def test_it_is_handed_on_while_continuing(desk: Desk, continuing: Api) -> None:
    """The child is a ticket of its own: what was proved for the parent proves nothing of it."""
    child = hand_on(continuing, "SB-1", reason="Too long").ok(201)["child"]
    assert (row(desk, 1).state, row(desk, 1).proven) == ("handed_off", True)
    assert (child["state"], row(desk, 2).proven) == ("open", False)


@pytest.mark.parametrize("place", ["tickets/SB-1", "projects/{}", "org"])
def test_a_pause_keeps_others_out_and_lets_the_holder_end(
    place: str, desk: Desk, continuing: Api, solver: Api, alice: Api
) -> None:
    """Nobody claims or continues; whoever holds it renews, works, hands on or submits."""
    path = place.format(desk.org.default_project_id)
    alice.post(f"/api/v1/{path}/pause", {"reason": "The freeze lasts"}).ok()
    ticket = detail(continuing, "SB-1")
    assert (ticket["paused"], ticket["status"]["rule"]) == (True, "paused")
    before = row(desk, 1).lease_until
    with time_machine.travel(clock.now() + timedelta(minutes=10), tick=False):
        continuing.post(f"{PLACE}/claim/renew").ok()
    assert row(desk, 1).lease_until > before  # type: ignore[operator]
    continuing.post(f"{PLACE}/updates", {"body": "On it"}).ok(201)
    child = hand_on(continuing, "SB-1").ok(201)["child"]
    assert child["paused"] is True
    for api, ref in ((solver, "SB-2"), (alice, "SB-2")):
        assert api.post(f"/api/v1/tickets/{ref}/claim", {}).code == "ticket_paused"
    assert offered(solver) == []
    shown = path.replace("SB-1", "SB-2")
    alice.post(f"/api/v1/{shown}/resume").ok()
    assert offered(solver) == ["SB-2"]


@pytest.mark.parametrize("place", ["tickets/SB-1", "projects/{}", "org"])
def test_nobody_continues_what_is_paused_and_its_holder_submits(
    place: str, desk: Desk, stuck: Api, solver: Api, racer: Api, alice: Api
) -> None:
    path = place.format(desk.org.default_project_id)
    file_ticket(stuck, **TASK)
    solver.post(f"{PLACE}/claim", {}).ok()
    prove(solver, "SB-1").ok(201)
    alice.post(f"/api/v1/{path}/pause").ok()
    solver.post(f"{PLACE}/submit", {"stage": "blocker"}).ok()
    assert racer.post(f"{PLACE}/continue", {}).code == "ticket_paused"
    assert "continue_task" not in detail(racer, "SB-1")["you"]["can"]
    alice.post(f"/api/v1/{path}/resume").ok()
    racer.post(f"{PLACE}/continue", {}).ok()


def test_a_second_pause_changes_nothing_unless_it_gives_a_reason(
    desk: Desk, stuck: Api, alice: Api, bob: Api
) -> None:
    file_ticket(stuck)
    place = f"/api/v1/projects/{desk.org.default_project_id}"
    alice.post(f"{place}/pause", {"reason": "The freeze lasts"}).ok()
    bob.post(f"{place}/pause").ok()
    assert detail(stuck, "SB-1")["content"]["status_detail"] == "Its project is paused by alice."
    bob.post(f"{place}/pause", {"reason": "Until Friday"}).ok()
    assert detail(stuck, "SB-1")["content"]["status_detail"] == "Its project is paused by bob."
    bob.post(f"{place}/resume").ok()
    assert detail(stuck, "SB-1")["status"]["rule"] == "unclaimed"


def test_what_was_left_ends_with_what_was_proved(desk: Desk, stuck: Api, solver: Api) -> None:
    """Notes about the blocker are of no use to whoever finishes the task, nor after a reopening."""
    file_ticket(stuck, **TASK)
    solver.post(f"{PLACE}/claim", {}).ok()
    solver.post(f"{PLACE}/release", {"note": "Look at the proxy"}).ok()
    assert [one["content"]["note"] for one in detail(stuck, "SB-1")["handover"]] == [
        "Look at the proxy"
    ]
    resolve(solver, "SB-1")
    assert detail(stuck, "SB-1")["handover"] == []
    stuck.post(f"{PLACE}/close", {}).ok()
    assert detail(stuck, "SB-1")["handover"] == []
    stuck.post(f"{PLACE}/reopen").ok()
    assert detail(stuck, "SB-1")["handover"] == []
    assert types(desk, 1)[-1] == "ticket_reopened"


def test_a_child_begins_with_why_it_was_handed_on(stuck: Api, solver: Api, racer: Api) -> None:
    file_ticket(stuck)
    solver.post(f"{PLACE}/claim", {}).ok()
    hand_on(solver, "SB-1", reason="My context is full").ok(201)
    racer.post("/api/v1/tickets/SB-2/claim", {}).ok()
    racer.post("/api/v1/tickets/SB-2/release", {"note": "Not the proxy"}).ok()
    left = detail(stuck, "SB-2")["handover"]
    assert [(one["by"]["name"], one["reason"], one["content"]["note"]) for one in left] == [
        ("solver", "handed_off", "My context is full"),
        ("racer", "released", "Not the proxy"),
    ]


def test_who_mixes_up_claim_and_continue_is_told(stuck: Api, solver: Api) -> None:
    def told(reply: Reply) -> str:
        assert (reply.status, reply.code) == (409, "invalid_transition")
        return str(reply.json["error"]["message"])

    file_ticket(stuck, **TASK)
    assert (
        told(solver.post(f"{PLACE}/continue", {}))
        == "SB-1 is open, which allows no continue. Claim it instead."
    )
    resolve(solver, "SB-1")
    assert told(solver.post(f"{PLACE}/claim", {})) == (
        "SB-1 is blocker_resolved, which allows no claim. Continue it instead."
    )
    solver.post(f"{PLACE}/continue", {}).ok()
    prove(solver, "SB-1", "t1", command="make").ok(201)
    solver.post(f"{PLACE}/submit", {"stage": "task"}).ok()
    assert "instead" not in told(solver.post(f"{PLACE}/claim", {}))
