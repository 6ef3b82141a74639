"""Sets of labels and skills, one row per set and org, remembered per process."""

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from uuid import UUID

from stuckbot.lib import ids
from stuckbot.lib.content import json_bytes
from stuckbot.lib.rows import rows_insert
from tickets.facts import Facts
from tickets.models import Tag, Ticket, WordSet


def wordset_id(org_id: UUID, kind: str, words: Sequence[str]) -> UUID | None:
    """The id of the set, made when it is new; None for no words. Rows are never deleted."""
    if not words:
        return None
    return _wordset_id(org_id, kind, tuple(words))


@lru_cache(maxsize=8192)
def _wordset_id(org_id: UUID, kind: str, words: tuple[str, ...]) -> UUID:
    sha256 = hashlib.sha256(json_bytes(words)).hexdigest()
    rows = WordSet.objects.of(org_id).filter(kind=kind, sha256=sha256)
    found = rows.values_list("id", flat=True).first()
    if found is None:
        fresh = WordSet(id=ids.uuid7(), org_id=org_id, kind=kind, sha256=sha256, words=list(words))
        WordSet.unscoped.bulk_create([fresh], ignore_conflicts=True)
        found = rows.values_list("id", flat=True).get()
    return found


def tag_rows(ticket: Ticket, labels: Sequence[str]) -> list[Tag]:
    """The rows that find a ticket by its labels; they go when it closes."""
    return [
        Tag(
            org_id=ticket.org_id,
            project_id=ticket.project_id,
            label=label,
            urgency=ticket.urgency,
            ticket=ticket,
        )
        for label in labels
    ]


def tags_write(ticket: Ticket, labels: Sequence[str]) -> None:
    """Of a ticket that may have some of them already."""
    rows_insert(*tag_rows(ticket, labels), ignore_conflicts=True)


def tags_drop(facts: Facts) -> None:
    Tag.objects.of(facts.org_id).filter(ticket_id=facts.id).delete()


def tags_restore(facts: Facts) -> None:
    """Puts a reopened ticket under its labels again."""
    ticket = Ticket.objects.of(facts.org_id).select_related("labelset").get(id=facts.id)
    if ticket.labelset is not None:
        tags_write(ticket, ticket.labelset.words)
