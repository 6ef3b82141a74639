"""The poll: what to take next, and what happened on the caller's own tickets.

An unchanged poll is answered from a memo per process: the sign-in statement brings the heads
(offers, inbox, flags) that the memo was made under, and nothing else is asked.
"""

import hashlib
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock
from typing import Any, Final
from uuid import UUID

from accounts.sign_in import SignedIn
from stuckbot.lib import paging
from stuckbot.lib.caller import Caller
from stuckbot.lib.content import json_bytes
from tickets.cards import Card
from tickets.events import inbox_events
from tickets.offers import WorkFilter, next_change, offers_list
from tickets.states import State

#: A memo is made anew after this long whatever its heads say.
MEMO_LIFE: Final = timedelta(minutes=10)
_MEMOS_MOST: Final = 20_000


@dataclass(frozen=True, slots=True)
class Found:
    """What a poll found. `updates` are events with their `ticket_id`, oldest first."""

    cards: list[Card]
    updates: list[dict[str, Any]]
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
    heads: Heads
    etag: str
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
    if etag is None:
        return None
    with _memos_lock:
        memo = _memos.get(key)
    if memo is None or memo.etag != etag or memo.valid_until <= now:
        return None
    return idle_seconds(now - memo.unchanged_since) if memo.heads == Heads.of(signed) else None


def work_find(
    *,
    signed: SignedIn,
    wish: WorkFilter,
    cursor: str | None,
    key: tuple[Any, ...],
    now: datetime,
) -> Found:
    """Looks the answer up and remembers it under `key`."""
    actor = signed.caller
    after = _cursor_read(actor, cursor, signed.inbox_head)
    cards = offers_list(actor=actor, wish=wish, now=now)
    updates = inbox_events(org_id=actor.org_id, actor_id=actor.id, after=after)
    last = updates[-1]["id"] if updates else after
    etag = _etag(cards, updates, signed, now)
    _remember(key, signed, etag, now)
    busy = bool(cards or updates)
    return Found(
        cards=cards,
        updates=updates,
        next_cursor=paging.mark_make(_scope(actor), last),
        etag=etag,
        retry_after=5 if busy else _idle_of(key, now),
    )


def work_kind(card: Card, now: datetime) -> str:
    """How to take an offered ticket: `claim` or `continue`."""
    resolved = card.facts.state_at(now) == State.BLOCKER_RESOLVED
    return "continue" if resolved else "claim"


def idle_seconds(unchanged_for: timedelta) -> int:
    """The longer nothing changes, the longer the wait: 5 to 60 seconds."""
    seconds = unchanged_for.total_seconds()
    for bound, wait in ((30, 5), (120, 10), (600, 30)):
        if seconds < bound:
            return wait
    return 60


def _idle_of(key: tuple[Any, ...], now: datetime) -> int:
    with _memos_lock:
        memo = _memos.get(key)
    return idle_seconds(now - memo.unchanged_since) if memo else 5


def _cursor_read(actor: Caller, cursor: str | None, head: int) -> int:
    """Where to read on from; one of another org or ahead of the inbox starts at now."""
    if cursor is None:
        return 0
    scope, seq = paging.mark_read(cursor)
    return head if scope != _scope(actor) or seq > head else seq


def _scope(actor: Caller) -> str:
    return actor.org_id.hex[-12:]


def _etag(cards: list[Card], updates: list[dict[str, Any]], signed: SignedIn, now: datetime) -> str:
    parts = [
        [[str(card.facts.id), card.facts.version, work_kind(card, now)] for card in cards],
        [update["id"] for update in updates],
        [signed.handoff_request, signed.stop_request],
    ]
    return f'"{hashlib.sha256(json_bytes(parts)).hexdigest()[:32]}"'


def _remember(key: tuple[Any, ...], signed: SignedIn, etag: str, now: datetime) -> None:
    change = next_change(org_id=signed.caller.org_id, now=now)
    until = min(change or now + MEMO_LIFE, now + MEMO_LIFE)
    with _memos_lock:
        old = _memos.get(key)
        since = old.unchanged_since if old is not None and old.etag == etag else now
        _memos[key] = _Memo(Heads.of(signed), etag, until, since)
        _memos.move_to_end(key)
        while len(_memos) > _MEMOS_MOST:
            _memos.popitem(last=False)
