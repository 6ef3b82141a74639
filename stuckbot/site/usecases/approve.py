"""A person approves the stage of a ticket that needs a person, on what was proved before."""

from dataclasses import asdict
from datetime import datetime

from policy.resolve import policy_resolve
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Forbidden
from stuckbot.lib.idempotency import Keep
from stuckbot.lib.unit import unit_of_work
from stuckbot.site.usecases.decide import proof_require
from stuckbot.site.usecases.submit import rewritten
from tickets.facts import Facts
from tickets.selectors import criteria_list, facts_get
from tickets.services.bar import complete_require
from tickets.services.claims import still_here
from tickets.services.closing import member_require
from tickets.services.moves import move_require
from tickets.services.texts import text_content
from tickets.states import has_task_stage
from verification.assurance import Approver
from verification.eligibility import may_approve, person_read
from verification.models import Verification
from verification.selectors import evidence_of_attempt
from verification.services.jobs import answer_newest, job_close, job_open
from verification.services.reviews import Case, approval, stage_approve
from verification.standing import counting, stage_attempts
from verification.states import VerificationState


def ticket_approve(
    *, actor: Caller, ref: str, reason: str, now: datetime, keep: Keep | None = None
) -> Facts:
    """Approves the stage in hand: every criterion must pass, or be one that could not be checked
    or is for a person, which the record names.

    403 `own_fix` as for any approval; 422 with `details.missing` and `details.failing`.
    """
    facts = facts_get(actor=actor, ref=ref)
    member_require(actor, "approve a fix")
    task = facts.proven and has_task_stage(facts.mode)
    action = "human_approve_task" if task else "human_approve"
    move_require(facts, action, now)
    stage = "task" if task else "blocker"
    approver = _approver(actor, facts, stage)
    case = _case(actor, facts, stage, reason)
    complete_require(facts, case.stand.missing, case.stand.failing)
    proof_require(case.stand)
    answer_id = answer_newest(facts, stage)
    with unit_of_work(actor, now, keep) as unit:
        still_here(actor)
        case.job = job_open(
            unit,
            facts,
            stage=stage,
            state=VerificationState.WAITING_PERSON,
            snapshot=case.job.policy_snapshot,
            rewritten=rewritten(facts),
            answer_id=answer_id,
        )
        outcome = approval(unit, case, approver, manual_met=reason)
        job_close(unit, case.job, outcome)
        stage_approve(unit, case, outcome, action)
        unit.result = facts
    return facts


def _approver(actor: Caller, facts: Facts, stage: str) -> Approver:
    person = person_read(actor, ticket_id=facts.id, stage=stage, solver_id=facts.solver_id)
    verdict = may_approve(person)
    if not verdict.allowed:
        raise Forbidden(verdict.reason, code=verdict.code)
    return "self" if verdict.own else "person"


def _case(actor: Caller, facts: Facts, stage: str, reason: str) -> Case:
    """With a job that is not opened yet: nobody submitted this, so it rests on a person alone."""
    policy = policy_resolve(
        org_id=actor.org_id,
        version=actor.policy_version,
        project_id=facts.project_id,
        connector_id=None,
    )
    job = Verification(
        org_id=facts.org_id,
        ticket_id=facts.id,
        stage=stage,
        attempt=facts.attempt,
        policy_snapshot={**asdict(policy), "approval": "person"},
    )
    sent = evidence_of_attempt(facts.id, facts.org_id, facts.attempt)
    counts = counting(sent, stage_attempts(facts.attempt, {}, proven=False))
    content = text_content(facts, "reason", reason, "decision.reason")
    return Case(facts, job, criteria_list(facts.id, facts.org_id), counts, content)
