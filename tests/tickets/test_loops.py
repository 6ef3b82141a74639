"""Agents that wake each other without end are noticed, slowed down, and a person is asked."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine

from stuckbot.lib import clock
from stuckbot.lib.models import Event
from stuckbot.site import tasks
from tests.support import Api, Desk, Reply, file_ticket, prove
from tickets.loops import FRUITLESS_MOST, TURNS_MOST
from tickets.models import Ticket

SB1 = "/api/v1/tickets/SB-1"


@pytest.fixture(autouse=True)
def _no_limits(settings: Any) -> None:
    settings.RATE_LIMIT = settings.RATE_LIMIT_BURST = 1_000_000


def suspected(desk: Desk) -> list[dict[str, Any]]:
    events = Event.objects.of(desk.org.id).filter(type="loop_suspected").order_by("seq")
    return list(events.values_list("data", flat=True))


def say(api: Api, body: str = "And you?") -> Reply:
    return api.post(f"{SB1}/comments", {"body": body})


def argue(one: Api, other: Api, times: int) -> None:
    for number in range(times):
        say((one, other)[number % 2]).ok(201)


def status(api: Api) -> tuple[str, str]:
    ticket = api.get(SB1).ok()["ticket"]
    return ticket["status_color"], ticket["status"]["rule"]


def test_a_conversation_is_no_loop(desk: Desk, stuck: Api, solver: Api) -> None:
    file_ticket(stuck)
    argue(stuck, solver, TURNS_MOST + 1)  # the first takes no turn
    assert suspected(desk) == []
    for _ in range(3 * TURNS_MOST):
        say(stuck).ok(201)  # nobody answers
    assert suspected(desk) == []


def test_one_turn_too_many_asks_a_person_and_slows_both(
    desk: Desk, stuck: Api, solver: Api, racer: Api
) -> None:
    file_ticket(stuck)
    etag = racer.get("/api/v1/work").header("ETag") or ""
    with time_machine.travel("2026-03-01 12:00:00Z", tick=False):
        argue(stuck, solver, TURNS_MOST + 2)
        (told,) = suspected(desk)
        assert (told["what"], len(told["agents"])) == ("talk", 2)
        assert status(stuck) == ("RED", "loop_suspected")
        assert racer.get("/api/v1/work", if_none_match=etag).ok()["claimable"] == []
        for api in (stuck, solver):
            reply = say(api)
            assert (reply.status, reply.code) == (429, "rate_limited")
            assert reply.header("Retry-After") == "600"
            assert "until 12:10:00 UTC" in reply.json["error"]["message"]
        say(racer).ok(201)
    for api in (stuck, solver):  # it is for people: nobody is woken by it
        heard = [one["type"] for one in api.get("/api/v1/work").ok()["updates"]]
        assert "loop_suspected" not in heard
    with time_machine.travel("2026-03-01 12:10:00Z", tick=False):
        say(stuck).ok(201)
        assert say(stuck).header("Retry-After") == "600"
    assert len(suspected(desk)) == 1


def test_a_persons_word_ends_it(desk: Desk, stuck: Api, solver: Api, bob: Api) -> None:
    file_ticket(stuck)
    argue(stuck, solver, TURNS_MOST + 2)
    say(bob, "Leave it to me").ok(201)
    assert status(stuck) == ("ORANGE", "unclaimed")
    assert [one["ref"] for one in solver.get("/api/v1/work").ok()["claimable"]] == ["SB-1"]
    argue(stuck, solver, TURNS_MOST + 1)
    assert len(suspected(desk)) == 1
    argue(solver, stuck, 1)
    assert len(suspected(desk)) == 2


@pytest.mark.parametrize("act", ["pause", "edit"])
def test_an_act_of_a_person_ends_it_too(
    desk: Desk, stuck: Api, solver: Api, bob: Api, act: str
) -> None:
    file_ticket(stuck)
    argue(stuck, solver, TURNS_MOST + 2)
    version = stuck.get(SB1).ok()["ticket"]["version"]
    if act == "pause":
        bob.post(f"{SB1}/pause", {}).ok()
        bob.post(f"{SB1}/resume").ok()
    else:
        bob.call("PATCH", SB1, {"urgency": 9, "version": version}).ok()
    say(stuck).ok(201)
    assert status(stuck) == ("ORANGE", "unclaimed")


def test_progress_ends_it_and_a_holder_stays_one(desk: Desk, stuck: Api, solver: Api) -> None:
    file_ticket(stuck)
    solver.post(f"{SB1}/claim", {}).ok()
    for _ in range(TURNS_MOST // 2 + 1):
        say(stuck).ok(201)
        solver.post(f"{SB1}/updates", {"body": "On it"}).ok(201)
    assert status(stuck) == ("RED", "loop_suspected")
    assert solver.post(f"{SB1}/updates", {"body": "On it"}).status == 429
    assert stuck.get(SB1).ok()["ticket"]["claim"] is not None
    prove(solver, "SB-1").ok(201)
    assert status(stuck) == ("YELLOW", "claimed")
    row = Ticket.objects.of(desk.org.id).get()
    assert (row.loop_since, row.own_red, row.offer_at) == (None, None, row.lease_until)
    solver.post(f"{SB1}/updates", {"body": "On it"}).ok(201)
    solver.post(f"{SB1}/submit", {"stage": "blocker"}).ok()


def test_a_closed_ticket_stays_green_and_is_no_place_to_chat(
    desk: Desk, stuck: Api, solver: Api
) -> None:
    """You're welcome. No, thank you. You're welcome."""
    file_ticket(stuck)
    stuck.post(f"{SB1}/close", {}).ok()
    argue(stuck, solver, TURNS_MOST + 2)
    assert say(stuck).status == 429
    assert status(stuck) == ("GREEN", "closed_without_proof")


def test_a_slow_conversation_is_none(desk: Desk, stuck: Api, solver: Api) -> None:
    file_ticket(stuck)
    with time_machine.travel(clock.now(), tick=False) as traveller:
        for number in range(3 * TURNS_MOST):
            say((stuck, solver)[number % 2]).ok(201)
            traveller.shift(timedelta(minutes=5))
    assert suspected(desk) == []


def test_a_ticket_taken_in_vain_again_and_again(
    desk: Desk, stuck: Api, solver: Api, racer: Api, bob: Api
) -> None:
    file_ticket(stuck)
    for number in range(FRUITLESS_MOST):
        assert suspected(desk) == []
        solver.post(f"{SB1}/claim", {}).ok()
        if number == 1:
            solver.post(f"{SB1}/updates", {"body": "Hm"}).ok(201)
        solver.post(f"{SB1}/release", {}).ok()
    (told,) = suspected(desk)
    assert (told["what"], told["times"]) == ("takes", FRUITLESS_MOST)
    assert status(stuck) == ("RED", "loop_suspected")
    reply = solver.post(f"{SB1}/claim", {})
    assert (reply.status, reply.code) == (429, "rate_limited")
    say(solver).ok(201)  # it may say why
    with time_machine.travel(clock.now() + timedelta(minutes=10)):
        solver.post(f"{SB1}/claim", {}).ok()
        solver.post(f"{SB1}/release", {}).ok()
        assert solver.post(f"{SB1}/claim", {}).header("Retry-After") == "600"
    racer.post(f"{SB1}/claim", {}).ok()
    prove(racer, "SB-1").ok(201)
    racer.post(f"{SB1}/release", {}).ok()
    solver.post(f"{SB1}/claim", {}).ok()


def test_takings_with_something_done_are_not_in_vain(desk: Desk, stuck: Api, solver: Api) -> None:
    file_ticket(stuck)
    for _ in range(2 * FRUITLESS_MOST):
        solver.post(f"{SB1}/claim", {}).ok()
        prove(solver, "SB-1", exit_code=1).ok(201)
        solver.post(f"{SB1}/release", {}).ok()
    assert suspected(desk) == []


def test_takings_of_several_are_no_loop(desk: Desk, stuck: Api, solver: Api, racer: Api) -> None:
    file_ticket(stuck)
    for number in range(2 * FRUITLESS_MOST):
        api = (solver, racer)[number % 2]
        api.post(f"{SB1}/claim", {}).ok()
        api.post(f"{SB1}/release", {}).ok()
    assert suspected(desk) == []


def test_leases_that_run_out_in_a_row_are_noticed(desk: Desk, stuck: Api, solver: Api) -> None:
    """An agent that a ticket kills."""
    file_ticket(stuck)
    with time_machine.travel(clock.now(), tick=False) as traveller:
        for _ in range(FRUITLESS_MOST):
            solver.post(f"{SB1}/claim", {"lease_minutes": 5}).ok()
            traveller.shift(timedelta(minutes=6))
            tasks.sweep()
    assert [one["what"] for one in suspected(desk)] == ["takes"]


def test_signals_are_words_too(desk: Desk, stuck: Api, solver: Api) -> None:
    file_ticket(stuck)
    solver.post(f"{SB1}/claim", {}).ok()
    for _ in range(TURNS_MOST):
        solver.post("/api/v1/signals", {"type": "self_report"}).ok(201)
        if say(stuck).status == 429:
            break
    assert [told["what"] for told in suspected(desk)] == ["talk"]
    assert say(stuck).status == 429


def test_to_block_and_to_unblock_in_turn_is_a_loop(desk: Desk, stuck: Api, solver: Api) -> None:
    file_ticket(stuck)
    solver.post(f"{SB1}/claim", {}).ok()
    for _ in range(TURNS_MOST // 2 + 1):
        stuck.post(f"{SB1}/block", {"reason": "Wait"}).ok()
        solver.post(f"{SB1}/unblock").ok()
    assert [told["what"] for told in suspected(desk)] == ["talk"]
    for api, way in ((stuck, "block"), (solver, "unblock")):
        reply = api.post(f"{SB1}/{way}", {"reason": "Wait"} if way == "block" else None)
        assert (reply.status, reply.code) == (429, "rate_limited")
    assert stuck.get(SB1).ok()["ticket"]["status_color"] == "RED"
