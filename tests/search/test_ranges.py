"""Which ids the index names: the newest of those asked for, however far apart they are; and how
much of it is looked at for them."""

import random
from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest
from django.db import connection, transaction

from tests.search.plain import WORDS, in_title, matches, query_text, source_of, tickets_like
from tests.support import Desk, file_ticket
from tickets.models import Ticket
from tickets.search.document import Document, document_of, scope_project, scope_reader
from tickets.search.engine import TIERS, Wanted, doc_id
from tickets.search.index import documents_of, engine, search_write, slot_take
from tickets.search.query import query_read

#: Around where ranges of the index begin and end, and far apart.
NUMBERS = sorted(
    {2, 3, 4_095, 4_096, 4_097, 8_191, 8_192, 32_767, 32_768, 36_863, 36_864, 36_865, 65_536}
    | set(range(40_000, 40_030))
    | {2**31 - 1, 2**31 - 4_096, 2**31 - 4_097, 2**31 - 32_768, 2**31 - 36_865}
)
QUERIES = 400


class Kept(NamedTuple):
    """Docs that are in the index, by id; and the words of one who reads all of them, and of one
    who reads none."""

    documents: dict[int, Document]
    reader: str
    stranger: str


@pytest.fixture
def kept(desk: Desk) -> Kept:
    made = random.Random(11)
    first = Ticket.objects.of(desk.org.id).get(id=file_ticket(desk.agent("filer"))["id"])
    sources = [source_of(row, made) for row in tickets_like(first, NUMBERS)]
    with transaction.atomic():
        search_write(desk.org.id, documents_of(sources))
        slot = slot_take(desk.org.id)
    documents = {doc_id(slot, one.number): document_of(one) for one in sources}
    return Kept(documents, scope_project(first.project_id), scope_reader(desk.org.id))


def _asked(wanted: Wanted) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(*engine().find(wanted))
        return [int(row[0]) for row in cursor.fetchall()]


def _expected(kept: Kept, wanted: Wanted) -> list[int]:
    there = [
        place
        for place, document in kept.documents.items()
        if wanted.low <= place <= wanted.high
        and matches(document, wanted.query)
        and in_title(document, wanted.query) == (wanted.tier == "title")
    ]
    return sorted(there, reverse=True)[: wanted.limit]


def _wanted(kept: Kept, made: random.Random, scope: Sequence[str]) -> Wanted:
    """A question from one place of the index down to another."""
    low, high = sorted(made.choices([*kept.documents], k=2))
    return Wanted(
        query=query_read(query_text(made)),
        tier=made.choice(TIERS),
        scope=scope,
        low=low + made.randint(-1, 1),
        high=high + made.randint(-1, 1),
        limit=made.choice((1, 3, 10, 100)),
    )


def test_the_newest_between_two_ids(kept: Kept) -> None:
    made = random.Random(13)
    for _ in range(QUERIES):
        scope = made.choice(((), (kept.reader,), (kept.stranger, kept.reader)))
        wanted = _wanted(kept, made, scope)
        if not wanted.query.wanted:
            continue
        assert _asked(wanted) == _expected(kept, wanted), wanted


def test_whoever_reads_nothing_finds_nothing(kept: Kept) -> None:
    made = random.Random(17)
    for word in WORDS:
        wanted = _wanted(kept, made, (kept.stranger,))._replace(query=query_read(word))
        assert _asked(wanted) == []


def test_what_is_old_is_read_only_when_it_is_needed(kept: Kept) -> None:
    low, high = min(kept.documents), max(kept.documents)
    wanted = Wanted(query_read("ray "), "elsewhere", (), low, high, 1)
    few = _plan(*engine().find(wanted))
    all_ = _plan(*engine().find(wanted._replace(limit=100)))
    if connection.vendor == "postgresql":
        # Three ranges; what ends in the first does not look at the others.
        assert [few.count("never executed") > 0, "never executed" in all_] == [True, False]
    else:
        # FTS5 gives rows by id: nothing is sorted, and reading ends with the page.
        assert "VIRTUAL TABLE INDEX" in few
        assert "ORDER BY" not in few


def _plan(query: str, params: list[Any]) -> str:
    is_postgres = connection.vendor == "postgresql"
    explain = "EXPLAIN (ANALYZE) " if is_postgres else "EXPLAIN QUERY PLAN "
    with connection.cursor() as cursor:
        cursor.execute(explain + query, params)
        return "\n".join(str(row[-1]) for row in cursor.fetchall())
