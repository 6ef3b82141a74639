"""Tickets that look like the same problem, for whoever files it: solved ones first, with the
answer that worked. What the caller may not read is not there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from stuckbot.lib.caller import Caller
from tickets.answers import Answer, answer_of, answer_read
from tickets.cards import Card, cards_of
from tickets.search.document import problem_stems
from tickets.search.find import reader_words
from tickets.search.fingerprint import fingerprint_of
from tickets.search.likeness import alike_find
from tickets.selectors import tickets_readable
from verification.models import Verification
from verification.states import VerificationState

#: Told of at most.
MOST: Final = 5
#: Filed before in the very same words: looked at so many, the newest.
_SAME: Final = 20
#: More alike than any two tickets of different words are.
_IDENTICAL: Final = 1_001


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
    """At most `MOST`: solved ones first, then the most alike, then the newest."""
    title = str(package.get("title", ""))
    scores = _same(actor, fingerprint_of(package))
    stems = problem_stems(title, package)
    for found in alike_find(actor.org_id, stems, scope=reader_words(actor)):
        scores.setdefault(found.ticket_id, found.score)
    return similar_of(actor.org_id, _chosen(actor, scores)) if scores else []


def similar_of(org_id: UUID, ticket_ids: Sequence[UUID]) -> list[Similar]:
    """These tickets as `similar` tells of them, in this order."""
    cards = cards_of(ticket_ids, org_id)
    solved = _solved(org_id, [one.facts.id for one in cards if one.facts.proven])
    return [Similar(one, solved.get(one.facts.id)) for one in cards]


def _same(actor: Caller, fingerprint: str) -> dict[UUID, int]:
    """Those filed in the very same words: found at once, before any index was written."""
    if not fingerprint:
        return {}
    rows = tickets_readable(actor).filter(fingerprint=fingerprint).order_by("-number")
    return dict.fromkeys(rows.values_list("id", flat=True)[:_SAME], _IDENTICAL)


def _chosen(actor: Caller, scores: Mapping[UUID, int]) -> list[UUID]:
    rows = tickets_readable(actor).filter(id__in=list(scores))
    found = list(rows.values_list("id", "number", "proven"))
    found.sort(key=lambda one: (one[2], scores[one[0]], one[1]), reverse=True)
    return [ticket_id for ticket_id, _, _ in found[:MOST]]


def _solved(org_id: UUID, ticket_ids: Sequence[UUID]) -> dict[UUID, Solved]:
    if not ticket_ids:
        return {}
    jobs = Verification.objects.of(org_id).filter(
        ticket_id__in=ticket_ids, stage="blocker", state=VerificationState.APPROVED
    )
    columns = ("ticket_id", "decided_at", "submitted_at", "answer__bytes", "answer__key_id")
    return {
        ticket_id: Solved(
            decided or submitted, answer_read(stored, key) if stored else answer_of({})
        )
        for ticket_id, decided, submitted, stored, key in jobs.order_by("id").values_list(*columns)
    }
