"""What a query finds is what its words say, on either database: held against a plain reading."""

import random
from uuid import UUID

from django.db import transaction

from accounts.selectors import caller_of_membership
from stuckbot.lib.caller import Caller
from tests.search.plain import in_title, matches, query_text, source_of, tickets_like
from tests.support import Desk, file_ticket
from tickets.models import Ticket
from tickets.search.document import Document, document_of
from tickets.search.find import search
from tickets.search.index import documents_of, search_write
from tickets.search.query import Query, query_read

DOCS = 60
QUERIES = 300


def _expected(documents: dict[int, Document], query: Query) -> list[int]:
    there = [number for number, one in documents.items() if matches(one, query)]
    titled = {number for number in there if in_title(documents[number], query)}
    return sorted(there, key=lambda number: (number not in titled, -number))


def _found(actor: Caller, query: Query, numbers: dict[UUID, int]) -> list[int]:
    """What all pages have."""
    found, mark = [], None
    while True:
        page = search(actor=actor, query=query, narrow=lambda all_: all_, after=mark, limit=7)
        found += [numbers[one] for one in page.ticket_ids]
        if page.next is None:
            return found
        mark = page.next


def test_it_finds_what_the_words_say(desk: Desk) -> None:
    made = random.Random(7)
    first = Ticket.objects.of(desk.org.id).get(id=file_ticket(desk.agent("filer"))["id"])
    rows = tickets_like(first, range(2, DOCS + 2))
    sources = [source_of(row, made) for row in rows]
    with transaction.atomic():
        search_write(desk.org.id, documents_of(sources))
    documents = {one.number: document_of(one) for one in sources}
    numbers = {row.id: row.number for row in rows}
    actor = caller_of_membership(desk.people["alice"])
    for text in (query_text(made) for _ in range(QUERIES)):
        query = query_read(text)
        assert _found(actor, query, numbers) == _expected(documents, query), text
