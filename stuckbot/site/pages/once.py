"""An act of a page that is done once: a double click, a reload, the back button do no harm."""

import hashlib
import secrets
import time
from collections.abc import Callable
from datetime import datetime
from typing import Final

from django.http import HttpRequest

from stuckbot.lib import clock
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import InProgress, Stale, TwinFinished, Unavailable
from stuckbot.lib.idempotency import Answer, Keep, key_hash, record_find

_ATTEMPTS: Final = 6
_WAITS: Final = 50
_WAIT: Final = 0.1
_KEY_MOST: Final = 64
Run = Callable[[Keep, datetime], object]


def key_make() -> str:
    """A key for the forms of a page as it is shown once."""
    return secrets.token_urlsafe(12)


def done_once(request: HttpRequest, caller: Caller, run: Run) -> bool:
    """Runs it; False when the very same form was sent before. Raises the service's refusal."""
    key = _key(request)
    for _ in range(_WAITS):
        if key is not None and _is_done(caller, key):
            return False
        try:
            _attempt(caller, key, run)
        except TwinFinished:
            return False
        except InProgress:
            time.sleep(_WAIT)
        else:
            return True
    raise InProgress


def _attempt(caller: Caller, key: str | None, run: Run) -> None:
    for _ in range(_ATTEMPTS):
        keep = Keep(caller.org_id, caller.id, key, key_hash(key or ""), lambda _: Answer(204, b""))
        try:
            run(keep, clock.now())
        except Stale:
            continue
        return
    raise Unavailable("Others are changing the same thing right now. Try again.")


def _is_done(caller: Caller, key: str) -> bool:
    record = record_find(caller.id, key)
    return record is not None and record.is_live(clock.now())


def _key(request: HttpRequest) -> str | None:
    """The key of the form with what was filled in: sent again with something else it is new."""
    key = request.POST.get("key", "")
    if not key or len(key) > _KEY_MOST:
        return None
    sent = sorted(
        (name, *request.POST.getlist(name))
        for name in request.POST
        if name != "csrfmiddlewaretoken"
    )
    return "page:" + hashlib.sha256(repr((request.path, sent)).encode()).hexdigest()
