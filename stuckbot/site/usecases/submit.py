"""Submitting a stage: hold check, judge the evidence, route by policy, open the job, move."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

from accounts.selectors import scope_require
from policy.resolve import Resolved, policy_resolve
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Invalid
from stuckbot.lib.idempotency import Keep
from stuckbot.lib.models import Content
from stuckbot.lib.unit import Unit, unit_of_work
from tickets.chains import chain_hears
from tickets.facts import Facts
from tickets.models import Package
from tickets.selectors import criteria_list, facts_get
from tickets.services.bar import complete_require
from tickets.services.claims import holder_require
from tickets.services.moves import Change, move_apply, transition_refuse
from tickets.services.texts import value_content
from tickets.services.wordsets import tags_drop
from tickets.states import State
from verification.assurance import assurance_of
from verification.models import Verification
from verification.selectors import evidence_of_attempt
from verification.services.deciding import wait_begin
from verification.services.jobs import Outcome, job_open
from verification.services.url_checks import checks_ensure
from verification.standing import Stand, counting, stage_attempts, stage_stand
from verification.states import VerificationState


@dataclass(frozen=True, slots=True)
class Submission:
    stage: str
    outcome: str | None = None
    resolution: Mapping[str, Any] | None = None


def stage_submit(
    *,
    actor: Caller,
    ref: str,
    submission: Submission,
    now: datetime,
    keep: Keep | None = None,
) -> Verification:
    """Submits the stage the holder is working on.

    422 with `details.missing` and `details.failing` while a criterion lacks passing evidence.
    Under the automatic policy passing evidence moves the ticket on at once; checks still running,
    a policy that asks somebody, and manual or unchecked criteria put it in review.
    """
    scope_require(actor, "evidence:submit")
    facts = facts_get(actor=actor, ref=ref)
    holder_require(facts, actor, "submit_review", now)
    _stage_check(facts, submission.stage, now)
    sent = evidence_of_attempt(facts.id, facts.org_id, facts.attempt)
    counts = counting(sent, stage_attempts(facts.attempt, {}, proven=False))
    criteria = criteria_list(facts.id, facts.org_id)
    stand = stage_stand(criteria, counts, submission.stage)
    complete_require(facts, stand.missing, stand.failing)
    _proof_check(stand)
    policy = policy_resolve(
        org_id=actor.org_id,
        version=actor.policy_version,
        project_id=facts.project_id,
        connector_id=actor.connector_id,
    )
    state = route(stand, policy.approval_for(submission.stage))
    answer = _answer_content(facts, submission)
    changed = rewritten(facts)
    pending = [counts[key] for key in stand.waiting_checks]
    with unit_of_work(actor, now, keep) as unit:
        if answer is not None:
            unit.store(answer)
            unit.flush_content()
        unit.result = job = _write(
            unit, facts, submission.stage, state, stand, policy, answer, changed
        )
        checks_ensure(unit, pending)
    return job


def route(stand: Stand, approval: str) -> VerificationState:
    """Who must agree, by the first row of the table that fits."""
    if stand.waiting_checks:
        return VerificationState.WAITING_CHECKS
    if approval in ("agent", "agent_then_person"):
        return VerificationState.WAITING_AGENT
    if approval == "person" or stand.manual or stand.unchecked:
        return VerificationState.WAITING_PERSON
    return VerificationState.APPROVED


def rewritten(facts: Facts) -> dict[str, int] | None:
    """Between which versions of the package holders changed it; None when none did."""
    if facts.package_n == 1:
        return None
    theirs = Package.objects.of(facts.org_id).filter(ticket_id=facts.id, by_holder=True)
    first = theirs.order_by("n").values_list("n", flat=True).first()
    return None if first is None else {"from": first - 1, "to": facts.package_n}


#: What the ticket waits for, by the state of its job.
WAITS_FOR: Final[dict[str, str]] = {
    VerificationState.WAITING_CHECKS: "checks",
    VerificationState.WAITING_AGENT: "verifier",
    VerificationState.WAITING_PERSON: "person",
}


def _stage_check(facts: Facts, stage: str, now: datetime) -> None:
    wanted = "task" if facts.state == State.CONTINUING else "blocker"
    if stage != wanted:
        raise transition_refuse(
            facts, now, f"{facts.ref} is in its {wanted} stage. Submit that one."
        )


def _proof_check(stand: Stand) -> None:
    if not stand.missing and not stand.failing:
        return
    parts = []
    if stand.missing:
        parts.append(f"Send evidence for {', '.join(stand.missing)}.")
    if stand.failing:
        parts.append(f"Send passing evidence for {', '.join(stand.failing)}.")
    details = {"missing": stand.missing, "failing": stand.failing}
    raise Invalid(" ".join(parts), details=details)


def _answer_content(facts: Facts, submission: Submission) -> Content | None:
    value = dict(submission.resolution or {})
    if submission.outcome:
        value["outcome"] = submission.outcome
    if not value:
        return None
    return value_content(facts, "resolution", value, "resolution")


def _write(
    unit: Unit,
    facts: Facts,
    stage: str,
    state: VerificationState,
    stand: Stand,
    policy: Resolved,
    answer: Content | None,
    changed: dict[str, int] | None,
) -> Verification:
    approved = state is VerificationState.APPROVED
    assurance = assurance_of(stand.trusts, "desk") if approved else ""
    job = job_open(
        unit,
        facts,
        stage=stage,
        state=state,
        snapshot={**asdict(policy), "approval": policy.approval_for(stage)},
        outcome=Outcome(state, facts.org_id, assurance) if approved else None,
        rewritten=changed,
        answer_id=answer.id if answer else None,
    )
    if state is VerificationState.WAITING_AGENT:
        wait_begin(unit, job)
    fields: dict[str, Any] = {} if answer is None else {"resolution": answer}
    fields["waits_for"] = WAITS_FOR.get(state, "")
    if approved:
        fields |= {"assurance": assurance, "proven": True}
    data = {"stage": stage, "verification_id": str(job.id), "verification_state": str(state)}
    change = Change(fields=fields, data=data, end_reason="submitted", answer_id=job.answer_id)
    move_apply(unit, facts, "submit_approve" if approved else "submit_review", change)
    if approved:
        _approved(unit, facts, stage, job, assurance)
    return job


def _approved(unit: Unit, facts: Facts, stage: str, job: Verification, assurance: str) -> None:
    unit.event(
        "stage_approved",
        ticket_id=facts.id,
        data={"stage": stage, "verification_id": str(job.id), "assurance": assurance},
        tell=(*facts.listeners(unit.now), *chain_hears(facts, "stage_approved")),
        by=facts.org_id,
        answer_id=job.answer_id,
    )
    if stage == "task" or facts.mode == "blocker_only":
        tags_drop(facts)
