"""Words on PostgreSQL: the column `lexemes` of a doc, a tsvector under a GIN index.

Lexemes and their places are made here, not by PostgreSQL's parser, so both databases find the same.
Those of the title stand a second time as `t=word`, parts of names as `h=word`, who may read it as
`s=word`, what the problem is known by as `k=word`: no token holds `=`, and no look at the row is
needed to tell the places apart.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from django.db import connection

from tickets.search.document import GAP, Document
from tickets.search.engine import Reach, Wanted
from tickets.search.query import Query, Term

#: PostgreSQL keeps places up to here, and so many of a word.
_PLACE_MOST: Final = 16_383
_PLACES_MOST: Final = 100
_KNOWN_BY: Final = (
    "SELECT d.id AS id, %s::integer AS weight FROM tickets_searchdoc d"
    " WHERE d.lexemes @@ %s::tsquery AND d.id BETWEEN %s AND %s"
)
_FIND: Final = (
    "SELECT d.id, d.ticket_id FROM tickets_searchdoc d"
    " WHERE d.lexemes @@ %s::tsquery AND d.id BETWEEN %s AND %s"
    " ORDER BY d.id DESC LIMIT %s"
)


def write(doc_id: int, document: Document) -> None:
    """Keeps the words of a ticket instead of those it had."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE tickets_searchdoc SET lexemes = %s::tsvector WHERE id = %s",
            [vector(document), doc_id],
        )


def vector(document: Document) -> str:
    """A tsvector as PostgreSQL writes it: `'word':1,7 'other':2`."""
    places: dict[str, list[str]] = {}
    _place(places, "", [*document.title, GAP, *document.body])
    _place(places, "t=", document.title)
    _place(places, "h=", document.parts)
    _place(places, "s=", document.scope)
    _place(places, "k=", document.stems)
    return " ".join(f"'{word}':{','.join(at)}" for word, at in places.items())


def _place(places: dict[str, list[str]], kind: str, words: Sequence[str]) -> None:
    for place, word in enumerate(words[:_PLACE_MOST], start=1):
        if word != GAP:
            at = places.setdefault(f"{kind}{word}", [])
            if len(at) < _PLACES_MOST:
                at.append(str(place))


def find(wanted: Wanted) -> tuple[str, list[Any]]:
    asked = _within(_expression(wanted.query, wanted.tier), wanted.scope)
    return _FIND, [asked, wanted.low, wanted.high, wanted.limit]


def known_by(stem: str, weight: int, reach: Reach) -> tuple[str, list[Any]]:
    return _KNOWN_BY, [weight, _within(f"'k={stem}'", reach.scope), reach.low, reach.high]


def _within(asked: str, scope: Sequence[str]) -> str:
    """The same, of docs alone that have one of these words of who may read them."""
    if not scope:
        return asked
    readers = _any(f"'s={one}'" for one in scope)
    return f"({asked}) & ({readers})"


def _expression(query: Query, tier: str) -> str:
    in_title = " & ".join(_term(one, "t=") for one in query.wanted)
    found, apart = in_title, [_term(one, "") for one in query.unwanted]
    if tier != "title":
        found = " & ".join(_term(one, "") for one in query.wanted)
        apart.append(f"({in_title})")
    return f"({found}) & !({_any(apart)})" if apart else found


def _term(term: Term, kind: str) -> str:
    said = _row(kind, term.tokens, beginning=term.beginning)
    if not term.humps or kind:
        return said
    return f"({said} | {_row('h=', term.humps)})"


def _row(kind: str, words: Iterable[str], *, beginning: bool = False) -> str:
    """Words next to each other."""
    said = [f"'{kind}{one}'" for one in words]
    if beginning:
        said[-1] += ":*"
    return f"({' <-> '.join(said)})"


def _any(parts: Iterable[str]) -> str:
    return " | ".join(parts)
