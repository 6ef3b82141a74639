"""The ways out of review: approved, rejected, passed on. Each in the transaction of its caller.

The ticket's row is written before the job's, here as by whoever closes a ticket: two that took the
rows in different orders would wait for each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from policy.resolve import policy_of
from stuckbot.lib import ids
from stuckbot.lib.caller import Caller
from stuckbot.lib.models import Content
from stuckbot.lib.rows import ONE_MORE
from stuckbot.lib.unit import Unit
from tickets.facts import Facts
from tickets.models import Criterion
from tickets.services.closing import solver_hold
from tickets.services.moves import Change, move_apply
from tickets.services.texts import value_content
from tickets.services.wordsets import tags_drop
from verification.assurance import Approver, assurance_of, trust_raised
from verification.models import Evidence, Verification
from verification.services.evidence import evidence_keep
from verification.services.jobs import Outcome, answer_before, job_close, job_pass
from verification.standing import Stand, stage_stand
from verification.states import Result, Trust, VerificationState


@dataclass(slots=True)
class Case:
    """A stage in somebody's hands: its ticket, job and criteria, what counts for each criterion
    (`fresh`, what came with the decision, included), and the reason given."""

    facts: Facts
    job: Verification
    criteria: Sequence[Criterion]
    counts: dict[str, Evidence]
    reason: Content | None = None
    fresh: list[Evidence] = field(default_factory=list)

    @property
    def stand(self) -> Stand:
        return stage_stand(self.criteria, self.counts, self.job.stage)

    def keep(self, unit: Unit) -> None:
        for one in self.fresh:
            evidence_keep(unit, one)


def unproved_of(stand: Stand) -> dict[str, list[str]]:
    """What whoever approves takes on: criteria that could not be checked, or are for a person."""
    named = {"unchecked": stand.unchecked, "manual": stand.manual}
    return {kind: keys for kind, keys in named.items() if keys}


def approval(unit: Unit, case: Case, approver: Approver, *, manual_met: str = "") -> Outcome:
    """Raises the labels of what counts and says how the stage is approved.

    With `manual_met`, a person's reason, the manual criteria count as met by it.
    """
    unproved = unproved_of(case.stand)
    if manual_met:
        _manual_meet(unit, case, approver, manual_met)
    labels_raise(case, approver)
    return Outcome(
        VerificationState.APPROVED,
        unit.actor.id,
        assurance=assurance_of(case.stand.trusts, approver),
        note="self_approved" if approver == "self" else "",
        reason=case.reason,
        unproved=unproved,
    )


def stage_approve(unit: Unit, case: Case, outcome: Outcome, action: str) -> None:
    """Moves the ticket on and tells; `job` rows are the caller's to write."""
    facts, job = case.facts, case.job
    data: dict[str, Any] = {
        "stage": job.stage,
        "verification_id": str(job.id),
        "assurance": outcome.assurance,
    }
    if outcome.unproved:
        data["unproved"] = outcome.unproved
    fields: dict[str, Any] = {"assurance": outcome.assurance, "proven": True}
    if job.answer_id is not None:
        fields["resolution"] = job.answer_id
    change = Change(fields=fields, data=data, content=case.reason, answer_id=job.answer_id)
    case.keep(unit)
    move_apply(unit, facts, action, change)
    if job.stage == "task" or facts.mode == "blocker_only":
        tags_drop(facts)


def review_approve(unit: Unit, case: Case, outcome: Outcome) -> None:
    stage_approve(unit, case, outcome, "review_approve")
    job_close(unit, case.job, outcome)


def review_reject(unit: Unit, case: Case) -> None:
    """Back to the solver with a fresh lease, to everybody when it is gone, or to a person when it
    was rejected as often as the policy bears."""
    facts, job, reason = case.facts, case.job, case.reason
    policy = policy_of(job.policy_snapshot)
    count = rejections_count(facts, job.stage) + 1
    data = {"stage": job.stage, "verification_id": str(job.id), "rejections": count}
    case.keep(unit)
    outcome = Outcome(VerificationState.REJECTED, unit.actor.id, reason=reason)
    if count >= policy.max_rejections:
        _give_up(unit, case, data)
        job_close(unit, job, outcome)
        return
    here = solver_hold(facts)
    change = Change(
        fields={"attempt": ONE_MORE, "resolution": answer_before(facts, job.stage)},
        data=data,
        content=reason,
        holder_id=facts.solver_id,
        lease_seconds=60 * min(policy.lease_minutes, policy.lease_minutes_most),
    )
    move_apply(unit, facts, "review_reject" if here else "review_reject_free", change)
    job_close(unit, job, outcome)


def review_pass_on(unit: Unit, case: Case, why: str) -> None:
    """A verifier agreed, or none came in time: a person decides."""
    case.keep(unit)
    data = {"stage": case.job.stage, "verification_id": str(case.job.id), "why": why}
    fields = {"waits_for": "person", "verifier_id": None, "verifier_until": None}
    change = Change(fields=fields, data=data, content=case.reason)
    move_apply(unit, case.facts, "review_pass_on", change)
    job_pass(unit, case.job, VerificationState.WAITING_PERSON, why)


def rejections_count(facts: Facts, stage: str) -> int:
    """Over all attempts since the ticket was filed, last sent back or reopened."""
    rejected = Verification.objects.of(facts.org_id).filter(
        ticket_id=facts.id,
        stage=stage,
        state=VerificationState.REJECTED,
        attempt__gte=facts.rejections_from,
    )
    return rejected.count()


def labels_raise(case: Case, approver: Approver) -> None:
    """An approval raises the label of what passed; the stronger labels stay."""
    fresh = {one.id for one in case.fresh}
    raised: dict[str, list[UUID]] = {}
    for row in case.criteria:
        one = case.counts.get(row.key)
        if one is None or row.stage != case.job.stage:
            continue
        trust = trust_raised(one.trust, one.result, approver)
        if trust != one.trust:
            one.trust = trust
            if one.id not in fresh:
                raised.setdefault(trust, []).append(one.id)
    for trust, chosen in raised.items():
        Evidence.objects.of(case.facts.org_id).filter(id__in=chosen).update(trust=trust)


def manual_mark(
    facts: Facts, actor: Caller, row: Criterion, note: str, unit_now: Any, trust: Trust
) -> Evidence:
    """A person's word that a manual criterion is met."""
    return Evidence(
        id=ids.uuid7(),
        org_id=facts.org_id,
        ticket_id=facts.id,
        attempt=facts.attempt,
        criterion=row.key,
        stage=row.stage,
        type="manual_note",
        result=Result.PASS,
        trust=trust,
        by_id=actor.id,
        content=value_content(facts, "evidence", {"note": note}, f"evidence.{row.key}"),
        created_at=unit_now,
    )


def _manual_meet(unit: Unit, case: Case, approver: Approver, note: str) -> None:
    unmet = set(case.stand.manual)
    trust = Trust.SELF_REPORTED if approver == "self" else Trust.PERSON_APPROVED
    for row in case.criteria:
        if row.key not in unmet:
            continue
        mark = manual_mark(case.facts, unit.actor, row, note, unit.now, trust)
        mark.verification, mark.attempt = case.job, case.job.attempt
        case.fresh.append(mark)
        case.counts[row.key] = mark


def _give_up(unit: Unit, case: Case, data: dict[str, Any]) -> None:
    """The evidence stays where it is: a person may still approve over it."""
    facts, reason = case.facts, case.reason
    unit.event(
        "stage_rejected",
        ticket_id=facts.id,
        data=data,
        content=reason,
        tell=facts.listeners(unit.now),
    )
    told = reason.id if reason is not None else None
    fields = {"resolution": answer_before(facts, case.job.stage)}
    move_apply(unit, facts, "review_give_up", Change(fields=fields, data=data, content_id=told))
