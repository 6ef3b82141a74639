"""The unit of work, its clock and what is written with it."""

import threading
from typing import Any

import pytest
from django.db import connection

from accounts.services.orgs import system_caller
from stuckbot.lib import clock, ids
from stuckbot.lib.errors import InProgress, TwinFinished
from stuckbot.lib.idempotency import Answer, Keep, record_find
from stuckbot.lib.models import Audit, Event, Inbox, OrgClock
from stuckbot.lib.outbox import outbox_done, outbox_lag, outbox_read
from stuckbot.lib.unit import unit_of_work
from tests.support import Desk


def write(desk: Desk, *types: str, tell: tuple[Any, ...] = (), keep: Keep | None = None) -> None:
    with unit_of_work(system_caller(desk.org.id), clock.now(), keep) as unit:
        for one in types:
            unit.event(one, ticket_id=None, tell=tell)
        unit.result = "done"


def make_keep(desk: Desk, key: str | None = "k") -> Keep:
    return Keep(
        org_id=desk.org.id,
        caller_id=desk.org.id,
        key=key,
        fingerprint="f",
        render=lambda result: Answer(200, f'"{result}"'.encode()),
    )


def fail(desk: Desk) -> None:
    with unit_of_work(system_caller(desk.org.id), clock.now()) as unit:
        unit.event("a", ticket_id=None)
        unit.audit("b", "c")
        raise ZeroDivisionError


def seqs(desk: Desk) -> list[int]:
    return list(Event.objects.of(desk.org.id).order_by("seq").values_list("seq", flat=True))


def test_it_numbers_events_in_order(desk: Desk) -> None:
    write(desk, "a", "b")
    write(desk, "c")
    assert seqs(desk) == [1, 2, 3]


def test_it_leaves_nothing_of_a_write_that_fails(desk: Desk) -> None:
    before = OrgClock.objects.of(desk.org.id).values().get()
    with pytest.raises(ZeroDivisionError):
        fail(desk)
    assert seqs(desk) == []
    assert OrgClock.objects.of(desk.org.id).values().get() == before


def test_it_takes_no_number_without_an_event(desk: Desk) -> None:
    with unit_of_work(system_caller(desk.org.id), clock.now()) as unit:
        unit.offer_changed()
    found = OrgClock.objects.of(desk.org.id).get()
    assert (found.seq, found.offer_seq) == (0, 1)


def test_it_tells_others_and_never_oneself(desk: Desk) -> None:
    other = ids.uuid7()
    write(desk, "a", tell=(other, desk.org.id, None, other))
    rows = list(Inbox.objects.of(desk.org.id).values_list("actor_id", "seq"))
    assert rows == [(other, 1)]


def test_it_numbers_the_audit_without_gaps(desk: Desk) -> None:
    first = OrgClock.objects.of(desk.org.id).get().audit_no
    for _ in range(3):
        with unit_of_work(system_caller(desk.org.id), clock.now()) as unit:
            unit.audit("thing_done", "x")
    numbers = list(Audit.objects.of(desk.org.id).order_by("no").values_list("no", flat=True))
    assert numbers == list(range(1, first + 4))


def test_it_keeps_the_answer_with_the_effect(desk: Desk) -> None:
    keep = make_keep(desk)
    write(desk, "a", keep=keep)
    record = record_find(desk.org.id, "k")
    assert record is not None
    assert record.answer_to("f") == keep.answer == Answer(200, b'"done"')


def test_it_stops_a_twin_that_comes_after(desk: Desk) -> None:
    write(desk, "a", keep=make_keep(desk))
    with pytest.raises(TwinFinished):
        write(desk, "a", keep=make_keep(desk))


@pytest.mark.django_db(transaction=True)
def test_it_stops_a_twin_that_runs(desk: Desk) -> None:
    inside, leave = threading.Event(), threading.Event()

    def slow() -> None:
        try:
            with unit_of_work(system_caller(desk.org.id), clock.now(), make_keep(desk)) as unit:
                unit.result = "slow"
                inside.set()
                leave.wait(10)
        finally:
            connection.close()

    thread = threading.Thread(target=slow)
    thread.start()
    try:
        assert inside.wait(10)
        with pytest.raises(InProgress):
            write(desk, keep=make_keep(desk))
        if connection.vendor == "postgresql":  # SQLite has one writer: another would wait
            write(desk, keep=make_keep(desk, "another"))
    finally:
        leave.set()
        thread.join()
    assert record_find(desk.org.id, "k") is not None


def test_it_gives_a_consumer_every_event_once_done(desk: Desk) -> None:
    write(desk, "a", "b", "c")
    read = outbox_read(consumer="mail", org_id=desk.org.id, limit=2)
    assert [event.type for event in read] == ["a", "b"]
    assert outbox_read(consumer="mail", org_id=desk.org.id, limit=2) == read
    outbox_done(consumer="mail", org_id=desk.org.id, seq=2)
    outbox_done(consumer="mail", org_id=desk.org.id, seq=1)
    assert [one.type for one in outbox_read(consumer="mail", org_id=desk.org.id)] == ["c"]
    assert outbox_lag(consumer="mail", org_id=desk.org.id, head=3) == 1
    assert outbox_lag(consumer="webhook", org_id=desk.org.id, head=3) == 3
