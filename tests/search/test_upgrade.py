"""An index that was written before its ranges and pairs of words were, and the way back."""

import random
from importlib import import_module

from django.db import connection, transaction

from tests.search.plain import source_of, tickets_like
from tests.support import Desk, file_ticket
from tickets.models import Ticket
from tickets.search.index import documents_of, search_write

ranges = import_module("tickets.migrations.0011_search_ranges")


def _words() -> list[str]:
    """All that is in the index, a doc each."""
    column = "lexemes::text" if connection.vendor == "postgresql" else "stems"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {column} FROM tickets_searchdoc ORDER BY id")
        return [row[0] for row in cursor.fetchall()]


def _run(way: tuple[str, ...]) -> None:
    with connection.cursor() as cursor:
        for statement in ranges.statements(way, connection.vendor):
            # Rows of this very transaction wait for their constraints, and no index is made before.
            connection.check_constraints()
            cursor.execute(statement)


def test_old_docs_become_as_new_ones_are(desk: Desk) -> None:
    made = random.Random(19)
    first = Ticket.objects.of(desk.org.id).get(id=file_ticket(desk.agent("filer"))["id"])
    rows = tickets_like(first, (2, 5_000, 70_000, *range(70_001, 70_020)))
    with transaction.atomic():
        search_write(desk.org.id, documents_of(source_of(row, made) for row in rows))
    new = _words()
    _run(ranges.BACKWARDS)
    old = _words()
    _run(ranges.FORWARDS)
    assert _words() == new
    is_postgres = connection.vendor == "postgresql"
    assert (old == new) is not is_postgres
    assert all("'b=" not in one and "'n=" not in one for one in old)
