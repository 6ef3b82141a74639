"""So many an hour, so many at once: exact over all processes, by one conditional write.

The generic cell rate algorithm: each act moves the time at which the next one would be due by an
hour's share, and is refused when that time lies too far ahead. The row is written in the
transaction of the act itself, so an act that fails has cost nothing, and of two that race for the
last place one wins on either database.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import connection

from stuckbot.lib import sql
from stuckbot.lib.models import Pace

_HOUR_US: Final = 3_600_000_000
#: An act may have begun so long before the one that was counted last: it waited for its turn, or
#: the clocks of two machines differ.
_LATE_US: Final = 120_000_000
#: What is further ahead than that and a full burst is of a wider rule, or of a clock that was set
#: back: it begins anew, else it would hold its actor up for as long as that clock was wrong.
_TAKE: Final = """
INSERT INTO core_pace (actor_id, org_id, due_us) VALUES (%s, %s, %s)
ON CONFLICT (actor_id) DO UPDATE SET due_us = %s + CASE
  WHEN core_pace.due_us > %s AND core_pace.due_us <= %s THEN core_pace.due_us ELSE %s END
WHERE core_pace.due_us <= %s OR core_pace.due_us > %s
"""


@dataclass(frozen=True, slots=True)
class Bound:
    """`burst` at once, and over time `per_hour`; both are one or more."""

    per_hour: int
    burst: int

    @property
    def step(self) -> int:
        """Microseconds from one to the next at an even pace."""
        return -(-_HOUR_US // self.per_hour)

    @property
    def slack(self) -> int:
        """How far ahead of an even pace an actor may be."""
        return self.step * (self.burst - 1)


@dataclass(frozen=True, slots=True)
class Taken:
    """`wait` is None, or the seconds to wait since it was one too many; `along` what was asked
    along."""

    wait: int | None
    along: int = 0


def pace_take(
    *,
    org_id: UUID,
    actor_id: UUID,
    bound: Bound,
    now: datetime,
    along: tuple[str, Sequence[Any]] = ("0", ()),
) -> Taken:
    """Counts one act in the transaction in hand.

    Whoever is told to wait undoes the transaction, or at least does not act. `along` is an
    expression with a number as its value, which spares its caller a statement.
    """
    at, step = _micros(now), bound.step
    most = at + bound.slack
    too_far = most + step + _LATE_US
    values = [sql.uuid(actor_id), sql.uuid(org_id), at + step, step, at, most, at, most, too_far]
    with connection.cursor() as cursor:
        cursor.execute(f"{_TAKE} RETURNING {along[0]}", [*values, *along[1]])
        row = cursor.fetchone()
    return Taken(_wait(org_id, actor_id, most)) if row is None else Taken(None, row[0])


def _wait(org_id: UUID, actor_id: UUID, most: int) -> int:
    due = Pace.objects.of(org_id).values_list("due_us", flat=True).get(actor_id=actor_id)
    return max(1, math.ceil((due - most) / 1_000_000))


def _micros(at: datetime) -> int:
    return int(at.timestamp()) * 1_000_000 + at.microsecond
