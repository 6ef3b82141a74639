"""Somebody moves the ticket between the look at it and the write of what a check saw."""

from collections.abc import Callable
from typing import Any

import pytest

from stuckbot.lib import clock
from stuckbot.lib.outgoing import Result
from stuckbot.site.usecases import url_check
from stuckbot.site.usecases.checks import checks_finished, checks_settle
from stuckbot.site.usecases.url_check import url_checked
from tests.checks.bench import BROKEN, FINE, PRIVATE, Opened, opened, taken, tries_over
from tests.support import Api, Desk, make_package
from tests.verification.bench import policy
from tickets.rows import facts_read
from verification.models import Evidence, UrlCheck
from verification.services.url_checks import check_give_back
from verification.services.url_queue import checks_take

Act = Callable[[], object]


@pytest.fixture
def looked(desk: Desk, stuck: Api, solver: Api) -> Opened:
    made = Opened(desk, stuck, solver)
    made.begin()
    policy(desk, blocker="automatic")
    made.report()
    return made


def _opened_while(act: Act, seen: Result, patch: pytest.MonkeyPatch) -> None:
    """The act comes after the ticket was read for the write, and before the write."""
    check, acts = taken(), [act]

    def read_then_act(*place: Any) -> Any:
        facts = facts_read(*place)
        if acts:
            acts.pop()()
        return facts

    patch.setattr(url_check, "facts_read", read_then_act)
    url_checked(check, seen)
    assert not acts


@pytest.mark.parametrize(
    ("seen", "state"),
    [(FINE, "blocker_resolved"), (BROKEN, "working"), (PRIVATE, "blocker_review")],
)
def test_a_submit_comes_between(
    seen: Result, state: str, looked: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    _opened_while(looked.hand_in, seen, monkeypatch)
    assert looked.row.state == state
    assert len(looked.found) == 1
    assert looked.job.state != "waiting_checks"


def test_a_release_a_close_a_handoff_and_an_escalation_come_between(
    looked: Opened, monkeypatch: pytest.MonkeyPatch, alice: Api, desk: Desk
) -> None:
    path, solver = looked.path, looked.solver
    acts: list[tuple[str, Act]] = [
        ("open", lambda: solver.post(f"{path}/release", {"note": "no"}).ok()),
        ("needs_human", lambda: solver.post(f"{path}/escalate", {"reason": "no"}).ok()),
        (
            "handed_off",
            lambda: solver.post(
                f"{path}/handoff", {"package": make_package(), "reason": "full"}
            ).ok(201),
        ),
        ("closed", lambda: alice.post(f"{path}/close", {"outcome": "no"}).ok()),
    ]
    for state, act in acts:
        if looked.row.state == "needs_human":
            alice.post(f"{path}/send-back", {"note": "again"}).ok()
        if looked.row.state == "handed_off":
            fresh = Opened(desk, looked.creator, solver)
            looked, path = fresh, fresh.path
            looked.begin()
            looked.report()
        if looked.row.state == "open":
            solver.post(f"{path}/claim").ok()
            looked.report()
        told = len(looked.told())
        with monkeypatch.context() as patch:
            _opened_while(act, FINE, patch)
        assert (looked.row.state, looked.found) == (state, [])
        assert "evidence_added" not in looked.told(told)
        assert looked.check.status == "passed"


def test_a_new_report_comes_between(looked: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    _opened_while(lambda: looked.report(), BROKEN, monkeypatch)
    assert looked.found == []
    tries_over()
    opened(FINE)
    assert looked.standing() == "passed"


def test_a_word_on_the_ticket_comes_between(
    looked: Opened, alice: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = f"{looked.path}/comments"
    _opened_while(lambda: alice.post(words, {"body": "Well?"}).ok(201), FINE, monkeypatch)
    assert looked.standing() == "passed"


def test_two_checkers_bring_one_result(looked: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first is thought dead, its lease is over, another takes it; then both come back."""
    first = taken()
    UrlCheck.objects.of(looked.desk.org.id).update(due_at=clock.now())
    second = taken()
    url_checked(first, BROKEN)
    assert looked.found == []
    url_checked(second, FINE)
    url_checked(second, BROKEN)
    url_checked(first, BROKEN)
    assert [one.result for one in looked.found] == ["pass"]


def test_one_of_two_checkers_takes_it(looked: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(checks_take(clock.now(), 4)) == 1
    assert checks_take(clock.now(), 4) == []


def test_what_is_given_back_is_taken_again_and_counts_as_no_failure(looked: Opened) -> None:
    for _ in range(8):
        check_give_back(taken(), clock.now())
    opened(FINE)
    assert looked.standing() == "passed"


def test_the_review_goes_on_once(looked: Opened) -> None:
    looked.hand_in()
    job = looked.job
    opened(FINE)
    told = looked.told()
    checks_settle(looked.desk.org.id, job.id, clock.now())
    assert not checks_finished(looked.desk.org.id, job.id, clock.now())
    assert looked.told() == told


def test_the_desks_word_is_the_newest(looked: Opened) -> None:
    """Evidence of one criterion is told newer from older by its number alone."""
    opened(FINE)
    rows = Evidence.objects.of(looked.desk.org.id).filter(criterion="b1").order_by("seq")
    assert [one.result for one in rows] == ["waiting", "pass"]
    assert len({one.seq for one in rows}) == 2
