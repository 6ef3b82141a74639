"""Words on SQLite: the FTS5 table `tickets_searchwords`, which gives its rows newest first.

Each place is a column. All that goes into a MATCH is a token of `tickets.search.tokens`, in quotes:
nothing that somebody typed is ever read as its syntax.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from django.db import connection

from tickets.search.document import Document
from tickets.search.engine import Reach, Wanted
from tickets.search.query import Query, Term

_ANYWHERE: Final = "{title body}"
_KNOWN_BY: Final = (
    "SELECT rowid AS id, %s AS weight FROM tickets_searchwords"
    " WHERE tickets_searchwords MATCH %s AND rowid BETWEEN %s AND %s"
)
_FIND: Final = (
    "SELECT d.id, d.ticket_id FROM tickets_searchwords w"
    " CROSS JOIN tickets_searchdoc d ON d.id = w.rowid"
    " WHERE w.tickets_searchwords MATCH %s AND w.rowid BETWEEN %s AND %s"
    " ORDER BY w.rowid DESC LIMIT %s"
)


def write(doc_id: int, document: Document) -> None:
    """Keeps the words of a ticket instead of those it had."""
    columns = (document.title, document.body, document.parts, document.scope, document.stems)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM tickets_searchwords WHERE rowid = %s", [doc_id])
        cursor.execute(
            "INSERT INTO tickets_searchwords (rowid, title, body, parts, scope, stems)"
            " VALUES (%s, %s, %s, %s, %s, %s)",
            [doc_id, *(" ".join(words) for words in columns)],
        )


def find(wanted: Wanted) -> tuple[str, list[Any]]:
    match = _within(_expression(wanted.query, wanted.tier), wanted.scope)
    return _FIND, [match, wanted.low, wanted.high, wanted.limit]


def known_by(weights: Mapping[str, int], reach: Reach) -> tuple[str, list[Any]]:
    params: list[Any] = []
    for stem, weight in weights.items():
        match = _within(f'{{stems}} : "{stem}"', reach.scope)
        params += [weight, match, reach.low, reach.high]
    return " UNION ALL ".join([_KNOWN_BY] * len(weights)), params


def _within(match: str, scope: Sequence[str]) -> str:
    """The same, of docs alone that have one of these words of who may read them."""
    if not scope:
        return match
    return f"({match}) AND {{scope}} : ({_any(_quoted([one]) for one in scope)})"


def _expression(query: Query, tier: str) -> str:
    """`(a AND b) NOT (c OR d)`."""
    in_title = " AND ".join(_term(one, "{title}") for one in query.wanted)
    found, apart = in_title, [_term(one, _ANYWHERE) for one in query.unwanted]
    if tier != "title":
        found = " AND ".join(_term(one, _ANYWHERE) for one in query.wanted)
        apart.append(f"({in_title})")
    return f"({found}) NOT ({_any(apart)})" if apart else found


def _term(term: Term, columns: str) -> str:
    said = f"{columns} : {_quoted(term.tokens)}{' *' if term.beginning else ''}"
    if not term.humps or columns != _ANYWHERE:
        return said
    return f"({said} OR {{parts}} : {_quoted(term.humps)})"


def _quoted(words: Iterable[str]) -> str:
    return f'"{" ".join(words)}"'


def _any(parts: Iterable[str]) -> str:
    return " OR ".join(parts)


def wipe() -> None:
    """Rewrites part of the index, so that deleted words leave the file too, not the answers alone:
    FTS5 notes a deletion beside the words and drops both when it merges."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO tickets_searchwords (tickets_searchwords, rank) VALUES ('merge', -500)"
        )
