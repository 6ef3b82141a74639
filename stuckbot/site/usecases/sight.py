"""One ticket as its page reads it: bounded, however much was said and sent on it."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from stuckbot.lib.caller import Caller
from tickets.cards import Card
from tickets.chains import Chain, chain_made
from tickets.handover import HANDOVERS, Left, lefts_of
from tickets.models import Criterion, Finding, Note
from tickets.packages.changes import Changed, package_changes
from tickets.selectors import card_with_events, findings_list, notes_newest, packages_get
from verification.eligibility import PersonFacts, person_columns, person_of, person_read
from verification.models import Evidence, Verification
from verification.selectors import evidence_standing, verifications_newest
from verification.standing import Stand, counting, stage_attempts, stage_stand
from verification.states import VerificationState

#: Notes and events of one page.
PAGE: Final = 50


@dataclass(frozen=True, slots=True)
class Proof:
    """How a ticket is proved. `sent` counts all evidence by criterion, `verifications` come oldest
    first, `changes` are what holders changed in the package before they submitted the newest.

    `person` is how the reader stands to the stage in hand; `asks_at` when a person is asked to
    check it instead of a verifier.
    """

    card: Card
    package: dict[str, Any]
    criteria: list[Criterion]
    counts: dict[str, Evidence]
    sent: dict[str, int]
    verifications: list[Verification]
    changes: dict[str, list[Changed]]
    person: PersonFacts
    asks_at: datetime | None

    @property
    def waiting(self) -> Verification | None:
        """The stage that somebody has to decide on."""
        return next((job for job in self.verifications[::-1] if job.decided_at is None), None)

    def newest(self, stage: str) -> Verification | None:
        """The job that the stage stands on: of this attempt, or the one that was approved."""
        facts = self.card.facts
        jobs = [job for job in self.verifications if job.stage == stage]
        if stage == "blocker" and facts.proven:
            approved = (one for one in jobs[::-1] if one.state == VerificationState.APPROVED)
            return next(approved, None)
        return next((job for job in jobs[::-1] if job.attempt == facts.attempt), None)

    @property
    def stand(self) -> Stand:
        """How the stage in hand stands."""
        return stage_stand(self.criteria, self.counts, self.card.facts.stage)


@dataclass(frozen=True, slots=True)
class Sight:
    """What the page shows. `events` and `notes` are the newest before a mark, oldest first, one
    more than a page when there are earlier ones. `left` is what those who had the ticket said to
    whoever takes it next.

    `seen` is the newest event: whatever comes after it, the reader has not seen. `listed` are the
    first of the list that the ticket is on, where they are asked for; `alike` look like the same
    problem.
    """

    proof: Proof
    notes: list[Note]
    findings: list[Finding]
    events: list[dict[str, Any]]
    seen: int
    listed: list[Card]
    chain: Chain
    left: list[Left]
    alike: list[Card]

    @property
    def card(self) -> Card:
        return self.proof.card


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
    found, events, handovers = card_with_events(
        actor=actor,
        ref=ref,
        before=events_before,
        limit=PAGE + 1,
        handovers=HANDOVERS,
        listed=listed,
    )
    card = found.card
    assert card is not None
    ticket_id, org_id = card.facts.id, card.facts.org_id
    return Sight(
        proof=ticket_proof(actor=actor, card=card),
        notes=notes_newest(ticket_id, org_id, before=notes_before, limit=PAGE + 1),
        findings=findings_list(ticket_id, org_id),
        events=events,
        seen=events[-1]["id"] if events else 0,
        listed=found.listed,
        chain=chain_made(found.chain),
        left=lefts_of(card, handovers),
        alike=found.alike,
    )


def ticket_proof(*, actor: Caller, card: Card) -> Proof:
    """The proof of a ticket that the actor reads, in four statements."""
    facts = card.facts
    ticket_id, org_id = facts.id, facts.org_id
    found = verifications_newest(ticket_id, org_id, limit=PAGE)
    jobs = [job for job, _ in found]
    approved = {job.stage: job.attempt for job in jobs if job.state == VerificationState.APPROVED}
    attempts = stage_attempts(facts.attempt, approved, facts.proven)
    evidence = evidence_standing(ticket_id, org_id, frozenset(attempts.values()))
    packages = packages_get(ticket_id, {facts.package_n, *_versions(jobs)}, org_id)
    criteria, person = _criteria(actor, card, jobs)
    return Proof(
        card=card,
        package=packages[facts.package_n],
        criteria=criteria,
        counts=counting([one for one, _ in evidence], attempts),
        sent={one.criterion: sent for one, sent in evidence},
        verifications=jobs,
        changes=_changes(jobs, packages),
        person=person,
        asks_at=next((at for job, at in found[::-1] if job.decided_at is None), None),
    )


def _versions(jobs: Collection[Verification]) -> set[int]:
    """Of the package, as the newest job of each stage tells them."""
    changed = [one.details["package"] for one in _newest(jobs) if "package" in one.details]
    return {n for one in changed for n in (one["from"], one["to"])}


def _newest(jobs: Collection[Verification]) -> Collection[Verification]:
    return {job.stage: job for job in jobs}.values()


def _changes(jobs: Collection[Verification], packages: dict[int, Any]) -> dict[str, list[Changed]]:
    return {
        job.stage: package_changes(packages[change["from"]], packages[change["to"]])
        for job in _newest(jobs)
        if (change := job.details.get("package"))
    }


def _criteria(
    actor: Caller, card: Card, jobs: Collection[Verification]
) -> tuple[list[Criterion], PersonFacts]:
    """The criteria, and how the actor stands to the stage in hand; in one statement."""
    facts = card.facts
    waiting = next((job.submitted_by_id for job in jobs if job.decided_at is None), None)
    solver_id = waiting or facts.solver_id
    columns = person_columns(actor, solver_id=solver_id)
    found: Any = Criterion.objects.of(facts.org_id).filter(ticket_id=facts.id).annotate(**columns)
    rows = list(found.order_by("stage", "position"))
    if not rows:
        # A package that nobody has completed yet may have none.
        stage = facts.stage
        person = person_read(actor, ticket_id=facts.id, stage=stage, solver_id=solver_id)
        return rows, person
    in_hand = next((one for one in rows if one.stage == facts.stage), rows[0])
    return rows, person_of(actor, in_hand, solver_id=solver_id)
