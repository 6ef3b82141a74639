"""A token near its end: it is told, renewed once or by many at once, and nothing is lost by it."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
import time_machine
from django.db.models import Q

from accounts.models import Agent, Token
from accounts.services.orgs import enrollment_secret_make, system_caller
from accounts.services.revoking import tokens_revoke
from accounts.states import TOKEN_LIFE
from stuckbot.lib import clock
from tests.api.refusals import refused
from tests.faults.together import ROUNDS, at_once
from tests.support import Api, Desk, Reply, file_ticket, prove

RENEW = "/api/v1/agents/me/token"
REGISTER = "/api/v1/agents/register"


@pytest.fixture
def time() -> Iterator[time_machine.Traveller]:
    with time_machine.travel(clock.now(), tick=False) as traveller:
        yield traveller


def test_what_it_holds_outlives_its_token(
    time: time_machine.Traveller, desk: Desk, stuck: Api
) -> None:
    solver = desk.agent("solver")
    time.shift(TOKEN_LIFE - timedelta(minutes=31))
    assert solver.post("/api/v1/agents/me/heartbeat").ok()["token_expires_soon"] is False
    ref = file_ticket(desk.agent("late"))["ref"]
    solver.post(f"/api/v1/tickets/{ref}/claim").ok()
    time.shift(timedelta(minutes=30))
    assert solver.post("/api/v1/agents/me/heartbeat").ok()["token_expires_soon"] is True
    fresh = Api(solver.post(RENEW).ok()["token"])
    assert fresh.post("/api/v1/agents/me/heartbeat").ok()["token_expires_soon"] is False
    time.shift(timedelta(minutes=2))
    refused(prove(solver, ref), 401, "token_expired")
    prove(fresh, ref).ok(201)
    fresh.post(f"/api/v1/tickets/{ref}/submit", {"stage": "blocker"}).ok()


def test_a_renewal_in_the_last_second_gives_a_whole_life(
    time: time_machine.Traveller, desk: Desk
) -> None:
    """The old token does not live longer for it."""
    solver = desk.agent("solver")
    time.shift(TOKEN_LIFE - timedelta(seconds=1))
    fresh = Api(solver.post(RENEW).ok()["token"])
    time.shift(timedelta(seconds=1))
    refused(solver.get("/api/v1/agents/me"), 401, "token_expired")
    time.shift(TOKEN_LIFE - timedelta(seconds=2))
    fresh.get("/api/v1/agents/me").ok()
    time.shift(timedelta(seconds=1))
    refused(fresh.get("/api/v1/agents/me"), 401, "token_expired")


def test_a_renewal_whose_answer_is_lost_is_made_again(
    time: time_machine.Traveller, desk: Desk
) -> None:
    """Within the minute that the old token lives on, with the same key or without one."""
    solver = desk.agent("solver")
    lost = solver.post(RENEW, idempotency_key="k").ok()["token"]
    time.shift(timedelta(seconds=30))
    again = solver.post(RENEW, idempotency_key="k").ok()["token"]
    refused(Api(lost).get("/api/v1/agents/me"), 401, "token_revoked")
    third = solver.post(RENEW).ok()["token"]
    time.shift(timedelta(seconds=31))
    refused(solver.post(RENEW), 401, "token_expired")
    for token in (again, third):
        Api(token).get("/api/v1/agents/me").ok()


@pytest.mark.django_db(transaction=True)
def test_renewals_at_once_all_give_a_token_that_works(desk: Desk) -> None:
    """Threads of one agent that see the end near at the same time."""
    for number in range(ROUNDS):
        solver = desk.agent(f"solver {number}")
        told = at_once(*[lambda one=solver: Api(one.token).post(RENEW)] * 3)
        tokens = {one.ok()["token"] for one in told}
        assert len(tokens) == 3
        for token in tokens:
            Api(token).get("/api/v1/agents/me").ok()
        with time_machine.travel(clock.now() + timedelta(seconds=61)):
            assert solver.get("/api/v1/agents/me").status == 401


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("key", ["", "k"])
def test_no_token_is_left_of_one_that_retires_while_it_renews(desk: Desk, key: str) -> None:
    for number in range(ROUNDS):
        solver = desk.agent(f"solver {number}")

        def renew(one: Api = solver) -> Reply:
            headers = {"idempotency_key": key} if key else {}
            return Api(one.token).post(RENEW, **headers)

        renewed, retired = at_once(
            renew,
            lambda one=solver: Api(one.token).post("/api/v1/agents/me/retire"),  # type: ignore[misc]
        )
        assert retired.status == 200, retired.json
        if renewed.status == 200:
            refused(Api(renewed.ok()["token"]).get("/api/v1/work"), 401, "token_revoked")
        else:
            refused(renewed, 401, "token_revoked")
        agent = Agent.objects.of(desk.org.id).get(name=f"solver {number}")
        live = Token.objects.of(desk.org.id).filter(agent=agent, revoked_at=None)
        assert list(live.values_list("id", flat=True)) == []


@pytest.mark.django_db(transaction=True)
def test_no_token_is_left_that_was_renewed_while_all_were_revoked(desk: Desk) -> None:
    """Its tokens are revoked since one leaked; whoever has it does not slip away with another."""
    for number in range(ROUNDS):
        solver = desk.agent(f"solver {number}")
        agent = Agent.objects.of(desk.org.id).get(name=f"solver {number}")

        def revoke(one: Agent = agent) -> Reply:
            tokens_revoke(actor=system_caller(desk.org.id), bearer=one, now=clock.now())
            return Api(desk.enrollment_secret).get("/api/v1/agents/me")

        renewed, _ = at_once(lambda one=solver: Api(one.token).post(RENEW), revoke)  # type: ignore[misc]
        if renewed.status == 200:
            refused(Api(renewed.ok()["token"]).get("/api/v1/work"), 401, "token_revoked")
        else:
            refused(renewed, 401, "token_revoked")
        assert not Token.objects.of(desk.org.id).filter(agent=agent, revoked_at=None).exists()


@pytest.mark.django_db(transaction=True)
def test_nobody_registers_past_the_end_of_a_secret(desk: Desk) -> None:
    system = system_caller(desk.org.id)
    for _ in range(ROUNDS):
        secret = enrollment_secret_make(actor=system, connector=desk.connector, now=clock.now())

        def revoke() -> Reply:
            tokens_revoke(actor=system, bearer=desk.connector, now=clock.now())
            return Api(desk.enrollment_secret).get("/api/v1/agents/me")

        joined, _ = at_once(lambda one=secret: Api(one.text).post(REGISTER, {}), revoke)  # type: ignore[misc]
        if joined.status == 201:
            refused(Api(joined.ok(201)["token"]).get("/api/v1/work"), 401, "token_revoked")
        else:
            refused(joined, 401, "token_revoked")
        live = Q(connector=desk.connector) | Q(agent__connector=desk.connector)
        assert not Token.objects.of(desk.org.id).filter(live, revoked_at=None).exists()


@pytest.mark.django_db(transaction=True)
def test_of_two_secrets_made_at_once_one_works(desk: Desk) -> None:
    system = system_caller(desk.org.id)

    def make() -> Reply:
        enrollment_secret_make(actor=system, connector=desk.connector, now=clock.now())
        return Api(desk.enrollment_secret).get("/api/v1/agents/me")

    for _ in range(ROUNDS):
        at_once(make, make)
        live = Token.objects.of(desk.org.id).filter(connector=desk.connector, revoked_at=None)
        assert live.count() == 1
