"""Reads of evidence and verifications."""

from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import Count, Max, OuterRef, Q, QuerySet, Subquery

from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Missing
from stuckbot.lib.models import Timer
from tickets.selectors import facts_get, unread
from verification.eligibility import jobs_for
from verification.models import Attestation, Evidence, Verification, VerifierKey
from verification.states import VERIFIER_WAIT

#: What is read along with evidence: who sent it, what it says, who signed it, and the desk's check
#: that it asked for or tells of.
_ALONG: Final = ("by", "content", "attestation__key", "check_asked", "check_told")

#: What comes with a job: who submitted, holds and decided it, why, and what was said of the fix.
SHOWN: Final = ("submitted_by", "claimed_by", "decided_by", "reason", "answer")


def evidence_list(ticket_id: UUID, org_id: UUID) -> list[Evidence]:
    """Oldest first, with who sent it and its content."""
    rows = Evidence.objects.of(org_id).filter(ticket_id=ticket_id)
    return list(rows.select_related(*_ALONG).order_by("seq"))


def evidence_standing(
    ticket_id: UUID, org_id: UUID, attempts: frozenset[int]
) -> list[tuple[Evidence, int]]:
    """The newest evidence per criterion, of all attempts and of each of these, oldest first, with
    how much was sent for its criterion in all. As many rows as criteria, however much was sent."""
    rows = Evidence.objects.of(org_id).filter(ticket_id=ticket_id)
    newest = rows.order_by().values("criterion").annotate(last=Max("seq")).values("last")
    counted = rows.order_by().filter(attempt__in=attempts).values("criterion", "attempt")
    same = Evidence.objects.of(org_id).filter(
        ticket_id=OuterRef("ticket_id"), criterion=OuterRef("criterion")
    )
    sent = same.order_by().values("criterion").annotate(sent=Count("id")).values("sent")
    chosen = Q(seq__in=newest) | Q(seq__in=counted.annotate(last=Max("seq")).values("last"))
    found: Any = rows.filter(chosen).annotate(sent=Subquery(sent))
    return [(one, one.sent) for one in found.select_related(*_ALONG).order_by("seq")]


def evidence_newest(
    ticket_id: UUID, org_id: UUID, criterion: str, *, before: int | None, limit: int
) -> list[Evidence]:
    """The newest evidence for a criterion, of that before a mark when one is named."""
    rows = Evidence.objects.of(org_id).filter(ticket_id=ticket_id, criterion=criterion)
    if before is not None:
        rows = rows.filter(seq__lt=before)
    return list(rows.select_related(*_ALONG).order_by("-seq")[:limit])


def evidence_of_attempt(ticket_id: UUID, org_id: UUID, attempt: int) -> list[Evidence]:
    """Oldest first, without texts: what a submit judges."""
    rows = Evidence.objects.of(org_id).filter(ticket_id=ticket_id, attempt=attempt)
    return list(rows.order_by("seq"))


def verifications_list(ticket_id: UUID, org_id: UUID) -> list[Verification]:
    """Oldest first."""
    rows = Verification.objects.of(org_id).filter(ticket_id=ticket_id)
    return list(rows.select_related(*SHOWN).order_by("id"))


def verifications_newest(
    ticket_id: UUID, org_id: UUID, *, limit: int
) -> list[tuple[Verification, datetime | None]]:
    """The newest, oldest first, each with when a person is asked instead of a verifier."""
    rows = Verification.objects.of(org_id).filter(ticket_id=ticket_id)
    waits = Timer.objects.of(org_id).filter(
        kind=VERIFIER_WAIT, subject=OuterRef("id"), quarantined_at=None
    )
    found: Any = rows.annotate(asks_at=Subquery(waits.values("due_at")[:1]))
    newest = list(found.select_related(*SHOWN).order_by("-id")[:limit])
    return [(one, one.asks_at) for one in reversed(newest)]


def verification_waiting(ticket_id: UUID, org_id: UUID) -> Verification | None:
    """The one of a ticket that nobody has decided yet."""
    rows = Verification.objects.of(org_id).filter(ticket_id=ticket_id, decided_at=None)
    return rows.order_by("-id").first()


def verifications_for(*, actor: Caller, now: datetime, limit: int) -> list[Verification]:
    """Jobs that wait for a verifier and that this agent may take now or holds, oldest first; see
    `verification.eligibility`. People decide without taking a job, so for them there is none."""
    if not actor.is_agent:
        return []
    chosen = jobs_for(actor, now, limit)
    rows = Verification.objects.of(actor.org_id).filter(id__in=chosen)
    shown = rows.select_related("ticket", "claimed_by")
    return list(shown.order_by("submitted_at", "id")) if chosen else []


def _of_projects(actor: Caller) -> QuerySet[Verification]:
    jobs = Verification.objects.of(actor.org_id)
    if actor.project_ids is None:
        return jobs
    return jobs.filter(ticket__project__in=actor.project_ids)


def verification_get(*, actor: Caller, job_id: UUID) -> Verification:
    """A job of a project that the actor reads; `Missing` else."""
    job = _of_projects(actor).filter(id=job_id).first()
    if job is None:
        raise Missing
    return job


def verification_shown(job_id: UUID, org_id: UUID) -> Verification:
    """A job with the names and texts that its answers show, inside the write in hand."""
    rows = Verification.objects.of(org_id).select_related(*SHOWN)
    return rows.get(id=job_id)


def verifier_keys_list(org_id: UUID) -> list[VerifierKey]:
    """Every key of the org's verifiers, oldest first, with who added and who revoked it."""
    rows = VerifierKey.objects.of(org_id).select_related("added_by", "revoked_by")
    return list(rows.order_by("added_at", "id"))


def attestations_get(
    *, actor: Caller, job_id: UUID | None
) -> tuple[Verification, list[Attestation]]:
    """A job of a ticket that the actor reads, and its signed results, oldest first."""
    jobs = Verification.objects.of(actor.org_id).select_related("ticket")
    job = None if job_id is None else jobs.filter(id=job_id).first()
    if job is None:
        raise unread(actor)
    facts_get(actor=actor, ref=str(job.ticket_id))
    rows = Attestation.objects.of(actor.org_id).filter(evidence__verification=job)
    return job, list(rows.select_related("evidence", "key").order_by("evidence__seq", "evidence"))
