"""A ticket's facts by a hand-written statement: every call on a ticket begins with it."""

from typing import Any, Final
from uuid import UUID

from django.db import connection

from stuckbot.lib import sql
from tickets.facts import Facts

FACT_COLUMNS_SQL: Final = ", ".join(
    "p.paused_at" if name == "project_paused_at" else f"t.{name}" for name in Facts._fields
)
TICKETS_SQL: Final = "tickets_ticket t JOIN accounts_project p ON p.id = t.project_id"
_BY: Final = {
    column: f"SELECT {FACT_COLUMNS_SQL} FROM {TICKETS_SQL}"  # noqa: S608
    f" WHERE t.org_id = %s AND t.{column} = %s"
    for column in ("id", "number")
}

_UUIDS: Final = tuple(
    place for place, name in enumerate(Facts._fields) if name == "id" or name.endswith("_id")
)
_TIMES: Final = tuple(
    place for place, name in enumerate(Facts._fields) if name.endswith(("_at", "_until", "_since"))
)
_FLAGS: Final = tuple(
    map(Facts._fields.index, ("incomplete", "bar_fixed", "ever_claimed", "proven"))
)


def facts_read(org_id: UUID, column: str, value: UUID | int) -> Facts | None:
    """The facts of the org's ticket of that `id` or `number`."""
    sought = sql.uuid(value) if isinstance(value, UUID) else value
    with connection.cursor() as cursor:
        cursor.execute(_BY[column], [sql.uuid(org_id), sought])
        row = cursor.fetchone()
    return None if row is None else facts_of(row)


def facts_hold(facts: Facts) -> Facts:
    """The same ticket as it stands in the write in hand, and until its end: whoever moves it
    meanwhile either is seen, or waits and sees what this write says."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(_HOLD, [sql.uuid(facts.org_id), sql.uuid(facts.id)])
    return facts_read(facts.org_id, "id", facts.id) or facts


#: No weaker lock: two writers that hold one and then change the row would wait for each other.
_HOLD: Final = "SELECT 1 FROM tickets_ticket WHERE org_id = %s AND id = %s FOR NO KEY UPDATE"


def facts_of(row: tuple[Any, ...]) -> Facts:
    """The facts in a row of `FACT_COLUMNS_SQL`."""
    values = list(row)
    for place in _UUIDS:
        values[place] = sql.to_uuid(values[place])
    for place in _TIMES:
        values[place] = sql.to_time(values[place])
    for place in _FLAGS:
        values[place] = bool(values[place])
    return Facts._make(values)
