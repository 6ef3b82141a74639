"""Doing an act once, and not over what the reader has not seen.

The key in a form makes a double click, a reload and the back button harmless. `seen`, the newest
event when the page was read, is looked at again inside the transaction, after the org's clock was
taken: whatever was committed before stands there by then.
"""

import time
from datetime import datetime
from functools import partial
from typing import Final

from django.db import IntegrityError, InterfaceError, OperationalError

from stuckbot.lib import clock
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import InProgress, Stale, TwinFinished, Unavailable
from stuckbot.lib.idempotency import Answer, Keep, key_hash, record_find
from stuckbot.lib.models import Event
from stuckbot.site.pages.acts_base import Act, Doing, Meanwhile
from stuckbot.site.pages.acts_forms import ActForm
from tickets.facts import Facts
from tickets.selectors import facts_get

_ATTEMPTS: Final = 6
#: How often, and how long at a time, a double click waits for the first one to end.
_WAITS: Final = 50
_WAIT: Final = 0.1


def act_once(
    act: Act, caller: Caller, ref: str, form: ActForm, *, key: str | None, seen: int | None
) -> bool:
    """Does it; False when the same was done already, by this key. Raises the service's refusal.

    `key` tells the form as it was sent from any other, so that what was sent twice is done once.
    """
    for _ in range(_WAITS):
        if key is not None and _is_done(caller, key):
            return False
        try:
            _attempt(act, caller, ref, form, key=key, seen=seen)
        except TwinFinished:
            return False
        except InProgress:
            time.sleep(_WAIT)
        except (OperationalError, InterfaceError) as error:
            raise Unavailable("The desk is busy.") from error
        else:
            return True
    raise InProgress


def _is_done(caller: Caller, key: str) -> bool:
    record = record_find(caller.id, key)
    return record is not None and record.is_live(clock.now())


def _attempt(
    act: Act, caller: Caller, ref: str, form: ActForm, *, key: str | None, seen: int | None
) -> None:
    """A row that moved meanwhile is read again and decided anew."""
    for _ in range(_ATTEMPTS):
        now = clock.now()
        facts = facts_get(actor=caller, ref=ref)
        render = partial(_settle, act, facts, seen, now)
        keep = Keep(caller.org_id, caller.id, key, key_hash(key or ""), render)
        try:
            act.run(Doing(caller, facts, form, now, keep))
        except (Stale, IntegrityError):
            continue
        return
    raise Unavailable("Others are changing the same ticket right now.")


def _settle(act: Act, facts: Facts, seen: int | None, now: datetime, result: object) -> Answer:
    """The answer to keep, unless something happened that makes the act void: then all is undone."""
    if act.void is not None and seen is not None:
        later = Event.objects.of(facts.org_id).filter(ticket_id=facts.id, seq__gt=seen)
        # The act's own events bear its own moment.
        if later.filter(act.void).exclude(at=now).exists():
            raise Meanwhile(f"{facts.ref} has changed since you read it.")
    return Answer(204, b"")
