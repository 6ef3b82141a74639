"""The desk's own checks of a submitted stage have ended: who must agree now?"""

from contextlib import suppress
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from accounts.services.orgs import system_caller
from stuckbot.lib import ids
from stuckbot.lib.errors import Stale
from stuckbot.lib.models import Content, Timer
from stuckbot.lib.unit import Unit, unit_of_work
from stuckbot.site.usecases.submit import WAITS_FOR, route
from tickets.selectors import criteria_list
from tickets.services.moves import Change, move_apply
from tickets.services.texts import text_content
from verification.models import UrlCheck, Verification
from verification.selectors import evidence_of_attempt
from verification.services.deciding import approval_of, job_ticket, wait_begin
from verification.services.jobs import job_pass
from verification.services.reviews import Case, approval, review_approve, review_reject
from verification.services.url_checks import checks_ensure
from verification.standing import counting, stage_attempts
from verification.states import CHECKS_OVER, CheckStatus, VerificationState

_BATCH: Final = 500


def checks_finished(org_id: UUID, job_id: UUID, now: datetime) -> bool:
    """Routes a job that waited for checks, as a submit would now; False while some still run, or
    when nothing waits for them any more. A check that failed rejects the fix, with what was seen as
    the reason.

    Raises `Stale` when the ticket moved meanwhile; the caller begins again.
    """
    job = _waiting(org_id).filter(id=job_id).first()
    if job is None:
        return False
    case = _case(job)
    stand = case.stand
    if stand.waiting_checks:
        return False
    if stand.failing:
        case.reason = _seen(case)
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


def checks_settle(org_id: UUID, job_id: UUID, now: datetime) -> None:
    """A job that waits for checks of which none is under way: goes on with it, or has what has no
    result checked anew. Safe to run twice; whoever moves the ticket meanwhile has won."""
    job = _waiting(org_id).filter(id=job_id).first()
    if job is None:
        return
    case = _case(job)
    pending = [case.counts[key] for key in case.stand.waiting_checks]
    if pending:
        with unit_of_work(system_caller(org_id), now) as unit:
            checks_ensure(unit, pending)
        return
    with suppress(Stale):
        checks_finished(org_id, job_id, now)


def ticket_settle(org_id: UUID, ticket_id: UUID, now: datetime) -> None:
    """The same for the job of a ticket, right after a check has ended; the sweep does it else."""
    for job in _waiting(org_id).filter(ticket_id=ticket_id):
        with suppress(Stale):
            checks_finished(org_id, job.id, now)


def stalled() -> QuerySet[Verification]:
    """Jobs that wait for checks, of whose tickets none is under way; those without a timer yet."""
    running = UrlCheck.unscoped.filter(ticket=OuterRef("ticket"), status=CheckStatus.WAITING)
    known = Timer.unscoped.filter(kind=CHECKS_OVER, subject=OuterRef("id"))
    jobs = Verification.unscoped.filter(state=VerificationState.WAITING_CHECKS)
    return jobs.filter(~Exists(running), ~Exists(known))


def stalled_to_timers(now: datetime) -> None:
    rows = stalled().values_list("id", "org_id")[:_BATCH]
    due = [
        Timer(id=ids.uuid7(), org_id=org_id, kind=CHECKS_OVER, subject=job_id, due_at=now)
        for job_id, org_id in rows
    ]
    if due:
        Timer.unscoped.bulk_create(due, ignore_conflicts=True)


def _waiting(org_id: UUID) -> QuerySet[Verification]:
    jobs = Verification.objects.of(org_id).filter(decided_at=None)
    return jobs.filter(state=VerificationState.WAITING_CHECKS)


def _case(job: Verification) -> Case:
    facts = job_ticket(job)
    sent = evidence_of_attempt(facts.id, facts.org_id, job.attempt)
    counts = counting(sent, stage_attempts(job.attempt, {}, proven=False))
    return Case(facts, job, criteria_list(facts.id, facts.org_id), counts)


def _seen(case: Case) -> Content | None:
    """What the desk saw where it failed: whoever works on it next reads this first."""
    facts, failed = case.facts, [case.counts[key].id for key in case.stand.failing]
    looks = UrlCheck.objects.of(facts.org_id).filter(found__in=failed).order_by("criterion")
    said = [
        f"{one.criterion}: the address answered {one.http_status}, which is not what was expected."
        for one in looks
    ]
    return text_content(facts, "reason", "\n".join(said), "decision.reason")


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
