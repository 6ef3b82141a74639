"""The desk's own checks of a submitted stage have ended: who must agree now?"""

from datetime import datetime
from uuid import UUID

from accounts.services.orgs import system_caller
from stuckbot.lib.unit import Unit, unit_of_work
from stuckbot.site.usecases.submit import WAITS_FOR, route
from tickets.selectors import criteria_list
from tickets.services.moves import Change, move_apply
from verification.models import Verification
from verification.selectors import evidence_of_attempt
from verification.services.deciding import approval_of, job_ticket, wait_begin
from verification.services.jobs import job_pass
from verification.services.reviews import Case, approval, review_approve, review_reject
from verification.standing import counting, stage_attempts
from verification.states import VerificationState


def checks_finished(org_id: UUID, job_id: UUID, now: datetime) -> bool:
    """Routes a job that waited for checks, as a submit would now; False while some still run, or
    when nothing waits for them any more. A check that failed rejects the fix.

    Raises `Stale` when the ticket moved meanwhile; the caller begins again.
    """
    jobs = Verification.objects.of(org_id).filter(id=job_id, decided_at=None)
    job = jobs.filter(state=VerificationState.WAITING_CHECKS).first()
    if job is None:
        return False
    case = _case(job)
    stand = case.stand
    if stand.waiting_checks:
        return False
    with unit_of_work(system_caller(org_id), now) as unit:
        if stand.failing or stand.missing:
            review_reject(unit, case)
            return True
        state = route(stand, approval_of(job))
        if state is VerificationState.APPROVED:
            review_approve(unit, case, approval(unit, case, "desk"))
        else:
            _ask(unit, case, state)
    return True


def _case(job: Verification) -> Case:
    facts = job_ticket(job)
    sent = evidence_of_attempt(facts.id, facts.org_id, job.attempt)
    counts = counting(sent, stage_attempts(job.attempt, {}, proven=False))
    return Case(facts, job, criteria_list(facts.id, facts.org_id), counts)


def _ask(unit: Unit, case: Case, state: VerificationState) -> None:
    job = case.job
    data = {
        "stage": job.stage,
        "verification_id": str(job.id),
        "verification_state": str(state),
        "unchecked": case.stand.unchecked,
    }
    change = Change(fields={"waits_for": WAITS_FOR[state]}, data=data)
    move_apply(unit, case.facts, "review_route", change)
    job_pass(unit, job, state, "checks_finished")
    if state is VerificationState.WAITING_AGENT:
        wait_begin(unit, job)
