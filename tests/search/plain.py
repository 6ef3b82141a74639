"""Helpers: made-up tickets and queries, and what a query finds by a plain reading of the words."""

import random
from collections.abc import Iterable, Sequence
from copy import copy

from stuckbot.lib import ids
from tickets.models import Ticket
from tickets.search.document import Document, Source
from tickets.search.query import Query, Term

WORDS = (
    "alpha",
    "alpine",
    "beta",
    "betaTest",
    "GammaRay",
    "ray",
    "x1",
    "größe",
    "a/b.c",
    "it's",
    "1234",
)


def said(made: random.Random, count: int) -> str:
    return " ".join(made.choices(WORDS, k=count))


def tickets_like(first: Ticket, numbers: Iterable[int]) -> list[Ticket]:
    """Tickets with these numbers."""
    rows = []
    for number in numbers:
        row = copy(first)
        row.id, row.number = ids.uuid7(), number
        rows.append(row)
    Ticket.unscoped.bulk_create(rows)
    return rows


def source_of(row: Ticket, made: random.Random) -> Source:
    package = {"stuck_reason": said(made, made.randint(0, 6)), "objective": said(made, 3)}
    return Source(
        org_id=row.org_id,
        ticket_id=row.id,
        number=row.number,
        project_id=row.project_id,
        reader_ids=[],
        labels=[],
        title=said(made, made.randint(1, 3)),
        summary={},
        package=package,
        answers=[],
    )


def query_text(made: random.Random) -> str:
    parts = []
    for _ in range(made.randint(1, 3)):
        word = made.choice(WORDS)[: made.choice((2, 3, 20))]
        quoted = f'"{word} {made.choice(WORDS)}"' if made.random() < 0.3 else word
        parts.append(f"-{quoted}" if made.random() < 0.2 else quoted)
    return " ".join(parts) + made.choice(("", " "))


def matches(document: Document, query: Query) -> bool:
    """Whether all that is wanted is there, and nothing that is unwanted."""
    there = bool(query.wanted) and all(_anywhere(document, term) for term in query.wanted)
    return there and not any(_anywhere(document, term) for term in query.unwanted)


def in_title(document: Document, query: Query) -> bool:
    return all(_has(document.title, term, begins=term.beginning) for term in query.wanted)


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
