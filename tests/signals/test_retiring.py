"""Retiring: in the middle of other acts, with requests open, with its answer lost."""

import threading
from typing import Any

import pytest
from django.db import connection

from accounts.models import Agent, AgentRequest
from accounts.selectors import caller_of_membership
from stuckbot.lib import clock
from stuckbot.site.usecases.retire import agent_retire
from tests.support import Api, Desk, file_ticket, prove
from tickets.models import Claim, Ticket


def _claimed(stuck: Api, solver: Api) -> str:
    ref: str = file_ticket(stuck)["ref"]
    solver.post(f"/api/v1/tickets/{ref}/claim").ok()
    return ref


def _ask_both(desk: Desk, agent_id: Any) -> None:
    bob = desk.person("bob")
    for kind in ("handoff", "stop"):
        bob.post(f"/api/v1/agents/{agent_id}/requests", {"kind": kind}).ok(201)


def _id(desk: Desk, name: str = "solver") -> Any:
    return Agent.objects.of(desk.org.id).get(name=name).id


def test_it_is_repeated_though_the_token_is_revoked(desk: Desk, stuck: Api, solver: Api) -> None:
    ref = _claimed(stuck, solver)
    _ask_both(desk, _id(desk))
    one = solver.post("/api/v1/agents/me/retire", idempotency_key="bye").ok()
    assert one == {"released": [ref], "waiting": []}
    two = solver.post("/api/v1/agents/me/retire", idempotency_key="bye")
    assert (two.ok(), two.header("Idempotent-Replayed")) == (one, "true")
    assert solver.post("/api/v1/agents/me/retire", idempotency_key="other").status == 401
    assert solver.get("/api/v1/agents/me").code == "token_revoked"
    told = [
        one["data"]["kind"]
        for one in stuck.get(f"/api/v1/tickets/{ref}/events").ok()["events"]
        if one["type"] == "request_acknowledged"
    ]
    assert told == []  # a retirement is about no ticket; it stands with the agent
    rows = AgentRequest.objects.of(desk.org.id)
    assert {(one.kind, one.ended_by) for one in rows} == {("handoff", "retire"), ("stop", "retire")}


def test_an_admin_who_revokes_it_ends_the_same(desk: Desk, stuck: Api, solver: Api) -> None:
    ref = _claimed(stuck, solver)
    _ask_both(desk, _id(desk))
    alice = caller_of_membership(desk.people["alice"])
    gone = agent_retire(actor=alice, agent_id=_id(desk), now=clock.now())
    assert gone.released == [ref]
    assert not AgentRequest.objects.of(desk.org.id).filter(ended_at=None).exists()
    agent = Agent.objects.of(desk.org.id).get(name="solver")
    assert (agent.handoff_request, agent.stop_request) == (None, None)
    assert solver.post("/api/v1/agents/me/heartbeat").status == 401
    again = agent_retire(actor=alice, agent_id=agent.id, now=clock.now())
    assert (again.released, again.waiting) == ([], [])


def test_a_request_of_one_that_has_retired_is_refused(desk: Desk, solver: Api) -> None:
    agent_id = _id(desk)
    solver.post("/api/v1/agents/me/retire").ok()
    answer = desk.person("bob").post(f"/api/v1/agents/{agent_id}/requests", {"kind": "stop"})
    assert answer.code == "invalid_transition"


ACTS: list[tuple[str, Any]] = [
    ("submit", {"stage": "blocker"}),
    ("release", {}),
    ("escalate", {"reason": "Help"}),
]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("act", "body"), ACTS, ids=lambda one: str(one)[:8])
def test_it_retires_in_the_middle_of_another_act(
    desk: Desk, stuck: Api, solver: Api, act: str, body: Any
) -> None:
    """Whoever is first wins, and the ticket is nobody's afterwards."""
    ref = _claimed(stuck, solver)
    prove(solver, ref).ok(201)
    _ask_both(desk, _id(desk))
    heard: dict[str, Any] = {}

    def send(name: str, path: str, sent: Any) -> None:
        try:
            heard[name] = Api(solver.token).post(path, sent)
        finally:
            connection.close()

    threads = [
        threading.Thread(target=send, args=("act", f"/api/v1/tickets/{ref}/{act}", body)),
        threading.Thread(target=send, args=("retire", "/api/v1/agents/me/retire", None)),
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert heard["retire"].status == 200, heard["retire"].json
    assert heard["act"].status in (200, 401, 409), heard["act"].json
    ticket = Ticket.objects.of(desk.org.id).get()
    assert ticket.claim_id is None
    assert not Claim.objects.of(desk.org.id).filter(ended_at=None).exists()
    done = {"submit": "blocker_resolved", "release": "open", "escalate": "needs_human"}[act]
    assert ticket.state == (done if heard["act"].status == 200 else "open")
    assert not AgentRequest.objects.of(desk.org.id).filter(ended_at=None).exists()
