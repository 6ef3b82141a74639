"""Deciding on a submitted stage: approve it, reject it, or, as a verifier, pass it on."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from accounts.selectors import scope_require
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Invalid
from stuckbot.lib.idempotency import Keep
from stuckbot.lib.unit import Unit, unit_of_work
from tickets.selectors import criteria_list
from tickets.services.claims import still_here
from tickets.services.texts import text_content
from verification.assurance import Approver
from verification.eligibility import may_decide
from verification.models import Verification
from verification.selectors import evidence_of_attempt, verification_get, verification_shown
from verification.services.attesting import keys_recheck
from verification.services.decided import DecidedEvidence as DecidedEvidence
from verification.services.decided import evidence_decided
from verification.services.deciding import (
    approval_of,
    eligible_require,
    free_require,
    job_ticket,
    waiting_require,
)
from verification.services.reviews import (
    Case,
    approval,
    labels_raise,
    review_approve,
    review_pass_on,
    review_reject,
    unproved_of,
)
from verification.standing import Stand, counting, stage_attempts
from verification.states import Trust

APPROVE: Final = "approve"
REJECT: Final = "reject"


@dataclass(frozen=True, slots=True)
class Decision:
    """`approve` or `reject`, why, and what the decider saw when it checked the fix itself."""

    decision: str
    reason: str
    evidence: tuple[DecidedEvidence, ...] = ()


def verification_decide(
    *,
    actor: Caller,
    job_id: UUID,
    decision: Decision,
    now: datetime,
    keep: Keep | None = None,
) -> Verification:
    """Decides on a job, as an eligible verifier or as a member.

    A verifier decides while nobody else holds the job, after its own 15 minutes too. 403
    `not_eligible` or `own_fix` with the reason; 409 `already_claimed`, or `invalid_transition` with
    the job's state; 422 with every fault of the evidence, or `details.failing`: what fails is never
    approved. What could not be checked, and what is for a person, may be; the record names it.
    """
    scope_require(actor, "verify")
    approves = decision.decision == APPROVE
    job = verification_get(actor=actor, job_id=job_id)
    waiting_require(job, actor, approves=approves)
    approver = _approver(actor, job, approves)
    free_require(job, actor, now)
    case = _case(actor, job, decision, now)
    if approver == "self":
        for one in case.fresh:
            if one.trust == Trust.PERSON_APPROVED:
                one.trust = Trust.SELF_REPORTED
    if approves:
        proof_require(case.stand)
    with unit_of_work(actor, now, keep) as unit:
        still_here(actor)
        keys_recheck(job.org_id, case.fresh)
        if approves:
            _approve(unit, case, approver, decision)
        else:
            review_reject(unit, case)
        unit.flush_content()
        unit.result = decided = verification_shown(job.id, job.org_id)
    return decided


def _approver(actor: Caller, job: Verification, approves: bool) -> Approver:
    """Who it is that decides; a member may reject work of their own too."""
    if actor.is_person:
        return "self" if approves and eligible_require(actor, job) else "person"
    eligible_require(actor, job)
    return "agent"


def _case(actor: Caller, job: Verification, decision: Decision, now: datetime) -> Case:
    facts = job_ticket(job)
    criteria = criteria_list(facts.id, facts.org_id)
    checked = not _rejects_own(actor, job, decision)
    sent = decision.evidence
    fresh = evidence_decided(facts, actor, job, sent, criteria, now, checked=checked)
    before = evidence_of_attempt(facts.id, facts.org_id, job.attempt)
    counts = counting(before, stage_attempts(job.attempt, {}, proven=False))
    reason = text_content(facts, "reason", decision.reason, "decision.reason")
    counts |= {one.criterion: one for one in fresh}
    return Case(facts, job, criteria, counts, reason, fresh)


def _rejects_own(actor: Caller, job: Verification, decision: Decision) -> bool:
    """What comes along then stays with the attempt where the last rejection asks a person."""
    sends = bool(decision.evidence) and decision.decision == REJECT
    return sends and actor.is_person and may_decide(actor, job).own


def _approve(unit: Unit, case: Case, approver: Approver, decision: Decision) -> None:
    if approver == "agent":
        manual = unproved_of(case.stand).get("manual")
        if manual or approval_of(case.job) == "agent_then_person":
            labels_raise(case, approver)
            review_pass_on(unit, case, "agent_approved")
            return
    met = "" if approver == "agent" else decision.reason
    outcome = approval(unit, case, approver, manual_met=met)
    review_approve(unit, case, outcome)


def proof_require(stand: Stand) -> None:
    """The 422 of an approval over a check that fails, or of which nothing is known yet."""
    lacking = [*stand.missing, *stand.waiting_checks]
    if not stand.failing and not lacking:
        return
    parts = []
    if stand.failing:
        parts.append(f"{', '.join(stand.failing)} failed, and a failing check is never approved.")
    if lacking:
        parts.append(f"There is no result for {', '.join(lacking)} yet.")
    parts.append("Reject the fix, or wait for evidence that passes.")
    details = {
        "missing": stand.missing,
        "failing": stand.failing,
        "waiting": stand.waiting_checks,
    }
    raise Invalid(" ".join(parts), details=details)
