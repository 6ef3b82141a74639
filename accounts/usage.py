"""When a token was last used: noted in memory, written in batches, never by the call itself."""

import logging
import threading
from datetime import datetime
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError, close_old_connections, connection

from accounts.models import Token

log = logging.getLogger("stuckbot.accounts")

_used: dict[UUID, datetime] = {}
_lock: Final = threading.Lock()
_timer: list[threading.Timer] = []


def token_used(token_id: UUID, now: datetime) -> None:
    """Notes a use; a minute later, at most, a thread of this process writes all of them."""
    seconds = settings.TOKEN_USED_SECONDS
    if not seconds:
        return
    with _lock:
        _used[token_id] = now
        if not _timer:
            timer = threading.Timer(seconds, _flush_and_close)
            timer.daemon = True
            _timer.append(timer)
            timer.start()


def tokens_used_flush() -> int:
    """Writes what was noted; returns how many tokens. A lost batch costs a minute's truth."""
    with _lock:
        batch = dict(_used)
        _used.clear()
        _timer.clear()
    latest: dict[datetime, list[UUID]] = {}
    for token_id, at in batch.items():
        latest.setdefault(at.replace(microsecond=0), []).append(token_id)
    for at, token_ids in latest.items():
        Token.unscoped.filter(id__in=token_ids).update(used_at=at)
    return len(batch)


def _flush_and_close() -> None:
    close_old_connections()
    try:
        tokens_used_flush()
    except DatabaseError as error:
        log.warning("last uses not written: %s", type(error).__name__)
    finally:
        connection.close()
