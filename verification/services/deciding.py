"""A verifier takes a job, and a job that no verifier took in time goes to people."""

from datetime import datetime, timedelta
from uuid import UUID

from accounts.selectors import scope_require
from accounts.services.orgs import system_caller
from policy.resolve import policy_of
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Conflict, Forbidden, LostRace, Missing, Stale
from stuckbot.lib.idempotency import Keep
from stuckbot.lib.timers import timer_set
from stuckbot.lib.unit import Unit, unit_of_work
from tickets.facts import Facts
from tickets.rows import facts_read
from tickets.services.claims import still_here
from tickets.services.moves import Change, move_apply
from verification.eligibility import may_decide
from verification.models import Verification
from verification.selectors import verification_get, verification_shown
from verification.services.jobs import HOLD, is_held, job_take
from verification.services.reviews import Case, review_pass_on
from verification.states import VERIFIER_WAIT, VerificationState


def job_claim(
    *, actor: Caller, job_id: UUID, now: datetime, keep: Keep | None = None
) -> Verification:
    """Holds a job for 15 minutes; by its holder again: 15 minutes from now.

    403 `not_eligible` with the reason, 409 `already_claimed` while another holds it,
    `invalid_transition` when it does not wait for a verifier.
    """
    scope_require(actor, "verify")
    job = verification_get(actor=actor, job_id=job_id)
    if actor.is_person:
        raise Forbidden("People decide without taking a job: send the decision.")
    facts = job_ticket(job)
    waiting_require(job, actor)
    eligible_require(actor, job)
    free_require(job, actor, now)
    again = is_held(job, now, by=actor.id)
    with unit_of_work(actor, now, keep) as unit:
        still_here(actor, takes=not again)
        change = Change(
            fields={"verifier_id": actor.id, "verifier_until": unit.now + HOLD},
            data={"stage": job.stage, "verification_id": str(job.id)},
        )
        move_apply(unit, facts, "review_hold" if again else "review_claim", change)
        job_take(unit, job)
        unit.result = held = verification_shown(job.id, job.org_id)
    return held


def job_ticket(job: Verification) -> Facts:
    facts = facts_read(job.org_id, "id", job.ticket_id)
    if facts is None:
        raise Missing
    return facts


def waiting_require(job: Verification, actor: Caller, *, approves: bool = True) -> None:
    """The 409 of a job that takes no decision of this caller, with its state."""
    state = VerificationState(job.state)
    message = ""
    if state is VerificationState.WAITING_CHECKS:
        message = "StuckBot's own checks still run. Wait for them."
    elif state not in (VerificationState.WAITING_AGENT, VerificationState.WAITING_PERSON):
        message = f"This was {state} already. Nothing is left to decide."
    elif actor.is_agent and state is VerificationState.WAITING_PERSON:
        message = "This waits for a person now. Leave it to them."
    elif approves and actor.is_person and agent_first(job):
        message = (
            "The policy wants another agent to agree first, then a person. Wait for the agent, or"
            " reject the fix."
        )
    if message:
        raise Conflict(message, details={"state": job.state, "allowed": _allowed(job, actor)})


def agent_first(job: Verification) -> bool:
    """Whether the policy wants a verifier to agree before a person may approve, and none has."""
    waits = job.state == VerificationState.WAITING_AGENT
    return waits and approval_of(job) == "agent_then_person"


def eligible_require(actor: Caller, job: Verification) -> bool:
    """The 403 of whoever may not approve; else whether it is work of their own."""
    verdict = may_decide(actor, job)
    if not verdict.allowed:
        raise Forbidden(verdict.reason, code=verdict.code)
    return verdict.own


def free_require(job: Verification, actor: Caller, now: datetime) -> None:
    if actor.is_agent and is_held(job, now) and not is_held(job, now, by=actor.id):
        raise LostRace("Another verifier holds this. Look for other jobs.")


def approval_of(job: Verification) -> str:
    """Who must agree, by the policy that the stage was submitted under."""
    kept = job.policy_snapshot.get("approval")
    return str(kept or policy_of(job.policy_snapshot).approval_for(job.stage))


def _allowed(job: Verification, actor: Caller) -> list[str]:
    if job.state == VerificationState.WAITING_AGENT:
        return ["reject"]
    waits_for_person = job.state == VerificationState.WAITING_PERSON
    return ["approve", "reject"] if actor.is_person and waits_for_person else []


def _ends_at(job: Verification, now: datetime) -> datetime:
    """When whoever holds the job has had their 15 minutes; now when nobody holds it."""
    if job.claimed_at is None or not is_held(job, now):
        return now
    return job.claimed_at + HOLD


def wait_begin(unit: Unit, job: Verification) -> None:
    """Sets the timer of a job that waits for a verifier from now on, where the policy has one."""
    minutes = policy_of(job.policy_snapshot).verifier_wait_minutes
    if minutes:
        due_at = unit.now + timedelta(minutes=minutes)
        timer_set(org_id=job.org_id, kind=VERIFIER_WAIT, subject=job.id, due_at=due_at)


def job_wait_over(org_id: UUID, job_id: UUID, now: datetime) -> None:
    """No verifier decided in time: a person is asked.

    One that is at it may end: it is waited for until 15 minutes after it took the job, however
    often it asks for more.
    """
    jobs = Verification.objects.of(org_id).filter(id=job_id, decided_at=None)
    job = jobs.filter(state=VerificationState.WAITING_AGENT).first()
    if job is None:
        return
    ends_at = _ends_at(job, now)
    if ends_at > now:
        timer_set(org_id=org_id, kind=VERIFIER_WAIT, subject=job_id, due_at=ends_at)
        return
    case = Case(job_ticket(job), job, [], {})
    try:
        with unit_of_work(system_caller(org_id), now) as unit:
            review_pass_on(unit, case, "wait_over")
    except Stale:
        # Somebody moved it this moment; they may have changed no more than a word, so look again.
        again = now + timedelta(seconds=1)
        timer_set(org_id=org_id, kind=VERIFIER_WAIT, subject=job_id, due_at=again)
