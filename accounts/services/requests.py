"""What an agent is asked for: to hand off what it holds, or to stop.

One request of a kind is open at a time. It stands on the agent's row as it goes over the wire, so
that a poll reads it with the sign-in, and never changes while it is open: a client tells its user
of each request once, by its text. An agent that was told to stop takes nothing new until a person
lets it go on, also once it has answered.
"""

from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import F

from accounts.models import Agent, AgentRequest
from accounts.states import RequestEnd, RequestKind, RequestReason
from stuckbot.lib import content, ids
from stuckbot.lib.clock import wire
from stuckbot.lib.masking import Masked, mask_text
from stuckbot.lib.rows import rows_insert
from stuckbot.lib.unit import Unit

MESSAGE_MOST: Final = 5_000
_COLUMN: Final = {
    RequestKind.HANDOFF: "handoff_request",
    RequestKind.STOP: "stop_request",
}


def request_shown(stored: Any) -> dict[str, Any] | None:
    """A request as it goes over the wire, the very same bytes wherever it is shown."""
    if not stored:
        return None
    names = ("id", "reason", "requested_at", "ticket_id", "content")
    return {name: stored[name] for name in names}


def request_make(
    unit: Unit,
    agent_id: UUID,
    kind: str,
    reason: str,
    message: Masked | str,
    ticket_id: UUID | None,
    now: datetime,
) -> bool:
    """Asks an agent, in the write in hand; False when it is asked for that already, or is gone.

    A person's words take the place of what the desk asked for; nothing takes the place of theirs.
    `ticket_id` names the ticket that a handoff is about; a stop is about the agent.
    """
    agent = _locked(unit, agent_id)
    if agent is None or agent.retired_at is not None:
        return False
    kind = RequestKind(kind)
    open_now = getattr(agent, _COLUMN[kind])
    if open_now:
        by_person = RequestReason.PERSON
        if reason != by_person or open_now["reason"] == by_person:
            return False
        _end(unit, agent_id, kind, open_now, RequestEnd.REPLACED, None)
    row, shown = _row(unit, agent, kind, reason, message, ticket_id, now)
    change: dict[str, Any] = {_COLUMN[kind]: shown, "flags_version": F("flags_version") + 1}
    if kind == RequestKind.STOP:
        change["stopped_at"] = agent.stopped_at or now
    Agent.objects.of(unit.actor.org_id).filter(id=agent_id).update(**change)
    unit.event(
        f"{kind}_requested",
        ticket_id=ticket_id,
        data={"agent_id": str(agent_id), "agent": agent.name, "reason": reason},
        content_id=row.message_id,
    )
    return True


def requests_acknowledge(unit: Unit, agent_id: UUID, by: str, ticket_id: UUID | None) -> None:
    """Ends what an agent was asked for, in the write by which it answers.

    `by` is handoff, escalate, release or retire. A request that names a ticket is answered by what
    happens to that one, or by retiring. Whoever asked hears of it.
    """
    for kind, asked in _open(unit, agent_id):
        named = asked["ticket_id"]
        if by == RequestEnd.RETIRE or named in (None, str(ticket_id)):
            _answered(unit, agent_id, kind, asked, RequestEnd(by), ticket_id)


def requests_withdraw(unit: Unit, agent_id: UUID, kinds: frozenset[RequestKind]) -> list[str]:
    """Takes back what an agent was asked for and has not answered; what was open.

    Taking back a stop, answered or not, lets the agent take work again.
    """
    agent = _locked(unit, agent_id)
    if agent is None:
        return []
    ended = []
    for kind, asked in _open(unit, agent_id):
        if kind in kinds:
            _end(unit, agent_id, kind, asked, RequestEnd.WITHDRAWN, None)
            ended.append(str(kind))
    if RequestKind.STOP in kinds and agent.stopped_at is not None:
        Agent.objects.of(unit.actor.org_id).filter(id=agent_id).update(
            stopped_at=None, flags_version=F("flags_version") + 1
        )
        if str(RequestKind.STOP) not in ended:
            ended.append(str(RequestKind.STOP))
    return ended


def handoff_moot(unit: Unit, agent_id: UUID, ticket_id: UUID) -> None:
    """Ends the wish for a handoff of a ticket that has left the agent's hands another way."""
    for kind, asked in _open(unit, agent_id):
        if kind == RequestKind.HANDOFF and asked["ticket_id"] == str(ticket_id):
            _end(unit, agent_id, kind, asked, RequestEnd.MOVED_ON, ticket_id)


def requests_now(*, org_id: UUID, agent_id: UUID) -> dict[str, dict[str, Any] | None]:
    """What an agent is asked for at this moment, by kind, as it goes over the wire."""
    rows = Agent.objects.of(org_id).filter(id=agent_id).values_list(*_COLUMN.values())
    return {
        str(kind): request_shown(asked) for kind, asked in zip(_COLUMN, rows.get(), strict=True)
    }


def _locked(unit: Unit, agent_id: UUID) -> Agent | None:
    """The agent's row; who else asks it, or retires it, waits for the end of this write."""
    rows = Agent.objects.of(unit.actor.org_id).filter(id=agent_id)
    return rows.select_for_update(no_key=True).first()


def _row(
    unit: Unit,
    agent: Agent,
    kind: RequestKind,
    reason: str,
    message: Masked | str,
    ticket_id: UUID | None,
    now: datetime,
) -> tuple[AgentRequest, dict[str, Any]]:
    """The row of a new request, and how it goes over the wire."""
    masked = message if isinstance(message, Masked) else mask_text(message)
    body = content.prepare(org_id=agent.org_id, kind="message", body=masked, root_id=None)
    unit.store(body)
    unit.flush_content()
    row = AgentRequest(
        id=ids.uuid7(),
        org_id=agent.org_id,
        agent_id=agent.id,
        kind=kind,
        reason=reason,
        ticket_id=ticket_id,
        message_id=body.id,
        requested_by_id=unit.actor.id,
        requested_at=now,
    )
    rows_insert(row)
    shown = {
        "id": str(row.id),
        "reason": str(reason),
        "requested_at": wire(now),
        "ticket_id": None if ticket_id is None else str(ticket_id),
        "content": {"message": masked.text},
    }
    return row, shown


def _open(unit: Unit, agent_id: UUID) -> list[tuple[RequestKind, dict[str, Any]]]:
    """What the agent is asked for now, in one look at its row. It is held before the requests'
    rows are, by everybody."""
    rows = Agent.objects.of(unit.actor.org_id).filter(id=agent_id)
    found = rows.select_for_update(no_key=True).values_list(*_COLUMN.values()).first() or ()
    return [(kind, asked) for kind, asked in zip(_COLUMN, found, strict=False) if asked]


def _answered(
    unit: Unit,
    agent_id: UUID,
    kind: RequestKind,
    asked: dict[str, Any],
    by: RequestEnd,
    ticket_id: UUID | None,
) -> None:
    asked_by = _end(unit, agent_id, kind, asked, by, ticket_id)
    if asked_by is None:
        return
    unit.event(
        "request_acknowledged",
        ticket_id=ticket_id,
        data={"agent_id": str(agent_id), "kind": str(kind), "by": str(by)},
        # An inbox is of tickets: an answer that is about none stands on the agent's page alone.
        tell=(asked_by,) if ticket_id else (),
    )


def _end(
    unit: Unit,
    agent_id: UUID,
    kind: RequestKind,
    asked: dict[str, Any],
    by: RequestEnd,
    ticket_id: UUID | None,
) -> UUID | None:
    """Ends the request that was read as `asked`, and none that took its place meanwhile; who had
    asked, None when a twin was faster."""
    rows = AgentRequest.objects.of(unit.actor.org_id).filter(
        id=asked["id"], agent_id=agent_id, kind=kind, ended_at=None
    )
    asked_by = rows.values_list("requested_by_id", flat=True).first()
    if rows.update(ended_at=unit.now, ended_by=by, ended_ticket_id=ticket_id) != 1:
        return None
    Agent.objects.of(unit.actor.org_id).filter(id=agent_id).update(
        **{_COLUMN[kind]: None}, flags_version=F("flags_version") + 1
    )
    return asked_by
