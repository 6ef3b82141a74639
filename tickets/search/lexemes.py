"""Words on PostgreSQL: the column `lexemes` of a doc, a tsvector under a GIN index.

Lexemes and their places are made here, not by PostgreSQL's parser, so both databases find the same.
Those of the title stand a second time as `t=word`, parts of names as `h=word`, who may read it as
`s=word`, what the problem is known by as `k=1=word` (with the org's slot): no token holds `=`, and
no look at the row is needed to tell the places apart. What stands before the first `=` is one
letter: a beginning that is looked for has two.

GIN gives all its matches before the newest can be taken, so a doc also has a lexeme for each range
of ids it stands in (`n=12=3f`: ids whose bits above the twelfth are 3f). A question looks at the
newest range first, at the next, larger one only when that was not enough, and each costs no more
than the range is long. And two words next to each other are a lexeme of their own, hashed into
65,536 (`b=09af`): GIN knows no places, and without it a phrase of common words is looked for in
each row that has the words.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import md5
from itertools import pairwise
from typing import Any, Final

from django.db import connection

from tickets.search.document import GAP, Document
from tickets.search.engine import NUMBER_BITS, Reach, Wanted
from tickets.search.query import Query, Term

#: PostgreSQL keeps places up to here, and so many of a word.
_PLACE_MOST: Final = 16_383
_PLACES_MOST: Final = 100
#: Ids in the ranges that are looked at one after the other, as powers of two. The last is all of an
#: org: it is looked at only when the others, the newest tickets, did not have enough.
_RANGES: Final = (12, 15, NUMBER_BITS)
#: The words come from a subquery and the id has its 0, so that what the planner believes of them
#: never makes it read all rows, or go down the ids, instead of asking the index.
_KNOWN_BY: Final = (
    "SELECT d.id AS id, %s::integer AS weight FROM tickets_searchdoc d"
    " WHERE d.lexemes @@ (SELECT %s::tsquery) AND d.id + 0 BETWEEN %s AND %s"
)
#: Who may read them is asked once for all stems, of the index (hence the OFFSET), which reads all
#: that somebody may read for it.
_READ_BY: Final = (
    "SELECT f.id, f.weight FROM ({found}) f WHERE f.id IN (SELECT d.id FROM tickets_searchdoc d"
    " WHERE d.lexemes @@ (SELECT %s::tsquery) OFFSET 0)"
)
_RANGE: Final = (
    "r{place} AS MATERIALIZED (SELECT d.id, d.ticket_id FROM tickets_searchdoc d"
    " WHERE d.lexemes @@ (SELECT %s::tsquery) AND d.id + 0 BETWEEN %s AND %s{unless}"
    " ORDER BY d.id + 0 DESC LIMIT %s)"
)


def _statement(ranges: int) -> str:
    """Docs of so many ranges, each read only when those before it did not have enough."""
    parts = []
    for place in range(ranges):
        before = " + ".join(f"(SELECT COUNT(*) FROM r{one})" for one in range(place))  # noqa: S608
        unless = f" AND {before} < %s" if before else ""
        parts.append(_RANGE.format(place=place, unless=unless))
    found = " UNION ALL ".join(f"SELECT * FROM r{one}" for one in range(ranges))  # noqa: S608
    return f"WITH {', '.join(parts)} {found} ORDER BY id DESC LIMIT %s"


_FIND: Final = tuple(_statement(ranges) for ranges in range(1, len(_RANGES) + 1))


def write(doc_id: int, document: Document) -> None:
    """Keeps the words of a ticket instead of those it had."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE tickets_searchdoc SET lexemes = %s::tsvector WHERE id = %s",
            [vector(doc_id, document), doc_id],
        )


def vector(doc_id: int, document: Document) -> str:
    """A tsvector as PostgreSQL writes it: `'word':1,7 'other':2`."""
    places: dict[str, list[str]] = {}
    said = [*document.title, GAP, *document.body]
    _place(places, "", said)
    _place(places, "t=", document.title)
    _place(places, "h=", document.parts)
    _place(places, "s=", document.scope)
    words = [f"'{word}':{','.join(at)}" for word, at in places.items()]
    pairs = {*_pairs("", said), *_pairs("h=", document.parts)}
    known_by = [_stem_word(doc_id, stem) for stem in document.stems]
    ranges = [_range_word(bits, doc_id) for bits in _RANGES]
    return " ".join([*words, *sorted(pairs), *known_by, *ranges])


def _place(places: dict[str, list[str]], kind: str, words: Sequence[str]) -> None:
    for place, word in enumerate(words[:_PLACE_MOST], start=1):
        if word != GAP:
            at = places.setdefault(f"{kind}{word}", [])
            if len(at) < _PLACES_MOST:
                at.append(str(place))


def _pairs(kind: str, words: Sequence[str]) -> Iterator[str]:
    """A lexeme for each two words next to each other."""
    for one, other in pairwise(words):
        if GAP not in (one, other):
            said = f"{kind}{one} {kind}{other}"
            yield f"'b={md5(said.encode(), usedforsecurity=False).hexdigest()[:4]}'"


def _stem_word(doc_id: int, stem: str) -> str:
    """With the slot in it: eight of them are asked for, and none reads another org's docs."""
    return f"'k={doc_id >> NUMBER_BITS:x}={stem}'"


def _range_word(bits: int, doc_id: int) -> str:
    return f"'n={bits}={doc_id >> bits:x}'"


def find(wanted: Wanted) -> tuple[str, list[Any]]:
    """One statement; a range in it is read only when those before it did not have enough."""
    asked = _within(_expression(wanted.query, wanted.tier), wanted.scope)
    ranges = list(_ranges(wanted.low, wanted.high))
    params: list[Any] = []
    for place, (words, low, high) in enumerate(ranges):
        limits = [wanted.limit] * (2 if place else 1)
        params += [f"({asked}) & ({words})", low, high, *limits]
    return _FIND[len(ranges) - 1], [*params, wanted.limit]


def known_by(weights: Mapping[str, int], reach: Reach) -> tuple[str, list[Any]]:
    words = {stem: _stem_word(reach.low, stem) for stem in weights}
    params: list[Any] = []
    for stem, weight in weights.items():
        params += [weight, words[stem], reach.low, reach.high]
    found = " UNION ALL ".join([_KNOWN_BY] * len(weights))
    if not reach.scope:
        return found, params
    return _READ_BY.format(found=found), [*params, _within(_any(words.values()), reach.scope)]


def _ranges(low: int, high: int) -> Iterator[tuple[str, int, int]]:
    """From `high` down to `low`, the newest and smallest first: the lexemes of which a doc in a
    range has one, and the ids it reaches from and to."""
    for bits in _RANGES:
        start = low if bits == NUMBER_BITS else max(low, high + 1 - 2**bits)
        words = {_range_word(bits, start): None, _range_word(bits, high): None}
        yield _any(words), start, high
        high = start - 1
        if high < low:
            return


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


def _row(kind: str, words: Sequence[str], *, beginning: bool = False) -> str:
    """Words next to each other."""
    said = [f"'{kind}{one}'" for one in words]
    # The title is a part of all that is said, and its pairs are of those.
    whole = words[:-1] if beginning else words
    pairs = _pairs("" if kind == "t=" else kind, whole)
    if beginning:
        said[-1] += ":*"
    return f"({' & '.join([' <-> '.join(said), *pairs])})"


def _any(parts: Iterable[str]) -> str:
    return " | ".join(parts)
