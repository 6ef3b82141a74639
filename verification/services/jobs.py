"""Verification jobs: opened when a stage is submitted, in the write that moves the ticket."""

from typing import Any

from stuckbot.lib import ids
from stuckbot.lib.unit import Unit
from tickets.facts import Facts
from verification.models import Verification
from verification.states import VerificationState


def job_open(
    unit: Unit,
    facts: Facts,
    *,
    stage: str,
    state: VerificationState,
    snapshot: dict[str, Any],
    assurance: str = "",
) -> Verification:
    """A job for a submitted stage; one that is approved at once is decided by the desk."""
    approved = state is VerificationState.APPROVED
    job = Verification(
        id=ids.uuid7(),
        org_id=facts.org_id,
        ticket_id=facts.id,
        stage=stage,
        attempt=facts.attempt,
        state=state,
        policy_snapshot=snapshot,
        assurance=assurance,
        submitted_by_id=unit.actor.id,
        submitted_at=unit.now,
        decided_by_id=facts.org_id if approved else None,
        decided_at=unit.now if approved else None,
    )
    Verification.unscoped.bulk_create([job])
    return job


def jobs_cancel(unit: Unit, facts: Facts) -> None:
    """A ticket that leaves review otherwise takes its open job along."""
    waiting = Verification.objects.of(facts.org_id).filter(ticket_id=facts.id, decided_at=None)
    waiting.update(state=VerificationState.CANCELLED, decided_at=unit.now)
