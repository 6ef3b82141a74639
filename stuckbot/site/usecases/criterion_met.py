"""A person says that a manual criterion is met."""

from datetime import datetime

from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Conflict, Forbidden, Missing, invalid_fields
from stuckbot.lib.idempotency import Keep
from stuckbot.lib.unit import unit_of_work
from tickets.facts import Facts
from tickets.models import Criterion
from tickets.selectors import facts_get
from tickets.services.claims import still_here
from tickets.services.closing import member_require
from tickets.services.moves import Change, move_apply, move_require
from verification.eligibility import may_approve, person_read
from verification.models import Evidence
from verification.services.evidence import evidence_keep
from verification.services.reviews import manual_mark
from verification.states import Trust


def criterion_met(
    *,
    actor: Caller,
    ref: str,
    key: str,
    note: str,
    now: datetime,
    keep: Keep | None = None,
) -> Evidence:
    """Keeps a member's word with the criterion; the stage then does not wait for it any more.

    It holds for the attempt in hand. 403 `own_fix` for whoever did the work while another member
    may say it; 404 for a criterion that is not there, 422 for one that is not manual.
    """
    facts = facts_get(actor=actor, ref=ref)
    member_require(actor, "mark a criterion as met")
    move_require(facts, "mark_met", now)
    row = Criterion.objects.of(facts.org_id).filter(ticket_id=facts.id, key=key).first()
    if row is None:
        raise Missing
    trust = _trust(actor, facts, row)
    mark = manual_mark(facts, actor, row, note, now, trust)
    change = Change(data={"criterion": row.key, "stage": row.stage})
    with unit_of_work(actor, now, keep) as unit:
        still_here(actor)
        move_apply(unit, facts, "mark_met", change)
        evidence_keep(unit, mark)
        unit.result = mark
    return mark


def _trust(actor: Caller, facts: Facts, row: Criterion) -> Trust:
    if row.method != "manual":
        told = "Only a manual criterion is marked as met. The others need evidence."
        raise invalid_fields([("key", told)])
    if facts.proven and row.stage == "blocker":
        raise Conflict(
            f"The blocker stage of {facts.ref} was approved already. Nothing is left to mark.",
            details={"state": facts.state, "allowed": []},
        )
    # Whoever solved the blocker may go on with the task in the same attempt.
    solver = facts.solver_id
    verdict = may_approve(person_read(actor, ticket_id=facts.id, stage=row.stage, solver_id=solver))
    if not verdict.allowed:
        raise Forbidden(verdict.reason, code=verdict.code)
    return Trust.SELF_REPORTED if verdict.own else Trust.PERSON_APPROVED
