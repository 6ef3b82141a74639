"""A word that many tickets have while few of them pass the other filters: pages stay cheap, miss
nothing, and say where to go on."""

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from django.db import connection, transaction
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext

from accounts.selectors import caller_of_membership
from tests.search.plain import source_of, tickets_like
from tests.support import Desk, file_ticket
from tickets.models import Ticket
from tickets.search.find import Page, search
from tickets.search.index import documents_of, search_write
from tickets.search.query import query_read

#: More than the 2,000 that one call looks at.
DOCS = 2_300
STATEMENTS = 12


@pytest.fixture
def filled(desk: Desk) -> Desk:
    """Tickets that all have a word in common, every third in its title."""
    made = random.Random(23)
    first = Ticket.objects.of(desk.org.id).get(id=file_ticket(desk.agent("filer"))["id"])
    sources = []
    for row in tickets_like(first, range(2, DOCS + 2)):
        source = source_of(row, made)
        where = {"title": "common"} if row.number % 3 == 0 else {"package": {"objective": "common"}}
        sources.append(replace(source, **where))
    with transaction.atomic():
        search_write(desk.org.id, documents_of(sources))
    return desk


def _pages(desk: Desk, wished: Sequence[int]) -> list[Page]:
    """All pages of the word, of the tickets with these numbers."""
    actor, query = caller_of_membership(desk.people["alice"]), query_read("common ")

    def narrow(tickets: QuerySet[Ticket]) -> QuerySet[Ticket]:
        return tickets.filter(number__in=wished)

    pages: list[Page] = []
    while not pages or pages[-1].next is not None:
        after = pages[-1].next if pages else None
        with CaptureQueriesContext(connection) as said:
            page = search(actor=actor, query=query, narrow=narrow, after=after, limit=50)
        assert len(said) <= STATEMENTS
        pages.append(page)
    return pages


def _numbers(desk: Desk, pages: Sequence[Page]) -> list[int]:
    by_id = dict(Ticket.objects.of(desk.org.id).values_list("id", "number"))
    return [by_id[one] for page in pages for one in page.ticket_ids]


def test_none_passes(filled: Desk) -> None:
    pages = _pages(filled, [])
    assert [len(page.ticket_ids) for page in pages] == [0, 0]
    assert pages[0].next is not None


@pytest.mark.parametrize("every", [1, 7, 90, 1_100])
def test_all_that_pass_are_found(filled: Desk, every: int) -> None:
    wished = range(2, DOCS + 2, every)
    expected = sorted(wished, key=lambda number: (number % 3 != 0, -number))
    pages = _pages(filled, list(wished))
    assert _numbers(filled, pages) == expected
    assert all(len(page.ticket_ids) <= 50 for page in pages)
