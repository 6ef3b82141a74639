"""What a member changes beside the ticket's path: the explanation, urgency, labels, assignee."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from accounts.models import Membership
from accounts.reach import Reach
from accounts.states import Role
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import SECRET_REFUSED, Conflict, invalid_fields
from stuckbot.lib.idempotency import Keep
from stuckbot.lib.masking import looks_secret
from stuckbot.lib.models import Content
from stuckbot.lib.unit import Unit, unit_of_work
from tickets.cards import Card, Who
from tickets.facts import FACT_COLUMNS, Facts
from tickets.models import Ticket
from tickets.selectors import card_of, facts_get
from tickets.services.closing import member_require
from tickets.services.create import assignee_get
from tickets.services.moves import Change, move_apply, move_require
from tickets.services.reserving import reservation_begin, reserved_get
from tickets.services.texts import value_content
from tickets.services.wordsets import tags_drop, tags_restore, wordset_id

#: The parts of the explanation, in the order they are read.
EXPLANATION: Final = ("problem", "impact", "next_step", "outcome")


@dataclass(frozen=True, slots=True)
class Edit:
    """What is to be otherwise; None leaves a part as it is.

    `human_summary` replaces the whole explanation. `assigns` says that `assignee_id` counts, for
    None takes the assignee away; `reserves` likewise of `reserved_for`, the agent it is kept for.
    """

    human_summary: Mapping[str, str] | None = None
    urgency: int | None = None
    labels: Sequence[str] | None = None
    assigns: bool = False
    assignee_id: UUID | None = None
    reserves: bool = False
    reserved_for: UUID | None = None

    @property
    def is_empty(self) -> bool:
        parts = (self.human_summary, self.urgency, self.labels)
        chosen = self.assigns or self.reserves
        return not chosen and all(one is None for one in parts)


def ticket_edit(
    *,
    actor: Caller,
    ref: str,
    edit: Edit,
    version: int,
    now: datetime,
    keep: Keep | None = None,
) -> Facts:
    """A member changes what the ticket says of itself; the explanation of a closed one too.

    409 `state_changed` when the ticket is not in `version` any more, `invalid_transition` for
    anything but the explanation of a closed ticket; 422 `secret_refused` for a label that looks
    like a secret. What stays as it was is not told of.
    """
    facts = facts_get(actor=actor, ref=ref)
    member_require(actor, "edit a ticket")
    _labels_check(edit.labels or ())
    if edit.is_empty:
        message = "Say what to change: human_summary, urgency, labels, assignee or reserved_for."
        raise invalid_fields([("", message)])
    if facts.version != version:
        raise Conflict(
            f"{facts.ref} has changed since version {version}. Read it again, then edit it.",
            code="state_changed",
            details={"version": facts.version},
        )
    settings = edit.urgency is not None or edit.labels is not None
    settings = settings or edit.assigns or edit.reserves
    move_require(facts, "edit" if settings else "explain", now)
    card = card_of(facts.id, facts.org_id)
    summary = _summary(facts, card, edit)
    fields, changed = _fields(actor, card, edit)
    reach = _reach(facts, edit, now)
    if reach is not None or (edit.reserves and facts.reserved_for_id is not None):
        fields["reserved_for_id"] = edit.reserved_for
        changed["reserved_for"] = str(reach.id) if reach else None
    with unit_of_work(actor, now, keep) as unit:
        reservation_begin(unit, facts.id, reach)
        if fields:
            _edit(unit, facts, fields, changed, summary)
        elif summary is not None:
            change = Change(fields={"summary": summary}, content=summary)
            move_apply(unit, facts, "explain", change)
        unit.result = facts
    return facts


def _labels_check(labels: Sequence[str]) -> None:
    """Labels stand outside of free text: masked ones would label nothing."""
    faults = [
        (f"labels[{place}]", f"labels[{place}] looks like a secret. Remove it and rotate it.")
        for place, label in enumerate(labels)
        if looks_secret(label)
    ]
    if faults:
        raise invalid_fields(faults, code=SECRET_REFUSED)


def _summary(facts: Facts, card: Card, edit: Edit) -> Content | None:
    """The new explanation as content; None when it says what it said."""
    if edit.human_summary is None:
        return None
    said = {name: edit.human_summary[name] for name in EXPLANATION if edit.human_summary.get(name)}
    if said == card.human_summary:
        return None
    return value_content(facts, "summary", said, "human_summary")


def _fields(actor: Caller, card: Card, edit: Edit) -> tuple[dict[str, Any], dict[str, Any]]:
    """The columns that change, and what the event tells of them."""
    fields: dict[str, Any] = {}
    told: dict[str, Any] = {}
    if edit.urgency is not None and edit.urgency != card.facts.urgency:
        fields["urgency"] = told["urgency"] = edit.urgency
    if edit.labels is not None and list(dict.fromkeys(edit.labels)) != card.labels:
        told["labels"] = labels = list(dict.fromkeys(edit.labels))
        fields["labelset_id"] = wordset_id(actor.org_id, "labels", labels)
    if edit.assigns and edit.assignee_id != (card.assignee.id if card.assignee else None):
        chosen = assignee_get(actor, edit.assignee_id)
        fields["assignee_id"] = edit.assignee_id
        told["assignee_id"] = str(chosen.id) if chosen else None
    return fields, told


def _reach(facts: Facts, edit: Edit, now: datetime) -> Reach | None:
    """The agent that the ticket is to be kept for from now on; None when nothing of it changes."""
    if not edit.reserves or edit.reserved_for == facts.reserved_for_id:
        return None
    return reserved_get(
        org_id=facts.org_id,
        agent_id=edit.reserved_for,
        project_id=facts.project_id,
        path="reserved_for",
        now=now,
    )


def _edit(
    unit: Unit,
    facts: Facts,
    fields: dict[str, Any],
    told: dict[str, Any],
    summary: Content | None,
) -> None:
    if summary is not None:
        fields = {**fields, "summary": summary}
    hear = (fields.get("assignee_id"), fields.get("reserved_for_id"))
    change = Change(fields=fields, data=told, tell=hear)
    move_apply(unit, facts, "edit", change)
    if summary is not None:
        unit.event(
            "explanation_edited",
            ticket_id=facts.id,
            content=summary,
            tell=facts.listeners(unit.now),
        )
    if "urgency" in told or "labels" in told:
        tags_drop(facts)
        tags_restore(facts)


def assignments_end(unit: Unit, assignee_id: UUID) -> list[str]:
    """Takes a member who goes from every open ticket they look after, in the write in hand.

    Closed ones keep the name. Raises `Stale` when one moved meanwhile; the caller begins again.
    """
    theirs = Ticket.objects.of(unit.actor.org_id).filter(assignee_id=assignee_id, closed_at=None)
    taken: list[str] = []
    for row in theirs.order_by("number").values_list(*FACT_COLUMNS):
        facts = Facts._make(row)
        change = Change(fields={"assignee_id": None}, data={"assignee_id": None})
        move_apply(unit, facts, "edit", change)
        taken.append(facts.ref)
    return taken


def assignable(actor: Caller) -> list[Who]:
    """The people of the org that a ticket can be assigned to, by name."""
    members = Membership.objects.of(actor.org_id).exclude(role=Role.VIEWER)
    rows = members.order_by("actor__name", "id").values_list(
        "actor_id", "actor__kind", "actor__name"
    )
    return [Who(*row) for row in rows]
