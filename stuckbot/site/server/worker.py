"""The task worker: a task cluster whose guard runs in this process."""

import signal
import socket
import time
import uuid
from types import FrameType
from typing import Any

import structlog
from django.db import connections
from django_q.cluster import Sentinel
from django_q.monitor import monitor

from stuckbot.lib.masking import mask_text, mask_value

log = structlog.get_logger(__name__)

STEP_SECONDS = 0.1


class Flag:
    """What the guard needs of an event, for one process: safe to set inside a signal handler."""

    def __init__(self) -> None:
        self._is_set = False

    def set(self) -> None:
        self._is_set = True

    def is_set(self) -> bool:
        return self._is_set

    def wait(self, seconds: float) -> bool:
        until = time.monotonic() + seconds
        while not self._is_set and time.monotonic() < until:
            time.sleep(STEP_SECONDS)
        return self._is_set


def work(listener: socket.socket) -> None:
    """Do queued tasks until SIGTERM; a task under way is finished first."""
    listener.close()
    # A connection kept open by a process that mostly waits is a connection lost to the others.
    connections.settings["default"]["CONN_MAX_AGE"] = 0
    stop = Flag()
    guard = _Guard(stop, Flag(), uuid.uuid4(), start=False)
    guard.stop_on_sigterm(stop)
    guard.start()


class Results:
    """The queue of finished tasks, as what keeps and logs them reads it: masked.

    A task that failed is kept with its arguments, its error's message and the traceback.
    """

    def __init__(self, queue: Any) -> None:
        self._queue = queue

    def get(self) -> Any:
        task = self._queue.get()
        if isinstance(task, dict):
            task |= {name: _masked(task.get(name)) for name in ("args", "kwargs", "result")}
        return task


def _masked(value: Any) -> Any:
    if isinstance(value, str):
        return mask_text(value).text
    return mask_value(value).value if isinstance(value, dict | list | tuple) else value


def monitor_masked(queue: Any, broker: Any) -> None:
    """Keeps and logs what became of tasks."""
    monitor(Results(queue), broker)


class _Guard(Sentinel):  # type: ignore[misc]
    """Guards the processes that fetch, do and record tasks.

    An idle one of them holds the lock of the queue it reads. One that is killed takes the lock
    with it, and its successor would wait for ever: then all begin anew with fresh queues.
    """

    def reincarnate(self, process: Any) -> None:
        if process.exitcode is not None and process.exitcode < 0:
            log.error("task_process_killed", exit_code=process.exitcode)
            raise SystemExit(1)
        super().reincarnate(process)

    def stop_on_sigterm(self, stop: Flag) -> None:
        def ask(_number: int, _frame: FrameType | None) -> None:
            stop.set()

        signal.signal(signal.SIGTERM, ask)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self._ask = ask

    def spawn_monitor(self) -> object:
        return self.spawn_process(monitor_masked, self.result_queue, self.broker)

    def spawn_process(self, target: object, *args: object) -> object:
        """Children are ended by SIGTERM as ever: only the guard itself asks first."""
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        try:
            return super().spawn_process(target, *args)
        finally:
            signal.signal(signal.SIGTERM, self._ask)
