"""How the database finds work: by index, in every shape that a desk may grow into.

The full size, 100,000 tickets a shape, is `make bench`.
"""

import pytest
from django.db import connection

from bench.finding import explain, measure, plan_lines, rows_visited, statement
from bench.seed import SHAPES, seed

TICKETS = 5_000
#: Rows of tables and indexes that may be looked at for each that is returned.
MOST = 5


@pytest.mark.django_db
@pytest.mark.parametrize("shape", SHAPES)
def test_it_finds_work_by_index(shape: str) -> None:
    if connection.vendor == "postgresql":
        found = measure(seed(shape, TICKETS), runs=5)
        assert found.returned > 0
        assert found.visited_per_row is not None
        assert found.visited_per_row <= MOST
        return
    lines = plan_lines(*statement(seed(shape, 500)))
    scans = [line for line in lines if line.startswith("SCAN") and line.split()[1] in "tgx"]
    assert scans == []
    assert any("ticket_offer" in line or "tag_find" in line for line in lines)


@pytest.mark.django_db
def test_it_visits_few_rows_without_a_sweep() -> None:
    """Leases that ran out and that nobody wrote down are found by their own index."""
    query, params = statement(seed("leased", 500))
    if connection.vendor == "postgresql":
        assert rows_visited(explain(query, params)) <= MOST * 100
        return
    assert any("due" in line for line in plan_lines(query, params))
