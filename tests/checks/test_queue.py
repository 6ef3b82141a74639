"""Whose turn it is, and how much at once: of hosts, of orgs, and of the desk's threads."""

import threading
import time
from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError

from stuckbot.lib import clock
from stuckbot.lib.outgoing import Result
from stuckbot.site.server import checker as module
from stuckbot.site.server.checker import Checker
from stuckbot.site.tasks import sweep
from stuckbot.site.usecases.url_check import url_checked
from tests.checks.bench import FINE, Opened
from tests.checks.queued import queue
from tests.support import Api, Desk
from verification.models import Evidence, UrlCheck
from verification.services.url_queue import HOST_AT_ONCE, ORG_AT_ONCE, checks_take


@pytest.fixture
def looked(desk: Desk, stuck: Api, solver: Api) -> Opened:
    made = Opened(desk, stuck, solver)
    made.begin()
    made.report()
    return made


@pytest.fixture
def theirs(other: Desk) -> Opened:
    made = Opened(other, other.agent("asks"), other.agent("mends"))
    made.begin()
    made.report()
    return made


def _hosts(taken: list[UrlCheck]) -> Counter[str]:
    return Counter(one.host for one in taken)


def test_orgs_take_turns(looked: Opened, theirs: Opened) -> None:
    queue(looked, [f"{n}.example" for n in range(100)])
    taken = checks_take(clock.now(), 4)
    assert theirs.desk.org.id in {one.org_id for one in taken}


def test_one_org_leaves_threads_for_others(looked: Opened, theirs: Opened) -> None:
    queue(looked, [f"{n}.example" for n in range(100)])
    by_org = Counter(one.org_id for one in checks_take(clock.now(), 32))
    assert by_org == {looked.desk.org.id: ORG_AT_ONCE, theirs.desk.org.id: 1}
    assert checks_take(clock.now(), 32) == []


def test_a_host_is_asked_by_few_at_once(looked: Opened, theirs: Opened) -> None:
    queue(looked, ["one.example"] * 20)
    queue(theirs, ["one.example"] * 20)
    assert _hosts(checks_take(clock.now(), 32))["one.example"] == HOST_AT_ONCE
    assert checks_take(clock.now(), 32) == []


@pytest.mark.parametrize(("name", "most"), [("URL_CHECKS_PER_HOST", 3), ("URL_CHECKS_PER_ORG", 3)])
def test_what_is_over_a_limit_waits(name: str, most: int, looked: Opened, settings: Any) -> None:
    setattr(settings, name, most)
    UrlCheck.objects.of(looked.desk.org.id).delete()
    queue(looked, ["one.example"] * 5)
    assert len(_all_ended(looked)) == most
    period = timedelta(minutes=1) if name.endswith("HOST") else timedelta(hours=1)
    tried = UrlCheck.objects.of(looked.desk.org.id).exclude(tried_at=None)
    tried.update(tried_at=clock.now() - period)
    assert len(_all_ended(looked)) == 2


def _all_ended(looked: Opened) -> list[UrlCheck]:
    """Takes and ends until nothing may be taken; no more of them are under way than may be."""
    ended: list[UrlCheck] = []
    while taken := checks_take(clock.now(), 1):
        rows = UrlCheck.objects.of(looked.desk.org.id).filter(id=taken[0].id)
        rows.update(status="passed", under_way=False, finished_at=clock.now())
        ended += taken
    return ended


class Waiting:
    """Opens nothing: says that all is well, at `slow` hosts only once it is let go."""

    def __init__(self, *slow: str) -> None:
        self.slow, self.let_go = slow, threading.Event()
        self.at_once: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self._lock = threading.Lock()

    def __call__(self, url: str) -> Result:
        host = url.split("/")[2]
        with self._lock:
            self.at_once[host] += 1
            self.most[host] = max(self.most[host], self.at_once[host])
        if host in self.slow:
            self.let_go.wait(60)
        with self._lock:
            self.at_once[host] -= 1
        return FINE


def _run(checker: Checker, until: Any, seconds: float = 60.0) -> float:
    """Lets it work in this thread, where the test's transaction is; says how long it took."""
    began = time.monotonic()
    while not until() and time.monotonic() - began < seconds:
        checker.turn()
        checker._wait(time.monotonic() + 0.1)
    assert until()
    return time.monotonic() - began


def test_a_slow_host_holds_nobody_up(looked: Opened, theirs: Opened, settings: Any) -> None:
    settings.URL_CHECKS_PER_HOST = None
    queue(looked, ["slow.example"] * 180 + [f"{n}.example" for n in range(20)])
    probe = Waiting("slow.example")
    checker = Checker(probe)
    passed = UrlCheck.unscoped.filter(status="passed")
    try:
        _run(checker, lambda: passed.count() == 22)
        assert probe.most["slow.example"] == HOST_AT_ONCE
        assert UrlCheck.unscoped.filter(under_way=True).count() == HOST_AT_ONCE
        began = time.monotonic()
        sweep()
        assert time.monotonic() - began < 20
        checker._give_back()
    finally:
        probe.let_go.set()
    assert not UrlCheck.unscoped.filter(under_way=True).exists()
    assert UrlCheck.unscoped.filter(status="waiting", takes=0).count() == 180


@pytest.mark.deep
def test_five_hundred_are_done_soon(looked: Opened, theirs: Opened, settings: Any) -> None:
    settings.URL_CHECKS_PER_HOST = None
    queue(looked, ["slow.example"] * 100 + [f"{n % 40}.example" for n in range(400)])
    probe = Waiting("slow.example")
    checker = Checker(probe)
    passed = UrlCheck.unscoped.filter(status="passed")
    try:
        _run(checker, lambda: passed.count() == 402)
        probe.let_go.set()
        _run(checker, lambda: passed.count() == 502)
    finally:
        probe.let_go.set()
    desks = Evidence.objects.of(looked.desk.org.id).filter(by=looked.desk.org.id)
    assert desks.values("criterion").distinct().count() == desks.count() == 501


def _checker(probe: Any) -> Checker:
    return Checker(probe, threads=2)


def test_a_check_that_the_desk_fails_at_is_given_up(
    looked: Opened, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_url: str) -> Result:
        raise RuntimeError("no more memory")

    checker = _checker(broken)
    for number in range(1, 6):
        UrlCheck.objects.of(looked.desk.org.id).update(due_at=clock.now())
        row = looked.check
        _run(checker, lambda row=row: looked.check.takes > row.takes and not looked.check.under_way)
        assert looked.check.status == ("waiting" if number < 5 else "unchecked")
    assert (looked.check.reason, looked.check.tries) == ("desk_failed", 0)
    assert looked.standing() == "unchecked"
    assert looked.events()[-1].data["reason"] == "desk_failed"
    assert "is given up" in caplog.text


def test_a_check_whose_checkers_die_is_given_up(looked: Opened) -> None:
    """`kill -9` leaves nothing behind but how often it was taken."""
    for _ in range(5):
        assert len(checks_take(clock.now(), 1)) == 1
        UrlCheck.objects.of(looked.desk.org.id).update(due_at=clock.now())
    checker = _checker(Waiting())
    _run(checker, lambda: looked.check.status != "waiting")
    assert (looked.check.status, looked.check.reason) == ("unchecked", "desk_failed")


def test_a_busy_database_is_no_try(looked: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was seen is written once the database is free; nothing is opened a second time."""
    busy, opened = [True, True, True], []

    def sometimes(check: UrlCheck, seen: Result) -> None:
        if busy:
            busy.pop()
            raise OperationalError("database is locked")
        url_checked(check, seen)

    def probe(url: str) -> Result:
        opened.append(url)
        return FINE

    monkeypatch.setattr(module, "url_checked", sometimes)
    # A test has one transaction, which would end with its connection.
    monkeypatch.setattr("django.db.connection.close", lambda: None)
    _run(_checker(probe), lambda: looked.check.status == "passed")
    assert (len(opened), looked.check.tries, looked.check.takes) == (1, 1, 1)


def test_a_thread_that_never_ends_ends_the_process(
    looked: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    probe = Waiting("a.example")
    checker = _checker(probe)
    try:
        checker.turn()
        checker._lost_check()
        monkeypatch.setattr(module, "LOST_SECONDS", -1.0)
        with pytest.raises(SystemExit):
            checker._lost_check()
    finally:
        probe.let_go.set()
