"""What is on offer, looked up once for all callers of a process who may read and want the same.

A thousand idle agents ask every few seconds, and whatever any agent does changes what is on offer.
So the looking up is shared: a board holds the offers to anybody in some projects that match a
filter, and each caller takes from it what is not its own and not kept for another. It tells what
an own look would have told (`tests/tickets/test_offer_board.py` holds the two together).

A board is made anew as soon as the org's offers have stepped, but not more often than an even
pace allows once a burst is used up: then one that is at most half a second old still serves.
"""

from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from threading import Lock
from time import perf_counter
from typing import Any, Final
from uuid import UUID

from stuckbot.lib.caller import Caller
from stuckbot.lib.content import json_bytes
from tickets.cards import Card, cards_of
from tickets.facts import Facts
from tickets.offers import (
    MOST,
    Seeker,
    WorkFilter,
    next_change,
    offer_projects,
    offer_versions,
    offers_list,
)

#: Callers leave out what is their own, so a board holds more than one of them is offered.
HELD_MOST: Final = 2 * MOST
#: A board is looked up anew after this long whatever the org's offers say.
LIFE: Final = timedelta(minutes=10)
#: Names in a card may change without a step of its ticket's version: cards are read anew.
CARD_SECONDS: Final = 60.0
#: Seconds for which a board serves though offers have stepped, once its refreshes are used up.
STALE_MOST: Final = 0.5
REFRESHES_AT_ONCE: Final = 20
REFRESHES_A_SECOND: Final = 4.0
_BOARDS_MOST: Final = 64


@dataclass(frozen=True, slots=True)
class Offers:
    """What one caller is offered. `mark` tells these cards in this order from any others;
    `rendered` keeps what the caller's door made of each, and `whole` of all, for whoever is
    offered the same."""

    cards: list[Card]
    mark: bytes
    offer_seq: int
    valid_until: datetime
    rendered: dict[UUID, bytes] = field(default_factory=dict)
    whole: list[bytes] = field(default_factory=list)


@dataclass(slots=True)
class _Board:
    """Offers as they stood when `offer_seq` was read, or newer."""

    offer_seq: int
    made: float
    cards_read: float
    valid_until: datetime
    cards: dict[UUID, Card]
    open: list[Card]
    kept: dict[UUID, list[Card]]
    #: There may be more than it holds, so who leaves some out must look for itself.
    is_full: bool
    #: More is kept for somebody than it holds, so everybody must.
    is_unsure: bool
    shared: Offers
    creators: frozenset[UUID]


@dataclass(slots=True)
class _Place:
    """A board's place, which stays when it is made anew. `refreshes` are left, as of `filled`."""

    lock: Lock = field(default_factory=Lock)
    board: _Board | None = None
    refreshes: float = REFRESHES_AT_ONCE
    filled: float = field(default_factory=perf_counter)

    def may_refresh(self) -> bool:
        """Takes one refresh, if there is one left."""
        at = perf_counter()
        grown = self.refreshes + (at - self.filled) * REFRESHES_A_SECOND
        self.refreshes, self.filled = min(REFRESHES_AT_ONCE, grown), at
        if self.refreshes < 1:
            return False
        self.refreshes -= 1
        return True


_places: "OrderedDict[tuple[Any, ...], _Place]" = OrderedDict()
_places_lock: Final = Lock()


def boards_forget() -> None:
    """For tests, whose rows go without a word."""
    with _places_lock:
        _places.clear()


def offers_none(offer_seq: int, now: datetime) -> Offers:
    """Nothing, to somebody who takes no work."""
    return _offers([], offer_seq, now + LIFE)


def offers_for(*, actor: Caller, wish: WorkFilter, offer_seq: int, now: datetime) -> Offers:
    """What the actor is offered, from a board that is as new as `offer_seq`, or at most half a
    second older."""
    if actor.org_paused:
        return offers_none(offer_seq, now)
    board = _board(actor, wish, offer_seq, now)
    if board.is_unsure:
        return _own(actor, wish, board, now)
    kept = board.kept.get(actor.id, [])
    if not kept and actor.id not in board.creators:
        return board.shared
    others = [card for card in board.open if card.facts.creator_id != actor.id]
    if board.is_full and len(kept) + len(others) < MOST:
        return _own(actor, wish, board, now)
    cards = [*kept, *others][:MOST]
    return _offers(cards, board.offer_seq, board.valid_until, board.shared.rendered)


def work_of(facts: Facts, now: datetime) -> str:
    """How to take an offered ticket: `claim` or `continue`."""
    return "continue" if facts.state_at(now) == "blocker_resolved" else "claim"


def _own(actor: Caller, wish: WorkFilter, board: _Board, now: datetime) -> Offers:
    cards = offers_list(actor=actor, wish=wish, now=now)
    return _offers(cards, board.offer_seq, board.valid_until)


def _offers(
    cards: list[Card],
    offer_seq: int,
    valid_until: datetime,
    rendered: dict[UUID, bytes] | None = None,
) -> Offers:
    parts = [(card.facts.id.hex, card.facts.version, card.facts.state) for card in cards]
    mark = sha256(json_bytes(parts)).digest()
    return Offers(cards, mark, offer_seq, valid_until, {} if rendered is None else rendered)


def _board(actor: Caller, wish: WorkFilter, offer_seq: int, now: datetime) -> _Board:
    place = _place((actor.org_id, actor.project_ids, wish))
    board = place.board
    if board is not None and _is_fresh(board, offer_seq, now):
        return board
    # Whoever may still use the old one does not wait for who makes the new one.
    if not place.lock.acquire(blocking=board is None or not _serves(board)):
        assert board is not None
        return board
    try:
        board = place.board
        if board is not None and _is_fresh(board, offer_seq, now):
            return board
        if board is not None and not place.may_refresh() and _serves(board):
            return board
        place.board = _made(actor, wish, offer_seq, now, board)
        return place.board
    finally:
        place.lock.release()


def _place(key: tuple[Any, ...]) -> _Place:
    with _places_lock:
        place = _places.get(key)
        if place is None:
            place = _places[key] = _Place()
            while len(_places) > _BOARDS_MOST:
                _places.popitem(last=False)
        _places.move_to_end(key)
    return place


def _is_fresh(board: _Board, offer_seq: int, now: datetime) -> bool:
    return board.offer_seq >= offer_seq and now < board.valid_until


def _serves(board: _Board) -> bool:
    return perf_counter() - board.made <= STALE_MOST


def _made(
    actor: Caller, wish: WorkFilter, offer_seq: int, now: datetime, old: _Board | None
) -> _Board:
    # Before anything is read: what is written from here on may or may not be seen below.
    made = perf_counter()
    change = next_change(org_id=actor.org_id, now=now)
    valid_until = min(change or now + LIFE, now + LIFE)
    known = {} if old is None or made - old.cards_read > CARD_SECONDS else old.cards
    cards = _cards(actor, wish, now, known)
    free = [card for card in cards.values() if card.facts.reserved_for_id is None]
    kept: dict[UUID, list[Card]] = {}
    for card in cards.values():
        if card.facts.reserved_for_id is not None:
            kept.setdefault(card.facts.reserved_for_id, []).append(card)
    rendered = {} if old is None else old.shared.rendered
    still = {
        one: rendered[one] for one in cards if one in rendered and cards[one] is known.get(one)
    }
    return _Board(
        offer_seq=offer_seq,
        made=made,
        cards_read=old.cards_read if known and old is not None else made,
        valid_until=valid_until,
        cards=cards,
        open=free,
        kept=kept,
        is_full=len(free) >= HELD_MOST,
        is_unsure=len(cards) - len(free) >= HELD_MOST,
        shared=_offers(free[:MOST], offer_seq, valid_until, still),
        creators=frozenset(card.facts.creator_id for card in free),
    )


def _cards(
    actor: Caller, wish: WorkFilter, now: datetime, known: dict[UUID, Card]
) -> dict[UUID, Card]:
    """The cards on offer in their order; of those that are known, only the changed are read."""
    projects = offer_projects(actor, wish)
    if not projects:
        return {}
    seeker = Seeker(actor.org_id, None, HELD_MOST)
    found = offer_versions(seeker=seeker, wish=wish, projects=projects, now=now)
    same = {
        one: known[one]
        for one, version in found
        if one in known and known[one].facts.version == version
    }
    fresh = cards_of([one for one, _ in found if one not in same], actor.org_id)
    cards = same | {card.facts.id: card for card in fresh}
    return {one: cards[one] for one, _ in found if one in cards}
