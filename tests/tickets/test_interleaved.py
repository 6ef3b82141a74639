"""Two writers, the second one committing between the first one's plain read and its write."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine

from accounts.models import Agent, Membership
from accounts.services.orgs import system_caller
from accounts.states import Role
from stuckbot.lib import clock
from stuckbot.lib.errors import LostRace
from stuckbot.site.usecases import decide
from stuckbot.site.usecases.retire import agent_retire
from tests.support import Api, Desk, file_ticket, prove
from tests.verification.bench import Review
from tickets.models import Ticket
from tickets.selectors import facts_get
from tickets.services import claims, notes
from tickets.services.claims import lease_expire
from verification.selectors import verification_get


def once(act: Callable[[], Any], then: Callable[..., Any]) -> Callable[..., Any]:
    """`then`, with `act` done right after the first call's read."""
    waiting = [act]

    def read(**wanted: Any) -> Any:
        found = then(**wanted)
        if waiting:
            waiting.pop()()
        return found

    return read


@pytest.fixture
def claimed(stuck: Api, solver: Api) -> Api:
    file_ticket(stuck)
    solver.post("/api/v1/tickets/SB-1/claim", {}).ok()
    return solver


@pytest.mark.parametrize(
    ("path", "body"), [("pause", {}), ("block", {"reason": "Needs the licence"})]
)
def test_an_update_leaves_a_pause_or_block_standing(
    desk: Desk, claimed: Api, alice: Api, monkeypatch: pytest.MonkeyPatch, path: str, body: Any
) -> None:
    def act() -> None:
        alice.post(f"/api/v1/tickets/SB-1/{path}", body).ok()

    monkeypatch.setattr(notes, "facts_get", once(act, facts_get))
    claimed.post("/api/v1/tickets/SB-1/updates", {"body": "On it"}).ok(201)
    ticket = Ticket.objects.of(desk.org.id).get()
    assert ticket.own_red is not None
    assert ticket.offer_at is None


def test_whoever_claims_while_another_comments_hears_of_it(
    stuck: Api, solver: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    file_ticket(stuck)

    def act() -> None:
        solver.post("/api/v1/tickets/SB-1/claim", {}).ok()

    monkeypatch.setattr(notes, "facts_get", once(act, facts_get))
    stuck.post("/api/v1/tickets/SB-1/comments", {"body": "Mind the cache"}).ok(201)
    heard = [one["type"] for one in solver.get("/api/v1/work").ok()["updates"]]
    assert heard == ["comment_added"]


def test_a_renewed_lease_is_not_taken(
    claimed: Api, racer: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    end = clock.now() + timedelta(minutes=60)

    def act() -> None:
        with time_machine.travel(end - timedelta(seconds=30)):
            claimed.post("/api/v1/tickets/SB-1/claim/renew").ok()

    monkeypatch.setattr(claims, "facts_get", once(act, facts_get))
    with time_machine.travel(end + timedelta(seconds=30)):
        assert racer.post("/api/v1/tickets/SB-1/claim", {}).code == LostRace.code
        prove(claimed, "SB-1").ok(201)


def test_a_renewed_lease_is_not_swept(desk: Desk, claimed: Api) -> None:
    later = clock.now() + timedelta(minutes=61)
    stale = facts_get(actor=system_caller(desk.org.id), ref="SB-1")
    claimed.post("/api/v1/tickets/SB-1/claim/renew").ok()
    with time_machine.travel(clock.now() + timedelta(minutes=30)):
        claimed.post("/api/v1/tickets/SB-1/claim/renew").ok()
    assert not lease_expire(system=system_caller(desk.org.id), facts=stale, now=later)
    assert Ticket.objects.of(desk.org.id).get().state == "claimed"


def test_a_retired_agent_takes_nothing(
    desk: Desk, stuck: Api, solver: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    file_ticket(stuck)

    def act() -> None:
        agent = Agent.objects.of(desk.org.id).get(name="solver")
        agent_retire(actor=system_caller(desk.org.id), agent_id=agent.id, now=clock.now())

    monkeypatch.setattr(claims, "facts_get", once(act, facts_get))
    assert solver.post("/api/v1/tickets/SB-1/claim", {}).code == "token_revoked"
    assert Ticket.objects.of(desk.org.id).get().state == "open"


def test_newer_proof_counts_though_the_clock_went_back(claimed: Api) -> None:
    with time_machine.travel(clock.now() + timedelta(seconds=30)):
        prove(claimed, "SB-1").ok(201)
    prove(claimed, "SB-1", exit_code=1).ok(201)
    reply = claimed.post("/api/v1/tickets/SB-1/submit", {"stage": "blocker"})
    assert reply.details == {"missing": [], "failing": ["b1"]}


def test_a_retired_verifier_decides_nothing(
    desk: Desk, stuck: Api, solver: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    review = Review(desk, stuck, solver)
    job = review.review("agent")
    verifier = desk.agent("verifier", scopes=["verify"])

    def act() -> None:
        agent = Agent.objects.of(desk.org.id).get(name="verifier")
        agent_retire(actor=system_caller(desk.org.id), agent_id=agent.id, now=clock.now())

    monkeypatch.setattr(decide, "verification_get", once(act, verification_get))
    path, body = f"/api/v1/verifications/{job}/decision", {"decision": "approve", "reason": "Fine"}
    assert verifier.post(path, body).code == "token_revoked"
    assert review.row.state == "blocker_review"


@pytest.mark.parametrize("is_removed", [False, True])
def test_a_member_who_goes_meanwhile_decides_nothing(
    desk: Desk, stuck: Api, solver: Api, monkeypatch: pytest.MonkeyPatch, is_removed: bool
) -> None:
    review = Review(desk, stuck, solver)
    job = review.review("person")
    member = desk.person("bob")

    def act() -> None:
        members = Membership.objects.of(desk.org.id).filter(role=Role.MEMBER)
        if is_removed:
            members.delete()
        else:
            members.update(role=Role.VIEWER)

    monkeypatch.setattr(decide, "verification_get", once(act, verification_get))
    path, body = f"/api/v1/verifications/{job}/decision", {"decision": "approve", "reason": "Fine"}
    reply = member.post(path, body)
    assert reply.status == 403
    assert review.row.state == "blocker_review"
