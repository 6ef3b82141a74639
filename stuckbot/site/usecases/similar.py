"""Tickets that look like the same problem, for whoever files it: solved ones first, with the
answer that worked. What the caller may not read is not there."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import QuerySet

from stuckbot.lib import sql
from stuckbot.lib.caller import Caller
from tickets.answers import Answer, answer_of, answer_read
from tickets.cards import Card, cards_beside
from tickets.facts import Facts
from tickets.models import Ticket
from tickets.search.document import problem_stems
from tickets.search.find import reader_words
from tickets.search.fingerprint import fingerprint_of
from tickets.search.likeness import Statement, alike_find
from tickets.selectors import tickets_readable
from tickets.states import Stage
from verification.states import VerificationState

#: Told of at most.
MOST: Final = 5
#: Filed before in the very same words: looked at so many, the newest.
_SAME: Final = 20


@dataclass(frozen=True, slots=True)
class Solved:
    """When a similar ticket was solved, and the answer that worked."""

    at: datetime
    said: Answer


@dataclass(frozen=True, slots=True)
class Similar:
    """A ticket that looks like the same problem; `solved` once its blocker was proved gone."""

    card: Card
    solved: Solved | None


def similar_find(*, actor: Caller, package: Mapping[str, Any]) -> list[Similar]:
    """At most `MOST`: solved ones first, then the most alike, then the newest. Three statements at
    most: every filing asks."""
    stems = problem_stems(str(package.get("title", "")), package)
    same = _same(actor, fingerprint_of(package))
    found = alike_find(actor.org_id, stems, scope=reader_words(actor), also=same)
    if not found:
        return []
    scores = {one.ticket_id: one.score for one in found}
    told = _told(tickets_readable(actor).filter(id__in=list(scores)), actor.org_id)
    told.sort(key=lambda one: _rank(one.card.facts, scores), reverse=True)
    return told[:MOST]


def _rank(facts: Facts, scores: Mapping[UUID, int]) -> tuple[bool, int, int]:
    return facts.proven, scores[facts.id], facts.number


def _same(actor: Caller, fingerprint: str) -> Statement | None:
    """Those filed in the very same words: found at once, before any index was written. They differ
    in nothing but what ranks them, so no more of them are wanted than are told of."""
    if not fingerprint:
        return None
    rows = tickets_readable(actor).filter(fingerprint=fingerprint).order_by("-number")
    text, params = rows.values("id", "number", "proven")[:_SAME].query.sql_with_params()
    # The query's own text, with its values as parameters.
    first = f"SELECT n.id FROM ({text}) n ORDER BY n.proven DESC, n.number DESC LIMIT {MOST}"  # noqa: S608
    return Statement(first, params)


def _told(tickets: QuerySet[Ticket], org_id: UUID) -> list[Similar]:
    """These with the answer of each that was solved: of the blocker approved last."""
    return [
        Similar(card, _solved(*answer) if card.facts.proven else None)
        for card, answer in cards_beside(tickets, org_id, _ANSWER)
    ]


def _of_approved(column: str) -> str:
    return (
        f"(SELECT {column} FROM verification_verification v"  # noqa: S608
        " LEFT JOIN core_content a ON a.id = v.answer_id"
        f" WHERE v.ticket_id = t.id AND v.stage = '{Stage.BLOCKER}'"
        f" AND v.state = '{VerificationState.APPROVED}' ORDER BY v.id DESC LIMIT 1)"
    )


_ANSWER: Final = tuple(
    _of_approved(column)
    for column in ("COALESCE(v.decided_at, v.submitted_at)", "a.bytes", "a.key_id")
)


def _solved(at: Any, stored: Any, key_id: str | None) -> Solved | None:
    when = sql.to_time(at)
    if when is None:
        return None
    return Solved(when, answer_read(stored, key_id) if stored else answer_of({}))
