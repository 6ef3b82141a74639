"""Signals: what agents say of themselves, and what the desk noticed of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from accounts.models import Agent, Signal
from stuckbot.lib import content, ids
from stuckbot.lib.caller import Caller
from stuckbot.lib.clock import wire
from stuckbot.lib.content import value_of
from stuckbot.lib.masking import mask_value
from stuckbot.lib.models import Content
from stuckbot.lib.rows import rows_insert
from stuckbot.lib.unit import Unit

#: What `details` of a signal may take, as JSON.
DETAILS_BYTES: Final = 16_384


@dataclass(frozen=True, slots=True)
class Noticed:
    """A signal as it is shown; `details` is masked JSON, None where none were given."""

    id: UUID
    type: str
    at: datetime
    ticket_id: UUID | None
    details: dict[str, Any] | None


def details_content(
    org_id: UUID, details: Mapping[str, Any], *, root_id: UUID | None, about: UUID | None
) -> Content:
    """The content row of a signal's details; `about` is the ticket that keeps the findings."""
    body = mask_value({"details": details}, "signal")
    return content.prepare(org_id=org_id, kind="signal", body=body, root_id=root_id, about=about)


def signal_add(
    unit: Unit,
    *,
    agent_id: UUID,
    type: str,
    details: Content | None,
    ticket_id: UUID | None = None,
    cause: str | None = None,
    told: bool = True,
) -> Signal:
    """Adds a signal of an agent in the write in hand, and says so unless `told` is False."""
    if details is not None:
        unit.store(details)
        unit.flush_content()
    row = Signal(
        id=ids.uuid7(),
        org_id=unit.actor.org_id,
        agent_id=agent_id,
        type=type,
        at=unit.now,
        ticket_id=ticket_id,
        details=details,
        cause=cause,
    )
    rows_insert(row)
    if told:
        content_id = details.id if details is not None else None
        signal_tell(unit, row, ticket_id=ticket_id, content_id=content_id)
    return row


def signal_tell(unit: Unit, signal: Signal, *, ticket_id: UUID | None, **more: Any) -> None:
    """Says on a ticket, or on none, that the signal was raised."""
    data = {
        "signal_id": str(signal.id),
        "type": str(signal.type),
        "agent_id": str(signal.agent_id),
    }
    unit.event("signal_raised", ticket_id=ticket_id, data=data, **more)


def causes_known(org_id: UUID, agent_id: UUID, causes: list[str]) -> set[str]:
    """Those of the causes that raised a signal of the agent already."""
    rows = Signal.objects.of(org_id).filter(agent_id=agent_id, cause__in=causes)
    return {cause for cause in rows.values_list("cause", flat=True) if cause}


def signals_list(*, actor: Caller, limit: int) -> list[Noticed]:
    """The calling agent's signals, newest first."""
    return signals_of(org_id=actor.org_id, agent_id=actor.id, limit=limit)


def signals_of(*, org_id: UUID, agent_id: UUID, limit: int) -> list[Noticed]:
    """An agent's signals, newest first."""
    rows = Signal.objects.of(org_id).filter(agent_id=agent_id).select_related("details")
    return [noticed_of(row) for row in rows.order_by("-at", "-id")[:limit]]


def noticed_of(row: Signal) -> Noticed:
    stored = row.details
    value = value_of(stored.bytes, stored.key_id) if stored is not None else None
    return Noticed(row.id, row.type, row.at, row.ticket_id, (value or {}).get("details"))


def signal_shown(noticed: Noticed) -> dict[str, Any]:
    """A signal as it goes over the wire."""
    return {
        "id": str(noticed.id),
        "type": str(noticed.type),
        "at": wire(noticed.at),
        "ticket_id": str(noticed.ticket_id) if noticed.ticket_id else None,
        "content": {"details": noticed.details},
    }


def agent_lock(unit: Unit, agent_id: UUID) -> Agent | None:
    """The agent's row, for the rest of this write: what follows from it happens once."""
    rows = Agent.objects.of(unit.actor.org_id).filter(id=agent_id, retired_at=None)
    return rows.select_for_update(no_key=True).first()
