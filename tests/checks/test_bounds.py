"""Bounds that nobody gets around by asking in another way."""

import ipaddress
import socket
import time
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import pytest
from django.db import DataError, OperationalError

from stuckbot.lib import clock
from stuckbot.lib.outgoing import INTERNET, Crowded, Result
from stuckbot.site.server import checker as module
from stuckbot.site.server.checker import CROWDED_PAUSE, Checker
from stuckbot.site.usecases.url_check import url_checked
from tests.checks.bench import FINE, SILENT, Opened
from tests.checks.queued import queue
from tests.support import Api, Desk
from verification.models import UrlCheck
from verification.services import url_queue
from verification.services.url_queue import HOST_AT_ONCE, checks_take


@pytest.fixture
def looked(desk: Desk, stuck: Api, solver: Api) -> Opened:
    made = Opened(desk, stuck, solver)
    made.begin()
    made.report()
    return made


def test_reporting_again_makes_no_room_for_more_at_once(looked: Opened) -> None:
    """A newer report ends the check, but not the try that a thread is at."""
    queue(looked, [looked.check.host] * 2 * HOST_AT_ONCE)
    rows = UrlCheck.objects.of(looked.desk.org.id)
    others = rows.exclude(criterion="b1")
    others.update(due_at=clock.now() + timedelta(minutes=1))
    assert len(checks_take(clock.now(), 32)) == 1
    looked.report()
    assert checks_take(clock.now(), 32) == []  # one try of a criterion after the other
    others.update(due_at=clock.now())
    assert len(checks_take(clock.now(), 32)) == HOST_AT_ONCE - 1
    rows.exclude(tried_at=None).update(tried_at=clock.now() - url_queue._TRY)
    assert len(checks_take(clock.now(), 32)) == 1


def test_a_clock_that_was_ahead_stops_nothing(looked: Opened, settings: Any) -> None:
    """What was taken, tried and put off by a clock that was a year ahead."""
    settings.URL_CHECKS_PER_HOST, settings.URL_CHECKS_PER_ORG = 3, 3
    queue(looked, [looked.check.host] * 3)
    later = clock.now() + timedelta(days=365)
    assert len(checks_take(later, 3)) == 3
    for _ in range(2):
        taken = checks_take(clock.now(), 3)
        assert len(taken) == 3
        UrlCheck.objects.of(looked.desk.org.id).update(tried_at=later, due_at=later)
    url_checked(taken[0], FINE)
    assert UrlCheck.objects.of(taken[0].org_id).get(id=taken[0].id).status == "passed"


def test_what_was_put_off_keeps_no_place(looked: Opened) -> None:
    for _ in range(2 * HOST_AT_ONCE):
        (check,) = checks_take(clock.now(), 32)
        url_checked(check, SILENT)
        looked.report()


@pytest.mark.parametrize("name", ["URL_CHECKS_PER_HOST", "URL_CHECKS_PER_ORG"])
def test_each_try_counts(name: str, looked: Opened, settings: Any) -> None:
    """A check that is tried thrice is three requests to its host."""
    setattr(settings, name, 4)
    queue(looked, [looked.check.host] * 3)
    rows = UrlCheck.objects.of(looked.desk.org.id)
    tries = 0
    for _ in range(12):
        rows.filter(status="waiting").update(due_at=clock.now())
        for check in checks_take(clock.now(), 1):
            tries += 1
            url_checked(check, SILENT)
    assert tries == 4


def test_a_machine_with_many_names_is_left_alone_and_the_check_waits(looked: Opened) -> None:
    """What was not asked is no try and no failure, however often it is put off."""

    asked: list[str] = []

    def crowded(url: str) -> Result:
        asked.append(url)
        raise Crowded

    checker = Checker(crowded, threads=2)
    for times in range(1, 9):
        UrlCheck.objects.of(looked.desk.org.id).update(due_at=clock.now())
        until = time.monotonic() + 60
        while (len(asked) < times or looked.check.under_way) and time.monotonic() < until:
            checker.turn()
            checker._wait(time.monotonic() + 0.1)
        check = looked.check
        assert (check.status, check.tries, check.takes, check.under_way) == ("waiting", 0, 0, False)
        assert check.due_at > clock.now() + CROWDED_PAUSE / 2
    assert looked.told().count("url_check_skipped") == 0


def test_a_database_that_gets_busy_loses_nothing_that_was_taken(
    looked: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue(looked, [f"{n}.example" for n in range(6)])
    take, busy = url_queue._take, [False, False, True]

    def sometimes(check: UrlCheck, now: object) -> bool:
        if busy and busy.pop(0):
            raise OperationalError("database is locked")
        return take(check, clock.now())

    monkeypatch.setattr(url_queue, "_take", sometimes)
    first = checks_take(clock.now(), 32)
    rest = checks_take(clock.now(), 32)
    assert (len(first), len(rest)) == (2, 5)
    assert not {one.id for one in first} & {one.id for one in rest}


def test_a_row_that_cannot_be_taken_holds_up_no_other(
    looked: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue(looked, [f"{n}.example" for n in range(6)])
    take, bad = url_queue._take, looked.checks[0].id

    def ill(check: UrlCheck, now: datetime) -> bool:
        if check.id == bad:
            raise DataError("smallint out of range")
        return take(check, now)

    monkeypatch.setattr(url_queue, "_take", ill)
    assert len(checks_take(clock.now(), 32)) == 6


def test_a_busy_database_says_so_when_nothing_was_taken(
    looked: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(_check: UrlCheck, _now: object) -> bool:
        raise OperationalError("database is locked")

    monkeypatch.setattr(url_queue, "_take", busy)
    with pytest.raises(OperationalError):
        checks_take(clock.now(), 32)


def test_the_checker_counts_connections_by_address(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The network of the desk's own checks is the internet, counted."""
    settings.URL_CHECKS_PER_HOST = 2
    monkeypatch.setattr(module, "INTERNET", replace(INTERNET, connect=lambda *_: socket.socket()))
    monkeypatch.setattr(module, "_counting", cache(module._counting.__wrapped__))
    address = ipaddress.IPv4Address("93.184.216.34")
    connect = module._counting().connect
    for _ in range(2 * module.HOSTS_PER_ADDRESS):
        connect(address, 443, 1.0).close()
    with pytest.raises(Crowded):
        connect(address, 443, 1.0)
