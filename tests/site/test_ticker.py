"""The ticker queues one sweep, no second beside it, and another when one is lost."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.db import OperationalError
from django_q.conf import Conf
from django_q.models import OrmQ
from django_q.tasks import async_task

from stuckbot.lib import clock
from stuckbot.site.server.ticker import LOST_AFTER, Ticker, queued_sweep

pytestmark = pytest.mark.django_db


def _ticker(answer: bool = True) -> Ticker:
    ticker = Ticker()
    ticker.due = lambda: answer
    return ticker


def _take_up(*, seconds_ago: float) -> None:
    """As a worker does it: locked for RETRY seconds from that moment."""
    OrmQ.objects.update(lock=clock.now() + timedelta(seconds=Conf.RETRY - seconds_ago))


def test_it_queues_nothing_when_nothing_is_due() -> None:
    _ticker(False).tick()
    assert OrmQ.objects.count() == 0


def test_it_queues_one_sweep_and_no_second_while_it_waits() -> None:
    ticker = _ticker()
    ticker.tick()
    ticker.tick()
    (row,) = OrmQ.objects.all()
    assert row.task["func"] == settings.TICKER_SWEEP


def test_it_is_not_held_up_by_another_task() -> None:
    async_task("math.sqrt", 4)
    _ticker().tick()
    assert queued_sweep() is not None


def test_it_queues_no_second_while_one_runs() -> None:
    _ticker().tick()
    _take_up(seconds_ago=1)
    _ticker().tick()
    assert OrmQ.objects.count() == 1


def test_it_queues_another_when_one_was_lost() -> None:
    _ticker().tick()
    _take_up(seconds_ago=LOST_AFTER.total_seconds() + 1)
    _ticker().tick()
    assert OrmQ.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_it_survives_a_failing_database(caplog: pytest.LogCaptureFixture) -> None:
    ticker = _ticker()

    def fail() -> bool:
        raise OperationalError("gone")

    works, ticker.due = ticker.due, fail
    ticker.tick()
    ticker.tick()
    assert len([record for record in caplog.records if record.levelname == "ERROR"]) == 1
    ticker.due = works
    ticker.tick()
    assert queued_sweep() is not None


def test_it_notices_a_worker_that_takes_nothing_up(monkeypatch: pytest.MonkeyPatch) -> None:
    ticker = _ticker()
    ticker.tick()
    ticker.tick()
    assert not ticker.is_worker_stuck()
    monkeypatch.setattr("stuckbot.site.server.ticker.STUCK_AFTER", -1.0)
    assert ticker.is_worker_stuck()
    OrmQ.objects.all().delete()
    ticker.tick()
    assert not ticker.is_worker_stuck()
