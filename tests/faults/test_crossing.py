"""Requests to an agent that cross each other, or cross what answers them."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from accounts.models import Agent, AgentRequest
from accounts.services.orgs import system_caller
from policy.services.policies import policy_set
from stuckbot.lib import clock
from stuckbot.lib.models import Event
from tests.faults.together import ROUNDS, at_once
from tests.support import Api, Desk, Reply, file_ticket, make_package, prove
from tickets.models import Claim, Ticket

pytestmark = pytest.mark.django_db(transaction=True)

Call = Callable[[], Reply]
OPEN = {"ended_at": None}


class Crossing:
    """An agent with a ticket in hand, two people who ask it, and what must hold at the end."""

    def __init__(self, desk: Desk, stuck: Api, name: str) -> None:
        self.desk, self.agent = desk, desk.agent(name)
        self.id = Agent.objects.of(desk.org.id).get(name=name).id
        self.ref: str = file_ticket(stuck)["ref"]
        self.path = f"/api/v1/tickets/{self.ref}"
        self.agent.post(f"{self.path}/claim").ok()
        prove(self.agent, self.ref).ok(201)

    def ask(self, person: str, kind: str) -> Call:
        token, path = self.desk.person(person).token, f"/api/v1/agents/{self.id}/requests"
        return lambda: Api(token).post(path, {"kind": kind, "message": f"By {person}"})

    def withdraw(self, person: str) -> Call:
        token, path = self.desk.person(person).token, f"/api/v1/agents/{self.id}/requests"
        return lambda: Api(token).call("DELETE", path)

    def do(self, path: str, body: Any = None) -> Call:
        return lambda: Api(self.agent.token).post(path, body)

    def open(self) -> list[AgentRequest]:
        rows = AgentRequest.objects.of(self.desk.org.id).filter(agent_id=self.id, ended_at=None)
        return list(rows.order_by("kind"))

    def assert_told_as_kept(self) -> None:
        """The agent's row says what the requests' rows say, and no more."""
        agent = Agent.objects.of(self.desk.org.id).get(id=self.id)
        said = {"handoff": agent.handoff_request, "stop": agent.stop_request}
        told = {kind: one["id"] for kind, one in said.items() if one}
        assert told == {one.kind: str(one.id) for one in self.open()}
        if agent.stop_request:
            assert agent.stopped_at is not None

    def acknowledged(self) -> list[str]:
        """The kinds that were said to be answered, one by one."""
        events = Event.objects.of(self.desk.org.id).filter(type="request_acknowledged")
        data = events.order_by("seq").values_list("data", flat=True)
        return [one["kind"] for one in data if one["agent_id"] == str(self.id)]


def test_a_stop_and_a_handoff_that_cross_are_both_told(desk: Desk, stuck: Api) -> None:
    for number in range(ROUNDS):
        here = Crossing(desk, stuck, f"agent {number}")
        told = at_once(here.ask("alice", "stop"), here.ask("bob", "handoff"))
        assert [one.status for one in told] == [201, 201], [one.json for one in told]
        here.assert_told_as_kept()
        heard = here.agent.get("/api/v1/work").ok()
        assert heard["stop_requested"]["content"] == {"message": "By alice"}
        assert heard["handoff_requested"]["content"] == {"message": "By bob"}
        # One act answers both, each once.
        here.do(f"{here.path}/handoff", {"package": make_package()})().ok(201)
        assert sorted(here.acknowledged()) == ["handoff", "stop"]
        here.assert_told_as_kept()
        assert here.open() == []


def test_of_two_who_ask_for_the_same_one_is_heard(desk: Desk, stuck: Api) -> None:
    for number in range(ROUNDS):
        here = Crossing(desk, stuck, f"agent {number}")
        told = at_once(here.ask("alice", "stop"), here.ask("bob", "stop"))
        assert sorted(one.status for one in told) == [201, 409], [one.json for one in told]
        assert len(here.open()) == 1
        here.assert_told_as_kept()


ANSWERS: dict[str, tuple[str, Any, str]] = {
    "release": ("release", {}, "open"),
    "escalate": ("escalate", {"reason": "Help"}, "needs_human"),
    "handoff": ("handoff", {"package": make_package()}, "handed_off"),
}


@pytest.mark.parametrize("act", sorted(ANSWERS))
def test_a_request_that_crosses_its_answer(desk: Desk, stuck: Api, act: str) -> None:
    """A wish for a handoff that comes too late names no ticket of the agent's, or is ended."""
    path, body, state = ANSWERS[act]
    for number in range(ROUNDS):
        here = Crossing(desk, stuck, f"agent {number}")
        done, stop, handoff = at_once(
            here.do(f"{here.path}/{path}", body),
            here.ask("alice", "stop"),
            here.ask("bob", "handoff"),
        )
        assert done.status < 300, done.json
        assert (stop.status, handoff.status) == (201, 201), (stop.json, handoff.json)
        here.assert_told_as_kept()
        ticket = Ticket.objects.of(desk.org.id).get(number=int(here.ref[3:]))
        assert ticket.state == state
        assert all(one.ticket_id != ticket.id for one in here.open()), "asked for what it gave up"
        kinds = here.acknowledged()
        assert len(kinds) == len(set(kinds))
        assert not {one.kind for one in here.open()} & set(kinds)


def test_a_request_that_crosses_a_retirement(desk: Desk, stuck: Api) -> None:
    for number in range(ROUNDS):
        here = Crossing(desk, stuck, f"agent {number}")
        retired, *asked = at_once(
            here.do("/api/v1/agents/me/retire"),
            here.ask("alice", "stop"),
            here.ask("bob", "handoff"),
        )
        assert retired.status == 200, retired.json
        for one in asked:
            assert one.status == 201 or one.code == "invalid_transition", one.json
        assert here.open() == []
        here.assert_told_as_kept()
        assert not Claim.objects.of(desk.org.id).filter(ended_at=None).exists()


def test_withdrawing_that_crosses_asking_and_answering(desk: Desk, stuck: Api) -> None:
    for number in range(ROUNDS):
        here = Crossing(desk, stuck, f"agent {number}")
        here.ask("bob", "handoff")().ok(201)
        gone, asked, done = at_once(
            here.withdraw("alice"),
            here.ask("alice", "stop"),
            here.do(f"{here.path}/release"),
        )
        assert (gone.status, asked.status, done.status) == (200, 201, 200)
        here.assert_told_as_kept()
        ended = AgentRequest.objects.of(desk.org.id).filter(agent_id=here.id, kind="handoff")
        assert [one.ended_by for one in ended] in (["withdrawn"], ["release"])
        kinds = here.acknowledged()
        assert ("handoff" in kinds) == (ended.get().ended_by == "release")


def test_a_budget_that_crosses_a_person(desk: Desk, stuck: Api) -> None:
    """Both want a handoff, or both a stop: the agent is asked once, and hears one of them."""
    limits = {"budget_tokens_soft": 100, "budget_tokens_hard": 200}
    policy_set(actor=system_caller(desk.org.id), changes=limits, now=clock.now())
    for number in range(ROUNDS):
        here = Crossing(desk, stuck, f"agent {number}")
        beat, *asked = at_once(
            here.do("/api/v1/agents/me/heartbeat", {"usage": {"tokens": 250}}),
            here.ask("alice", "stop"),
            here.ask("bob", "handoff"),
        )
        assert beat.status == 200, beat.json
        for one in asked:
            assert one.status == 201 or one.code == "invalid_transition", one.json
        assert [one.kind for one in here.open()] == ["handoff", "stop"]
        here.assert_told_as_kept()
        heard = here.agent.post("/api/v1/agents/me/heartbeat").ok()
        assert heard["handoff_requested"]["content"]["message"]
        assert heard["stop_requested"]["content"]["message"]


def test_two_that_hand_on_to_each_other(
    desk: Desk, stuck: Api, caplog: pytest.LogCaptureFixture
) -> None:
    """Each holds its own row and wants the other's: one waits, and not each for the other."""
    for number in range(ROUNDS):
        pair = [Crossing(desk, stuck, f"{side} {number}") for side in ("left", "right")]
        told = at_once(
            *[
                here.do(
                    f"{here.path}/handoff", {"package": make_package(), "for_agent": str(there.id)}
                )
                for here, there in (pair, reversed(pair))
            ]
        )
        assert [one.status for one in told] == [201, 201], [one.json for one in told]
        for here, there in (pair, reversed(pair)):
            ticket = Ticket.objects.of(desk.org.id).get(number=int(here.ref[3:]))
            child = Ticket.objects.of(desk.org.id).get(parent=ticket)
            assert (ticket.state, child.reserved_for_id) == ("handed_off", there.id)
    if connection.vendor == "postgresql":
        assert "database busy" not in caplog.text
