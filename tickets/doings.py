"""What one actor filed and solved: the newest tickets of each, and how many, in one statement."""

from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db import connection

from stuckbot.lib import sql
from stuckbot.lib.content import text_of

#: More are not counted: whoever filed a hundred thousand filed "more than 1,000".
COUNTED_MOST: Final = 1000

#: By the actor's key: with the org asked of the actor alone, no database walks all of the org's
#: tickets for one who filed few. The sum keeps both from reading them by number instead.
_TICKETS: Final = """
SELECT * FROM (
  SELECT '{kind}' AS kind, t.number, c.bytes, c.key_id, t.{at}, (
    SELECT COUNT(*) FROM (
      SELECT 1 AS one FROM tickets_ticket x WHERE x.{key} = a.id{counted} LIMIT {most}
    ) AS counted
  )
  FROM accounts_actor a
  JOIN tickets_ticket t ON t.{key} = a.id
  JOIN core_content c ON c.id = t.title_id
  WHERE a.org_id = %s AND a.id = %s{taken}
  ORDER BY t.number + 0 DESC LIMIT %s
) AS {kind}
"""

_MOST: Final = COUNTED_MOST + 1
_FILED: Final = _TICKETS.format(
    kind="filed", key="creator_id", at="created_at", counted="", taken="", most=_MOST
)
_SOLVED: Final = _TICKETS.format(
    kind="solved",
    key="solver_id",
    at="updated_at",
    counted=" AND x.proven",
    taken=" AND t.proven",
    most=_MOST,
)
_FILED_AND_SOLVED: Final = f"{_FILED} UNION ALL {_SOLVED}"


class Done(NamedTuple):
    """A ticket that an actor filed or solved, and when it was filed or last changed."""

    ref: str
    title: str
    at: datetime


class TicketsDone(NamedTuple):
    """The newest, and how many there are: past `COUNTED_MOST` they are not counted."""

    newest: list[Done]
    number: int

    @property
    def is_uncounted(self) -> bool:
        return self.number > COUNTED_MOST


def tickets_done(*, org_id: UUID, actor_id: UUID, limit: int) -> tuple[TicketsDone, TicketsDone]:
    """What an actor filed, and what it solved: tickets of its own whose blocker is gone."""
    bound = [sql.uuid(org_id), sql.uuid(actor_id), limit]
    with connection.cursor() as cursor:
        cursor.execute(_FILED_AND_SOLVED, bound + bound)
        rows = cursor.fetchall()
    filed, solved = ([row for row in rows if row[0] == kind] for kind in ("filed", "solved"))
    return _done(filed), _done(solved)


def _done(rows: list[tuple[Any, ...]]) -> TicketsDone:
    newest = [
        Done(f"SB-{number}", text_of(stored, key_id), at)
        for _kind, number, stored, key_id, moment, _count in rows
        if (at := sql.to_time(moment)) is not None
    ]
    return TicketsDone(newest, rows[0][5] if rows else 0)
