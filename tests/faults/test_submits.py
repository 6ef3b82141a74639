"""A stage that is submitted twice, or while its solver retires."""

from typing import Any

import pytest

from accounts.services.orgs import system_caller
from policy.services.policies import policy_set
from stuckbot.lib import clock
from tests.api.refusals import nothing_changes, refused
from tests.faults.together import ROUNDS, at_once
from tests.support import TAKEOVER, Api, Desk, Reply, file_ticket, prove
from tickets.models import Claim, Ticket
from verification.models import Verification

AFTER = {"automatic": "blocker_resolved", "agent": "blocker_review", "person": "blocker_review"}
STAGE = {"stage": "blocker"}


def _policy(desk: Desk, name: str) -> None:
    policy_set(actor=system_caller(desk.org.id), changes={"blocker": name}, now=clock.now())


def _ready(stuck: Api, solver: Api) -> str:
    ref: str = file_ticket(stuck, **TAKEOVER)["ref"]
    solver.post(f"/api/v1/tickets/{ref}/claim").ok()
    prove(solver, ref).ok(201)
    return ref


def _submit(token: str, ref: str, key: str | None = None) -> Reply:
    headers: dict[str, Any] = {} if key is None else {"idempotency_key": key}
    return Api(token).post(f"/api/v1/tickets/{ref}/submit", STAGE, **headers)


def _submitted_once(desk: Desk, stuck: Api, ref: str, policy: str) -> None:
    ticket = Ticket.objects.of(desk.org.id).get(number=int(ref[3:]))
    assert ticket.state == AFTER[policy]
    assert Verification.objects.of(desk.org.id).filter(ticket=ticket).count() == 1
    types = [one["type"] for one in stuck.get(f"/api/v1/tickets/{ref}/events").ok()["events"]]
    assert types.count("stage_submitted") == 1
    assert types.count("stage_approved") == (policy == "automatic")
    assert not Claim.objects.of(desk.org.id).filter(ticket=ticket, ended_at=None).exists()


@pytest.mark.parametrize("policy", sorted(AFTER))
def test_the_second_submit_changes_nothing(
    desk: Desk, stuck: Api, solver: Api, policy: str
) -> None:
    _policy(desk, policy)
    ref = _ready(stuck, solver)
    first = _submit(solver.token, ref, "once").ok()
    with nothing_changes():
        again = _submit(solver.token, ref, "once")
        assert (again.ok(), again.header("Idempotent-Replayed")) == (first, "true")
    with nothing_changes("Idempotency"):
        code = "not_claim_holder" if policy == "automatic" else "invalid_transition"
        for key in ("another", None):
            refused(_submit(solver.token, ref, key), 409, code)
    _submitted_once(desk, stuck, ref, policy)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("policy", ["automatic", "agent"])
def test_of_two_submits_at_once_one_counts(
    desk: Desk, stuck: Api, solver: Api, policy: str
) -> None:
    _policy(desk, policy)
    for _ in range(ROUNDS):
        ref = _ready(stuck, solver)
        told = at_once(*[lambda ref=ref: _submit(solver.token, ref)] * 2)
        assert sorted(one.status for one in told) == [200, 409], [one.json for one in told]
        _submitted_once(desk, stuck, ref, policy)


@pytest.mark.django_db(transaction=True)
def test_twins_of_one_submit_get_one_answer(desk: Desk, stuck: Api, solver: Api) -> None:
    """A twin that is still at work is said to be; asked again, its answer is the same."""
    for number in range(ROUNDS):
        ref, key = _ready(stuck, solver), f"twin-{number}"
        told = at_once(*[lambda ref=ref, key=key: _submit(solver.token, ref, key)] * 3)
        codes = {one.code for one in told if one.status != 200}
        assert codes <= {"idempotency_in_progress"}
        bodies = [one.json for one in told if one.status == 200]
        last = _submit(solver.token, ref, key)
        assert last.header("Idempotent-Replayed") == "true"
        assert all(one == last.ok() for one in bodies)
        assert bodies != []
        _submitted_once(desk, stuck, ref, "automatic")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("policy", ["automatic", "agent"])
def test_it_retires_while_it_submits(desk: Desk, stuck: Api, policy: str) -> None:
    """The fix was handed in before, and stays; or the ticket is free for the next one."""
    _policy(desk, policy)
    for number in range(ROUNDS):
        solver = desk.agent(f"solver {number}")
        ref = _ready(stuck, solver)
        submitted, retired = at_once(
            lambda ref=ref, one=solver: _submit(one.token, ref),  # type: ignore[misc]
            lambda one=solver: Api(one.token).post("/api/v1/agents/me/retire"),  # type: ignore[misc]
        )
        assert retired.status == 200, retired.json
        ticket = Ticket.objects.of(desk.org.id).get(number=int(ref[3:]))
        assert ticket.claim_id is None
        assert not Claim.objects.of(desk.org.id).filter(ended_at=None).exists()
        if submitted.status == 200:
            waits = [ref] if policy == "agent" else []
            assert retired.ok() == {"released": [], "waiting": waits}
            _submitted_once(desk, stuck, ref, policy)
        else:
            assert submitted.status in (401, 409), submitted.json
            assert (ticket.state, retired.ok()["released"]) == ("open", [ref])
            assert not Verification.objects.of(desk.org.id).filter(ticket=ticket).exists()
