"""A checker in trouble: a database that is slow, busy, or takes one row ill."""

import time
from datetime import timedelta
from typing import Any

import pytest
from django.db import DataError, IntegrityError

from stuckbot.lib import clock
from stuckbot.lib.outgoing import Result
from stuckbot.site.server import checker as module
from stuckbot.site.server.checker import Checker
from stuckbot.site.usecases.url_check import url_checked
from tests.checks.bench import FINE, Opened
from tests.checks.queued import queue
from tests.support import Api, Desk
from verification.models import UrlCheck


@pytest.fixture
def looked(desk: Desk, stuck: Api, solver: Api) -> Opened:
    made = Opened(desk, stuck, solver)
    made.begin()
    made.report()
    queue(made, [f"{n}.example" for n in range(6)])
    return made


def _fine(_url: str) -> Result:
    return FINE


def _round(checker: Checker) -> None:
    until = time.monotonic() + 0.2
    checker.turn()
    checker._wait(until)
    checker._lost_check()


def _passed(looked: Opened) -> int:
    return [one.status for one in looked.checks].count("passed")


@pytest.mark.parametrize("error", [IntegrityError, DataError, ValueError])
def test_a_result_that_cannot_be_stored_holds_up_no_other(
    error: type[Exception], looked: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = looked.checks[0].id

    def write(check: UrlCheck, seen: Any) -> None:
        if check.id == bad:
            raise error("not this one")
        url_checked(check, seen)

    monkeypatch.setattr(module, "url_checked", write)
    checker = Checker(_fine, threads=8)
    until = time.monotonic() + 60
    while _passed(looked) < 6 and time.monotonic() < until:
        _round(checker)
    _round(checker)
    assert _passed(looked) == 6
    row = UrlCheck.objects.of(looked.desk.org.id).get(id=bad)
    assert (row.status, row.takes) == ("waiting", 1)
    assert row.due_at > clock.now() + timedelta(seconds=30)


def test_a_slow_database_makes_no_thread_look_lost(
    looked: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a look takes, what the threads brought meanwhile is noted."""
    monkeypatch.setattr(module, "LOST_SECONDS", 1.0)
    checker = Checker(_fine, threads=8)
    checker.turn()
    monkeypatch.setattr(checker, "turn", lambda: time.sleep(0.3))
    for _ in range(6):
        _round(checker)
    monkeypatch.undo()
    _round(checker)
    assert _passed(looked) == 7
