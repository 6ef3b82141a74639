"""How long the database takes to find work, and how many rows it looks at for each it returns."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from django.db import connection

from accounts.models import Project
from bench.seed import Seeded
from stuckbot.lib import clock
from tickets.offers import Seeker, offer_query

RUNS = 1_000


@dataclass(frozen=True, slots=True)
class Finding:
    """`visited` counts rows of tables and indexes; None where the database does not tell.

    The times are the database's own (PostgreSQL: planning and execution by its own account; SQLite
    works in this process). `client_p99_ms` has the way there and back as well.
    """

    returned: int
    visited: int | None
    median_ms: float
    p99_ms: float
    client_p99_ms: float

    @property
    def visited_per_row(self) -> float | None:
        return None if self.visited is None else self.visited / max(1, self.returned)


def measure(seeded: Seeded, runs: int = RUNS) -> Finding:
    """Asks for the seeker's offers again and again, as a poll that changed does."""
    query, params = statement(seeded)
    times = []
    with connection.cursor() as cursor:
        for _ in range(runs):
            started = perf_counter()
            cursor.execute(query, params)
            rows = cursor.fetchall()
            times.append((perf_counter() - started) * 1000)
    client_p99 = _share(times, 0.99)
    visited = None
    if connection.vendor == "postgresql":
        visited = rows_visited(explain(query, params)["Plan"])
        times = [_own_time(query, params) for _ in range(runs)]
    return Finding(len(rows), visited, _share(times, 0.5), _share(times, 0.99), client_p99)


def _share(times: list[float], share: float) -> float:
    return sorted(times)[int(len(times) * share)]


def _own_time(query: str, params: Sequence[Any]) -> float:
    told = explain(query, params, "TIMING OFF")
    return float(told["Planning Time"] + told["Execution Time"])


def statement(seeded: Seeded) -> tuple[str, list[Any]]:
    """The statement that finds the seeker's offers in the projects it reads."""
    projects = seeded.wish.project_ids or frozenset(
        Project.objects.of(seeded.org.id).values_list("id", flat=True)
    )
    seeker = Seeker(seeded.org.id, seeded.actor.id)
    return offer_query(seeker=seeker, wish=seeded.wish, projects=sorted(projects), now=clock.now())


def explain(query: str, params: Sequence[Any], option: str = "TIMING ON") -> dict[str, Any]:
    """What PostgreSQL tells of a run: its `Plan`, `Planning Time` and `Execution Time`."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, SUMMARY, FORMAT JSON, {option}) {query}", params)
        found = cursor.fetchone()[0]
    told: dict[str, Any] = (json.loads(found) if isinstance(found, str) else found)[0]
    return told


def plan_lines(query: str, params: Sequence[Any]) -> list[str]:
    """The plan as SQLite means to run it."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {query}", params)
        return [str(row[3]) for row in cursor.fetchall()]


def rows_visited(plan: dict[str, Any]) -> int:
    """Rows that the scans of a plan read, those thrown away included."""
    return round(sum(_scanned(node) for node in _nodes(plan)))


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("Plans", []):
        yield from _nodes(child)


def _scanned(node: dict[str, Any]) -> float:
    if "Scan" not in node["Node Type"] or node["Node Type"] == "Subquery Scan":
        return 0.0
    thrown = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
    return float((node["Actual Rows"] + thrown) * node["Actual Loops"])
