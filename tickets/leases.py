"""When the holder of a lease is told that it ends; no ORM."""

from datetime import datetime, timedelta
from typing import Final

WARNED_BEFORE: Final = timedelta(minutes=5)


def warn_time(until: datetime, seconds: int) -> datetime:
    """Five minutes before a lease of so many seconds ends; of one under ten minutes, half way.

    A client that renews after a third of its lease is never warned.
    """
    return until - min(WARNED_BEFORE, timedelta(seconds=seconds) / 2)
