"""How the database finds work: by the index made for it, in every shape a desk may grow into.

The full size, 100,000 tickets a shape, is `make bench`.
"""

import pytest
from django.db import connection

from bench.finding import explain, plan_lines, rows_visited, statement
from bench.seed import SHAPES, Seeded, seed

TICKETS = 5_000
#: Rows of tables and indexes that may be looked at for each that is returned.
VISITED_MOST = 5
#: The index that each shape is found by.
INDEXES = {
    "leased": "ticket_offer",
    "project": "ticket_offer",
    "label": "tag_find",
    "skills": "ticket_offer_skill",
    "dependencies": "ticket_offer",
}


@pytest.mark.django_db
@pytest.mark.parametrize("shape", SHAPES)
def test_it_finds_work_by_index(shape: str) -> None:
    # Another org where nothing needs skills: what is true of most rows must not mislead a planner.
    seed("leased", TICKETS)
    seeded = seed(shape, TICKETS)
    if connection.vendor == "postgresql":
        _few_rows(seeded)
    else:
        _by_index(seeded, INDEXES[shape])


def _few_rows(seeded: Seeded) -> None:
    plan = explain(*statement(seeded))["Plan"]
    returned = plan["Actual Rows"]
    assert returned > 0
    assert rows_visited(plan) <= VISITED_MOST * returned


def _by_index(seeded: Seeded, index: str) -> None:
    words = [line.split() for line in plan_lines(*statement(seeded))]
    scanned = {line[1] for line in words if line[0] == "SCAN"}
    searched = {line[line.index("INDEX") + 1] for line in words if line[0] == "SEARCH"}
    tables = {"t", "g", "x"}
    assert scanned & tables == set()
    assert {index, "ticket_org_due"} <= searched
