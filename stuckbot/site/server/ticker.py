"""The ticker: once a second, is anything due? Then one sweep is queued, unless one waits."""

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

log = structlog.get_logger(__name__)

# A sweep taken up longer ago than this was lost with its worker, or is slow enough for a second.
LOST_AFTER = timedelta(seconds=15)
LOOK_AT = 50


class Ticker:
    """Looks once per call. What goes wrong is logged when it begins and when it ends."""

    def __init__(self) -> None:
        self.due: Callable[[], bool] = import_string(settings.TICKER_DUE)
        self.is_failing = False

    def tick(self) -> None:
        try:
            if self.due() and not is_sweep_queued():
                async_task(settings.TICKER_SWEEP, save=False)
        except Exception as error:  # the web server must outlive whatever is wrong here
            self._note(error)
        else:
            if self.is_failing:
                log.info("ticker_works_again")
            self.is_failing = False

    def _note(self, error: Exception) -> None:
        if not self.is_failing:
            log.error("ticker_failed", error=str(error).partition("\n")[0], exc_info=error)
        self.is_failing = True
        if isinstance(error, DatabaseFault):
            connection.close()


def is_sweep_queued() -> bool:
    """Whether a sweep waits for a worker, or runs in one and has not been at it for long."""
    # A task that was taken up is locked for RETRY seconds from that moment.
    lost = clock.now() - LOST_AFTER + timedelta(seconds=Conf.RETRY)
    now = clock.now()
    for row in OrmQ.objects.filter(key=Conf.CLUSTER_NAME).order_by("id")[:LOOK_AT]:
        is_lost = row.lock is not None and now < row.lock < lost
        if row.task.get("func") == settings.TICKER_SWEEP and not is_lost:
            return True
    return False
