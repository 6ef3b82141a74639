"""Updates of the holder, and comments of anyone who can read the ticket."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from accounts.models import Actor
from accounts.selectors import scope_require
from stuckbot.lib import ids
from stuckbot.lib.caller import Caller
from stuckbot.lib.content import json_bytes
from stuckbot.lib.errors import invalid_fields
from stuckbot.lib.idempotency import Keep
from stuckbot.lib.models import Content
from stuckbot.lib.rows import rows_insert
from stuckbot.lib.unit import Unit, unit_of_work
from tickets.facts import Facts
from tickets.models import Note
from tickets.rows import facts_hold
from tickets.selectors import facts_get
from tickets.services.claims import holder_require
from tickets.services.findings import findings_follow
from tickets.services.looping import loop_end, talk_look, talk_mark
from tickets.services.moves import Change, move_apply
from tickets.services.texts import value_content
from tickets.states import State

PROGRESS_BYTES: Final = 8192


def update_post(
    *,
    actor: Caller,
    ref: str,
    body: str,
    progress: Mapping[str, Any] | None = None,
    now: datetime,
    keep: Keep | None = None,
) -> Note:
    """A progress note of the holder; the first one moves the ticket from claimed to working."""
    scope_require(actor, "tickets:update")
    if progress is not None and len(json_bytes(progress)) > PROGRESS_BYTES:
        message = f"progress may take {PROGRESS_BYTES:,} bytes as JSON. Shorten it."
        raise invalid_fields([("progress", message)])
    facts = facts_get(actor=actor, ref=ref)
    holder_require(facts, actor, "work", now)
    agents = talk_look(actor, facts, now)
    value = {"body": body, "progress": progress}
    note = _note(facts, actor, "update", value, now)
    with unit_of_work(actor, now, keep) as unit:
        change = Change(event="update_posted", content=note.content, by_claim=True)
        move_apply(unit, facts, work_action(facts), change)
        talk_mark(unit, facts, agents)
        _insert(unit, note)
        unit.result = note
    return note


def work_action(facts: Facts) -> str:
    """The move of a holder's write: the first one starts the work."""
    return "start_work" if facts.state == State.CLAIMED else "work"


def comment_add(
    *, actor: Caller, ref: str, body: str, now: datetime, keep: Keep | None = None
) -> Note:
    """A comment, in any state, by anyone who can read the ticket."""
    scope_require(actor, "tickets:read_project")
    facts = facts_get(actor=actor, ref=ref)
    agents = talk_look(actor, facts, now)
    note = _note(facts, actor, "comment", {"body": body}, now)
    with unit_of_work(actor, now, keep) as unit:
        # A comment needs no version, so who hears of it is read here: one who claimed it this
        # moment holds it now.
        hearing = facts_hold(facts).listeners(unit.now)
        findings_follow(unit, facts.id, facts.creator_id)
        unit.event("comment_added", ticket_id=facts.id, content=note.content, tell=hearing)
        talk_mark(unit, facts, agents)
        if actor.is_person:
            loop_end(unit, facts)
        _insert(unit, note)
        unit.result = note
    return note


def _note(facts: Facts, actor: Caller, kind: str, value: Mapping[str, Any], now: datetime) -> Note:
    return Note(
        id=ids.uuid7(),
        org_id=facts.org_id,
        ticket_id=facts.id,
        kind=kind,
        by=Actor(id=actor.id, org_id=actor.org_id, kind=actor.kind, name=actor.name),
        content=_content(facts, kind, value),
        at=now,
    )


def _content(facts: Facts, kind: str, value: Mapping[str, Any]) -> Content:
    """Body and progress masked as one; a finding in the body is named by the note alone."""
    row = value_content(facts, kind, value, kind)
    body = f"{kind}.body"
    row.findings = tuple(
        replace(one, where=one.where.replace(body, kind, 1)) if one.where.startswith(body) else one
        for one in row.findings
    )
    return row


def _insert(unit: Unit, note: Note) -> None:
    unit.flush_content()
    rows_insert(note)
