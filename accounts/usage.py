"""When a token was last used and a member last seen: noted in memory, written in batches.

Never by the call itself, which only reads.
"""

import logging
import threading
from collections.abc import Iterable
from datetime import datetime
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError, close_old_connections, connection

from accounts.models import Membership, Token

log = logging.getLogger("stuckbot.accounts")

_used: dict[UUID, datetime] = {}
_seen: dict[UUID, datetime] = {}
_lock: Final = threading.Lock()
_timer: list[threading.Timer] = []


def token_used(token_id: UUID, now: datetime) -> None:
    """Notes a use; a minute later, at most, a thread of this process writes all of them."""
    _note(_used, token_id, now)


def member_seen(membership_id: UUID, now: datetime) -> None:
    """Notes that a member looked at a page of the org."""
    _note(_seen, membership_id, now)


def _note(book: dict[UUID, datetime], row_id: UUID, now: datetime) -> None:
    seconds = settings.TOKEN_USED_SECONDS
    if not seconds:
        return
    with _lock:
        book[row_id] = now
        if not _timer:
            timer = threading.Timer(seconds, _flush_and_close)
            timer.daemon = True
            _timer.append(timer)
            timer.start()


def tokens_used_flush() -> int:
    """Writes what was noted; returns how many rows. A lost batch costs a minute's truth."""
    with _lock:
        used, seen = dict(_used), dict(_seen)
        _used.clear()
        _seen.clear()
        _timer.clear()
    for at, ids in _by_second(used):
        Token.unscoped.filter(id__in=ids).update(used_at=at)
    for at, ids in _by_second(seen):
        Membership.unscoped.filter(id__in=ids).update(last_seen_at=at)
    return len(used) + len(seen)


def _by_second(book: dict[UUID, datetime]) -> Iterable[tuple[datetime, list[UUID]]]:
    latest: dict[datetime, list[UUID]] = {}
    for row_id, at in book.items():
        latest.setdefault(at.replace(microsecond=0), []).append(row_id)
    return latest.items()


def _flush_and_close() -> None:
    close_old_connections()
    try:
        tokens_used_flush()
    except DatabaseError as error:
        log.warning("last uses not written: %s", type(error).__name__)
    finally:
        connection.close()
