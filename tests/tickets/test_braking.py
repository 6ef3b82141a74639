"""An agent that files too many tickets is told when it may file the next."""

import threading
from datetime import timedelta

import pytest
import time_machine
from django.db import connection

from accounts.selectors import caller_of_membership
from accounts.services.orgs import connector_make, direct_key_make, enrollment_secret_make
from accounts.states import SCOPES
from policy.services.policies import policy_set
from stuckbot.lib import clock
from stuckbot.lib.pace import Bound
from tests.support import Api, Desk, Reply, file_ticket, fresh_key, make_package
from tickets.models import Ticket
from tickets.services import braking


@pytest.fixture(autouse=True)
def _three_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(braking, "bound_of", lambda *_: Bound(per_hour=60, burst=3))


def create(api: Api, **headers: str) -> Reply:
    return api.post("/api/v1/tickets", {"package": make_package()}, **headers)


def test_it_says_when_to_come_back(desk: Desk) -> None:
    with time_machine.travel("2026-03-01 11:00:00Z", tick=False) as traveller:
        stuck, solver = desk.agent("stuck"), desk.agent("solver")
        traveller.shift(timedelta(hours=1))
        for _ in range(3):
            create(stuck).ok(201)
        reply = create(stuck)
        assert (reply.status, reply.code) == (429, "rate_limited")
        assert reply.header("Retry-After") == "60"
        assert "Wait 60 s, until 12:01:00 UTC" in reply.json["error"]["message"]
        assert Ticket.objects.of(desk.org.id).count() == 3
        create(solver).ok(201)  # each has its own
        traveller.shift(timedelta(seconds=59))
        assert create(stuck).header("Retry-After") == "1"
        traveller.shift(timedelta(seconds=1))
        create(stuck).ok(201)
        assert create(stuck).status == 429


def test_each_newcomer_has_its_own(desk: Desk) -> None:
    first, second = desk.agent("first"), desk.agent("second")
    for _ in range(3):
        create(first).ok(201)
    assert create(first).status == 429
    create(second).ok(201)


def test_registering_again_does_not_forgive_without_end(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Newcomers of a connector are counted together too, until they have been here for an hour."""
    monkeypatch.setattr(braking, "NEWCOMERS_MOST", 2)
    with time_machine.travel("2026-03-01 12:00:00Z", tick=False) as traveller:
        for life in range(2):
            first = desk.agent("flood" if life else "another name")
            for _ in range(3):
                create(first).ok(201)
            reply = create(first)
            assert (reply.status, reply.header("Retry-After")) == (429, "60")
            assert "You file" in reply.json["error"]["message"]
            first.post("/api/v1/agents/me/retire").ok()
        for _ in range(3):
            first = desk.agent("flood")
            reply = create(first)
            assert (reply.status, reply.header("Retry-After")) == (429, "30")
        assert "connector in the last hour together file" in reply.json["error"]["message"]
        assert Ticket.objects.of(desk.org.id).count() == 6
        traveller.shift(timedelta(seconds=30))
        create(first).ok(201)
        assert create(desk.agent("third")).status == 429
        # After an hour it has lived as one agent does, with a count of its own alone.
        traveller.shift(timedelta(minutes=60))
        others = [desk.agent("fourth"), desk.agent("fifth")]
        for _ in range(3):
            for one in (*others, first):
                create(one).ok(201)
        for one in (*others, first):
            assert "You file" in create(one).json["error"]["message"]


def test_each_connector_and_each_key_is_counted_apart(desk: Desk) -> None:
    actor = caller_of_membership(desk.people["alice"])
    now = clock.now()
    more = connector_make(
        org=desk.org, name="More", scopes=SCOPES, set_up_by=desk.people["alice"].actor, now=now
    )
    secret = enrollment_secret_make(actor=actor, connector=more, now=now)
    elsewhere = Api(Api(secret.text).post("/api/v1/agents/register", {}).ok(201)["token"])
    keys = [
        direct_key_make(actor=actor, org=desk.org, name=name, scopes=SCOPES, now=now)
        for name in ("one", "two")
    ]
    for api in (desk.agent("here"), elsewhere, *[Api(one.text) for one in keys]):
        for _ in range(3):
            create(api).ok(201)
        assert create(api).status == 429


def test_nothing_else_is_slowed(stuck: Api, solver: Api) -> None:
    for _ in range(3):
        create(stuck).ok(201)
    assert create(stuck).status == 429
    stuck.post("/api/v1/tickets/SB-1/comments", {"body": "Hello"}).ok(201)
    stuck.post("/api/v1/tickets/SB-1/package", {"package": make_package()}).ok()
    stuck.post("/api/v1/tickets/SB-2/withdraw", {}).ok()
    stuck.post("/api/v1/packages/check", {"package": make_package()}).ok()
    solver.post("/api/v1/tickets/SB-1/claim").ok()


def test_an_answer_that_is_repeated_costs_nothing(desk: Desk, stuck: Api) -> None:
    key = fresh_key()
    for _ in range(10):
        create(stuck, idempotency_key=key).ok(201)
    for _ in range(2):
        create(stuck).ok(201)
    braked = fresh_key()
    assert create(stuck, idempotency_key=braked).status == 429
    with time_machine.travel(clock.now() + timedelta(seconds=61)):
        create(stuck, idempotency_key=braked).ok(201)  # a refusal for now is not kept
    assert Ticket.objects.of(desk.org.id).count() == 4


def test_a_ticket_that_is_refused_costs_nothing(stuck: Api) -> None:
    for _ in range(10):
        assert stuck.post("/api/v1/tickets", {"package": make_package(title="")}).status == 422
    for _ in range(3):
        create(stuck).ok(201)


def test_a_person_is_not_braked(bob: Api) -> None:
    for _ in range(5):
        create(bob).ok(201)


def test_a_handoff_counts_and_leaves_the_ticket_held(stuck: Api, solver: Api, bob: Api) -> None:
    file_ticket(bob)
    solver.post("/api/v1/tickets/SB-1/claim").ok()
    for _ in range(3):
        create(solver).ok(201)
    reply = solver.post("/api/v1/tickets/SB-1/handoff", {"package": make_package()})
    assert (reply.status, reply.code) == (429, "rate_limited")
    assert stuck.get("/api/v1/tickets/SB-1").ok()["ticket"]["state"] == "claimed"
    with time_machine.travel(clock.now() + timedelta(seconds=61)):
        body = {"package": make_package()}
        solver.post("/api/v1/tickets/SB-1/handoff", body).ok(201)


def test_a_signal_with_a_package_counts_and_one_without_does_not(stuck: Api) -> None:
    signal = {"type": "self_report", "package": {"title": "Out of ideas"}}
    for _ in range(3):
        stuck.post("/api/v1/signals", signal).ok(201)
    assert stuck.post("/api/v1/signals", signal).status == 429
    stuck.post("/api/v1/signals", {"type": "self_report"}).ok(201)


def test_the_policy_says_how_many(desk: Desk, stuck: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    actor = caller_of_membership(desk.people["alice"])
    changes = {"create_per_hour": 3600, "create_burst": 2}
    policy_set(actor=actor, changes=changes, now=clock.now())
    with time_machine.travel(clock.now(), tick=False):
        assert [create(stuck).status for _ in range(3)] == [201, 201, 429]
        assert create(stuck).header("Retry-After") == "1"


@pytest.mark.django_db(transaction=True)
def test_racers_of_one_agent_file_as_many_as_allowed(desk: Desk, stuck: Api) -> None:
    told: list[int] = []
    start = threading.Barrier(6)

    def run() -> None:
        try:
            start.wait(10)
            for _ in range(2):
                told.append(_filed(stuck.token))
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(told) == [201] * 3 + [429] * 9
    assert Ticket.objects.of(desk.org.id).count() == 3


def _filed(token: str) -> int:
    """The status in the end: a desk that is busy says so and is asked again."""
    while (status := create(Api(token)).status) == 503:
        pass
    return status
