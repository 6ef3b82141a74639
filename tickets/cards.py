"""A ticket with what a person or agent sees of it first: one row, one read, plain data."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import QuerySet

from stuckbot.lib.content import text_of, value_of
from tickets.facts import FACT_COLUMNS, Facts
from tickets.models import Ticket


class Who(NamedTuple):
    """An actor as shown: `{id, kind, name}`."""

    id: UUID
    kind: str
    name: str


class Card(NamedTuple):
    """A ticket's facts with the names and texts of its summary."""

    facts: Facts
    project_name: str
    creator: Who
    solver: Who | None
    assignee: Who | None
    paused_by: str | None
    labels: list[str]
    skills: list[str]
    title: str
    human_summary: dict[str, str] | None
    blocked_reason: str | None
    resolution: dict[str, Any] | None
    claim_started_at: datetime | None
    execution_target: str | None
    conversation: dict[str, Any] | None


_WHO = ("id", "kind", "name")
_EXTRA: tuple[str, ...] = (
    "project__name",
    *(f"creator__{name}" for name in _WHO),
    *(f"solver__{name}" for name in _WHO),
    *(f"assignee__{name}" for name in _WHO),
    "paused_by__name",
    "labelset__words",
    "skillset__words",
    "title__bytes",
    "title__key_id",
    "summary__bytes",
    "summary__key_id",
    "blocked_reason__bytes",
    "blocked_reason__key_id",
    "resolution__bytes",
    "resolution__key_id",
    "claim__started_at",
    "claim__execution_target",
    "claim__conversation",
)
_COLUMNS = (*FACT_COLUMNS, *_EXTRA)
_FACTS = len(FACT_COLUMNS)


def cards_read(tickets: QuerySet[Ticket]) -> list[Card]:
    """The cards of a query, in its order, in one statement."""
    return [_card(row) for row in tickets.values_list(*_COLUMNS)]


def _card(row: tuple[Any, ...]) -> Card:
    extra = row[_FACTS:]
    return Card(
        facts=Facts._make(row[:_FACTS]),
        project_name=extra[0],
        creator=Who._make(extra[1:4]),
        solver=_who(extra[4:7]),
        assignee=_who(extra[7:10]),
        paused_by=extra[10],
        labels=extra[11] or [],
        skills=extra[12] or [],
        title=text_of(*extra[13:15]),
        human_summary=value_of(*extra[15:17]),
        blocked_reason=None if extra[17] is None else text_of(*extra[17:19]),
        resolution=value_of(*extra[19:21]),
        claim_started_at=extra[21],
        execution_target=extra[22],
        conversation=extra[23],
    )


def _who(part: Iterable[Any]) -> Who | None:
    id_, kind, name = part
    return None if id_ is None else Who(id_, kind, name)
