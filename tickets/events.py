"""Events as they go over the wire: one statement with the actor's name and the text."""

from typing import Any
from uuid import UUID

from django.db import connection

from stuckbot.lib import sql
from stuckbot.lib.clock import wire
from stuckbot.lib.content import text_of, value_of
from stuckbot.lib.models import HANDOVER_EVENTS
from tickets.answers import answer_read

PAGE = 200
#: Above the id of any event.
_PAST_ALL = 2**63 - 1
#: Content kinds that hold JSON; the rest is text.
_VALUES = frozenset({"update", "comment", "resolution", "evidence", "package", "summary", "signal"})

_SELECT = """
SELECT e.seq, e.ticket_id, e.type, e.at, e.data, a.id, a.kind, a.name,
 c.kind, c.bytes, c.key_id, s.bytes, s.key_id
FROM {source}
JOIN accounts_actor a ON a.id = e.actor_id
LEFT JOIN core_content c ON c.id = e.content_id
LEFT JOIN core_content s ON s.id = e.answer_id
WHERE {where}
ORDER BY e.seq LIMIT %s
"""
_OF_TICKET = _SELECT.format(
    source="core_event e", where="e.org_id = %s AND e.ticket_id = %s AND e.seq > %s"
)
_NEWEST = _SELECT.replace("ORDER BY e.seq", "ORDER BY e.seq DESC").format(
    source="core_event e", where="e.org_id = %s AND e.ticket_id = %s AND e.seq < %s"
)
_NEWEST_OF_NUMBER = _NEWEST.replace(
    "e.ticket_id = %s",
    "e.ticket_id = (SELECT t.id FROM tickets_ticket t WHERE t.org_id = e.org_id AND t.number = %s)",
)
_BELOW = " AND e.seq <"
#: By the index of these types, which wants them as they stand in it.
_LEAVING = " AND e.type IN ('{}'){}".format("', '".join(HANDOVER_EVENTS), _BELOW)
_HANDOVERS = _NEWEST.replace(_BELOW, _LEAVING)


def _with_handovers(newest: str) -> str:
    """The newest and the newest handovers in one statement, told apart by what stands last."""
    leaving = newest.replace(_BELOW, _LEAVING)
    return f"SELECT x.*, 0 FROM ({newest}) x UNION ALL SELECT y.*, 1 FROM ({leaving}) y"  # noqa: S608


_SEEN = _with_handovers(_NEWEST)
_SEEN_OF_NUMBER = _with_handovers(_NEWEST_OF_NUMBER)
#: The org is asked of the actor alone: with that of the event PostgreSQL might walk through all of
#: the org's for an actor who did much long ago.
_OF_ACTOR = (
    _NEWEST.replace("\nFROM", ", t.number, n.bytes, n.key_id\nFROM")
    .replace(
        "WHERE",
        "LEFT JOIN tickets_ticket t ON t.id = e.ticket_id"
        " LEFT JOIN core_content n ON n.id = t.title_id\nWHERE",
    )
    .replace("e.org_id = %s AND e.ticket_id", "a.org_id = %s AND e.actor_id")
)
_OF_INBOX = _SELECT.format(
    source="core_inbox i JOIN core_event e ON e.org_id = i.org_id AND e.seq = i.seq",
    where="i.org_id = %s AND i.actor_id = %s AND i.seq > %s",
)


def ticket_events(*, org_id: UUID, ticket_id: UUID, after: int, limit: int = PAGE) -> list[Any]:
    """Up to `limit` events of a ticket with an id above `after`, oldest first."""
    return [_event(row) for row in _rows(_OF_TICKET, org_id, ticket_id, after, limit)]


def ticket_events_newest(
    *, org_id: UUID, ticket: UUID | int, before: int | None = None, limit: int
) -> list[Any]:
    """The newest `limit` events of a ticket, by its id or number, with an id below `before`;
    oldest first."""
    mark = _PAST_ALL if before is None else before
    query = _NEWEST if isinstance(ticket, UUID) else _NEWEST_OF_NUMBER
    return [_event(row) for row in _rows(query, org_id, ticket, mark, limit)][::-1]


def ticket_events_seen(
    *, org_id: UUID, ticket: UUID | int, before: int | None, limit: int, handovers: int
) -> tuple[list[Any], list[Any]]:
    """The newest `limit` events of a ticket as above; and as `ticket_handovers` has them."""
    mark = _PAST_ALL if before is None else before
    query = _SEEN if isinstance(ticket, UUID) else _SEEN_OF_NUMBER
    named = _named(ticket)
    subject = [sql.uuid(org_id), named]
    with connection.cursor() as cursor:
        cursor.execute(query, [*subject, mark, limit, *subject, _PAST_ALL, handovers])
        rows = sorted(cursor.fetchall(), key=lambda row: int(row[0]))
    newest = [_event(row) for row in rows if not row[-1]]
    return newest, [_event(row) for row in rows if row[-1]][::-1]


def actor_events_newest(
    *, org_id: UUID, actor_id: UUID, before: int | None = None, limit: int
) -> list[Any]:
    """The newest `limit` events by an actor with an id below `before`, newest first; each with
    the `number` and `title` of its ticket, null where it is of none."""
    mark = _PAST_ALL if before is None else before
    return [
        {**_event(row), "number": row[-3], "title": text_of(row[-2], row[-1])}
        for row in _rows(_OF_ACTOR, org_id, actor_id, mark, limit)
    ]


def ticket_handovers(*, org_id: UUID, ticket_id: UUID, limit: int) -> list[Any]:
    """The newest `limit` events with which somebody left the ticket to others, newest first,
    however much else happened on it."""
    return [_event(row) for row in _rows(_HANDOVERS, org_id, ticket_id, _PAST_ALL, limit)]


def inbox_events(*, org_id: UUID, actor_id: UUID, after: int, limit: int = PAGE) -> list[Any]:
    """Up to `limit` events that the actor should hear of, each with its `ticket_id`."""
    rows = _rows(_OF_INBOX, org_id, actor_id, after, limit)
    return [{"ticket_id": str(sql.to_uuid(row[1])), **_event(row)} for row in rows]


def _rows(query: str, org_id: UUID, subject: UUID | int, after: int, limit: int) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(query, [sql.uuid(org_id), _named(subject), after, limit])
        return list(cursor.fetchall())


def _named(subject: UUID | int) -> Any:
    return sql.uuid(subject) if isinstance(subject, UUID) else subject


def _event(row: tuple[Any, ...]) -> dict[str, Any]:
    at = sql.to_time(row[3])
    assert at is not None
    event = {
        "id": row[0],
        "type": row[2],
        "at": wire(at),
        "actor": {"id": str(sql.to_uuid(row[5])), "kind": row[6], "name": row[7]},
        "data": sql.to_json(row[4]),
    }
    if row[8] is not None:
        event["content"] = _content(row[8], row[9], row[10])
    if row[11] is not None:
        event["content"] = {**event.get("content", {}), **answer_read(row[11], row[12])}
    return event


def _content(kind: str, stored: bytes | None, key_id: str | None) -> dict[str, Any]:
    if kind == "resolution":
        return answer_read(stored, key_id)
    if kind in _VALUES:
        return value_of(stored, key_id) or {}
    return {"text" if kind == "title" else kind: text_of(stored, key_id)}
