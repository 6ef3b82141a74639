"""So many an hour, so many at once: never one more, never one fewer."""

import math
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID

import pytest
from django.db import connection, transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from stuckbot.lib import clock, ids
from stuckbot.lib.models import Pace
from stuckbot.lib.pace import Bound, Count, Taken, pace_take
from tests.support import Desk

ORG = ids.uuid7()


def taker(bound: Bound) -> Callable[[datetime], int | None]:
    actor_id = ids.uuid7()
    return lambda now: _take(actor_id, bound, now).wait


def _take(actor_id: UUID, bound: Bound, now: datetime, org_id: UUID = ORG) -> Taken:
    return pace_take(org_id=org_id, counts=[Count(actor_id, bound)], now=now)


@pytest.mark.django_db
def test_it_allows_a_burst_and_then_an_even_pace() -> None:
    take, now = taker(Bound(per_hour=600, burst=100)), clock.now()
    assert [take(now) for _ in range(100)] == [None] * 100
    assert take(now) == 6
    assert take(now + timedelta(seconds=5.9)) == 1
    assert take(now + timedelta(seconds=6)) is None
    assert take(now + timedelta(seconds=6)) == 6
    assert [take(now + timedelta(hours=1)) for _ in range(101)] == [None] * 100 + [6]


@pytest.mark.django_db
def test_an_hour_of_rest_gives_the_burst_and_no_more() -> None:
    take, now = taker(Bound(per_hour=60, burst=3)), clock.now()
    later = now + timedelta(days=30)
    assert [take(now) for _ in range(4)] == [None, None, None, 60]
    assert [take(later) for _ in range(4)] == [None, None, None, 60]


@pytest.mark.django_db
def test_what_is_counted_twice_keeps_to_both() -> None:
    now, together = clock.now(), Count(ids.uuid7(), Bound(per_hour=120, burst=5))
    alone = [Count(ids.uuid7(), Bound(per_hour=60, burst=3)) for _ in range(2)]

    def take(one: Count) -> Taken:
        """As an act that is undone when it is one too many."""
        with transaction.atomic():
            taken = pace_take(org_id=ORG, counts=[one, together], now=now)
            transaction.set_rollback(taken.wait is not None)
        return taken

    assert [take(alone[0]).wait for _ in range(4)] == [None, None, None, 60]
    assert take(alone[0]).by == alone[0].by
    assert [take(alone[1]).wait for _ in range(3)] == [None, None, 30]
    assert take(alone[1]).by == together.by
    now += timedelta(seconds=30)
    assert take(alone[1]) == Taken(None, 0)


@pytest.mark.django_db
def test_a_clock_that_was_wrong_holds_nobody_up() -> None:
    take, now = taker(Bound(per_hour=60, burst=3)), clock.now()
    assert take(now + timedelta(days=1)) is None
    assert [take(now) for _ in range(4)] == [None, None, None, 60]


@pytest.mark.django_db
def test_an_act_that_began_earlier_and_comes_later_forgives_nothing() -> None:
    """Of acts at once each has its own time, and they are counted in any order."""
    take, now = taker(Bound(per_hour=60, burst=3)), clock.now()
    assert [take(now) for _ in range(4)] == [None, None, None, 60]
    for late in (timedelta(microseconds=1), timedelta(seconds=30), timedelta(seconds=100)):
        assert take(now - late) == 60 + math.ceil(late.total_seconds())
    assert take(now) == 60


@pytest.mark.django_db
def test_a_narrower_rule_holds_from_now_on() -> None:
    actor_id, now = ids.uuid7(), clock.now()
    for _ in range(100):
        _take(actor_id, Bound(600, 100), now)
    told = [_take(actor_id, Bound(60, 2), now).wait for _ in range(4)]
    assert told == [None, None, 60, 60]


@settings(max_examples=60)
@given(
    per_hour=st.integers(1, 4000),
    burst=st.integers(1, 12),
    waits=st.lists(st.floats(0, 900), min_size=1, max_size=40),
)
def test_its_waits_are_exact(per_hour: int, burst: int, waits: list[float]) -> None:
    """Held against a bucket that fills evenly; what it is told to wait is enough, and not long."""
    with _undone():
        _exact(Bound(per_hour, burst), waits)


def _exact(bound: Bound, waits: list[float]) -> None:
    take, now, tokens = taker(bound), clock.now(), float(bound.burst)
    for wait in waits:
        now += timedelta(seconds=wait)
        tokens = min(bound.burst, tokens + wait * bound.per_hour / 3600)
        told = take(now)
        if abs(tokens - 1) > 0.001:
            assert (told is None) == (tokens > 1)
        if told is None:
            tokens -= 1
            continue
        needed = (1 - tokens) * 3600 / bound.per_hour
        assert needed - 0.01 <= told <= needed + 1.01


class _undone:
    def __enter__(self) -> None:
        self.atomic = transaction.atomic()
        self.atomic.__enter__()

    def __exit__(self, *_details: object) -> None:
        transaction.set_rollback(True)
        self.atomic.__exit__(None, None, None)


@pytest.fixture(autouse=True)
def _database(db: None) -> None:
    """For the examples too."""


@pytest.mark.django_db(transaction=True)
def test_threads_that_race_get_what_there_is(desk: Desk) -> None:
    """A third of them fail after they counted, which must give their places back."""
    actor_id, bound, now = ids.uuid7(), Bound(per_hour=60, burst=20), clock.now()
    won: list[int] = []
    start = threading.Barrier(8)

    def run(number: int) -> None:
        try:
            start.wait(10)
            for _ in range(8):
                _act(desk.org.id, actor_id, bound, now, fails=number % 3 == 0, won=won)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == bound.burst
    assert Pace.objects.of(desk.org.id).count() == 1


def _act(
    org_id: UUID, actor_id: UUID, bound: Bound, now: datetime, *, fails: bool, won: list[int]
) -> None:
    try:
        with transaction.atomic():
            taken = _take(actor_id, bound, now, org_id)
            if taken.wait is not None:
                return
            if fails:
                raise ZeroDivisionError
    except ZeroDivisionError:
        return
    won.append(1)
