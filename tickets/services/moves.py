"""The one writer of a ticket's state.

`move_apply` looks the move up in the table, writes the row by one conditional update, closes or
opens the claim row and says what happened. A lease that ran out is written down first, by whoever
moves the ticket next. Nothing else in the project writes `state`.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final
from uuid import UUID

from stuckbot.lib import ids, sql
from stuckbot.lib.errors import Conflict, Stale
from stuckbot.lib.models import Content
from stuckbot.lib.rows import ONE_MORE, rows_insert, rows_update
from stuckbot.lib.unit import Unit
from tickets.chains import chain_hears
from tickets.facts import Facts, offer_time, own_red
from tickets.leases import warn_time
from tickets.loops import PROGRESS
from tickets.models import Claim, Ticket
from tickets.services.findings import findings_follow
from tickets.services.looping import loop_end, takes_look
from tickets.states import (
    IN_REVIEW,
    Lease,
    Move,
    State,
    allowed_actions,
    freed,
    is_closed,
    move_find,
)

#: A holder at work changes neither what others may be offered nor a colour.
_QUIET = frozenset({"start_work", "work"})


@dataclass(slots=True)
class Change:
    """What a move carries besides the state: other columns, the event's data, who hears of it."""

    fields: dict[str, Any] = field(default_factory=dict)
    data: dict[str, Any] = field(default_factory=dict)
    content: Content | None = None
    #: Content that an event of the same write brings already.
    content_id: UUID | None = None
    #: What the solver said of the fix that the event tells of.
    answer_id: UUID | None = None
    event: str | None = None
    end_reason: str = ""
    holder_id: UUID | None = None
    lease_seconds: int = 0
    execution_target: str = "external"
    conversation: dict[str, Any] | None = None
    tell: tuple[UUID | None, ...] = ()
    #: Guard by the running claim instead of the version: other people's edits do no harm. Such a
    #: move writes nothing that follows from columns it has not read under that guard.
    by_claim: bool = False


def transition_refuse(facts: Facts, now: datetime, message: str) -> Conflict:
    """The 409 for a move that no row of the table allows."""
    state = facts.state_at(now)
    return Conflict(
        message,
        details={
            "state": state,
            "allowed": allowed_actions(
                state, facts.mode, facts.waits_for, incomplete=facts.incomplete
            ),
        },
    )


#: Moves of which callers know another name.
_TOLD: Final = {
    "submit_review": "submit",
    "human_approve": "approve",
    "human_approve_task": "approve",
}


def move_require(facts: Facts, action: str, now: datetime) -> Move:
    """The table's row for `action`, or the 409 that says what the state is and what it allows."""
    state = facts.state if action == "expire" else facts.state_at(now)
    move = move_find(action, state, facts.mode)
    if move is None:
        words = _TOLD.get(action, action.replace("_", " "))
        told = f"{facts.ref} is {state}, which allows no {words}.{_instead(facts, action, state)}"
        raise transition_refuse(facts, now, told)
    return move


def _instead(facts: Facts, action: str, state: str) -> str:
    """Whoever mixes up claim and continue, or the approval of a ticket with that of a fix that
    waits, is told which of them it is."""
    if _TOLD.get(action) == "approve" and move_find("review_approve", state, facts.mode):
        return " A fix of it waits for a decision: decide its verification instead."
    other = {"claim": "continue", "continue": "claim"}.get(action)
    if other is None or move_find(other, state, facts.mode) is None:
        return ""
    return f" {other.capitalize()} it instead."


def move_apply(unit: Unit, facts: Facts, action: str, change: Change | None = None) -> None:
    """Moves the ticket, or raises `Conflict` (no such move) or `Stale` (it moved meanwhile)."""
    change = change or Change()
    findings_follow(unit, facts.id, facts.creator_id)
    move = move_require(facts, action, unit.now)
    expired = facts.is_expired(unit.now)
    if expired:
        _expired_event(unit, facts)
    state = move.target or State(facts.state_at(unit.now))
    columns = {
        "version": ONE_MORE,
        "updated_at": unit.now,
        **_lease_columns(unit, facts, move, change, expired),
        **_review_columns(facts, move),
        **change.fields,
    }
    if not change.by_claim:
        columns |= _derived_columns(facts, state, columns, unit.now)
    _state_write(facts, state, columns, by_claim=change.by_claim)
    _claim_rows(unit, facts, move, change, expired, columns)
    if unit.actor.is_person or (change.event or move.event) in PROGRESS:
        loop_end(unit, facts)
    _tell(unit, facts, move, change, state)
    if action in ("release", "expire"):
        takes_look(unit, facts)


def _state_write(facts: Facts, state: State, columns: dict[str, Any], *, by_claim: bool) -> None:
    where = "org_id = %s AND id = %s AND state = %s"
    params = [sql.uuid(facts.org_id), sql.uuid(facts.id), facts.state]
    if by_claim:
        where += " AND claim_id = %s AND lease_until > %s"
        params += [sql.uuid(facts.claim_id), sql.at(columns["updated_at"])]
    else:
        # A renewal steps no version: a lease that was read as over may run again.
        where += " AND version = %s"
        params.append(facts.version)
        where += (
            " AND lease_until IS NULL" if facts.lease_until is None else " AND lease_until = %s"
        )
        params += [] if facts.lease_until is None else [sql.at(facts.lease_until)]
    if rows_update(Ticket, {"state": state, **columns}, where=where, params=params) != 1:
        raise Stale


def _lease_columns(
    unit: Unit, facts: Facts, move: Move, change: Change, expired: bool
) -> dict[str, Any]:
    if move.lease in (Lease.START, Lease.RESTART) and not _same_claim(facts, move, expired):
        seconds = change.lease_seconds or facts.lease_seconds
        until = unit.now + timedelta(seconds=seconds)
        return {
            "claim_id": ids.uuid7(),
            "lease_until": until,
            "lease_seconds": seconds,
            "live_until": until,
            "warn_at": warn_time(until, seconds),
            "solver_id": change.holder_id or facts.solver_id,
            "ever_claimed": True,
        }
    if move.lease is Lease.RESTART:
        seconds = change.lease_seconds or facts.lease_seconds
        until = unit.now + timedelta(seconds=seconds)
        return {
            "lease_until": until,
            "lease_seconds": seconds,
            "live_until": until,
            "warn_at": warn_time(until, seconds),
        }
    if expired or move.lease in (Lease.END, Lease.SUSPEND):
        return {"claim_id": None, "lease_until": None, "live_until": None, "warn_at": None}
    return {}


def _review_columns(facts: Facts, move: Move) -> dict[str, Any]:
    """A ticket that leaves review waits for nobody any more, and no verifier holds it."""
    if facts.state not in IN_REVIEW or move.target is None:
        return {}
    return {"waits_for": "", "verifier_id": None, "verifier_until": None}


def _same_claim(facts: Facts, move: Move, expired: bool) -> bool:
    return move.lease is Lease.RESTART and facts.claim_id is not None and not expired


def _derived_columns(
    facts: Facts, state: State, columns: dict[str, Any], now: datetime
) -> dict[str, Any]:
    """What follows from the rest: red of its own, when it may be offered, when it was closed."""
    mode = columns.get("mode", facts.mode)
    red = own_red(
        state=state,
        blocked=columns.get("blocked_since", facts.blocked_since) is not None,
        waits_for=columns.get("waits_for", facts.waits_for),
        gating_asks=facts.gating_asks,
        paused=columns.get("paused_at", facts.paused_at) is not None,
        incomplete=columns.get("incomplete", facts.incomplete),
        looping=facts.loop_since is not None,
    )
    closed = is_closed(state, mode)
    until = columns.get("lease_until", facts.lease_until)
    return {
        "own_red": None if closed else red,
        "offer_at": offer_time(state=state, mode=mode, red=red, lease_until=until, now=now),
        "closed_at": (facts.closed_at or now) if closed else None,
    }


def _claim_rows(
    unit: Unit,
    facts: Facts,
    move: Move,
    change: Change,
    expired: bool,
    columns: dict[str, Any],
) -> None:
    ends = expired or move.lease in (Lease.END, Lease.SUSPEND)
    if facts.claim_id is not None and ends:
        reason = "expired" if expired else change.end_reason or move.action
        claim = Claim.objects.of(facts.org_id).filter(id=facts.claim_id, ended_at=None)
        claim.update(ended_at=unit.now, end_reason=reason)
    if columns.get("claim_id") is not None:
        started = Claim(
            id=columns["claim_id"],
            org_id=facts.org_id,
            ticket_id=facts.id,
            actor_id=columns["solver_id"],
            execution_target=change.execution_target,
            conversation=change.conversation,
            started_at=unit.now,
        )
        unit.ordered(partial(_claim_insert, started))
    elif move.lease is Lease.RESTART:
        claim = Claim.objects.of(facts.org_id).filter(ticket_id=facts.id, ended_at=None)
        claim.update(started_at=unit.now)


def _claim_insert(claim: Claim, seq: int) -> None:
    claim.seq = seq
    rows_insert(claim)


def _expired_event(unit: Unit, facts: Facts) -> None:
    """The desk says that the lease ran out, before what the mover did."""
    target = freed(facts.state)
    unit.event(
        "claim_expired",
        ticket_id=facts.id,
        data={"from": facts.state, "to": str(target), "holder_id": str(facts.solver_id)},
        tell=facts.listeners(unit.now),
        by=facts.org_id,
    )


def _tell(unit: Unit, facts: Facts, move: Move, change: Change, state: State) -> None:
    event = change.event or move.event
    if event is not None and move.action != "expire":
        moved = {} if move.target is None else {"from": facts.state_at(unit.now), "to": str(state)}
        unit.event(
            event,
            ticket_id=facts.id,
            data={**moved, **change.data},
            content=change.content,
            content_id=change.content_id,
            answer_id=change.answer_id,
            tell=(*facts.listeners(unit.now), *chain_hears(facts, event), *change.tell),
        )
    if move.action not in _QUIET:
        unit.offer_changed()
        unit.colour_changed()
