"""The state machine as one table; no ORM.

`MOVES` says, for an action and the state a ticket is in, where it goes, what becomes of the lease
and which events tell of it. What no row allows is `invalid_transition`. Who may ask for an action
is `tickets.capabilities`; the rules between rows (policy, evidence) are in the use cases.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from django.db.models import TextChoices


class State(TextChoices):
    OPEN = "open", "open"
    CLAIMED = "claimed", "claimed"
    WORKING = "working", "working"
    BLOCKER_REVIEW = "blocker_review", "blocker in review"
    BLOCKER_RESOLVED = "blocker_resolved", "blocker resolved"
    CONTINUING = "continuing", "task continued"
    TASK_REVIEW = "task_review", "task in review"
    NEEDS_HUMAN = "needs_human", "needs a person"
    HANDED_OFF = "handed_off", "handed off"
    COMPLETED = "completed", "completed"
    WITHDRAWN = "withdrawn", "withdrawn"
    CLOSED = "closed", "closed"


class Mode(TextChoices):
    BLOCKER_ONLY = "blocker_only", "blocker only"
    TAKEOVER_ALLOWED = "takeover_allowed", "takeover allowed"
    TAKEOVER_REQUESTED = "takeover_requested", "takeover requested"


class Stage(TextChoices):
    BLOCKER = "blocker", "blocker"
    TASK = "task", "task"


class Lease(StrEnum):
    """What a move does to the lease."""

    START = "start"
    RESTART = "restart"
    KEEP = "keep"
    SUSPEND = "suspend"
    END = "end"
    NONE = "-"


LEASED: Final = frozenset({State.CLAIMED, State.WORKING, State.CONTINUING})
IN_REVIEW: Final = frozenset({State.BLOCKER_REVIEW, State.TASK_REVIEW})
#: Closed whatever the mode; `blocker_resolved` is closed too when the mode is `blocker_only`.
ALWAYS_CLOSED: Final = frozenset({State.COMPLETED, State.WITHDRAWN, State.HANDED_OFF, State.CLOSED})
NOT_CLOSED: Final = frozenset(State) - ALWAYS_CLOSED


def is_closed(state: str, mode: str) -> bool:
    if state == State.BLOCKER_RESOLVED:
        return mode == Mode.BLOCKER_ONLY
    return state in ALWAYS_CLOSED


def has_task_stage(mode: str) -> bool:
    return mode != Mode.BLOCKER_ONLY


def freed(state: str) -> State:
    """Where a leased ticket goes when its lease ends."""
    return State.BLOCKER_RESOLVED if state == State.CONTINUING else State.OPEN


@dataclass(frozen=True, slots=True)
class Move:
    action: str
    sources: frozenset[State]
    target: State | None  # None: the state stays
    lease: Lease
    event: str | None
    note: str = ""


def _move(
    action: str,
    sources: "frozenset[State] | State",
    target: State | None,
    lease: Lease,
    event: str | None,
) -> Move:
    chosen = frozenset({sources}) if isinstance(sources, State) else sources
    return Move(action, chosen, target, lease, event)


_S, _L = State, Lease
_BLOCKER_LEASED: Final = frozenset({_S.CLAIMED, _S.WORKING})
_BACK: Final = frozenset({_S.CLOSED, _S.COMPLETED, _S.WITHDRAWN, _S.BLOCKER_RESOLVED})

#: Every move there is, those of later doors too. One (action, source) has one row, save where a
#: rule in a use case picks the target (submit, reopen, send_back, a review's verdict).
MOVES: Final[tuple[Move, ...]] = (
    _move("claim", _S.OPEN, _S.CLAIMED, _L.START, "ticket_claimed"),
    _move("continue", _S.BLOCKER_RESOLVED, _S.CONTINUING, _L.START, "task_continued"),
    _move("reclaim", LEASED, None, _L.RESTART, None),
    _move("renew", LEASED, None, _L.KEEP, None),
    _move("start_work", _S.CLAIMED, _S.WORKING, _L.KEEP, None),
    _move("work", LEASED, None, _L.KEEP, None),
    _move("release", _BLOCKER_LEASED, _S.OPEN, _L.END, "ticket_released"),
    _move("release", _S.CONTINUING, _S.BLOCKER_RESOLVED, _L.END, "ticket_released"),
    _move("expire", _BLOCKER_LEASED, _S.OPEN, _L.END, "claim_expired"),
    _move("expire", _S.CONTINUING, _S.BLOCKER_RESOLVED, _L.END, "claim_expired"),
    _move("submit_review", _BLOCKER_LEASED, _S.BLOCKER_REVIEW, _L.SUSPEND, "stage_submitted"),
    _move("submit_review", _S.CONTINUING, _S.TASK_REVIEW, _L.SUSPEND, "stage_submitted"),
    _move("submit_approve", _BLOCKER_LEASED, _S.BLOCKER_RESOLVED, _L.END, "stage_submitted"),
    _move("submit_approve", _S.CONTINUING, _S.COMPLETED, _L.END, "stage_submitted"),
    _move("review_approve", _S.BLOCKER_REVIEW, _S.BLOCKER_RESOLVED, _L.END, "stage_approved"),
    _move("review_approve", _S.TASK_REVIEW, _S.COMPLETED, _L.END, "stage_approved"),
    _move("review_reject", _S.BLOCKER_REVIEW, _S.WORKING, _L.RESTART, "stage_rejected"),
    _move("review_reject", _S.TASK_REVIEW, _S.CONTINUING, _L.RESTART, "stage_rejected"),
    _move("review_reject_free", _S.BLOCKER_REVIEW, _S.OPEN, _L.END, "stage_rejected"),
    _move("review_reject_free", _S.TASK_REVIEW, _S.BLOCKER_RESOLVED, _L.END, "stage_rejected"),
    _move("review_give_up", IN_REVIEW, _S.NEEDS_HUMAN, _L.END, "needs_human"),
    _move("review_claim", IN_REVIEW, None, _L.NONE, "verification_claimed"),
    _move("review_hold", IN_REVIEW, None, _L.NONE, None),
    _move("review_pass_on", IN_REVIEW, None, _L.NONE, "verification_passed_on"),
    _move("review_check", IN_REVIEW, None, _L.NONE, None),
    _move("review_route", IN_REVIEW, None, _L.NONE, "checks_finished"),
    _move("escalate", LEASED, _S.NEEDS_HUMAN, _L.END, "needs_human"),
    _move("handoff", LEASED, _S.HANDED_OFF, _L.END, "ticket_handed_off"),
    _move("withdraw", _S.OPEN, _S.WITHDRAWN, _L.NONE, "ticket_withdrawn"),
    _move("close", NOT_CLOSED, _S.CLOSED, _L.END, "ticket_closed"),
    _move("reopen", _BACK, _S.OPEN, _L.NONE, "ticket_reopened"),
    _move("reopen_task", _BACK, _S.BLOCKER_RESOLVED, _L.NONE, "ticket_reopened"),
    _move("send_back", _S.NEEDS_HUMAN, _S.OPEN, _L.NONE, "ticket_sent_back"),
    _move("send_back_task", _S.NEEDS_HUMAN, _S.BLOCKER_RESOLVED, _L.NONE, "ticket_sent_back"),
    _move("send_back_solver", _S.NEEDS_HUMAN, _S.WORKING, _L.RESTART, "ticket_sent_back"),
    _move("send_back_solver_task", _S.NEEDS_HUMAN, _S.CONTINUING, _L.RESTART, "ticket_sent_back"),
    _move("take_over", _S.NEEDS_HUMAN, _S.CLAIMED, _L.START, "ticket_claimed"),
    _move("take_over_task", _S.NEEDS_HUMAN, _S.CONTINUING, _L.START, "ticket_claimed"),
    _move("human_approve", _S.NEEDS_HUMAN, _S.BLOCKER_RESOLVED, _L.NONE, "stage_approved"),
    _move("human_approve_task", _S.NEEDS_HUMAN, _S.COMPLETED, _L.NONE, "stage_approved"),
    _move("pause", NOT_CLOSED, None, _L.KEEP, "ticket_paused"),
    _move("resume", NOT_CLOSED, None, _L.KEEP, "ticket_resumed"),
    _move("block", NOT_CLOSED, None, _L.KEEP, "ticket_blocked"),
    _move("unblock", NOT_CLOSED, None, _L.KEEP, "ticket_unblocked"),
    _move("edit", NOT_CLOSED, None, _L.KEEP, "ticket_edited"),
    _move("drop_reservation", NOT_CLOSED, None, _L.KEEP, "reservation_dropped"),
    _move("mark_met", NOT_CLOSED, None, _L.KEEP, "criterion_met"),
    _move("explain", frozenset(State), None, _L.KEEP, "explanation_edited"),
    _move("update_package", LEASED | {_S.OPEN}, None, _L.KEEP, "package_updated"),
    _move("complete_package", NOT_CLOSED, None, _L.KEEP, "package_updated"),
)

_BY_KEY: Final = {(move.action, source): move for move in MOVES for source in move.sources}


def move_find(action: str, state: str, mode: str) -> Move | None:
    """The row for an action on a ticket in `state`, or None when there is none.

    A resolved blocker counts as closed or not by the mode: with `blocker_only` it can be reopened
    but not continued, closed or edited; in a takeover mode the other way round.
    """
    move = _BY_KEY.get((action, State(state)))
    if move is None or state != State.BLOCKER_RESOLVED:
        return move
    wants_closed = action in ("reopen", "reopen_task")
    if action == "explain" or wants_closed == is_closed(state, mode):
        return move
    return None


def allowed_actions(
    state: str, mode: str, waits_for: str = "", *, incomplete: bool = False
) -> list[str]:
    """The actions that some row allows, for `details.allowed`; names as callers know them."""
    named = {move.action for move in MOVES if move_find(move.action, state, mode) is not None}
    if incomplete and "complete_package" in named:
        named = (named | {"update_package"}) - {"submit_review", "human_approve"}
    if waits_for == "checks":
        named -= {"review_approve", "review_reject"}
    if "work" in named:
        named.add("start_work")
    return sorted({_PUBLIC_NAMES[name] for name in named if name in _PUBLIC_NAMES})


_PUBLIC_NAMES: Final = {
    "claim": "claim",
    "continue": "continue",
    "renew": "renew",
    "work": "post_update",
    "start_work": "add_evidence",
    "release": "release",
    "submit_review": "submit",
    "review_approve": "approve",
    "review_reject": "reject",
    "human_approve": "approve",
    "mark_met": "mark_criterion_met",
    "escalate": "escalate",
    "handoff": "handoff",
    "withdraw": "withdraw",
    "close": "close",
    "reopen": "reopen",
    "send_back": "send_back",
    "take_over": "take_over",
    "pause": "pause",
    "resume": "resume",
    "block": "block",
    "unblock": "unblock",
    "update_package": "update_package",
}
