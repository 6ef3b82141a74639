"""Every row of the table of moves in which a check of the desk's own ends."""

from datetime import timedelta
from typing import Any

import pytest

from stuckbot.lib import clock
from stuckbot.lib.outgoing import Result
from stuckbot.site.tasks import sweep
from stuckbot.site.usecases.url_check import url_checked
from tests.checks.bench import BROKEN, FINE, PRIVATE, SILENT, Opened, opened, taken, tries_over
from tests.support import Api, Desk
from tests.verification.bench import COMMAND, MANUAL, policy, proof
from tickets.models import Ticket
from verification.models import UrlCheck
from verification.services.url_queue import checks_take

ENDS = [
    pytest.param(FINE, "pass", "passed", "evidence_added", id="200"),
    pytest.param(BROKEN, "fail", "failed", "evidence_added", id="500"),
    pytest.param(PRIVATE, "unchecked", "unchecked", "url_check_skipped", id="private"),
]


@pytest.fixture
def looked(desk: Desk, stuck: Api, solver: Api) -> Opened:
    made = Opened(desk, stuck, solver)
    made.begin()
    return made


@pytest.mark.parametrize("stage", ["blocker", "task"])
@pytest.mark.parametrize(("seen", "result", "status", "event"), ENDS)
def test_whoever_holds_the_ticket_goes_on(
    stage: str,
    seen: Result,
    result: str,
    status: str,
    event: str,
    desk: Desk,
    stuck: Api,
    solver: Api,
) -> None:
    looked = Opened(desk, stuck, solver, stage=stage)
    looked.begin()
    looked.report()
    assert looked.standing() == "waiting"
    before, told = looked.row, len(looked.told())
    opened(seen)
    after = looked.row
    assert (after.state, after.lease_until) == (before.state, before.lease_until)
    assert looked.told(told) == [event]
    assert looked.standing() == status
    (found,) = looked.found
    assert (found.result, found.trust, found.attempt) == (result, "platform_checked", after.attempt)
    assert (looked.check.found, looked.check.status) == (found, status)


@pytest.mark.parametrize(("seen", "result", "status", "event"), ENDS)
@pytest.mark.parametrize("act", ["release", "close", "escalate", "expire", "withdraw"])
def test_it_counts_for_nothing_where_nobody_is_at_it(
    act: str, seen: Result, result: str, status: str, event: str, looked: Opened, alice: Api
) -> None:
    looked.report()
    _leave(act, looked, alice)
    state, told = looked.row.state, looked.told()
    opened(seen)
    assert (looked.row.state, looked.told(), looked.found) == (state, told, [])
    assert looked.check.status == status
    shown = looked.shown()["evidence"][0]["check"]
    assert shown["status"] == ("unchecked" if result == "unchecked" else "checked")


def _leave(act: str, looked: Opened, alice: Api) -> None:
    solver, path = looked.solver, looked.path
    if act == "expire":
        past = clock.now() - timedelta(seconds=1)
        Ticket.objects.of(looked.desk.org.id).update(lease_until=past, live_until=past)
    elif act == "close":
        alice.post(f"{path}/close", {"outcome": "no"}).ok()
    elif act == "escalate":
        solver.post(f"{path}/escalate", {"reason": "no"}).ok()
    else:
        solver.post(f"{path}/release", {"note": "no"}).ok()
    if act == "withdraw":
        looked.creator.post(f"{path}/withdraw", {"reason": "no"}).ok()


def test_it_counts_for_nothing_in_another_attempt(looked: Opened, racer: Api) -> None:
    looked.report()
    looked.solver.post(f"{looked.path}/release", {"note": "no"}).ok()
    racer.post(f"{looked.path}/claim").ok()
    told = looked.told()
    opened(FINE)
    assert (looked.told(), looked.found, looked.standing()) == (told, [], "missing")


REVIEWS = [
    ("automatic", [], FINE, "resolved", ["stage_approved"], "platform_checked"),
    ("automatic", [COMMAND], FINE, "resolved", ["stage_approved"], "self_reported"),
    ("automatic", [MANUAL], FINE, "person", ["checks_finished"], ""),
    ("automatic", [], PRIVATE, "person", ["url_check_skipped", "checks_finished"], ""),
    ("automatic", [], BROKEN, "back", ["stage_rejected"], ""),
    ("agent", [], FINE, "verifier", ["checks_finished"], ""),
    ("agent", [], PRIVATE, "verifier", ["url_check_skipped", "checks_finished"], ""),
    ("agent", [], BROKEN, "back", ["stage_rejected"], ""),
    ("agent_then_person", [MANUAL], FINE, "verifier", ["checks_finished"], ""),
    ("person", [], FINE, "person", ["checks_finished"], ""),
    ("person", [], PRIVATE, "person", ["url_check_skipped", "checks_finished"], ""),
    ("person", [], BROKEN, "back", ["stage_rejected"], ""),
]
REACHED = {
    "blocker": {
        "resolved": ("blocker_resolved", "approved", ""),
        "person": ("blocker_review", "waiting_person", "person"),
        "verifier": ("blocker_review", "waiting_agent", "verifier"),
        "back": ("working", "rejected", ""),
    },
    "task": {
        "resolved": ("completed", "approved", ""),
        "person": ("task_review", "waiting_person", "person"),
        "verifier": ("task_review", "waiting_agent", "verifier"),
        "back": ("continuing", "rejected", ""),
    },
}


@pytest.mark.parametrize("stage", ["blocker", "task"])
@pytest.mark.parametrize(("kind", "more", "seen", "to", "events", "assurance"), REVIEWS)
def test_a_review_goes_on_as_a_submit_would(
    stage: str,
    kind: str,
    more: list[dict[str, Any]],
    seen: Result,
    to: str,
    events: list[str],
    assurance: str,
    desk: Desk,
    stuck: Api,
    solver: Api,
) -> None:
    looked = Opened(desk, stuck, solver, *more, stage=stage)
    _submitted(looked, kind, more)
    assert looked.job.state == "waiting_checks"
    told = len(looked.told())
    opened(seen)
    reached = (looked.row.state, looked.job.state, looked.row.waits_for)
    assert reached == REACHED[stage][to]
    assert looked.told(told) == events
    assert looked.job.assurance == assurance
    assert {one.actor_id for one in looked.events()[told:]} == {desk.org.id}


def _submitted(looked: Opened, kind: str, more: list[dict[str, Any]]) -> None:
    looked.begin()
    policy(looked.desk, blocker=kind, task=kind)
    looked.report()
    if COMMAND in more:
        sent = {**proof(), "criterion": f"{looked.stage[0]}2"}
        looked.solver.post(f"{looked.path}/evidence", sent).ok(201)
    looked.hand_in()


@pytest.mark.parametrize("stage", ["blocker", "task"])
def test_a_failed_check_leads_to_everybody_when_its_solver_is_gone(
    stage: str, desk: Desk, stuck: Api, solver: Api
) -> None:
    looked = Opened(desk, stuck, solver, stage=stage)
    _submitted(looked, "automatic", [])
    solver.post("/api/v1/agents/me/retire").ok()
    opened(BROKEN)
    assert looked.row.state == ("open" if stage == "blocker" else "blocker_resolved")
    assert looked.told()[-1] == "stage_rejected"


def test_the_third_rejection_asks_a_person(looked: Opened) -> None:
    policy(looked.desk, blocker="automatic")
    for number in range(3):
        assert looked.row.state in ("claimed", "working"), number
        looked.report()
        looked.hand_in()
        opened(BROKEN)
    assert looked.row.state == "needs_human"
    assert looked.told()[-2:] == ["stage_rejected", "needs_human"]


@pytest.mark.parametrize("most", [1, 3])
def test_a_rejection_says_what_was_seen(most: int, looked: Opened) -> None:
    """To whoever works on it next, or to the person who is asked instead."""
    policy(looked.desk, blocker="automatic", max_rejections=most)
    looked.report()
    looked.hand_in()
    opened(BROKEN)
    seen = "b1: the address answered 500, which is not what was expected."
    (job,) = looked.shown()["verifications"]
    assert (job["state"], job["content"]["reason"]) == ("rejected", seen)
    told = looked.solver.get(f"{looked.path}/events").ok()["events"]
    ended = [one for one in told if one["type"] in ("stage_rejected", "needs_human")]
    assert [one["content"]["reason"] for one in ended] == [seen] * (2 if most == 1 else 1)


def test_nobody_decides_while_checks_run(looked: Opened, alice: Api) -> None:
    policy(looked.desk, blocker="person")
    looked.report()
    looked.hand_in()
    for decision in ("approve", "reject"):
        body = {"decision": decision, "reason": "x"}
        reply = alice.post(f"/api/v1/verifications/{looked.job.id}/decision", body)
        assert reply.code == "invalid_transition"
        assert reply.details["state"] == "waiting_checks"


def test_a_submit_waits_for_the_last_of_several(desk: Desk, stuck: Api, solver: Api) -> None:
    second = {**COMMAND, "method": "external_check", "url": "https://b.example/", "command": None}
    second = {name: value for name, value in second.items() if value is not None}
    looked = Opened(desk, stuck, solver, second)
    looked.begin()
    policy(desk, blocker="automatic")
    looked.report()
    looked.report(key="b2", url="https://b.example/")
    looked.hand_in()
    told = len(looked.told())
    first, last = _both()
    first(FINE)
    assert (looked.job.state, looked.told(told)) == ("waiting_checks", [])
    last(PRIVATE)
    assert looked.told(told) == ["url_check_skipped", "checks_finished"]
    assert looked.job.state == "waiting_person"


def _both() -> Any:
    return [lambda seen, one=one: url_checked(one, seen) for one in checks_take(clock.now(), 2)]


def test_an_unchecked_url_hinders_no_submit(looked: Opened) -> None:
    policy(looked.desk, blocker="automatic")
    looked.report()
    opened(PRIVATE)
    looked.hand_in()
    assert (looked.row.state, looked.job.state) == ("blocker_review", "waiting_person")


def test_a_failed_url_hinders_a_submit_until_it_is_mended(looked: Opened) -> None:
    policy(looked.desk, blocker="automatic")
    looked.report()
    opened(BROKEN)
    refused = looked.solver.post(f"{looked.path}/submit", {"stage": "blocker"})
    assert refused.details["failing"] == ["b1"]
    looked.report()
    opened(FINE)
    looked.hand_in()
    assert (looked.row.state, looked.job.assurance) == ("blocker_resolved", "platform_checked")


def test_the_solver_that_comes_back_has_it_checked_anew(looked: Opened) -> None:
    """What was found meanwhile counts for nothing, and its report still waits."""
    policy(looked.desk, blocker="automatic")
    looked.report()
    looked.solver.post(f"{looked.path}/release", {"note": "no"}).ok()
    opened(BROKEN)
    looked.solver.post(f"{looked.path}/claim").ok()
    assert looked.standing() == "waiting"
    looked.hand_in()
    assert looked.row.state == "blocker_review"
    opened(FINE)
    assert looked.row.state == "blocker_resolved"
    assert len(looked.checks) == 1


def test_the_sweep_mends_what_a_crash_left_behind(
    looked: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The result is written, and the checker dies before the review goes on."""
    policy(looked.desk, blocker="automatic")
    looked.report()
    looked.hand_in()
    with monkeypatch.context() as patch:
        patch.setattr("stuckbot.site.usecases.url_check.ticket_settle", lambda *_: None)
        opened(FINE)
    assert looked.job.state == "waiting_checks"
    sweep()
    assert looked.row.state == "blocker_resolved"


def test_the_sweep_asks_again_where_a_check_is_lost(looked: Opened) -> None:
    policy(looked.desk, blocker="automatic")
    looked.report()
    looked.hand_in()
    looked.check.delete()
    sweep()
    opened(FINE)
    assert looked.row.state == "blocker_resolved"


def test_three_tries_without_an_answer_leave_it_unchecked(looked: Opened) -> None:
    looked.report()
    for pause in (15, 45):
        now = clock.now()
        opened(SILENT)
        check = looked.check
        assert (check.status, check.reason, looked.found) == ("waiting", "timeout", [])
        assert abs((check.due_at - now).total_seconds() - pause) < 5
        UrlCheck.objects.of(looked.desk.org.id).update(due_at=now)
    opened(SILENT)
    assert (looked.check.status, looked.check.tries) == ("unchecked", 3)
    assert looked.told()[-1] == "url_check_skipped"
    assert looked.events()[-1].data["reason"] == "timeout"


def test_a_new_report_supersedes_a_check_under_way(looked: Opened) -> None:
    """What it sees may be older than what is reported now."""
    looked.report()
    old = taken()
    looked.report()
    told = looked.told()
    url_checked(old, BROKEN)
    assert (looked.told(), looked.found) == (told, [])
    tries_over()
    opened(FINE)
    assert [one.status for one in looked.checks] == ["superseded", "passed"]
    assert looked.standing() == "passed"
    shown = [one["check"] for one in looked.shown()["evidence"]]
    assert [one["reason"] for one in shown] == ["superseded", None, None]
