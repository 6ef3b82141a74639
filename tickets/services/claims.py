"""The lease on a ticket: claim, continue, renew, release, and its end by itself."""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db import connection
from django.db.models import Q

from accounts.selectors import scope_require
from accounts.services.requests import requests_acknowledge
from accounts.states import RequestEnd, Role
from policy.resolve import policy_resolve
from stuckbot.lib import sql
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import (
    Conflict,
    Forbidden,
    LostRace,
    Missing,
    Stale,
    Unauthenticated,
    invalid_fields,
)
from stuckbot.lib.idempotency import Keep
from stuckbot.lib.masking import mask_value
from stuckbot.lib.rows import ONE_MORE
from stuckbot.lib.unit import Unit, unit_of_work
from tickets.facts import FACT_COLUMNS, Facts
from tickets.leases import warn_time
from tickets.models import Ticket
from tickets.selectors import by_ref, facts_get, newest_claim
from tickets.services.looping import take_check
from tickets.services.moves import Change, move_apply, move_require
from tickets.services.reserving import is_kept_from, reservation_fields
from tickets.services.texts import text_content
from tickets.states import State

LEASE_LEAST: Final = 5
LEASE_MOST: Final = 1440
#: How a claim ends by its holder's own doing: a renewal then is `state_changed`, not lost.
OWN_ENDS: Final = frozenset({"submitted", "handed_off", "escalated"})


@dataclass(frozen=True, slots=True)
class ClaimWish:
    """What a claimer asks for beside the ticket."""

    execution_target: str = "external"
    lease_minutes: int | None = None
    conversation: Mapping[str, Any] | None = None


def ticket_claim(
    *, actor: Caller, ref: str, wish: ClaimWish, now: datetime, keep: Keep | None = None
) -> Facts:
    """Takes the lease on an open ticket; by its holder again: a fresh lease.

    409 `already_claimed` for every lost race, `ticket_paused`, `invalid_transition`; 403
    `not_eligible` when it is reserved for another agent.
    """
    return _take("claim", actor=actor, ref=ref, wish=wish, now=now, keep=keep)


def task_continue(
    *, actor: Caller, ref: str, wish: ClaimWish, now: datetime, keep: Keep | None = None
) -> Facts:
    """Takes over the rest of the task on a resolved blocker whose mode allows it."""
    return _take("continue", actor=actor, ref=ref, wish=wish, now=now, keep=keep)


def _take(
    action: str,
    *,
    actor: Caller,
    ref: str,
    wish: ClaimWish,
    now: datetime,
    keep: Keep | None,
) -> Facts:
    scope_require(actor, "tickets:claim")
    facts = facts_get(actor=actor, ref=ref)
    again = facts.holder(now) == actor.id
    if not again:
        _free_check(facts, actor, action, now)
    seconds = _lease_seconds(actor, facts, wish)
    change = Change(
        holder_id=actor.id,
        lease_seconds=seconds,
        execution_target=wish.execution_target,
        conversation=mask_value(wish.conversation).value if wish.conversation else None,
        data={"lease_minutes": seconds // 60},
        fields={} if again else _attempt_columns(facts, actor) | reservation_fields(facts),
    )
    with unit_of_work(actor, now, keep) as unit:
        still_here(actor, takes=not again)
        move_apply(unit, facts, "reclaim" if again else action, change)
        unit.result = facts
    return facts


def still_here(actor: Caller, *, takes: bool = False, answers: bool = False) -> None:
    """Holds the actor's own row until the commit: who retires, or ends or lowers the membership,
    waits, or has been seen. First of all in a unit of work.

    Whoever `takes` new work is an agent that nobody told to stop, else 403. An act that `answers`
    a request writes to the row later: of two the second waits here, not each for the other there.
    """
    if actor.is_agent:
        row = _own_row(_RETIRED, actor, alone=answers)
        if row is None or row[0] is not None:
            raise Unauthenticated("This agent was retired. Register again.", code="token_revoked")
        if takes and row[1] is not None:
            raise Forbidden(
                "You were told to stop, so you take nothing new. Finish or give back what you hold"
                " and retire; a person can let you go on."
            )
    elif actor.is_person:
        row = _own_row(_ROLE, actor)
        if row is None or row[0] == Role.VIEWER:
            raise Forbidden("You may only look at this organisation's tickets now.")


_RETIRED: Final = "SELECT retired_at, stopped_at FROM accounts_agent WHERE id = %s"
_ROLE: Final = "SELECT role FROM accounts_membership WHERE actor_id = %s"


def _own_row(statement: str, actor: Caller, *, alone: bool = False) -> tuple[Any, ...] | None:
    lock = " FOR NO KEY UPDATE" if alone else " FOR SHARE"
    held = lock if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute(f"{statement}{held}", [sql.uuid(actor.id)])
        row: tuple[Any, ...] | None = cursor.fetchone()
    return row


def _attempt_columns(facts: Facts, actor: Caller) -> dict[str, Any]:
    """A new solver begins an attempt: older evidence stays visible and counts no more.

    A member who is the first solver too: what they said of manual criteria before is then their
    word on work of their own.
    """
    if facts.solver_id == actor.id or (facts.solver_id is None and not actor.is_person):
        return {}
    return {"attempt": ONE_MORE}


def _free_check(facts: Facts, actor: Caller, action: str, now: datetime) -> None:
    if facts.is_leased(now):
        raise LostRace(f"{facts.ref} is held by somebody else. Look for other work.")
    move_require(facts, action, now)
    if is_kept_from(actor, facts):
        raise Forbidden(f"{facts.ref} is kept for another agent.")
    take_check(actor, facts, now)
    if facts.paused_at or facts.project_paused_at or actor.org_paused:
        raise Conflict(
            f"{facts.ref} is paused. It can be claimed once a person resumes it.",
            code="ticket_paused",
        )


def _lease_seconds(actor: Caller, facts: Facts, wish: ClaimWish) -> int:
    policy = policy_resolve(
        org_id=actor.org_id,
        version=actor.policy_version,
        project_id=facts.project_id,
        connector_id=actor.connector_id,
    )
    minutes = wish.lease_minutes
    if minutes is None:
        return 60 * min(policy.lease_minutes, policy.lease_minutes_most)
    most = min(LEASE_MOST, policy.lease_minutes_most)
    if not LEASE_LEAST <= minutes <= most:
        message = f"lease_minutes must be a whole number from {LEASE_LEAST} to {most}."
        raise invalid_fields([("lease_minutes", message)])
    return 60 * minutes


def claim_renew(*, actor: Caller, ref: str, now: datetime) -> Facts:
    """Extends the caller's lease to its length from now, never shortening it.

    No event and no version: only the org's offers step. Naturally idempotent, so nothing is kept.
    409 `state_changed` when the caller's own submit, handoff or escalate ended it, else
    `not_claim_holder`.
    """
    scope_require(actor, "tickets:claim")
    facts = facts_get(actor=actor, ref=ref)
    if facts.holder(now) != actor.id:
        raise not_holding(facts, actor)
    until = max(facts.lease_until or now, now + timedelta(seconds=facts.lease_seconds))
    with unit_of_work(actor, now) as unit:
        if not _lease_extend(facts, until, now):
            raise Stale
        unit.offer_changed()
    return facts


def leases_held(*, actor: Caller, refs: list[str], now: datetime) -> list[Facts]:
    """Of the tickets a heartbeat names, those the actor holds, in one statement.

    Any other is passed over: a heartbeat must not fail for a ticket that moved on, and the poll
    tells what became of it.
    """
    named = Q(pk__in=[])
    for ref in dict.fromkeys(refs):
        with contextlib.suppress(Missing):
            named |= by_ref(ref)
    held = Ticket.objects.of(actor.org_id).filter(
        named, solver_id=actor.id, claim__isnull=False, lease_until__gt=now
    )
    return [Facts._make(row) for row in held.order_by("number").values_list(*FACT_COLUMNS)]


def leases_renew(*, actor: Caller, held: list[Facts], now: datetime) -> None:
    """Renews these leases, save those that ended meanwhile, in one write."""
    if not held:
        return
    with unit_of_work(actor, now) as unit:
        for facts in held:
            until = max(facts.lease_until or now, now + timedelta(seconds=facts.lease_seconds))
            _lease_extend(facts, until, now)
        unit.offer_changed()


def _lease_extend(facts: Facts, until: datetime, now: datetime) -> bool:
    held = Ticket.objects.of(facts.org_id).filter(
        id=facts.id, claim=facts.claim_id, lease_until__gt=now
    )
    columns = {"lease_until": until, "live_until": until}
    if facts.lease_until is None or until > facts.lease_until:
        columns["warn_at"] = warn_time(until, facts.lease_seconds)
    # While a ticket is offered at the end of its lease, the offer moves with it.
    moved = held.filter(offer_at__isnull=False).update(**columns, offer_at=until)
    return bool(moved) or bool(held.update(**columns))


def not_holding(facts: Facts, actor: Caller) -> Conflict:
    """The 409 for a holder-only act by one who does not hold the ticket."""
    # A claim that nobody ended yet is the newest, and no doing of the caller's ended it.
    claim = newest_claim(facts.id, facts.org_id) if facts.claim_id is None else None
    if claim is not None and claim.actor_id == actor.id and claim.end_reason in OWN_ENDS:
        return Conflict(
            f"{facts.ref} moved on by your own doing; the lease has ended.", code="state_changed"
        )
    return Conflict(
        f"You do not hold {facts.ref}. Claim it first if it is still free.",
        code="not_claim_holder",
    )


def holder_require(facts: Facts, actor: Caller, action: str, now: datetime) -> None:
    """Refuses a holder-only act: 409 `invalid_transition` to the solver of a ticket in review,
    else `not_claim_holder` to whoever does not hold it by a lease that runs."""
    if facts.holder(now) == actor.id:
        return
    if facts.solver_id == actor.id and facts.state in (State.BLOCKER_REVIEW, State.TASK_REVIEW):
        move_require(facts, action, now)
    raise Conflict(
        f"You do not hold {facts.ref}. Claim it first if it is still free.",
        code="not_claim_holder",
    )


def ticket_release(
    *,
    actor: Caller,
    ref: str,
    note: str | None = None,
    force: bool = False,
    now: datetime,
    keep: Keep | None = None,
) -> Facts:
    """Gives the ticket back; `force` lets a member end somebody else's lease, with a note."""
    scope_require(actor, "tickets:claim")
    facts = facts_get(actor=actor, ref=ref)
    by_force = force and actor.is_member and facts.holder(now) not in (None, actor.id)
    if by_force and not (note or "").strip():
        raise invalid_fields([("note", "Say in a note why you end somebody else's lease.")])
    if not by_force:
        holder_require(facts, actor, "release", now)
    body = text_content(facts, "note", note, "release.note")
    change = Change(
        content=body,
        end_reason="ended_by_person" if by_force else "released",
        data={"forced": True} if by_force else {},
    )
    with unit_of_work(actor, now, keep) as unit:
        if actor.is_agent:
            still_here(actor, answers=True)
        move_apply(unit, facts, "release", change)
        if actor.is_agent:
            requests_acknowledge(unit, actor.id, RequestEnd.RELEASE, facts.id)
        unit.result = facts
    return facts


def lease_expire(*, system: Caller, facts: Facts, now: datetime) -> bool:
    """Writes down that a lease ran out; False when somebody else did, or it was renewed."""
    if not facts.is_expired(now):
        return False
    try:
        with unit_of_work(system, now) as unit:
            move_apply(unit, facts, "expire", Change(end_reason="expired"))
    except Stale:
        return False
    return True


def leases_end(unit: Unit, holder_id: UUID, reason: str) -> list[str]:
    """Ends every lease of an agent that leaves, in the write in hand; the refs that are free now.

    Raises `Stale` when one of them moved meanwhile; the caller begins again.
    """
    held = Ticket.objects.of(unit.actor.org_id).filter(solver_id=holder_id, claim__isnull=False)
    freed: list[str] = []
    for row in held.order_by("number").values_list(*FACT_COLUMNS):
        facts = Facts._make(row)
        action = "expire" if facts.is_expired(unit.now) else "release"
        move_apply(unit, facts, action, Change(end_reason=reason, data={"why": reason}))
        freed.append(facts.ref)
    return freed
