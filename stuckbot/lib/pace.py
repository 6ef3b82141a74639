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
INSERT INTO core_pace (actor_id, org_id, due_us) VALUES {rows}
ON CONFLICT (actor_id) DO UPDATE SET due_us = excluded.due_us + CASE
  WHEN core_pace.due_us > %s AND core_pace.due_us <= {too_far} THEN core_pace.due_us - %s
  ELSE 0 END
WHERE core_pace.due_us <= {most} OR core_pace.due_us > {too_far}
RETURNING core_pace.actor_id, {along}
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
class Count:
    """Under what an act is counted, and how fast it may go there."""

    by: UUID
    bound: Bound


@dataclass(frozen=True, slots=True)
class Taken:
    """`wait` is None, or the seconds to wait since it was one too many by the count `by`; `along`
    what was asked along."""

    wait: int | None
    along: int = 0
    by: UUID | None = None


def pace_take(
    *,
    org_id: UUID,
    counts: Sequence[Count],
    now: datetime,
    along: tuple[str, Sequence[Any]] = ("0", ()),
) -> Taken:
    """Counts one act in the transaction in hand, by each of the counts, in their order.

    Whoever is told to wait undoes the transaction, or at least does not act. `along` is an
    expression with a number as its value, which spares its caller a statement.
    """
    at = _micros(now)
    rows = [
        value
        for one in counts
        for value in (sql.uuid(one.by), sql.uuid(org_id), at + one.bound.step)
    ]
    most, most_values = _by_count([(one.by, at + one.bound.slack) for one in counts])
    too_far, far_values = _by_count([(one.by, _too_far(at, one.bound)) for one in counts])
    text = _TAKE.format(
        rows=", ".join(["(%s, %s, %s)"] * len(counts)), most=most, too_far=too_far, along=along[0]
    )
    values = [*rows, at, *far_values, at, *most_values, *far_values, *along[1]]
    with connection.cursor() as cursor:
        cursor.execute(text, values)
        found = {sql.to_uuid(actor_id): number for actor_id, number in cursor.fetchall()}
    refused = [one for one in counts if one.by not in found]
    if not refused:
        return Taken(None, found[counts[0].by])
    waits = [(_wait(org_id, one, at), one.by) for one in refused]
    wait, by = max(waits, key=lambda each: each[0])
    return Taken(wait, by=by)


def _by_count(numbers: Sequence[tuple[UUID, int]]) -> tuple[str, list[Any]]:
    """An expression that is the number of the count whose row is looked at, and its values."""
    cases = " ".join(["WHEN %s THEN %s"] * len(numbers))
    values = [value for by, number in numbers for value in (sql.uuid(by), number)]
    return f"CASE core_pace.actor_id {cases} END", values


def _too_far(at: int, bound: Bound) -> int:
    return at + bound.slack + bound.step + _LATE_US


def _wait(org_id: UUID, count: Count, at: int) -> int:
    due = Pace.objects.of(org_id).values_list("due_us", flat=True).get(actor_id=count.by)
    return max(1, math.ceil((due - at - count.bound.slack) / 1_000_000))


def _micros(at: datetime) -> int:
    return int(at.timestamp()) * 1_000_000 + at.microsecond
