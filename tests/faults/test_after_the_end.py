"""What comes too late: a renewal, evidence, a submit, when the ticket is no longer the caller's.

Where each fault of an agent's life is proved:

| fault | where |
|---|---|
| renewing a lease that is over | here; tests/api/test_clocks.py; against a taker tests/tickets/test_interleaved.py; by each client tests/interop/test_leases.py |
| evidence after a release | here; after a lease tests/api/test_clocks.py; by the runner tests/interop/test_runner_faults.py |
| submitting twice | tests/faults/test_submits.py; against other acts tests/races/ |
| handing on in review | tests/chains/test_handoff.py; a submit that crosses a handoff tests/races/test_handoffs.py |
| a chain of fifty | tests/chains/test_long.py |
| retiring in the middle of a submit | tests/signals/test_retiring.py; tests/races/test_handoffs.py; at the very moment tests/faults/test_submits.py |
| a retirement whose answer is lost | by each client tests/interop/test_lost_answers.py; tests/api/test_repeats.py; tests/signals/test_retiring.py |
| a cursor from the future | tests/api/test_polling.py |
| 10,000 events on one ticket | tests/speed/test_many_events.py |
| stop and handoff requests that cross | tests/faults/test_crossing.py |
| a token near its end | tests/faults/test_tokens.py; by each client tests/interop/test_ending.py |
| state files of older releases | tests/interop/test_ending.py |
| an agent that is killed | tests/interop/test_silence.py; the runner tests/interop/test_runner_faults.py |
"""

from collections.abc import Iterator
from datetime import timedelta

import pytest
import time_machine

from stuckbot.lib import clock
from stuckbot.site import tasks
from tests.api.refusals import nothing_changes, refused
from tests.faults.together import ROUNDS, at_once
from tests.support import Api, Desk, file_ticket, prove
from tickets.models import Claim, Ticket
from verification.models import Evidence

HELD = "/api/v1/tickets/SB-1"


@pytest.fixture
def time() -> Iterator[time_machine.Traveller]:
    with time_machine.travel(clock.now(), tick=False) as traveller:
        yield traveller


@pytest.fixture
def held(time: time_machine.Traveller, stuck: Api, solver: Api) -> Api:
    file_ticket(stuck)
    solver.post(f"{HELD}/claim").ok()
    return solver


@pytest.mark.parametrize("then", ["nobody saw", "swept", "taken"])
def test_a_lease_that_is_over_is_not_renewed(
    time: time_machine.Traveller, desk: Desk, held: Api, racer: Api, then: str
) -> None:
    time.shift(timedelta(minutes=61))
    if then == "swept":
        tasks.sweep()
    if then == "taken":
        racer.post(f"{HELD}/claim").ok()
    with nothing_changes():
        for _ in range(2):
            refused(held.post(f"{HELD}/claim/renew"), 409, "not_claim_holder")
    if then == "taken":
        refused(held.post(f"{HELD}/claim"), 409, "already_claimed")
        racer.post(f"{HELD}/claim/renew").ok()
    else:
        assert held.post(f"{HELD}/claim").ok()["ticket"]["claim"] is not None
        held.post(f"{HELD}/claim/renew").ok()
    assert Claim.objects.of(desk.org.id).filter(ended_at=None).count() == 1


def test_a_heartbeat_of_late_leaves_the_next_ones_lease(
    time: time_machine.Traveller, desk: Desk, held: Api, racer: Api
) -> None:
    """It names a ticket that is another's by now."""
    time.shift(timedelta(minutes=61))
    racer.post(f"{HELD}/claim").ok()
    until = Ticket.objects.of(desk.org.id).get().lease_until
    time.shift(timedelta(minutes=5))
    held.post("/api/v1/agents/me/heartbeat", {"tickets": ["SB-1"]}).ok()
    assert Ticket.objects.of(desk.org.id).get().lease_until == until


def test_evidence_after_a_release_is_refused(desk: Desk, held: Api, racer: Api) -> None:
    held.post(f"{HELD}/release", {"note": "Not for me"}).ok()
    with nothing_changes():
        refused(prove(held, "SB-1"), 409, "not_claim_holder")
    racer.post(f"{HELD}/claim").ok()
    with nothing_changes():
        refused(prove(held, "SB-1"), 409, "not_claim_holder")
        missing = racer.post(f"{HELD}/submit", {"stage": "blocker"})
        assert refused(missing, 422, "invalid_request") == {"missing": ["b1"], "failing": []}


def test_evidence_that_was_kept_is_told_again_after_a_release(desk: Desk, held: Api) -> None:
    """Its answer was lost, and the ticket went back before it was sent again."""
    body = {
        "criterion": "b1",
        "type": "command_run",
        "payload": {"command": "npm ci", "exit_code": 0},
    }
    kept = held.post(f"{HELD}/evidence", body, idempotency_key="once").ok(201)
    held.post(f"{HELD}/release").ok()
    again = held.post(f"{HELD}/evidence", body, idempotency_key="once")
    assert (again.ok(201), again.header("Idempotent-Replayed")) == (kept, "true")
    assert Evidence.objects.of(desk.org.id).count() == 1


@pytest.mark.django_db(transaction=True)
def test_evidence_at_the_moment_of_a_release(desk: Desk, stuck: Api, solver: Api) -> None:
    """It is before the release and kept, or after it and refused."""
    for _ in range(ROUNDS):
        ref = file_ticket(stuck)["ref"]
        solver.post(f"/api/v1/tickets/{ref}/claim").ok()
        sent, released = at_once(
            lambda ref=ref: prove(Api(solver.token), ref),  # type: ignore[misc]
            lambda ref=ref: Api(solver.token).post(f"/api/v1/tickets/{ref}/release"),  # type: ignore[misc]
        )
        assert released.status == 200, released.json
        events = stuck.get(f"/api/v1/tickets/{ref}/events").ok()["events"]
        types = [one["type"] for one in events][2:]
        ticket = Ticket.objects.of(desk.org.id).get(number=int(ref[3:]))
        kept = Evidence.objects.of(desk.org.id).filter(ticket=ticket).count()
        if sent.status == 201:
            assert (types, kept) == (["evidence_added", "ticket_released"], 1)
        else:
            refused(sent, 409, "not_claim_holder")
            assert (types, kept) == (["ticket_released"], 0)
        assert (ticket.state, ticket.claim_id) == ("open", None)
