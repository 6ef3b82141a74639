"""The ticker: once a second, is anything due? Then one sweep is queued, unless one waits.

It says too when the checker is wanted, which ends whenever there is no url to open for a while.
"""

import time
from collections.abc import Callable
from datetime import timedelta

import structlog
from django.conf import settings
from django.db import Error as DatabaseFault
from django.db import connection
from django.utils.module_loading import import_string
from django_q.conf import Conf
from django_q.models import OrmQ
from django_q.tasks import async_task

from stuckbot.lib import clock
from verification.services.url_queue import checks_due

log = structlog.get_logger(__name__)

# A sweep taken up longer ago than this was lost with its worker, or is slow enough for a second.
LOST_AFTER = timedelta(seconds=15)
STUCK_AFTER = 90.0  # seconds; over the time limit of any task
LOOK_AT = 50


class Ticker:
    """Looks once per call. What goes wrong is logged when it begins and when it ends."""

    def __init__(self) -> None:
        self.due: Callable[[], bool] = import_string(settings.TICKER_DUE)
        self.is_failing = False
        self.wants_checker = False
        self._waiting: int | None = None
        self._since = 0.0

    def tick(self, *, may_check: bool = False) -> None:
        """With `may_check` it looks besides whether a url waits to be opened."""
        self.wants_checker = False
        try:
            self.wants_checker = may_check and checks_due(clock.now())
            if self.due():
                self._queue_one()
            else:
                self._waiting = None
        except Exception as error:  # the web server must outlive whatever is wrong here
            self._note(error)
        else:
            if self.is_failing:
                log.info("ticker_works_again")
            self.is_failing = False

    def is_worker_stuck(self) -> bool:
        """Whether one and the same sweep has waited so long that no task can be the reason."""
        return self._waiting is not None and time.monotonic() - self._since > STUCK_AFTER

    def forget(self) -> None:
        """The worker is new: give it time."""
        self._since = time.monotonic()

    def _queue_one(self) -> None:
        row = queued_sweep()
        if row is None:
            async_task(settings.TICKER_SWEEP, save=False)
        if row != self._waiting:
            self._waiting, self._since = row, time.monotonic()

    def _note(self, error: Exception) -> None:
        if not self.is_failing:
            log.error("ticker_failed", error=str(error).partition("\n")[0], exc_info=error)
        self.is_failing = True
        if isinstance(error, DatabaseFault):
            connection.close()


def queued_sweep() -> int | None:
    """The id of a sweep that waits for a worker, or runs in one and has not been at it for long."""
    # A task that was taken up is locked for RETRY seconds from that moment.
    lost = clock.now() - LOST_AFTER + timedelta(seconds=Conf.RETRY)
    now = clock.now()
    for row in OrmQ.objects.filter(key=Conf.CLUSTER_NAME).order_by("id")[:LOOK_AT]:
        is_lost = row.lock is not None and now < row.lock < lost
        if row.task.get("func") == settings.TICKER_SWEEP and not is_lost:
            return int(row.pk)
    return None
