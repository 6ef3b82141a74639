"""Verification jobs: their rows, written in the transaction that moves the ticket."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from stuckbot.lib import ids
from stuckbot.lib.errors import Stale
from stuckbot.lib.models import Content
from stuckbot.lib.unit import Unit
from tickets.facts import Facts
from verification.models import Verification
from verification.states import VerificationState

#: How long a verifier holds a job; asking for it again begins anew.
HOLD: Final = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a job ended. `unproved` names the criteria that were approved `unchecked` or `manual`."""

    state: VerificationState
    by_id: UUID
    assurance: str = ""
    note: str = ""
    reason: Content | None = None
    unproved: dict[str, list[str]] = field(default_factory=dict)


def job_open(
    unit: Unit,
    facts: Facts,
    *,
    stage: str,
    state: VerificationState,
    snapshot: dict[str, Any],
    outcome: Outcome | None = None,
    rewritten: dict[str, int] | None = None,
    answer_id: UUID | None = None,
) -> Verification:
    """A job for a submitted stage; with an `outcome` it is over at once.

    `rewritten` says between which versions of the package holders changed it.
    """
    job = Verification(
        id=ids.uuid7(),
        org_id=facts.org_id,
        ticket_id=facts.id,
        stage=stage,
        attempt=facts.attempt,
        state=state,
        policy_snapshot=snapshot,
        notes=["package_changed_by_solver"] if rewritten else [],
        details={"package": rewritten} if rewritten else {},
        submitted_by_id=facts.solver_id or unit.actor.id,
        submitted_at=unit.now,
        answer_id=answer_id,
    )
    if outcome is not None:
        for name, value in _ended(job, outcome, unit.now).items():
            setattr(job, name, value)
    Verification.unscoped.bulk_create([job])
    return job


def job_close(unit: Unit, job: Verification, outcome: Outcome) -> None:
    """Ends a job that nobody ended yet; raises `Stale` when somebody did."""
    _write(job, {"state": outcome.state, **_ended(job, outcome, unit.now)})


def job_take(unit: Unit, job: Verification) -> None:
    """The actor holds the job from now on."""
    columns: dict[str, Any] = {"claimed_by_id": unit.actor.id, "claim_until": unit.now + HOLD}
    if not is_held(job, unit.now, by=unit.actor.id):
        columns["claimed_at"] = unit.now
    _write(job, columns)


def job_pass(unit: Unit, job: Verification, state: VerificationState, why: str) -> None:
    """From verifiers to people, or from the desk's checks to either. `why` is a code."""
    passed = {"why": why, "by": str(unit.actor.id)}
    _write(
        job,
        {
            "state": state,
            "claimed_by_id": None,
            "claimed_at": None,
            "claim_until": None,
            "details": {**job.details, "passed_on": passed},
        },
    )


def answer_newest(facts: Facts, stage: str) -> UUID | None:
    """What was said of the fix when the stage was last submitted in this attempt."""
    jobs = Verification.objects.of(facts.org_id).filter(
        ticket_id=facts.id, stage=stage, attempt=facts.attempt, answer__isnull=False
    )
    return jobs.order_by("-id").values_list("answer_id", flat=True).first()


def answer_before(facts: Facts, stage: str) -> UUID | None:
    """The answer that stands once this stage's is rejected: the approved blocker's, or none."""
    if stage == "blocker":
        return None
    jobs = Verification.objects.of(facts.org_id).filter(
        ticket_id=facts.id, stage="blocker", state=VerificationState.APPROVED
    )
    return jobs.order_by("-id").values_list("answer_id", flat=True).first()


def jobs_cancel(unit: Unit, facts: Facts) -> None:
    """A ticket that leaves review otherwise takes its open job along."""
    waiting = Verification.objects.of(facts.org_id).filter(ticket_id=facts.id, decided_at=None)
    waiting.update(state=VerificationState.CANCELLED, decided_at=unit.now)


def is_held(job: Verification, now: datetime, *, by: UUID | None = None) -> bool:
    """Somebody holds the job, or the one that is asked about does."""
    if job.claim_until is None or job.claim_until <= now:
        return False
    return by is None or job.claimed_by_id == by


def _ended(job: Verification, outcome: Outcome, now: datetime) -> dict[str, Any]:
    details = {**job.details, "unproved": outcome.unproved} if outcome.unproved else job.details
    return {
        "assurance": outcome.assurance,
        "notes": [*job.notes, outcome.note] if outcome.note else job.notes,
        "details": details,
        "reason": outcome.reason,
        "decided_by_id": outcome.by_id,
        "decided_at": now,
    }


def _write(job: Verification, columns: dict[str, Any]) -> None:
    """One job, as it was read: whoever changed it meanwhile has won."""
    same = Verification.objects.of(job.org_id).filter(
        id=job.id, state=job.state, decided_at=None, claimed_by=job.claimed_by_id
    )
    if same.update(**columns) != 1:
        raise Stale
