"""Sessions that ended: nobody can open them again, yet their rows hold what was kept in them."""

from datetime import datetime, timedelta
from typing import Final

from django.contrib.sessions.models import Session

#: How long a session that ended may lie there, so that purging need not run all the time.
PURGE_AFTER: Final = timedelta(hours=1)


def expired_exist(now: datetime) -> bool:
    """Whether a session ended an hour ago or more."""
    return Session.objects.filter(expire_date__lt=now - PURGE_AFTER).exists()


def expired_purge(now: datetime) -> int:
    """Deletes all that ended; safe to run any time, any number of times."""
    return Session.objects.filter(expire_date__lt=now).delete()[0]
