"""What becomes of a stage whose checks by the desk have ended."""

from typing import Any

import pytest

from stuckbot.lib import clock
from stuckbot.lib.models import Timer
from stuckbot.site.usecases.checks import checks_finished
from tests.support import Api, Desk
from tests.verification.bench import CHECK, COMMAND, MANUAL, Review, policy, proof
from verification.models import Evidence

Rows = list[dict[str, Any]]


def _checking(review: Review, **columns: Any) -> None:
    """In review over a url that is being checked."""
    review.begin()
    policy(review.desk, **columns)
    sent = {"criterion": "b1", "type": "external_check", "payload": {"url": CHECK["url"]}}
    review.solver.post(f"{review.path}/evidence", sent).ok(201)
    if len(review.criteria) > 1 and review.criteria[1] is COMMAND:
        sent = {**proof(), "criterion": "b2"}
        review.solver.post(f"{review.path}/evidence", sent).ok(201)
    review.solver.post(f"{review.path}/submit", {"stage": "blocker"}).ok()
    assert review.job.state == "waiting_checks"


def _ends(review: Review, result: str) -> bool:
    """The check ends as a checker would write it down."""
    checks = Evidence.objects.of(review.desk.org.id).filter(criterion="b1")
    checks.update(result=result, trust="platform_checked")
    return checks_finished(review.desk.org.id, review.job.id, clock.now())


@pytest.mark.parametrize(
    ("kind", "more", "result", "ends", "assurance"),
    [
        ("automatic", [], "pass", ("blocker_resolved", "approved", ""), "platform_checked"),
        ("automatic", [COMMAND], "pass", ("blocker_resolved", "approved", ""), "self_reported"),
        ("automatic", [MANUAL], "pass", ("blocker_review", "waiting_person", "person"), ""),
        ("automatic", [], "unchecked", ("blocker_review", "waiting_person", "person"), ""),
        ("automatic", [], "fail", ("working", "rejected", ""), ""),
        ("agent", [], "pass", ("blocker_review", "waiting_agent", "verifier"), ""),
        ("agent", [MANUAL], "unchecked", ("blocker_review", "waiting_agent", "verifier"), ""),
        ("agent", [], "fail", ("working", "rejected", ""), ""),
        ("agent_then_person", [], "pass", ("blocker_review", "waiting_agent", "verifier"), ""),
        ("person", [], "pass", ("blocker_review", "waiting_person", "person"), ""),
        ("person", [], "fail", ("working", "rejected", ""), ""),
    ],
)
def test_it_goes_on_as_a_submit_would(
    kind: str,
    more: Rows,
    result: str,
    ends: tuple[str, str, str],
    assurance: str,
    desk: Desk,
    stuck: Api,
    solver: Api,
) -> None:
    review = Review(desk, stuck, solver, criteria=[CHECK, *more])
    _checking(review, blocker=kind, verifier_wait_minutes=10)
    told = len(review.told())
    assert _ends(review, result)
    assert (review.row.state, review.job.state, review.row.waits_for) == ends
    assert review.job.assurance == assurance
    event = {"approved": "stage_approved", "rejected": "stage_rejected"}
    assert review.told(told) == [event.get(ends[1], "checks_finished")]
    assert review.events()[-1].actor_id == desk.org.id
    waits = Timer.objects.of(desk.org.id).filter(kind="verifier_wait").exists()
    assert waits == (ends[2] == "verifier")
    assert not checks_finished(desk.org.id, review.job.id, clock.now())


def test_it_waits_for_the_last_check(desk: Desk, stuck: Api, solver: Api) -> None:
    review = Review(desk, stuck, solver, criteria=[CHECK])
    _checking(review, blocker="automatic")
    told = review.told()
    assert not checks_finished(desk.org.id, review.job.id, clock.now())
    assert (review.told(), review.job.state) == (told, "waiting_checks")


def test_a_failed_check_counts_as_a_rejection(desk: Desk, stuck: Api, solver: Api) -> None:
    review = Review(desk, stuck, solver, criteria=[CHECK])
    _checking(review, blocker="automatic", max_rejections=1)
    assert _ends(review, "fail")
    assert review.row.state == "needs_human"
    assert review.told()[-2:] == ["stage_rejected", "needs_human"]
