"""A parent and its children: forked, watched, forked again when they die, stopped together."""

import ctypes
import gc
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import structlog
from django.db import connections

log = structlog.get_logger(__name__)

WATCHED = (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD)
STOPPING = (signal.SIGTERM, signal.SIGINT)
STEADY_SECONDS = 30.0  # a child that lived this long has started well
LONGEST_PAUSE = 2.0
_PR_SET_PDEATHSIG = 1
_PR_SET_NAME = 15
_M_ARENA_MAX = -8

_parent_pid = 0


@dataclass
class Child:
    """A process of ours: ``run`` works until it is told to stop by SIGTERM.

    One that is ``on_demand`` is started when it is wanted, and ends by itself when it has nothing
    left to do: a process that waits costs memory.
    """

    name: str
    run: Callable[[], None]
    on_demand: bool = False
    pid: int = 0
    started: float = 0.0
    failures: int = 0
    start_after: float = 0.0
    idle: bool = field(init=False)

    def __post_init__(self) -> None:
        self.idle = self.on_demand

    @property
    def is_missing(self) -> bool:
        return not self.pid and not self.idle


class Supervisor:
    """Keeps the children alive until a signal says stop.

    Garbage collection is off until ``start``: what was loaded before stays shared by all.

    Signals are blocked and taken one at a time in ``wait``, so no handler ever runs in the middle
    of a fork or of a query.
    """

    def __init__(self, children: list[Child], *, grace: float) -> None:
        self.children = children
        self.grace = grace
        self.stopping = False

    def start(self) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, WATCHED)
        bind_children_to_parents()
        gc.freeze()
        self._fork_missing()
        gc.enable()

    def wait(self, seconds: float) -> None:
        """Pass the time: take signals, reap the dead, fork them again."""
        until = time.monotonic() + seconds
        while not self.stopping and (left := until - time.monotonic()) > 0:
            is_missing = any(child.is_missing for child in self.children)
            caught = signal.sigtimedwait(WATCHED, min(left, 0.05) if is_missing else left)
            if caught is not None and caught.si_signo in STOPPING:
                self.stopping = True
                return
            self._reap()
            self._fork_missing()

    def is_idle(self, name: str) -> bool:
        """Whether that child waits to be wanted."""
        return any(child.idle for child in self.children if child.name == name)

    def want(self, name: str) -> None:
        """There is work for a child that is started on demand."""
        for child in self.children:
            if child.name == name:
                child.idle = False
        self._fork_missing()

    def renew(self, name: str) -> None:
        """End a child that no longer does its work; another takes its place."""
        for child in self.children:
            if child.name == name and child.pid:
                log.error("child_stuck", child=name)
                os.kill(child.pid, signal.SIGKILL)

    def stop(self) -> None:
        """Ask every child to finish, wait for ``grace`` seconds, then end what is left."""
        self.stopping = True
        self._signal(signal.SIGTERM)
        until = time.monotonic() + self.grace
        while any(child.pid for child in self.children) and time.monotonic() < until:
            caught = signal.sigtimedwait(WATCHED, 0.2)
            self._reap()
            if caught is not None and caught.si_signo in STOPPING:
                break  # asked twice: in a hurry
        self._signal(signal.SIGKILL)
        for child in self.children:
            if child.pid:
                os.waitpid(child.pid, 0)
                child.pid = 0

    def _signal(self, number: signal.Signals) -> None:
        for child in self.children:
            if child.pid:
                os.kill(child.pid, number)

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            for child in self.children:
                if child.pid == pid:
                    self._note_death(child, os.waitstatus_to_exitcode(status))

    def _note_death(self, child: Child, code: int) -> None:
        child.pid = 0
        if self.stopping:
            return
        if child.on_demand and code == 0:
            child.idle = True
            return
        now = time.monotonic()
        child.failures = 0 if now - child.started > STEADY_SECONDS else child.failures + 1
        pause = min(LONGEST_PAUSE, 0.05 * 2**child.failures)
        child.start_after = now + pause
        log.error("child_died", child=child.name, exit_code=code, again_in_seconds=pause)

    def _fork_missing(self) -> None:
        for child in self.children:
            if not self.stopping and child.is_missing and time.monotonic() >= child.start_after:
                self._fork(child)

    def _fork(self, child: Child) -> None:
        connections.close_all()  # two processes on one connection would mix their answers
        sys.stdout.flush()
        sys.stderr.flush()
        child.started = time.monotonic()
        child.pid = os.fork()
        if child.pid == 0:
            _live_as(child)


def _live_as(child: Child) -> None:
    """The whole life of a child; never returns."""
    gc.enable()
    code = 1
    try:
        _name_process(f"stuckbot {child.name}")
        os.setpgid(0, 0)  # Ctrl-C is the parent's to pass on
        for number in WATCHED:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, WATCHED)
        child.run()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:
        log.exception("child_failed", child=child.name)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def bind_children_to_parents() -> None:
    """From now on every process forked here, and by its children, dies with its own parent.

    Then no ``kill -9`` at any place in the tree leaves an orphan that holds the port or works on.
    """
    if not sys.platform.startswith("linux"):
        return
    libc = ctypes.CDLL(None, use_errno=True)

    def remember() -> None:
        global _parent_pid
        _parent_pid = os.getpid()

    def bind() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != _parent_pid:  # it died before the line above
            os._exit(1)

    os.register_at_fork(before=remember, after_in_child=bind)


def _name_process(name: str) -> None:
    """So that `top` tells the children apart; Linux keeps fifteen bytes of it."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_PR_SET_NAME, name.encode(), 0, 0, 0)


def save_memory() -> None:
    """Fewer malloc arenas: with many threads each would otherwise keep megabytes of its own."""
    try:
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 2)
    except (AttributeError, OSError):
        log.debug("mallopt_missing")
