"""What an agent holds that went silent is freed; a live one is never hit."""

import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import connection

from accounts.models import Agent, Signal
from accounts.services.orgs import system_caller
from accounts.sign_in import sign_in
from policy.services.policies import policy_set
from stuckbot.lib import clock
from stuckbot.lib.models import Timer
from stuckbot.site import tasks
from stuckbot.site.usecases import watchdog
from tests.support import Api, Desk, file_ticket
from tickets.models import Claim, Ticket
from tickets.services.claims import leases_end

MINUTE = timedelta(minutes=1)


@pytest.fixture
def time() -> Iterator[time_machine.Traveller]:
    with time_machine.travel(clock.now(), tick=False) as traveller:
        yield traveller


@pytest.fixture
def dog(desk: Desk) -> Api:
    return desk.agent("dog", capabilities={"watchdog": True})


def _later(time: time_machine.Traveller, minutes: float) -> None:
    time.shift(timedelta(minutes=minutes))


def _held(stuck: Api, agent: Api) -> str:
    ref: str = file_ticket(stuck)["ref"]
    agent.post(f"/api/v1/tickets/{ref}/claim", {"lease_minutes": 600}).ok()
    return ref


def _state(desk: Desk, ref: str) -> str:
    return Ticket.objects.of(desk.org.id).get(number=int(ref[3:])).state


def _signals(desk: Desk) -> list[Signal]:
    return list(Signal.objects.of(desk.org.id).filter(type="watchdog").order_by("at"))


def _sweep() -> None:
    if tasks.due_now():
        tasks.sweep()


def test_silence_frees_it_with_a_signal_and_a_note(
    desk: Desk, stuck: Api, dog: Api, time: time_machine.Traveller
) -> None:
    ref = _held(stuck, dog)
    _later(time, 9.9)
    _sweep()
    assert (_state(desk, ref), _signals(desk)) == ("claimed", [])
    _later(time, 1.2)
    assert tasks.due_now()
    _sweep()
    _sweep()
    assert _state(desk, ref) == "open"
    (signal,) = _signals(desk)
    ticket = Ticket.objects.of(desk.org.id).get()
    assert (signal.ticket_id, signal.at) == (ticket.id, clock.now())
    events = stuck.get(f"/api/v1/tickets/{ref}/events").ok()["events"]
    assert [one["type"] for one in events[-2:]] == ["ticket_released", "signal_raised"]
    note = events[-1]["content"]["note"]
    assert note.startswith("dog made no call for 11 minutes")
    heard = [one["type"] for one in stuck.get("/api/v1/work").ok()["updates"]]
    assert "signal_raised" in heard
    assert Claim.objects.of(desk.org.id).get().end_reason == "silent"
    assert not Timer.objects.of(desk.org.id).filter(kind="watchdog").exists()
    assert not tasks.due_now()


@pytest.mark.parametrize(
    "path", ["/api/v1/work", "/api/v1/agents/me", "/api/v1/tickets", "/api/v1/agents/me/signals"]
)
def test_any_call_is_a_sign_of_life(
    desk: Desk, stuck: Api, dog: Api, time: time_machine.Traveller, path: str
) -> None:
    ref = _held(stuck, dog)
    for _ in range(4):
        _later(time, 9.5)
        dog.get(path).ok()
        _sweep()
    assert _state(desk, ref) == "claimed"
    assert _signals(desk) == []


def test_a_call_that_was_not_written_down_counts_too(
    desk: Desk, stuck: Api, dog: Api, time: time_machine.Traveller
) -> None:
    """It is noted once a minute; one in between is no older than what was noted says."""
    ref = _held(stuck, dog)
    _later(time, 5)
    dog.get("/api/v1/work").ok()
    _later(time, 59 / 60)
    dog.get("/api/v1/work").ok()
    _later(time, 10)
    _sweep()
    assert _state(desk, ref) == "claimed"
    _later(time, 0.1)
    _sweep()
    assert _state(desk, ref) == "open"


def test_an_unchanged_poll_is_noted_by_one_statement_a_minute(
    desk: Desk, dog: Api, time: time_machine.Traveller, django_assert_num_queries: Any
) -> None:
    _later(time, 1)
    etag = dog.get("/api/v1/work").header("ETag") or ""
    _later(time, 1)
    for statements in (2, 1, 1):
        with django_assert_num_queries(statements):
            assert dog.get("/api/v1/work", if_none_match=etag).status == 304


def test_one_without_a_watchdog_keeps_its_lease(
    desk: Desk, stuck: Api, solver: Api, time: time_machine.Traveller
) -> None:
    off = desk.agent("off", capabilities={"watchdog": False})
    refs = [_held(stuck, solver), _held(stuck, off)]
    _later(time, 120)
    _sweep()
    assert [_state(desk, ref) for ref in refs] == ["claimed", "claimed"]


def test_one_signal_a_silence(
    desk: Desk, stuck: Api, dog: Api, time: time_machine.Traveller
) -> None:
    _later(time, 12)
    _sweep()
    for _ in range(3):
        _later(time, 30)
        _sweep()
    assert len(_signals(desk)) == 1
    # It comes back, works, and goes silent anew.
    ref = _held(stuck, dog)
    assert Agent.objects.of(desk.org.id).get(name="dog").silent_since is None
    _later(time, 12)
    _sweep()
    assert _state(desk, ref) == "open"
    assert len(_signals(desk)) == 2
    assert len(dog.get("/api/v1/agents/me/signals").ok()["signals"]) == 2


def test_policy_says_how_long(
    desk: Desk, stuck: Api, dog: Api, time: time_machine.Traveller
) -> None:
    desk_itself = system_caller(desk.org.id)
    policy_set(actor=desk_itself, changes={"watchdog_minutes": 30}, now=clock.now())
    ref = _held(stuck, dog)
    _later(time, 30.5)
    _sweep()
    assert _state(desk, ref) == "claimed"
    policy_set(actor=desk_itself, changes={"watchdog_minutes": 0}, now=clock.now())
    _later(time, 100)
    _sweep()
    assert _state(desk, ref) == "claimed"
    policy_set(actor=desk_itself, changes={"watchdog_minutes": 5}, now=clock.now())
    _later(time, 61)
    _sweep()
    assert _state(desk, ref) == "open"


def test_a_retired_one_is_not_silent(desk: Desk, dog: Api, time: time_machine.Traveller) -> None:
    dog.post("/api/v1/agents/me/retire").ok()
    _later(time, 60)
    _sweep()
    assert _signals(desk) == []


def test_a_lease_that_ran_out_meanwhile_is_said_to_have(
    desk: Desk, stuck: Api, dog: Api, time: time_machine.Traveller
) -> None:
    ref = file_ticket(stuck)["ref"]
    dog.post(f"/api/v1/tickets/{ref}/claim", {"lease_minutes": 5}).ok()
    _later(time, 12)
    org_id, agent_id = desk.org.id, Agent.objects.of(desk.org.id).get(name="dog").id
    watchdog.agent_silence(org_id, agent_id, clock.now())
    types = [one["type"] for one in stuck.get(f"/api/v1/tickets/{ref}/events").ok()["events"]]
    assert types[-2:] == ["claim_expired", "signal_raised"]


def test_a_worker_that_dies_in_between_leaves_nothing_half_done(
    desk: Desk, stuck: Api, dog: Api, time: time_machine.Traveller, monkeypatch: Any
) -> None:
    ref = _held(stuck, dog)
    _later(time, 12)

    def dies(*given: Any) -> Any:
        leases_end(*given)
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(watchdog, "leases_end", dies)
        with pytest.raises(SystemExit):
            tasks.sweep()
    assert (_state(desk, ref), _signals(desk)) == ("claimed", [])
    _later(time, 1)
    _sweep()
    assert _state(desk, ref) == "open"
    assert len(_signals(desk)) == 1


def test_a_call_between_look_and_write_saves_it(
    desk: Desk, stuck: Api, dog: Api, time: time_machine.Traveller, monkeypatch: Any
) -> None:
    ref = _held(stuck, dog)
    _later(time, 12)
    looked = watchdog._minutes

    def calls(agent: Agent) -> int:
        dog.get("/api/v1/work").ok()
        return looked(agent)

    with monkeypatch.context() as patch:
        patch.setattr(watchdog, "_minutes", calls)
        _sweep()
    assert (_state(desk, ref), _signals(desk)) == ("claimed", [])


@pytest.mark.django_db(transaction=True)
def test_sweeps_and_calls_at_once_hit_no_live_one(desk: Desk, stuck: Api, dog: Api) -> None:
    """Whoever is first wins: a call that was noted before keeps the lease, and there is never
    more than one signal."""
    for _ in range(5):
        ref = _held(stuck, dog)
        long_ago = clock.now() - timedelta(minutes=30)
        rows = Agent.objects.of(desk.org.id).filter(name="dog")
        rows.update(alive_at=long_ago, silent_at=long_ago + 11 * MINUTE)
        before = len(_signals(desk))
        errors = _together(lambda: tasks.sweep(), lambda: tasks.sweep(), lambda: _call(dog.token))
        assert errors == []
        hit = len(_signals(desk)) - before
        assert hit in (0, 1)
        assert _state(desk, ref) == ("open" if hit else "claimed")
        agent = rows.get()
        assert agent.alive_at is not None
        assert agent.alive_at > long_ago
        assert agent.silent_since is None
        stuck_refs = Ticket.objects.of(desk.org.id).exclude(state="open")
        for row in stuck_refs:
            dog.post(f"/api/v1/tickets/SB-{row.number}/release").ok()


def _call(token: str) -> None:
    assert Api(token).get("/api/v1/agents/me").status in (200, 503)
    signed = sign_in(f"Bearer {token}", kinds=frozenset({"sba"}), now=clock.now())  # type: ignore[arg-type]
    watchdog.agent_called(signed, clock.now())


def _together(*works: Any) -> list[Exception]:
    errors: list[Exception] = []

    def run(work: Any) -> None:
        try:
            work()
        except Exception as error:
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(one,)) for one in works]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    return errors
