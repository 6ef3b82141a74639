"""What a query finds is what its words say, on either database: held against a plain reading."""

import random
from collections.abc import Sequence

from django.db import transaction

from accounts.selectors import caller_of_membership
from stuckbot.lib import ids
from tests.support import Desk, file_ticket
from tickets.models import Ticket
from tickets.search.document import Document, Source, document_of
from tickets.search.find import search
from tickets.search.index import documents_of, search_write
from tickets.search.query import Query, Term, query_read

WORDS = ("alpha", "alpine", "beta", "betaTest", "GammaRay", "ray", "x1", "größe", "a/b.c", "it's")
DOCS = 60
QUERIES = 300


def _said(made: random.Random, count: int) -> str:
    return " ".join(made.choices(WORDS, k=count))


def _source(row: Ticket, made: random.Random) -> Source:
    package = {"stuck_reason": _said(made, made.randint(0, 6)), "objective": _said(made, 3)}
    return Source(
        org_id=row.org_id,
        ticket_id=row.id,
        number=row.number,
        project_id=row.project_id,
        reader_ids=[],
        labels=[],
        title=_said(made, made.randint(1, 3)),
        summary={},
        package=package,
        answers=[],
    )


def _has(words: Sequence[str], term: Term, *, begins: bool) -> bool:
    wanted = term.tokens
    for start in range(len(words) - len(wanted) + 1):
        found = list(words[start : start + len(wanted)])
        last = found[-1].startswith(wanted[-1]) if begins else found[-1] == wanted[-1]
        if last and found[:-1] == list(wanted[:-1]):
            return True
    return False


def _anywhere(document: Document, term: Term) -> bool:
    texts = (document.title, document.body)
    by_parts = bool(term.humps) and _has(document.parts, Term(term.humps), begins=False)
    return by_parts or any(_has(one, term, begins=term.beginning) for one in texts)


def _expected(documents: dict[int, Document], query: Query) -> list[int]:
    there = [
        number
        for number, one in documents.items()
        if query.wanted
        and all(_anywhere(one, term) for term in query.wanted)
        and not any(_anywhere(one, term) for term in query.unwanted)
    ]
    titled = {
        number
        for number in there
        if all(_has(documents[number].title, term, begins=term.beginning) for term in query.wanted)
    }
    return sorted(there, key=lambda number: (number not in titled, -number))


def _query(made: random.Random) -> str:
    parts = []
    for _ in range(made.randint(1, 3)):
        word = made.choice(WORDS)[: made.choice((2, 3, 20))]
        quoted = f'"{word} {made.choice(WORDS)}"' if made.random() < 0.3 else word
        parts.append(f"-{quoted}" if made.random() < 0.2 else quoted)
    return " ".join(parts) + made.choice(("", " "))


def test_it_finds_what_the_words_say(desk: Desk) -> None:
    made = random.Random(7)
    first = Ticket.objects.of(desk.org.id).get(id=file_ticket(desk.agent("filer"))["id"])
    rows, sources = [], []
    for number in range(2, DOCS + 2):
        row = Ticket.objects.of(desk.org.id).get(id=first.id)
        row.id, row.number = ids.uuid7(), number
        rows.append(row)
        sources.append(_source(row, made))
    Ticket.unscoped.bulk_create(rows)
    with transaction.atomic():
        search_write(desk.org.id, documents_of(sources))
    documents = {one.number: document_of(one) for one in sources}
    numbers = {row.id: row.number for row in rows}
    actor = caller_of_membership(desk.people["alice"])
    for text in (_query(made) for _ in range(QUERIES)):
        found, mark, query = [], None, query_read(text)
        while True:
            page = search(actor=actor, query=query, narrow=lambda all_: all_, after=mark, limit=7)
            found += [numbers[one] for one in page.ticket_ids]
            if page.next is None:
                break
            mark = page.next
        assert found == _expected(documents, query), text
