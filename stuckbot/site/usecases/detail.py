"""One ticket, whole: what it says, how it was proved, what the actor may do."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from stuckbot.lib.content import value_of
from tickets.cards import Card
from tickets.chains import Chain, chain_of
from tickets.handover import Left, handover_of
from tickets.models import Criterion, Finding, Note
from tickets.packages.changes import Changed, package_changes
from tickets.packages.check import Warning_
from tickets.packages.warnings import package_warnings
from tickets.selectors import (
    card_of,
    criteria_list,
    findings_list,
    notes_list,
    package_get,
    packages_get,
)
from tickets.services.create import Filed
from verification.models import Evidence, Verification
from verification.selectors import evidence_list, verifications_list
from verification.standing import counting, stage_attempts
from verification.states import VerificationState

#: By job: what holders changed in the package before they submitted.
Changes = dict[UUID, list[Changed]]


@dataclass(frozen=True, slots=True)
class Detail:
    """Rows of a ticket: criteria in package order, all else oldest first."""

    card: Card
    package: dict[str, Any]
    criteria: list[Criterion]
    evidence: list[Evidence]
    counts: dict[str, Evidence]
    verifications: list[Verification]
    notes: list[Note]
    findings: list[Finding]
    changes: Changes = field(default_factory=dict)
    #: None for a ticket that is alone.
    chain: Chain | None = None
    handover: list[Left] = field(default_factory=list)

    @property
    def warnings(self) -> tuple[Warning_, ...]:
        """What the package that stands now is warned of, with the explanation that stands now."""
        summary = self.card.human_summary
        whole = self.package if summary is None else {**self.package, "human_summary": summary}
        return package_warnings(whole)


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
        findings=findings_list(facts.id, facts.org_id),
        changes=changes_of(jobs),
        chain=chain_of(card),
        handover=handover_of(card),
    )


def changes_of(jobs: Sequence[Verification]) -> Changes:
    """For jobs of one ticket, in one statement; in none for those whose package nobody changed."""
    changed = {job.id: job.details["package"] for job in jobs if "package" in job.details}
    if not changed:
        return {}
    wanted = {n for one in changed.values() for n in (one["from"], one["to"])}
    packages = packages_get(jobs[0].ticket_id, wanted, jobs[0].org_id)
    return {
        job_id: package_changes(packages[one["from"]], packages[one["to"]])
        for job_id, one in changed.items()
    }


def ticket_detail_of(ticket_id: UUID, org_id: UUID) -> Detail:
    return ticket_detail(card_of(ticket_id, org_id))


def ticket_detail_fresh(filed: Filed) -> Detail:
    """The detail of a ticket that was filed this moment: only what was masked hangs on it yet."""
    package = filed.intake.package
    return Detail(filed.card, package, filed.criteria, [], {}, [], [], filed.findings)
