"""What one actor holds and checks now, and what it filed and solved, in one statement."""

from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db import connection

from stuckbot.lib import sql
from stuckbot.lib.content import text_of

#: More are not counted: whoever filed a hundred thousand filed "more than 1,000".
COUNTED_MOST: Final = 1000

#: By the actor's key: with the org asked of the actor alone, no database walks all of the org's
#: tickets for one who has few. The sum keeps both from reading them by number instead.
_PART: Final = """
SELECT * FROM (
  SELECT '{kind}' AS kind, t.number, c.bytes, c.key_id, {at}, t.project_id, (
    SELECT COUNT(*) FROM (SELECT 1 AS one FROM {counted} LIMIT {most}) AS counted
  )
  FROM accounts_actor a
  JOIN {source}
  JOIN core_content c ON c.id = t.title_id
  WHERE a.org_id = %s AND a.id = %s{taken}
  ORDER BY {order} LIMIT %s
) AS {kind}
"""
_MOST: Final = COUNTED_MOST + 1
_NEWEST: Final = "t.number + 0 DESC"
_FILED: Final = _PART.format(
    kind="filed",
    at="t.created_at",
    counted="tickets_ticket x WHERE x.creator_id = a.id",
    source="tickets_ticket t ON t.creator_id = a.id",
    taken="",
    order=_NEWEST,
    most=_MOST,
)
_SOLVED: Final = _PART.format(
    kind="solved",
    at="t.updated_at",
    counted="tickets_ticket x WHERE x.solver_id = a.id AND x.proven",
    source="tickets_ticket t ON t.solver_id = a.id",
    taken=" AND t.proven",
    order=_NEWEST,
    most=_MOST,
)
_HELD: Final = _PART.format(
    kind="held",
    at="t.lease_until",
    counted="tickets_ticket x WHERE x.solver_id = a.id AND x.claim_id IS NOT NULL"
    " AND x.lease_until > %s",
    source="tickets_ticket t ON t.solver_id = a.id",
    taken=" AND t.claim_id IS NOT NULL AND t.lease_until > %s",
    order="t.lease_until, t.number",
    most=_MOST,
)
_CHECKED: Final = _PART.format(
    kind="checked",
    at="v.claim_until",
    counted="verification_verification x WHERE x.claimed_by_id = a.id"
    " AND x.state = 'waiting_agent' AND x.claim_until > %s",
    source="verification_verification v ON v.claimed_by_id = a.id"
    " JOIN tickets_ticket t ON t.id = v.ticket_id",
    taken=" AND v.state = 'waiting_agent' AND v.claim_until > %s",
    order="v.claim_until, t.number",
    most=_MOST,
)
_ALL: Final = " UNION ALL ".join((_FILED, _SOLVED, _HELD, _CHECKED))


class Ticketed(NamedTuple):
    """A ticket of an actor's; `at` is when it was filed, last changed, or until when it is held."""

    ref: str
    title: str
    at: datetime
    project_id: UUID


class Tickets(NamedTuple):
    """The first of them, and how many there are: past `COUNTED_MOST` they are not counted."""

    first: list[Ticketed]
    number: int

    @property
    def is_uncounted(self) -> bool:
        return self.number > COUNTED_MOST


class Doings(NamedTuple):
    """What an actor has to do with tickets; `solved` are those of its own whose blocker is gone."""

    filed: Tickets
    solved: Tickets
    held: Tickets
    checked: Tickets


def tickets_of_actor(
    *, org_id: UUID, actor_id: UUID, now: datetime, done: int, in_hand: int
) -> Doings:
    """The newest `done` that it filed and solved, and `in_hand` of what it holds and checks."""
    who, live = [sql.uuid(org_id), sql.uuid(actor_id)], sql.at(now)
    ended = [*who, done]
    running = [live, *who, live, in_hand]
    with connection.cursor() as cursor:
        cursor.execute(_ALL, ended + ended + running + running)
        rows = cursor.fetchall()
    return Doings(*(_of_kind(rows, kind) for kind in Doings._fields))


def _of_kind(rows: list[tuple[Any, ...]], kind: str) -> Tickets:
    found = [row for row in rows if row[0] == kind]
    first = [
        Ticketed(f"SB-{number}", text_of(stored, key_id), at, owner)
        for _kind, number, stored, key_id, moment, project_id, _count in found
        if (at := sql.to_time(moment)) and (owner := sql.to_uuid(project_id))
    ]
    return Tickets(first, found[0][6] if found else 0)
