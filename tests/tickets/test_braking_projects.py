"""An agent at work in several projects: each pace of its own is kept, whichever way it goes."""

from typing import Any
from uuid import UUID

import pytest
import time_machine

from accounts.selectors import caller_of_membership
from accounts.services.orgs import project_make
from policy.services.policies import WHOLE, Reach, policy_set
from stuckbot.lib import clock
from tests.support import Api, Desk, Reply, make_package
from tickets.services import braking


@pytest.fixture(autouse=True)
def _no_limits(settings: Any) -> None:
    settings.RATE_LIMIT = settings.RATE_LIMIT_BURST = 1_000_000


@pytest.fixture
def strict(desk: Desk) -> UUID:
    """A project with one ticket a minute, in an org with ten at once."""
    project = project_make(org=desk.org, name="Strict", now=clock.now())
    actor = caller_of_membership(desk.people["alice"])
    for reach, per_hour, burst in ((WHOLE, 600, 10), (Reach(project_id=project.id), 60, 1)):
        rules = {"create_per_hour": per_hour, "create_burst": burst}
        policy_set(actor=actor, changes=rules, reach=reach, now=clock.now())
    return project.id


def create(api: Api, project_id: UUID | None = None) -> Reply:
    body = {"package": make_package()} | ({"project_id": str(project_id)} if project_id else {})
    return api.post("/api/v1/tickets", body)


def test_going_to_another_project_and_back_forgives_nothing(stuck: Api, strict: UUID) -> None:
    with time_machine.travel("2026-03-01 12:00:00Z", tick=False):
        for _ in range(10):
            create(stuck).ok(201)
        for _ in range(2):
            assert create(stuck).header("Retry-After") == "6"
            told = [create(stuck, strict).header("Retry-After") for _ in range(2)]
            assert told[-1] == "60"
        assert told[0] == "60"
    with time_machine.travel("2026-03-01 12:00:06Z", tick=False):
        create(stuck).ok(201)
        assert create(stuck, strict).header("Retry-After") == "54"


def test_what_a_strict_project_let_it_do_takes_nothing_elsewhere(stuck: Api, strict: UUID) -> None:
    with time_machine.travel("2026-03-01 12:00:00Z", tick=False):
        create(stuck, strict).ok(201)
        for _ in range(10):
            create(stuck).ok(201)
        assert create(stuck).header("Retry-After") == "6"


def test_newcomers_are_counted_together_in_each(
    desk: Desk, strict: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(braking, "NEWCOMERS_MOST", 2)
    with time_machine.travel("2026-03-01 12:00:00Z", tick=False):
        for name in ("first", "second"):
            one = desk.agent(name)
            create(one, strict).ok(201)
            for _ in range(10):
                create(one).ok(201)
        third = desk.agent("third")
        assert create(third, strict).header("Retry-After") == "30"
        assert create(third).header("Retry-After") == "3"
