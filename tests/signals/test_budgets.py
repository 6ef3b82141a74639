"""Budgets: what a heartbeat past a limit does, once."""

import threading
from typing import Any

import pytest
from django.db import connection

from accounts.models import Agent, AgentRequest, Project, Signal
from accounts.services.orgs import project_make, system_caller
from policy.services.policies import Reach, policy_set
from stuckbot.lib import clock
from tests.support import Api, Desk, file_ticket, make_package

SOFT = {"budget_tokens_soft": 1000}
BOTH = {**SOFT, "budget_tokens_hard": 2000}


def _set(desk: Desk, changes: dict[str, int], reach: Reach | None = None) -> None:
    policy_set(
        actor=system_caller(desk.org.id),
        changes=changes,
        now=clock.now(),
        reach=reach or Reach(),
    )


def _beat(agent: Api, **usage: float) -> Any:
    return agent.post("/api/v1/agents/me/heartbeat", {"usage": usage}).ok()


def _reasons(beat: Any) -> tuple[str | None, str | None]:
    asked = (beat["handoff_requested"], beat["stop_requested"])
    return tuple(one and one["reason"] for one in asked)


def _signals(agent: Api) -> list[Any]:
    found: list[Any] = agent.get("/api/v1/agents/me/signals").ok()["signals"]
    return found


def test_below_it_nothing_happens(desk: Desk, solver: Api) -> None:
    _set(desk, BOTH)
    assert _reasons(_beat(solver, tokens=999)) == (None, None)
    assert _signals(solver) == []


def test_soft_asks_for_a_handoff_and_hard_stops(desk: Desk, solver: Api) -> None:
    _set(desk, BOTH)
    first = _beat(solver, tokens=1200)
    assert _reasons(first) == ("budget_soft_tokens", None)
    assert "1,200 tokens" in first["handoff_requested"]["content"]["message"]
    (signal,) = _signals(solver)
    assert signal["type"] == "budget"
    assert signal["content"]["details"] == {
        "budget": "tokens",
        "level": "soft",
        "limit": "1,000 tokens",
        "used": "1,200 tokens",
    }
    assert _beat(solver, tokens=1300) | {"server_time": ""} == first | {"server_time": ""}
    assert len(_signals(solver)) == 1
    assert _reasons(_beat(solver, tokens=2500)) == ("budget_soft_tokens", "budget_hard_tokens")
    assert len(_signals(solver)) == 2


def test_a_leap_past_both_does_both(desk: Desk, solver: Api) -> None:
    _set(desk, BOTH)
    assert _reasons(_beat(solver, tokens=9000)) == ("budget_soft_tokens", "budget_hard_tokens")


@pytest.mark.parametrize(
    ("changes", "usage", "reason"),
    [
        ({"budget_cost_soft": 250}, {"cost_usd": 2.5}, "budget_soft_cost"),
        ({"budget_runtime_soft": 30}, {"runtime_seconds": 1800}, "budget_soft_runtime"),
        ({"budget_tokens_soft": 7}, {"tokens": 7}, "budget_soft_tokens"),
    ],
)
def test_each_counter_in_its_own_unit(
    desk: Desk, solver: Api, changes: dict[str, Any], usage: dict[str, float], reason: str
) -> None:
    _set(desk, changes)
    (name, value), *_ = usage.items()
    assert _reasons(_beat(solver, **{name: value - value / 1000})) == (None, None)
    assert _reasons(_beat(solver, **usage)) == (reason, None)


def test_what_budgets_do_not_know_counts_for_nothing(desk: Desk, solver: Api) -> None:
    _set(desk, BOTH)
    assert _reasons(_beat(solver, steps=9_000, tokens_cached=9_000)) == (None, None)


def test_it_is_raised_once_a_limit_and_again_for_another(desk: Desk, solver: Api) -> None:
    _set(desk, SOFT)
    _beat(solver, tokens=1500)
    agent_id = Agent.objects.of(desk.org.id).get(name="solver").id
    bob = desk.person("bob")
    bob.call("DELETE", f"/api/v1/agents/{agent_id}/requests").ok()
    assert _reasons(_beat(solver, tokens=1600)) == (None, None)
    _set(desk, {"budget_tokens_soft": 1700})
    assert _reasons(_beat(solver, tokens=1650)) == (None, None)
    assert _reasons(_beat(solver, tokens=1700)) == ("budget_soft_tokens", None)


def test_starting_again_does_not_get_around_it(desk: Desk, solver: Api) -> None:
    _set(desk, SOFT)
    _beat(solver, tokens=800)
    assert _reasons(_beat(solver, tokens=100)) == (None, None)
    assert _reasons(_beat(solver, tokens=250)) == ("budget_soft_tokens", None)


def test_a_person_comes_before_the_budget_and_the_budget_not_after(desk: Desk, solver: Api) -> None:
    _set(desk, SOFT)
    _beat(solver, tokens=1500)
    agent_id = Agent.objects.of(desk.org.id).get(name="solver").id
    path = f"/api/v1/agents/{agent_id}/requests"
    desk.person("bob").post(path, {"kind": "handoff", "message": "Now"}).ok(201)
    assert _reasons(_beat(solver, tokens=1500)) == ("person", None)
    _set(desk, {"budget_tokens_soft": 1501})
    assert _reasons(_beat(solver, tokens=1501)) == ("person", None)
    ended = AgentRequest.objects.of(desk.org.id).exclude(ended_at=None)
    assert [one.ended_by for one in ended] == ["replaced"]


def test_the_strictest_project_it_is_at_work_in_holds(desk: Desk, stuck: Api) -> None:
    strict = project_make(org=desk.org, name="Strict", now=clock.now())
    _set(desk, {"budget_tokens_soft": 100}, Reach(strict.id))
    idle, single, busy = (
        desk.agent("idle"),
        desk.agent("single", project_ids=[str(strict.id)]),
        desk.agent("busy"),
    )
    body = {"package": make_package(), "project_id": str(strict.id)}
    ref = stuck.post("/api/v1/tickets", body).ok(201)["ticket"]["ref"]
    busy.post(f"/api/v1/tickets/{ref}/claim").ok()
    assert _reasons(_beat(idle, tokens=500)) == (None, None)
    assert _reasons(_beat(single, tokens=500)) == ("budget_soft_tokens", None)
    assert _reasons(_beat(busy, tokens=500)) == ("budget_soft_tokens", None)
    assert isinstance(strict, Project)


def test_a_project_may_lift_the_orgs_and_a_connector_both(desk: Desk, stuck: Api) -> None:
    free = project_make(org=desk.org, name="Free", now=clock.now())
    _set(desk, SOFT)
    _set(desk, {"budget_tokens_soft": 0}, Reach(free.id))
    rich = desk.agent("rich", project_ids=[str(free.id)])
    assert _reasons(_beat(rich, tokens=5000)) == (None, None)
    _set(desk, {"budget_tokens_soft": 6000}, Reach(None, desk.connector.id))
    plain = desk.agent("plain")
    assert _reasons(_beat(plain, tokens=5000)) == (None, None)
    assert _reasons(_beat(plain, tokens=6000)) == ("budget_soft_tokens", None)


def test_usage_of_a_signal_counts_too(desk: Desk, solver: Api) -> None:
    _set(desk, SOFT)
    body = {"type": "self_report", "usage": {"tokens": 1500}}
    solver.post("/api/v1/signals", body).ok(201)
    beat = solver.post("/api/v1/agents/me/heartbeat").ok()
    assert _reasons(beat) == ("budget_soft_tokens", None)
    assert [one["type"] for one in _signals(solver)] == ["budget", "self_report"]


def test_a_handoff_names_the_ticket_and_is_answered_by_it(
    desk: Desk, stuck: Api, solver: Api
) -> None:
    _set(desk, SOFT)
    ticket = file_ticket(stuck)
    solver.post(f"/api/v1/tickets/{ticket['ref']}/claim").ok()
    beat = _beat(solver, tokens=1500)
    assert beat["handoff_requested"]["ticket_id"] == ticket["id"]
    solver.post(f"/api/v1/tickets/{ticket['ref']}/handoff", {"package": make_package()}).ok(201)
    assert _reasons(_beat(solver, tokens=1600)) == (None, None)
    types = [
        one["type"] for one in stuck.get(f"/api/v1/tickets/{ticket['ref']}/events").ok()["events"]
    ]
    order = ["signal_raised", "handoff_requested", "ticket_handed_off", "request_acknowledged"]
    assert [one for one in types if one in order] == order


@pytest.mark.parametrize(
    "raw",
    [
        '{"usage": {"tokens": NaN}}',
        '{"usage": {"tokens": Infinity}}',
        '{"usage": {"tokens": -1}}',
        '{"usage": {"tokens": 1e16}}',
        '{"usage": {"tokens": "9"}}',
        '{"usage": {"tokens": true}}',
        '{"usage": {"": 1}}',
        '{"usage": {"a name that goes on and on %s": 1}}' % ("x" * 80),
        '{"usage": {"turned \\u202e around": 1}}',
        '{"usage": {"two\\nlines": 1}}',
    ],
)
def test_nonsense_is_refused_and_changes_nothing(desk: Desk, solver: Api, raw: str) -> None:
    _set(desk, SOFT)
    _beat(solver, tokens=10)
    reply = solver.post("/api/v1/agents/me/heartbeat", raw=raw)
    assert reply.status in (400, 422)
    assert Agent.objects.of(desk.org.id).get(name="solver").usage == {"tokens": 10}


@pytest.mark.django_db(transaction=True)
def test_heartbeats_at_once_raise_it_once(desk: Desk, solver: Api) -> None:
    _set(desk, BOTH)
    bad: list[Any] = []

    def beat() -> None:
        try:
            reply = Api(solver.token).post(
                "/api/v1/agents/me/heartbeat", {"usage": {"tokens": 3000}}
            )
            if reply.status != 200:
                bad.append(reply.json)
        finally:
            connection.close()

    threads = [threading.Thread(target=beat) for _ in range(6)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert bad == []
    causes = Signal.objects.of(desk.org.id).values_list("cause", flat=True)
    assert sorted(one or "" for one in causes) == [
        "budget_hard:tokens:2000",
        "budget_soft:tokens:1000",
    ]
    assert AgentRequest.objects.of(desk.org.id).count() == 2
