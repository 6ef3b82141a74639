"""Completing an incomplete ticket: who may, what follows, and what may change until then."""

from typing import Any

import pytest

from stuckbot.lib.models import Event
from tests.api.refusals import nothing_changes, refused
from tests.support import TAKEOVER, Api, Desk, Reply, make_package, prove
from tests.tickets.lenient import file_incomplete
from tests.tickets.test_findings import SECRET
from tickets.models import Criterion, Ticket

CHECK = make_package()["blocker_criteria"][0]
OTHER = {"description": "It looks right", "method": "manual", "expected": "a person says so"}
SHORT = make_package(objective=None, blocker_criteria=None)


def update(api: Api, **changes: Any) -> Reply:
    return api.post("/api/v1/tickets/SB-1/package", {"package": make_package(**changes)})


def claim(api: Api) -> None:
    api.post("/api/v1/tickets/SB-1/claim", {}).ok()


def told(desk: Desk) -> list[str]:
    return list(Event.objects.of(desk.org.id).order_by("seq").values_list("type", flat=True))


@pytest.mark.parametrize(
    ("who", "held"),
    [
        ("creator", False),
        ("creator", True),
        ("holder", True),
        ("member", False),
        ("member", True),
    ],
)
def test_creator_holder_and_member_complete_it(
    who: str, held: bool, stuck: Api, solver: Api, bob: Api, desk: Desk
) -> None:
    file_incomplete(stuck, SHORT)
    if held:
        claim(solver)
    writer = {"creator": stuck, "holder": solver, "member": bob}[who]
    ticket = update(writer).ok()["ticket"]
    assert (ticket["incomplete"], ticket["missing_fields"]) == (False, [])
    assert (ticket["package_version"], len(ticket["criteria"])) == (2, 1)
    assert ticket["status_color"] == ("YELLOW" if held else "ORANGE")
    assert told(desk)[-2:] == ["package_updated", "package_completed"]


def test_what_is_complete_is_offered(stuck: Api, solver: Api) -> None:
    file_incomplete(stuck, SHORT)
    before = solver.get("/api/v1/work")
    assert before.ok()["claimable"] == []
    update(stuck).ok()
    after = solver.get("/api/v1/work", if_none_match=before.header("ETag") or "")
    assert [one["ref"] for one in after.ok()["claimable"]] == ["SB-1"]


def test_a_part_may_come_first(stuck: Api, solver: Api, bob: Api, desk: Desk) -> None:
    file_incomplete(stuck, {})
    half = {"title": "The build fails", "objective": "Ship it"}
    reply = bob.post("/api/v1/tickets/SB-1/package", {"package": half})
    ticket = reply.ok()["ticket"]
    assert (ticket["incomplete"], ticket["content"]["title"]) == (True, half["title"])
    assert ticket["missing_fields"][0] == "stuck_reason"
    assert "title" not in ticket["missing_fields"]
    assert told(desk) == ["ticket_created", "package_updated"]
    assert solver.get("/api/v1/work").ok()["claimable"] == []
    assert update(bob).ok()["ticket"]["incomplete"] is False


def test_everybody_concerned_hears_of_it(stuck: Api, solver: Api, bob: Api) -> None:
    file_incomplete(stuck, SHORT)
    claim(solver)
    update(bob).ok()
    for one in (stuck, solver):
        heard = [event["type"] for event in one.get("/api/v1/work").ok()["updates"]]
        assert heard[-2:] == ["package_updated", "package_completed"]


def test_nobody_else_completes_it(
    stuck: Api, racer: Api, carol: Api, mallory: Api, desk: Desk
) -> None:
    file_incomplete(stuck, SHORT)
    poor = desk.agent("poor", scopes=["tickets:read_project"])
    with nothing_changes():
        refused(update(racer), 409, "not_claim_holder")
        refused(update(carol), 403, "not_eligible")
        refused(update(mallory), 404, "not_found")
        refused(update(poor), 403, "insufficient_scope")


def test_it_is_completed_in_any_state_that_is_not_closed(stuck: Api, solver: Api, bob: Api) -> None:
    file_incomplete(stuck, SHORT)
    claim(solver)
    solver.post("/api/v1/tickets/SB-1/escalate", {"reason": "Nothing to go on"}).ok()
    assert "update_package" in bob.get("/api/v1/tickets/SB-1").ok()["ticket"]["you"]["can"]
    ticket = update(bob).ok()["ticket"]
    assert (ticket["state"], ticket["incomplete"]) == ("needs_human", False)


def test_a_closed_one_stays_as_it_is_until_it_is_opened_again(stuck: Api, bob: Api) -> None:
    file_incomplete(stuck, SHORT)
    bob.post("/api/v1/tickets/SB-1/close", {}).ok()
    with nothing_changes():
        details = refused(update(bob), 409, "invalid_transition")
    assert details["allowed"] == ["reopen"]
    ticket = bob.post("/api/v1/tickets/SB-1/reopen").ok()["ticket"]
    assert (ticket["state"], ticket["status"]["rule"]) == ("open", "incomplete")
    assert update(bob).ok()["ticket"]["incomplete"] is False


def test_the_lease_that_ran_out_is_nobodys_right(
    stuck: Api, solver: Api, bob: Api, desk: Desk
) -> None:
    file_incomplete(stuck, SHORT)
    claim(solver)
    solver.post("/api/v1/tickets/SB-1/release", {}).ok()
    with nothing_changes():
        refused(update(solver), 409, "not_claim_holder")
    assert update(bob).ok()["ticket"]["state"] == "open"


def test_criteria_are_set_until_then_and_stay_from_then_on(
    stuck: Api, solver: Api, bob: Api
) -> None:
    file_incomplete(stuck, make_package(objective=None))
    claim(solver)
    looser = [{**CHECK, "command": "true"}]
    ticket = update(stuck, objective=None, blocker_criteria=looser).ok()["ticket"]
    assert [one["locked"] for one in ticket["criteria"]] == [False]
    ticket = update(bob, blocker_criteria=[OTHER]).ok()["ticket"]
    assert [(one["method"], one["locked"]) for one in ticket["criteria"]] == [("manual", True)]
    with nothing_changes():
        details = refused(update(solver), 409, "criteria_locked")
    assert details["criteria"] == ["b1"]
    more = [{**OTHER, "key": "b1"}, CHECK]
    assert len(update(solver, blocker_criteria=more).ok()["ticket"]["criteria"]) == 2


def test_the_bar_is_fixed_once_it_is_complete_though_nobody_claimed(stuck: Api, bob: Api) -> None:
    file_incomplete(stuck, SHORT)
    update(bob).ok()
    with nothing_changes():
        reply = update(stuck, blocker_criteria=[OTHER])
        assert refused(reply, 409, "criteria_locked")["criteria"] == ["b1"]
        assert "completed" in reply.json["error"]["message"]
        refused(update(stuck, **TAKEOVER), 409, "criteria_locked")
    update(stuck, objective="Said better").ok()


def test_a_holder_lowers_no_bar_that_somebody_else_set(stuck: Api, solver: Api, bob: Api) -> None:
    file_incomplete(stuck, make_package(objective=None, **TAKEOVER))
    claim(solver)
    with nothing_changes():
        looser = [{**CHECK, "command": "true"}]
        reply = update(solver, **TAKEOVER, blocker_criteria=looser)
        assert refused(reply, 409, "criteria_locked")["criteria"] == ["b1"]
        assert refused(update(solver), 409, "criteria_locked")["criteria"] == ["t1", "mode"]
    more = [CHECK, OTHER]
    ticket = update(solver, **TAKEOVER, objective=None, blocker_criteria=more).ok()["ticket"]
    assert (ticket["incomplete"], len(ticket["criteria"])) == (True, 3)
    # What it has set itself it may still set otherwise, as long as it is incomplete.
    ticket = update(solver, **TAKEOVER, objective=None).ok()["ticket"]
    assert [one["key"] for one in ticket["criteria"]] == ["b1", "t1"]
    bar = [CHECK, {**OTHER, "key": "looks"}]
    update(bob, **TAKEOVER, objective=None, blocker_criteria=bar).ok()
    with nothing_changes():
        reply = update(solver, **TAKEOVER)
        assert refused(reply, 409, "criteria_locked")["criteria"] == ["looks"]


def test_a_holder_sets_the_bar_that_nobody_set(stuck: Api, solver: Api) -> None:
    file_incomplete(stuck, {"title": "Ran out of time"})
    claim(solver)
    ticket = update(solver, **TAKEOVER).ok()["ticket"]
    assert (ticket["mode"], [one["key"] for one in ticket["criteria"]]) == (
        "takeover_allowed",
        ["b1", "t1"],
    )


def test_evidence_for_what_a_criterion_said_before_counts_no_more(
    stuck: Api, solver: Api, bob: Api
) -> None:
    file_incomplete(stuck, make_package(objective=None, blocker_criteria=[CHECK, OTHER]))
    claim(solver)
    prove(solver, "SB-1").ok(201)
    assert update(bob, objective=None, blocker_criteria=[CHECK]).ok()
    ticket = update(bob, blocker_criteria=[{**CHECK, "command": "npm ci --audit"}]).ok()["ticket"]
    assert [one["status"] for one in ticket["criteria"]] == ["missing"]
    assert [one["counts"] for one in ticket["evidence"]] == [False]


def test_evidence_stays_where_its_criterion_does(stuck: Api, solver: Api, bob: Api) -> None:
    file_incomplete(stuck, make_package(objective=None))
    claim(solver)
    prove(solver, "SB-1").ok(201)
    ticket = update(bob, blocker_criteria=[CHECK, OTHER]).ok()["ticket"]
    assert [one["status"] for one in ticket["criteria"]] == ["passed", "waiting"]
    added = Criterion.unscoped.order_by("position").values_list("key", "added_n")
    assert list(added) == [("b1", 1), ("b2", 2)]


def test_an_incomplete_ticket_is_not_submitted(stuck: Api, solver: Api) -> None:
    file_incomplete(stuck, {"title": "Ran out of time", "mode": "takeover_allowed"})
    claim(solver)
    with nothing_changes():
        reply = solver.post("/api/v1/tickets/SB-1/submit", {"stage": "blocker"})
        details = refused(reply, 422, "invalid_request")
    assert details["missing_fields"][-2:] == ["blocker_criteria", "task_criteria"]
    assert details["missing"] == details["failing"] == []
    assert "blocker_criteria" in reply.json["error"]["message"]
    update(solver, **TAKEOVER).ok()
    prove(solver, "SB-1").ok(201)
    solver.post("/api/v1/tickets/SB-1/submit", {"stage": "blocker"}).ok()


def test_an_incomplete_ticket_is_not_approved(stuck: Api, solver: Api, alice: Api) -> None:
    file_incomplete(stuck, {"title": "Ran out of time"})
    claim(solver)
    solver.post("/api/v1/tickets/SB-1/escalate", {"reason": "No idea"}).ok()
    with nothing_changes():
        reply = alice.post("/api/v1/tickets/SB-1/approve", {"reason": "Fine by me"})
        assert "blocker_criteria" in refused(reply, 422, "invalid_request")["missing_fields"]


def test_every_fault_is_told_and_nothing_lost(stuck: Api, bob: Api) -> None:
    file_incomplete(stuck, SHORT)
    with nothing_changes():
        reply = update(bob, objective="", blocker_criteria=[{"method": "guess"}], urgency=11)
        fields = refused(reply, 422, "invalid_request")["fields"]
    assert {one["path"] for one in fields} == {
        "package.objective",
        "package.urgency",
        "package.blocker_criteria[0].method",
        "package.blocker_criteria[0].description",
        "package.blocker_criteria[0].expected",
    }


def test_what_comes_later_is_masked_too(stuck: Api, bob: Api) -> None:
    file_incomplete(stuck, SHORT)
    ticket = update(bob, objective=f"Ship with {SECRET}").ok()["ticket"]
    assert SECRET not in str(ticket)
    assert [one["where"] for one in ticket["findings"]] == ["package.objective"]


def test_the_title_follows_what_is_said(stuck: Api, bob: Api) -> None:
    file_incomplete(stuck, {"objective": "Ship it"})
    said = {"objective": "Ship it", "stuck_reason": "npm ci fails"}
    ticket = bob.post("/api/v1/tickets/SB-1/package", {"package": said}).ok()["ticket"]
    assert ticket["content"]["title"] == "Untitled: npm ci fails"
    assert update(bob).ok()["ticket"]["content"]["title"] == make_package()["title"]


def test_a_completion_sent_twice_is_done_once(stuck: Api, bob: Api, desk: Desk) -> None:
    file_incomplete(stuck, SHORT)
    body = {"package": make_package()}
    path = "/api/v1/tickets/SB-1/package"
    first = bob.post(path, body, idempotency_key="once")
    again = bob.post(path, body, idempotency_key="once")
    assert first.ok() == again.ok()
    assert again.header("Idempotent-Replayed") == "true"
    assert told(desk).count("package_completed") == 1
    assert Ticket.objects.of(desk.org.id).get().package_n == 2
