"""One ticket, whole: what it says, how it was proved, what the actor may do."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from stuckbot.lib.content import value_of
from tickets.cards import Card
from tickets.models import Criterion, Note
from tickets.selectors import card_of, criteria_list, notes_list, package_get
from verification.models import Evidence, Verification
from verification.selectors import evidence_list, verifications_list
from verification.standing import counting, stage_attempts
from verification.states import VerificationState


@dataclass(frozen=True, slots=True)
class Detail:
    """Rows of a ticket: evidence, verifications and notes oldest first, criteria in order."""

    card: Card
    package: dict[str, Any]
    criteria: list[Criterion]
    evidence: list[Evidence]
    counts: dict[str, Evidence]
    verifications: list[Verification]
    notes: list[Note]


def ticket_detail(card: Card) -> Detail:
    """Reads everything that hangs on a ticket the caller may read, in a fixed number of
    statements."""
    facts = card.facts
    stored = package_get(facts.id, facts.package_n, facts.org_id).content
    evidence = evidence_list(facts.id, facts.org_id)
    jobs = verifications_list(facts.id, facts.org_id)
    approved = {job.stage: job.attempt for job in jobs if job.state == VerificationState.APPROVED}
    attempts = stage_attempts(facts.attempt, approved, facts.proven)
    return Detail(
        card=card,
        package=value_of(stored.bytes, stored.key_id) or {},
        criteria=criteria_list(facts.id, facts.org_id),
        evidence=evidence,
        counts=counting(evidence, attempts),
        verifications=jobs,
        notes=notes_list(facts.id, facts.org_id),
    )


def ticket_detail_of(ticket_id: UUID, org_id: UUID) -> Detail:
    return ticket_detail(card_of(ticket_id, org_id))


def ticket_detail_fresh(card: Card, package: dict[str, Any], criteria: list[Criterion]) -> Detail:
    """The detail of a ticket that was filed this moment: nothing hangs on it yet."""
    return Detail(card, package, criteria, [], {}, [], [])
