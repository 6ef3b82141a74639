"""The poll: what to take next, and what happened on the caller's own tickets.

An unchanged poll is answered from a memo per process: the sign-in statement brings the heads
(offers, inbox, flags) that the memo was made under, and nothing else is asked. When only the
offers stepped, the process's board of them says what the caller is offered now, and that too asks
nothing of its own as long as one of the callers has had it looked up.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from threading import Lock
from typing import Any, Final
from uuid import UUID

from accounts.sign_in import SignedIn
from stuckbot.lib import paging
from stuckbot.lib.caller import Caller
from stuckbot.lib.content import json_bytes
from tickets.events import inbox_events
from tickets.offer_board import Offers, offers_for, offers_none
from tickets.offers import WorkFilter

_MEMOS_MOST: Final = 20_000
#: A poll that has something to tell is asked again after so many seconds.
BUSY: Final = 5


@dataclass(frozen=True, slots=True)
class Found:
    """What a poll found. `updates` are events with their `ticket_id`, oldest first; None when the
    caller's ETag still holds, and then nothing else but `etag` and `retry_after` counts."""

    offers: Offers
    updates: list[dict[str, Any]] | None
    next_cursor: str
    etag: str
    retry_after: int


@dataclass(frozen=True, slots=True)
class Heads:
    """What an unchanged answer stands on, as the sign-in statement brought it."""

    offer_seq: int
    inbox_head: int
    flags_version: int
    org_paused: bool
    project_ids: frozenset[UUID] | None

    @classmethod
    def of(cls, signed: SignedIn) -> "Heads":
        return cls(
            signed.offer_seq,
            signed.inbox_head,
            signed.flags_version,
            signed.caller.org_paused,
            signed.caller.project_ids,
        )


@dataclass(slots=True)
class _Memo:
    """An answer that was given: its heads, its ETag, and the ids of the updates in it."""

    heads: Heads
    etag: str
    update_ids: tuple[int, ...]
    valid_until: datetime
    unchanged_since: datetime


_memos: "OrderedDict[tuple[Any, ...], _Memo]" = OrderedDict()
_memos_lock: Final = Lock()


def memo_key(actor_id: UUID, query: str) -> tuple[Any, ...]:
    return (actor_id, query)


def unchanged(
    key: tuple[Any, ...], signed: SignedIn, etag: str | None, now: datetime
) -> int | None:
    """The seconds to wait when the caller's `etag` still holds; None when it must be looked up."""
    memo = _memo(key) if etag is not None else None
    if memo is None or memo.etag != etag or memo.valid_until <= now:
        return None
    return idle_seconds(now - memo.unchanged_since) if memo.heads == Heads.of(signed) else None


def work_find(
    *,
    signed: SignedIn,
    wish: WorkFilter,
    cursor: str | None,
    holds: Callable[[str], bool],
    key: tuple[Any, ...],
    now: datetime,
) -> Found:
    """Looks the answer up and remembers it under `key`; `holds` says whether the caller has the
    answer of an ETag already.

    Where the memo tells which updates are in it and that is the case, they are not read again;
    neither are they where it tells that there are none.
    """
    actor = signed.caller
    after = _cursor_read(actor, cursor, signed.inbox_head)
    offers = _offered(signed, wish, now)
    heads = replace(Heads.of(signed), offer_seq=offers.offer_seq)
    known = _updates_known(key, heads)
    if known is not None and holds(tag := _etag(offers, known, signed)):
        since = _remember(key, heads, tag, known, offers, now)
        return Found(offers, None, "", tag, idle_seconds(now - since))
    updates: list[dict[str, Any]] = []
    if known != ():
        updates = inbox_events(org_id=actor.org_id, actor_id=actor.id, after=after)
    ids = tuple(update["id"] for update in updates)
    tag = _etag(offers, ids, signed)
    since = _remember(key, heads, tag, ids, offers, now)
    is_same = holds(tag)
    is_busy = bool(offers.cards or updates) and not is_same
    return Found(
        offers=offers,
        updates=None if is_same else updates,
        next_cursor=paging.mark_make(_scope(actor), ids[-1] if ids else after),
        etag=tag,
        retry_after=BUSY if is_busy else idle_seconds(now - since),
    )


def _offered(signed: SignedIn, wish: WorkFilter, now: datetime) -> Offers:
    """Whoever was told to stop takes nothing new."""
    if signed.stopped:
        return offers_none(signed.offer_seq, now)
    return offers_for(actor=signed.caller, wish=wish, offer_seq=signed.offer_seq, now=now)


def idle_seconds(unchanged_for: timedelta) -> int:
    """The longer nothing changes, the longer the wait: 5 to 60 seconds."""
    seconds = unchanged_for.total_seconds()
    for bound, wait in ((30, BUSY), (120, 10), (600, 30)):
        if seconds < bound:
            return wait
    return 60


def _memo(key: tuple[Any, ...]) -> _Memo | None:
    with _memos_lock:
        return _memos.get(key)


def _updates_known(key: tuple[Any, ...], heads: Heads) -> tuple[int, ...] | None:
    """The updates that were in the last answer, when the inbox still ends where it did."""
    memo = _memo(key)
    return memo.update_ids if memo and memo.heads.inbox_head == heads.inbox_head else None


def _cursor_read(actor: Caller, cursor: str | None, head: int) -> int:
    """Where to read on from; one of another org or ahead of the inbox starts at now."""
    if cursor is None:
        return 0
    scope, seq = paging.mark_read(cursor)
    return head if scope != _scope(actor) or seq > head else seq


def _scope(actor: Caller) -> str:
    return actor.org_id.hex[-12:]


def _etag(offers: Offers, update_ids: tuple[int, ...], signed: SignedIn) -> str:
    flags = [signed.handoff_request, signed.stop_request]
    parts = offers.mark + json_bytes([update_ids, flags])
    return f'"{hashlib.sha256(parts).hexdigest()[:32]}"'


def _remember(
    key: tuple[Any, ...],
    heads: Heads,
    etag: str,
    update_ids: tuple[int, ...],
    offers: Offers,
    now: datetime,
) -> datetime:
    """Keeps the answer; says since when it has been the same."""
    with _memos_lock:
        old = _memos.get(key)
        since = old.unchanged_since if old is not None and old.etag == etag else now
        _memos[key] = _Memo(heads, etag, update_ids, offers.valid_until, since)
        _memos.move_to_end(key)
        while len(_memos) > _MEMOS_MOST:
            _memos.popitem(last=False)
    return since
