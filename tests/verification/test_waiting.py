"""A job that no verifier decides on in time goes to people; a policy that changes moves no bar."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine

from stuckbot.lib import clock
from stuckbot.lib.models import Timer
from stuckbot.site import tasks
from tests.api.refusals import refused
from tests.support import Api, Desk
from tests.verification.bench import Review, claim, decide, policy


@pytest.fixture
def review(desk: Desk, stuck: Api, solver: Api) -> Review:
    return Review(desk, stuck, solver)


@pytest.fixture
def verifier(desk: Desk) -> Api:
    return desk.agent("verifier", scopes=["verify"])


@pytest.mark.parametrize("kind", ["agent", "agent_then_person"])
def test_a_person_is_asked_when_no_verifier_came(kind: str, review: Review, bob: Api) -> None:
    with time_machine.travel(clock.now(), tick=False) as traveller:
        job = review.review(kind, verifier_wait_minutes=30)
        traveller.shift(timedelta(minutes=29))
        tasks.sweep()
        assert review.job.state == "waiting_agent"
        traveller.shift(timedelta(minutes=1))
        told = len(review.told())
        assert tasks.due_now()
        tasks.sweep()
        assert (review.job.state, review.row.waits_for) == ("waiting_person", "person")
        [event] = review.events()[told:]
        assert (event.type, event.actor_id) == ("verification_passed_on", review.desk.org.id)
        assert event.data["why"] == "wait_over"
        tasks.sweep()
        assert len(review.told()) == told + 1
        assert not Timer.objects.of(review.desk.org.id).exists()
        assert decide(bob, job).ok()["verification"]["assurance"] == "person_approved"


def test_a_verifier_that_is_at_it_may_end_but_not_for_ever(
    review: Review, verifier: Api, bob: Api
) -> None:
    with time_machine.travel(clock.now(), tick=False) as traveller:
        job = review.review("agent", verifier_wait_minutes=30)
        traveller.shift(timedelta(minutes=28))
        claim(verifier, job).ok()
        traveller.shift(timedelta(minutes=3))
        tasks.sweep()
        assert review.job.state == "waiting_agent"
        traveller.shift(timedelta(minutes=10))
        claim(verifier, job).ok()
        traveller.shift(timedelta(minutes=4))
        tasks.sweep()
        row = review.row
        assert (row.waits_for, row.verifier_id) == ("person", None)
        refused(decide(verifier, job), 409, "invalid_transition")


def test_without_a_wait_nobody_else_is_asked(review: Review) -> None:
    with time_machine.travel(clock.now(), tick=False) as traveller:
        review.review("agent")
        traveller.shift(timedelta(days=30))
        tasks.sweep()
        assert review.job.state == "waiting_agent"


def test_a_decided_job_is_left_alone(review: Review, verifier: Api) -> None:
    with time_machine.travel(clock.now(), tick=False) as traveller:
        job = review.review("agent", verifier_wait_minutes=5)
        decide(verifier, job).ok()
        traveller.shift(timedelta(minutes=6))
        told = review.told()
        tasks.sweep()
        assert review.told() == told


@pytest.mark.parametrize(
    ("then", "later"),
    [
        ({"blocker": "agent"}, {"blocker": "automatic"}),
        ({"blocker": "agent"}, {"blocker": "agent", "different_connector": True}),
        ({"blocker": "agent"}, {"blocker": "person"}),
    ],
)
def test_a_later_policy_moves_no_bar(
    then: dict[str, Any], later: dict[str, Any], review: Review, verifier: Api
) -> None:
    job = review.review("agent")
    policy(review.desk, **later)
    assert then["blocker"] == review.job.policy_snapshot["approval"]
    assert claim(verifier, job).status == 200
    assert decide(verifier, job).ok()["verification"]["policy"] == "agent"


def test_an_older_snapshot_reads_as_the_defaults(review: Review, verifier: Api) -> None:
    job = review.review("agent")
    row = review.job
    old = {"blocker": "agent", "task": "agent", "lease_minutes": 60, "approval": "agent"}
    type(row).objects.of(row.org_id).filter(id=row.id).update(policy_snapshot=old)
    decide(verifier, job, "reject").ok()
    assert review.row.state == "working"
