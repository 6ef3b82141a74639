"""One ticket as its page reads it: bounded, however much was said and sent on it."""

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from stuckbot.lib.caller import Caller
from stuckbot.lib.content import value_of
from tickets.cards import Card
from tickets.models import Criterion, Finding, Note
from tickets.selectors import (
    card_with_events,
    criteria_list,
    findings_list,
    notes_newest,
    package_get,
)
from verification.models import Evidence, Verification
from verification.selectors import evidence_standing, verifications_newest
from verification.standing import counting, stage_attempts
from verification.states import VerificationState

#: Notes and events of one page.
PAGE: Final = 50


@dataclass(frozen=True, slots=True)
class Sight:
    """What the page shows. `events` and `notes` are the newest before a mark, oldest first, one
    more than a page when there are earlier ones; `sent` counts all evidence by criterion.

    `seen` is the newest event: whatever comes after it, the reader has not seen. `listed` are the
    first of the list that the ticket is on, where they are asked for.
    """

    card: Card
    package: dict[str, Any]
    criteria: list[Criterion]
    counts: dict[str, Evidence]
    sent: dict[str, int]
    verifications: list[Verification]
    notes: list[Note]
    findings: list[Finding]
    events: list[dict[str, Any]]
    seen: int
    listed: list[Card]


def ticket_sight(
    *,
    actor: Caller,
    ref: str,
    events_before: int | None = None,
    notes_before: UUID | None = None,
    listed: int = 0,
) -> Sight:
    """Reads a ticket in a fixed number of statements; `Missing` to whoever may not.

    The card is read after the events, so it is never older than `seen` says.
    """
    card, others, events = card_with_events(
        actor=actor, ref=ref, before=events_before, limit=PAGE + 1, listed=listed
    )
    facts = card.facts
    ticket_id, org_id = facts.id, facts.org_id
    stored = package_get(ticket_id, facts.package_n, org_id).content
    jobs = verifications_newest(ticket_id, org_id, limit=PAGE)
    approved = {job.stage: job.attempt for job in jobs if job.state == VerificationState.APPROVED}
    attempts = stage_attempts(facts.attempt, approved, facts.proven)
    evidence = evidence_standing(ticket_id, org_id, frozenset(attempts.values()))
    return Sight(
        card=card,
        package=value_of(stored.bytes, stored.key_id) or {},
        criteria=criteria_list(ticket_id, org_id),
        counts=counting([one for one, _ in evidence], attempts),
        sent={one.criterion: sent for one, sent in evidence},
        verifications=jobs,
        notes=notes_newest(ticket_id, org_id, before=notes_before, limit=PAGE + 1),
        findings=findings_list(ticket_id, org_id),
        events=events,
        seen=events[-1]["id"] if events else 0,
        listed=others,
    )
