"""Which tickets look like the same problem: by their rare stems to find some, by all to weigh them.

A stem weighs more the fewer tickets have it. Two problems are as alike as the angle between their
weighted stems: 1,000 for the same stems, 0 for none in common. `tests/search/test_likeness.py`
measures what `ALIKE` lets through.
"""

from collections.abc import Iterator, Sequence
from math import log, sqrt
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db import connection

from stuckbot.lib import sql
from tickets.search.document import Document, Source
from tickets.search.engine import Reach, doc_id, slot_range
from tickets.search.index import counts_read, engine
from tickets.search_models import SearchLike

#: From here on two tickets look like the same problem.
ALIKE: Final = 380
#: More alike than any two tickets of different words are.
IDENTICAL: Final = 1_001
#: With fewer stems a ticket says too little to be compared.
STEMS_LEAST: Final = 3
#: Stems that candidates are found by, the rarest; and rows that this may look at.
_RARE: Final = 8
_ROWS: Final = 600
_CANDIDATES: Final = 25
_KEPT: Final = 5


class Alike(NamedTuple):
    """A ticket that looks like the one asked about, and how much (to 1,000, or `IDENTICAL`)."""

    ticket_id: UUID
    score: int


class Statement(NamedTuple):
    """A statement and its values."""

    text: str
    params: Sequence[Any]


def alike_find(
    org_id: UUID,
    stems: Sequence[str],
    *,
    but: int = 0,
    scope: Sequence[str] = (),
    also: Statement | None = None,
) -> list[Alike]:
    """The org's tickets that look like a problem with these stems, most alike first; without the
    one whose number is `but`. With a `scope` (words of who may read) those it lets through alone:
    what somebody may not read takes no place from what they may.

    `also` finds ids of tickets that are `IDENTICAL`, whatever the index says or lacks of them.
    Two statements at most.
    """
    counted = counts_read(org_id, stems) if len(stems) >= STEMS_LEAST else None
    rare = _rare(counted.by_stem) if counted is not None else []
    parts: list[Statement] = [] if also is None else [_identical(also)]
    weights: dict[str, float] = {}
    if counted is not None and rare:
        weights = {one: _weight(count, counted.number) for one, count in counted.by_stem.items()}
        reach = Reach(*slot_range(counted.slot), scope)
        known = {one: weights[one] for one in rare}
        parts.append(_candidates(known, doc_id(counted.slot, but), reach))
    scores: dict[UUID, int] = {}
    for one, score in _scored(parts, weights):
        scores[one] = max(score, scores.get(one, ALIKE))
    return sorted((Alike(*one) for one in scores.items()), key=lambda one: -one.score)


def likes_write(org_id: UUID, documents: Sequence[tuple[Source, Document]]) -> None:
    """Keeps, both ways, which tickets each of these looks like; in the caller's transaction."""
    for source, document in documents:
        mine = SearchLike.objects.of(org_id).filter(ticket_id=source.ticket_id)
        found = alike_find(org_id, document.stems, but=source.number)[:_KEPT]
        mine.delete()
        rows = [
            SearchLike(org_id=org_id, ticket_id=one, other_id=other, score=score)
            for alike, score in found
            for one, other in ((source.ticket_id, alike), (alike, source.ticket_id))
        ]
        SearchLike.unscoped.bulk_create(rows, ignore_conflicts=True)


def _rare(counted: dict[str, int]) -> list[str]:
    """The rarest stems that other tickets have, as far as looking at all of them is cheap."""
    found: list[str] = []
    rows = 0
    for stem, count in sorted(counted.items(), key=lambda one: one[1]):
        if count == 0:
            continue
        rows += count
        if len(found) == _RARE or (found and rows > _ROWS) or count > _ROWS:
            break
        found.append(stem)
    return found


def _weight(count: int, number: int) -> float:
    return log(1 + (number + 1) / (count + 1))


def _identical(also: Statement) -> Statement:
    return Statement(f"SELECT s.id, NULL FROM ({also.text}) s", also.params)  # noqa: S608


def _candidates(weights: dict[str, float], but: int, reach: Reach) -> Statement:
    """The tickets that share most of these stems, with all stems of each; `but` is a doc's id."""
    by_stem = {stem: round(weight * 100) for stem, weight in weights.items()}
    found, params = engine().known_by(by_stem, reach)
    # Joined from fixed pieces; every value goes in as a parameter.
    query = (
        "SELECT d.ticket_id, d.stems FROM (SELECT id, SUM(weight) AS whole"  # noqa: S608
        f" FROM ({found}) u WHERE id <> %s GROUP BY id"
        " ORDER BY whole DESC, id DESC LIMIT %s) x"
        " JOIN tickets_searchdoc d ON d.id = x.id"
    )
    return Statement(query, [*params, but, _CANDIDATES])


def _scored(parts: Sequence[Statement], weights: dict[str, float]) -> Iterator[Alike]:
    """What the parts find together and is alike; what comes without stems is identical."""
    if not parts:
        return
    # What a candidate has and this one lacks is as rare as the middle of what this one has.
    usual = sorted(weights.values())[len(weights) // 2] if weights else 0
    with connection.cursor() as cursor:
        statement = " UNION ALL ".join(one.text for one in parts)
        cursor.execute(statement, [value for one in parts for value in one.params])
        rows = cursor.fetchall()
    for found, said in rows:
        ticket_id = sql.to_uuid(found)
        score = IDENTICAL if said is None else _score(weights, said.split(), usual)
        if ticket_id is not None and score >= ALIKE:
            yield Alike(ticket_id, score)


def _score(weights: dict[str, float], other: Sequence[str], usual: float) -> int:
    """The angle between two problems, as a number to 1,000."""
    common = sum(weights[one] ** 2 for one in other if one in weights)
    mine = sum(one**2 for one in weights.values())
    theirs = sum(weights.get(one, usual) ** 2 for one in other)
    return round(1_000 * common / sqrt(mine * theirs)) if mine and theirs else 0
