"""The ways a ticket leaves its path: escalate, withdraw, close, and the ways back."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import connection
from django.db.models import Exists, OuterRef, Q

from accounts.models import Actor, Agent, Membership
from accounts.selectors import scope_require
from accounts.services.requests import requests_acknowledge
from accounts.states import RequestEnd, Role
from policy.resolve import policy_resolve
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Forbidden
from stuckbot.lib.idempotency import Keep
from stuckbot.lib.models import Content
from stuckbot.lib.rows import ONE_MORE
from stuckbot.lib.unit import Unit, unit_of_work
from tickets.facts import Facts
from tickets.models import Ticket
from tickets.selectors import facts_get
from tickets.services.claims import holder_require, still_here
from tickets.services.looping import talk_look, talk_mark
from tickets.services.moves import Change, move_apply, move_require, transition_refuse
from tickets.services.reserving import reservation_fields
from tickets.services.texts import text_content, value_content
from tickets.services.wordsets import tags_drop, tags_restore
from tickets.states import State, has_task_stage


def ticket_escalate(
    *, actor: Caller, ref: str, reason: str, now: datetime, keep: Keep | None = None
) -> Facts:
    """The holder asks a person to step in; the lease ends."""
    scope_require(actor, "tickets:update")
    facts = facts_get(actor=actor, ref=ref)
    holder_require(facts, actor, "escalate", now)
    reason_row = text_content(facts, "reason", reason, "escalate.reason")
    change = Change(content=reason_row, end_reason="escalated")
    with unit_of_work(actor, now, keep) as unit:
        if actor.is_agent:
            still_here(actor, answers=True)
        move_apply(unit, facts, "escalate", change)
        if actor.is_agent:
            requests_acknowledge(unit, actor.id, RequestEnd.ESCALATE, facts.id)
        unit.result = facts
    return facts


def ticket_withdraw(
    *,
    actor: Caller,
    ref: str,
    reason: str | None = None,
    now: datetime,
    keep: Keep | None = None,
) -> Facts:
    """Its creator takes an open ticket back."""
    scope_require(actor, "tickets:create")
    facts = facts_get(actor=actor, ref=ref)
    if facts.creator_id != actor.id:
        raise Forbidden(f"Only its creator can withdraw {facts.ref}.")
    change = Change(content=text_content(facts, "reason", reason, "withdraw.reason"))
    return leave(actor, facts, "withdraw", change, now, keep, closes=True)


def close_prepare(
    *, actor: Caller, ref: str, outcome: str | None, now: datetime
) -> tuple[Facts, Change]:
    """The plain part of closing: who may, and what the move carries.

    A member closes any ticket; an agent its own that nobody holds. Without an approved stage the
    close is recorded with assurance `none`.
    """
    scope_require(actor, "tickets:update")
    facts = facts_get(actor=actor, ref=ref)
    if not actor.is_person:
        _agent_may_close(actor, facts, now)
    move_require(facts, "close", now)
    body = _outcome(facts, outcome)
    fields: dict[str, Any] = {"waits_for": ""}
    if not facts.proven:
        fields["assurance"] = "none"
    if body is not None:
        fields["resolution"] = body
    change = Change(
        content=body,
        end_reason="ended_by_person" if actor.is_person else "released",
        fields=fields,
        data={"assurance": facts.assurance if facts.proven else "none"},
    )
    return facts, change


def _agent_may_close(actor: Caller, facts: Facts, now: datetime) -> None:
    if facts.creator_id != actor.id:
        raise Forbidden(f"An agent closes only its own tickets. {facts.ref} is somebody else's.")
    state = facts.state_at(now)
    if state not in (State.OPEN, State.BLOCKER_RESOLVED):
        raise transition_refuse(
            facts, now, f"{facts.ref} is {state}. Its creator can close it while nobody holds it."
        )


def _outcome(facts: Facts, outcome: str | None) -> Content | None:
    if outcome is None or not outcome.strip():
        return None
    return value_content(facts, "resolution", {"outcome": outcome}, "close")


def ticket_reopen(*, actor: Caller, ref: str, now: datetime, keep: Keep | None = None) -> Facts:
    """Its creator or a member opens a closed ticket again: a new attempt, nothing blocked, no
    rejections yet."""
    scope_require(actor, "tickets:update")
    facts = facts_get(actor=actor, ref=ref)
    if not actor.is_person and facts.creator_id != actor.id:
        raise Forbidden(f"Only its creator or a person can reopen {facts.ref}.")
    if facts.state == State.HANDED_OFF:
        refused = transition_refuse(facts, now, f"{facts.ref} was handed on. Reopen its tip.")
        refused.details["tip"] = _tip(facts)
        raise refused
    agents = talk_look(actor, facts, now)
    task = facts.proven and has_task_stage(facts.mode)
    change = Change(
        fields={
            "attempt": ONE_MORE,
            "rejections_from": facts.attempt + 1,
            "blocked_since": None,
            "blocked_reason": None,
            "resolution": None,
            "assurance": facts.assurance if task else "",
            "proven": task,
            **reservation_fields(facts),
        },
    )
    with unit_of_work(actor, now, keep) as unit:
        move_apply(unit, facts, "reopen_task" if task else "reopen", change)
        talk_mark(unit, facts, agents)
        tags_restore(facts)
        unit.result = facts
    return facts


def _tip(facts: Facts) -> str:
    """The newest ticket of the chain: the one that carries on what was handed off."""
    chain = Ticket.objects.of(facts.org_id).filter(root_id=facts.root_id)
    number = chain.order_by("-depth", "-number").values_list("number", flat=True)[0]
    return f"SB-{number}"


def ticket_pause(
    *,
    actor: Caller,
    ref: str,
    reason: str | None = None,
    now: datetime,
    keep: Keep | None = None,
) -> Facts:
    """A member keeps a ticket from being offered or claimed; leases that run go on."""
    facts = facts_get(actor=actor, ref=ref)
    member_require(actor, "pause a ticket")
    body = text_content(facts, "reason", reason, "pause.reason")
    change = Change(
        fields={
            "paused_at": facts.paused_at or now,
            "paused_by_id": actor.id,
            "pause_reason": body,
        },
        content=body,
    )
    return leave(actor, facts, "pause", change, now, keep)


def ticket_resume(*, actor: Caller, ref: str, now: datetime, keep: Keep | None = None) -> Facts:
    facts = facts_get(actor=actor, ref=ref)
    member_require(actor, "resume a ticket")
    change = Change(fields={"paused_at": None, "paused_by_id": None, "pause_reason": None})
    return leave(actor, facts, "resume", change, now, keep)


def ticket_block(
    *, actor: Caller, ref: str, reason: str, now: datetime, keep: Keep | None = None
) -> Facts:
    """Creator, holder or a member declares that it is blocked on a person."""
    facts = _block_allowed(actor, ref, now)
    agents = talk_look(actor, facts, now)
    body = text_content(facts, "blocked_reason", reason, "blocked_reason")
    change = Change(fields={"blocked_since": now, "blocked_reason": body}, content=body)
    return leave(actor, facts, "block", change, now, keep, talking=agents)


def ticket_unblock(*, actor: Caller, ref: str, now: datetime, keep: Keep | None = None) -> Facts:
    facts = _block_allowed(actor, ref, now)
    agents = talk_look(actor, facts, now)
    change = Change(fields={"blocked_since": None, "blocked_reason": None})
    return leave(actor, facts, "unblock", change, now, keep, talking=agents)


def _block_allowed(actor: Caller, ref: str, now: datetime) -> Facts:
    scope_require(actor, "tickets:update")
    facts = facts_get(actor=actor, ref=ref)
    if not actor.is_person and actor.id not in (facts.creator_id, facts.holder(now)):
        raise Forbidden(f"Only its creator, its holder or a person can do this to {facts.ref}.")
    return facts


def ticket_send_back(
    *,
    actor: Caller,
    ref: str,
    note: str,
    to_solver: bool = False,
    now: datetime,
    keep: Keep | None = None,
) -> Facts:
    """A member sends a ticket that needs a person back to work: a new attempt, no rejections yet.

    To everybody, or to its solver with a fresh lease; to everybody too when that agent is gone.
    """
    facts = facts_get(actor=actor, ref=ref)
    member_require(actor, "send a ticket back")
    move_require(facts, "send_back", now)
    task = facts.proven and has_task_stage(facts.mode)
    action = "send_back_task" if task else "send_back"
    solver = facts.solver_id if to_solver and solver_is_here(facts) else None
    if solver is not None:
        action = "send_back_solver_task" if task else "send_back_solver"
    change = Change(
        content=text_content(facts, "note", note, "send_back.note"),
        fields={"attempt": ONE_MORE, "rejections_from": facts.attempt + 1},
        holder_id=solver,
        lease_seconds=default_lease(actor, facts) if solver else 0,
    )
    return leave(actor, facts, action, change, now, keep)


def ticket_take_over(*, actor: Caller, ref: str, now: datetime, keep: Keep | None = None) -> Facts:
    """A member takes a ticket that needs a person into their own hands: a new attempt, for what
    was rejected last proves nothing, whoever solved it."""
    facts = facts_get(actor=actor, ref=ref)
    member_require(actor, "take a ticket over")
    move_require(facts, "take_over", now)
    task = facts.proven and has_task_stage(facts.mode)
    change = Change(
        holder_id=actor.id,
        lease_seconds=default_lease(actor, facts),
        fields={"attempt": ONE_MORE, **reservation_fields(facts)},
    )
    action = "take_over_task" if task else "take_over"
    return leave(actor, facts, action, change, now, keep)


def solver_is_here(facts: Facts) -> bool:
    """The solver can take the ticket up again: a member who may act, or an agent that has not
    retired and whose connector is not locked out."""
    if facts.solver_id is None:
        return False
    agents = Agent.objects.of(facts.org_id).filter(retired_at=None)
    live = agents.filter(Q(connector=None) | Q(connector__disabled_at=None))
    members = Membership.objects.of(facts.org_id).exclude(role=Role.VIEWER)
    solver = Actor.objects.of(facts.org_id).filter(id=facts.solver_id)
    is_live = Exists(live.filter(id=OuterRef("id")))
    is_member = Exists(members.filter(actor=OuterRef("id"), user__is_active=True))
    return solver.filter(is_live | is_member).exists()


def solver_hold(facts: Facts) -> bool:
    """Likewise, in a transaction: whoever retires the solver meanwhile waits for its end."""
    if connection.vendor == "postgresql" and facts.solver_id is not None:
        with connection.cursor() as cursor:
            cursor.execute(_SOLVER, [facts.org_id, facts.solver_id])
    return solver_is_here(facts)


_SOLVER: Final = "SELECT 1 FROM accounts_agent WHERE org_id = %s AND id = %s FOR SHARE"


def default_lease(actor: Caller, facts: Facts) -> int:
    policy = policy_resolve(
        org_id=actor.org_id,
        version=actor.policy_version,
        project_id=facts.project_id,
        connector_id=None,
    )
    return 60 * policy.lease_minutes


def member_require(actor: Caller, act: str) -> None:
    if not actor.is_member:
        raise Forbidden(f"Only an owner, admin or member can {act}.")


def leave(
    actor: Caller,
    facts: Facts,
    action: str,
    change: Change,
    now: datetime,
    keep: Keep | None,
    *,
    closes: bool = False,
    talking: Collection[UUID] = (),
) -> Facts:
    with unit_of_work(actor, now, keep) as unit:
        _store_fields(unit, change)
        move_apply(unit, facts, action, change)
        talk_mark(unit, facts, {*talking})
        if closes:
            tags_drop(facts)
        unit.result = facts
    return facts


def _store_fields(unit: Unit, change: Change) -> None:
    """Content that a column points at goes in before the update that points at it."""
    rows = [one for one in change.fields.values() if isinstance(one, Content)]
    unit.store(*[one for one in rows if one is not change.content])
