"""What the sweep does about search: a timer for each org whose events wait to be read.

A timer's attempts are counted before its work, and one that keeps failing is set aside, so a
ticket that cannot be read keeps the rest of the worker from nothing.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Final
from uuid import UUID

from stuckbot.lib import ids
from stuckbot.lib.models import Timer
from stuckbot.lib.outbox import outbox_behind
from stuckbot.site.search.reading import CONSUMER, search_read

READ: Final = "search_read"


def search_due() -> bool:
    """Whether events wait that no timer knows of yet."""
    return bool(outbox_behind(consumer=CONSUMER, timer=READ, limit=1))


def search_to_timers(now: datetime) -> None:
    behind = outbox_behind(consumer=CONSUMER, timer=READ)
    timers = [
        Timer(id=ids.uuid7(), org_id=org_id, kind=READ, subject=org_id, due_at=now)
        for org_id in behind
    ]
    if timers:
        Timer.unscoped.bulk_create(timers, ignore_conflicts=True)


WORK: Final[dict[str, Callable[[UUID, UUID, datetime], None]]] = {READ: search_read}
