"""Handing a ticket on: the holder lets it go to a child with a fresh package."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from accounts.reach import Reach, agent_hold
from accounts.selectors import scope_require
from accounts.services.requests import requests_acknowledge
from accounts.states import RequestEnd
from stuckbot.lib import ids
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Invalid, Missing, Stale
from stuckbot.lib.idempotency import Keep
from stuckbot.lib.models import Content
from stuckbot.lib.unit import Unit, unit_of_work
from tickets.cards import Who
from tickets.facts import Facts, offer_time, own_red
from tickets.models import Ticket
from tickets.selectors import facts_get
from tickets.services.claims import holder_require, still_here
from tickets.services.create import Prepared, package_contents, ticket_create_in, ticket_row
from tickets.services.intake import Intake, package_take
from tickets.services.moves import Change, move_apply, move_require
from tickets.services.reserving import reserved_get
from tickets.services.texts import text_content
from tickets.services.wordsets import tags_drop
from tickets.states import State


@dataclass(frozen=True, slots=True)
class HandedOn:
    """A ticket that was handed on, as it was read before, and the child that carries on."""

    parent: Facts
    child: Ticket


@dataclass(frozen=True, slots=True)
class _Handing:
    """What a handoff is made of, ready before the transaction."""

    parent: Ticket
    intake: Intake
    reason: Content | None
    reach: Reach | None


def ticket_handoff(
    *,
    actor: Caller,
    ref: str,
    package: object,
    reason: str | None = None,
    for_agent: UUID | None = None,
    now: datetime,
    keep: Keep | None = None,
) -> HandedOn:
    """The holder hands the ticket on to a child that carries on; its own lease ends.

    A package that is refused (422, 413) leaves the ticket leased and everything as it was. 404 when
    `for_agent` is no agent of the org that reads the project, 409 to anybody but the holder.
    """
    scope_require(actor, "handoff:create")
    facts = facts_get(actor=actor, ref=ref)
    intake = package_take(package)
    holder_require(facts, actor, "handoff", now)
    move_require(facts, "handoff", now)
    reach = reserved_get(
        org_id=actor.org_id,
        agent_id=for_agent,
        project_id=facts.project_id,
        path="for_agent",
        now=now,
    )
    parent = _parent(facts)
    kept = reach or _kept(facts, actor, now)
    body = text_content(facts, "reason", reason, "handoff.reason")
    handing = _Handing(parent, _filled(intake, parent), body, kept)
    prepared = _child(actor, facts, handing, now)
    with unit_of_work(actor, now, keep) as unit:
        _rows_hold(actor, kept)
        unit.result = _hand_on(unit, facts, handing, prepared)
    handed: HandedOn = unit.result
    return handed


def _rows_hold(actor: Caller, kept: Reach | None) -> None:
    """Holds the rows of who hands on and of whom it is kept for, in the order of their ids: of two
    that hand on to each other one waits, and not each for the other."""
    if kept is not None and actor.is_agent and kept.id < actor.id:
        agent_hold(actor.org_id, kept.id)
    still_here(actor, answers=True)


def _parent(facts: Facts) -> Ticket:
    """The whole row. The facts guard the move: what was read later must be of the same version."""
    rows = Ticket.objects.of(facts.org_id).select_related(
        "labelset", "skillset", "project", "assignee"
    )
    parent = rows.get(id=facts.id)
    if parent.version != facts.version:
        raise Stale
    return parent


def _kept(facts: Facts, actor: Caller, now: datetime) -> Reach | None:
    """For whom somebody kept the ticket while it was held; not for whoever now lets it go."""
    if facts.reserved_for_id in (None, actor.id):
        return None
    try:
        return reserved_get(
            org_id=facts.org_id,
            agent_id=facts.reserved_for_id,
            project_id=facts.project_id,
            path="for_agent",
            now=now,
        )
    except (Missing, Invalid):
        return None


def _filled(intake: Intake, parent: Ticket) -> Intake:
    """What the package leaves out of urgency, labels and skills stays as it was on the parent."""
    sent, checked = intake.package, intake.checked
    changes: dict[str, Any] = {}
    if "urgency" not in sent:
        changes["urgency"] = parent.urgency
    if "labels" not in sent and parent.labelset is not None:
        changes["labels"] = tuple(parent.labelset.words)
    if "required_skills" not in sent and parent.skillset is not None:
        changes["required_skills"] = tuple(parent.skillset.words)
    return replace(intake, checked=replace(checked, **changes)) if changes else intake


def _child(actor: Caller, facts: Facts, handing: _Handing, now: datetime) -> Prepared:
    intake, parent = handing.intake, handing.parent
    child_id = ids.uuid7()
    draft = package_contents(facts.org_id, facts.root_id, child_id, intake)
    child = ticket_row(actor, child_id, intake.checked, draft, now)
    child.project_id = facts.project_id
    child.root_id, child.parent_id, child.depth = facts.root_id, facts.id, facts.depth + 1
    child.reserved_for_id = handing.reach.id if handing.reach else None
    child.handoff_reason = handing.reason
    _carry_open_matters(parent, child, now)
    who = Who(actor.id, actor.kind, actor.name)
    assignee = parent.assignee
    looks = None if assignee is None else Who(assignee.id, assignee.kind, assignee.name)
    return Prepared(child, intake, draft, parent.project, who, looks, handing.reach, facts.ref)


def _carry_open_matters(parent: Ticket, child: Ticket, now: datetime) -> None:
    """What is open on the parent and would be lost with it goes on with the child.

    Whatever else a ticket waits for (questions that gate it, tickets that it depends on) is to be
    carried along here.
    """
    child.blocked_since = parent.blocked_since
    child.blocked_reason_id = parent.blocked_reason_id
    child.assignee_id = parent.assignee_id
    child.paused_at = parent.paused_at
    child.paused_by_id = parent.paused_by_id
    child.pause_reason_id = parent.pause_reason_id
    child.own_red = own_red(
        state=State.OPEN,
        blocked=child.blocked_since is not None,
        waits_for="",
        gating_asks=child.gating_asks,
        paused=child.paused_at is not None,
        incomplete=False,
    )
    child.offer_at = offer_time(
        state=State.OPEN, mode=child.mode, red=child.own_red, lease_until=None, now=now
    )


def _hand_on(unit: Unit, facts: Facts, handing: _Handing, prepared: Prepared) -> HandedOn:
    child = prepared.ticket
    # The number is not known before the end of the write: it is filled in where events are kept.
    named = {"id": str(child.id), "ref": ""}
    change = Change(
        content=handing.reason,
        end_reason="handed_off",
        data={"child": named},
        tell=(child.reserved_for_id,),
    )
    move_apply(unit, facts, "handoff", change)
    tags_drop(facts)
    ticket_create_in(unit, prepared)

    def name_child(_seq: int) -> None:
        named["ref"] = f"SB-{child.number}"

    unit.ordered(name_child)
    if unit.actor.is_agent:
        requests_acknowledge(unit, unit.actor.id, RequestEnd.HANDOFF, facts.id)
    return HandedOn(facts, child)
