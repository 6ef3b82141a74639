"""The checker: opens the urls that criteria name. A process of its own, for opening one may take
ten seconds and there may be hundreds.

This thread alone talks to the database: once a second it looks for what is due, takes as much as
there are free threads, and writes down what they bring. The threads do nothing but open urls. What
this process does not get to write down is taken by the next one, once the lease is over.
"""

import signal
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache
from queue import Empty, SimpleQueue
from types import FrameType
from typing import Final

import structlog
from django.conf import settings
from django.db import Error as DatabaseFault
from django.db import InterfaceError, OperationalError, connection

from stuckbot.lib import clock
from stuckbot.lib.errors import Stale
from stuckbot.lib.outgoing import INTERNET, Crowd, Crowded, Network, Result, probe
from stuckbot.site.usecases.url_check import url_check_failed, url_checked
from verification.models import UrlCheck
from verification.services.url_checks import (
    FAILURES_MOST,
    check_give_back,
    check_retry,
    failures,
)
from verification.services.url_queue import checks_due, checks_take

log = structlog.get_logger(__name__)

THREADS: Final = 32
LOOK_SECONDS: Final = 1.0
#: A thread that is at one url for so long will never end; the deadline of a try is ten seconds.
LOST_SECONDS: Final = 45.0
#: Many a hoster has thousands of hosts at one address: it may be asked so much more often than one.
HOSTS_PER_ADDRESS: Final = 4
#: An address that is asked too often, under whatever names, is left alone for so long.
CROWDED_PAUSE: Final = timedelta(seconds=60)
#: With nothing to do for so long the process ends; the ticker asks for another.
IDLE_SECONDS: Final = 30.0

Probe = Callable[[str], Result]


def check_urls(listener: socket.socket) -> None:
    """Open what is due until there is nothing left, or until SIGTERM; what is under way then is
    given back."""
    listener.close()
    checker = Checker(_probe)
    checker.stop_on_sigterm()
    checker.run()


def _probe(url: str) -> Result:
    return probe(url, allowed=settings.OUTGOING_ALLOWED, network=_counting())


@cache
def _counting() -> Network:
    """Hosts are counted by what waits, whatever checker takes it; addresses, which nobody knows
    before a name is looked up, by each checker for itself."""
    most = settings.URL_CHECKS_PER_HOST
    crowd = Crowd(None if most is None else HOSTS_PER_ADDRESS * most)
    return replace(INTERNET, connect=crowd.connecting(INTERNET.connect))


@dataclass(slots=True)
class _Brought:
    """What a thread came back with; an exception where opening itself went wrong, None where it was
    not tried any more, for the desk has failed at it too often."""

    check: UrlCheck
    seen: Result | Exception | None


class Checker:
    """Takes, opens, writes down. `probe` opens one url within its deadline."""

    def __init__(self, probe: Probe, *, threads: int = THREADS) -> None:
        self._probe = probe
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="checker")
        self._brought: SimpleQueue[_Brought | None] = SimpleQueue()
        self._under_way: dict[UrlCheck, float] = {}
        self._unwritten: list[_Brought] = []
        self._busy_at = time.monotonic()
        self._is_failing = False
        self._is_stopping = False

    def stop_on_sigterm(self) -> None:
        def ask(_number: int, _frame: FrameType | None) -> None:
            self.stop()

        signal.signal(signal.SIGTERM, ask)
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def stop(self) -> None:
        """Safe in a signal handler: a simple queue may be put to from anywhere."""
        self._is_stopping = True
        self._brought.put(None)

    def run(self) -> None:
        while not self._is_stopping and not self._is_idle():
            until = time.monotonic() + LOOK_SECONDS
            self.turn()
            self._wait(until)
            self._lost_check()
        self._guarded(self._give_back)

    def _is_idle(self) -> bool:
        if self._under_way or self._unwritten:
            self._busy_at = time.monotonic()
        return time.monotonic() - self._busy_at > IDLE_SECONDS

    def turn(self) -> None:
        """One look at what is due, and one try to write down what could not be so far."""
        self._guarded(self._write)
        self._guarded(self._take)

    def _wait(self, until: float) -> None:
        """Passes the time by writing down what comes, and filling the threads that it leaves.

        What has come is noted even when no time is left: its thread is at nothing any more.
        """
        while not self._is_stopping and (left := until - time.monotonic()) > 0:
            try:
                brought = self._brought.get(timeout=left)
            except Empty:
                break
            self._note(brought)
            self._note_all()
            self.turn()
            if self._unwritten:
                time.sleep(min(LOOK_SECONDS, max(0.0, until - time.monotonic())))
        self._note_all()

    def _note_all(self) -> None:
        while not self._brought.empty():
            self._note(self._brought.get())

    def _note(self, brought: _Brought | None) -> None:
        if brought is not None:
            self._under_way.pop(brought.check, None)
            self._unwritten.append(brought)

    def _take(self) -> None:
        free = self._threads - len(self._under_way) - len(self._unwritten)
        while free > 0 and not self._is_stopping and checks_due(clock.now()):
            taken = checks_take(clock.now(), free)
            for check in taken:
                if failures(check) > FAILURES_MOST:
                    self._unwritten.append(_Brought(check, None))
                    continue
                self._under_way[check] = time.monotonic()
                self._pool.submit(self._open, check)
            free -= len(taken)
            if not taken:
                return

    def _open(self, check: UrlCheck) -> None:
        seen: Result | Exception
        try:
            seen = self._probe(check.url)
        except Exception as error:
            seen = error
        self._brought.put(_Brought(check, seen))

    def _write(self) -> None:
        for brought in tuple(self._unwritten):
            try:
                self._write_one(brought.check, brought.seen)
            except (OperationalError, InterfaceError):
                raise  # it is written once the database is less busy
            except Stale:
                continue  # it is written once its ticket is less busy
            except Exception as error:
                # Its lease runs out, and then it is tried again, as often as that is borne.
                log.error("check_not_written", check=str(brought.check.id), exc_info=error)
            self._unwritten.remove(brought)

    def _write_one(self, check: UrlCheck, seen: Result | Exception | None) -> None:
        if seen is not None and not isinstance(seen, Exception):
            url_checked(check, seen)
            return
        if isinstance(seen, Crowded):
            check_give_back(check, clock.now() + CROWDED_PAUSE)
            return
        if seen is not None:
            log.error("check_failed", check=str(check.id), exc_info=seen)
        if not url_check_failed(check, failures(check)):
            check_retry(check, clock.now())

    def _give_back(self) -> None:
        self._write()
        for check in self._under_way:
            check_give_back(check, clock.now())

    def _lost_check(self) -> None:
        oldest = min(self._under_way.values(), default=time.monotonic())
        if time.monotonic() - oldest > LOST_SECONDS:
            log.critical("checker_stuck", under_way=len(self._under_way))
            raise SystemExit(1)

    def _guarded(self, step: Callable[[], None]) -> None:
        """What goes wrong is logged when it begins and when it ends; rows are the truth."""
        try:
            step()
        except Exception as error:
            if not self._is_failing:
                log.error("checker_failed", error=str(error).partition("\n")[0], exc_info=error)
            self._is_failing = True
            if isinstance(error, DatabaseFault):
                connection.close()
        else:
            if self._is_failing:
                log.info("checker_works_again")
            self._is_failing = False
