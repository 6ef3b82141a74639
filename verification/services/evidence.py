"""Evidence for a criterion: checked, matched and judged before it is stored."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, Final

from accounts.models import Actor
from accounts.selectors import scope_require
from stuckbot.lib import ids
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Invalid, invalid_fields
from stuckbot.lib.idempotency import Keep
from stuckbot.lib.masking import REDACTED, MaskedValue, mask_text, mask_value
from stuckbot.lib.rows import rows_insert
from stuckbot.lib.unit import Unit, unit_of_work
from tickets.facts import Facts
from tickets.models import Criterion
from tickets.selectors import facts_get
from tickets.services.claims import holder_require
from tickets.services.moves import Change, move_apply
from tickets.services.notes import work_action
from tickets.services.texts import masked_content
from verification import judging
from verification.models import Evidence
from verification.payloads import payload_faults
from verification.services.url_checks import check_ask
from verification.states import Result, Trust

#: The fields of a payload that hold free text; the others are codes, ids, hashes and numbers,
#: checked to be such.
FREE_TEXTS: Final = frozenset(
    (
        *("command", "output_excerpt", "cwd", "runner", "summary", "excerpt"),
        *("pattern", "source", "url", "path", "note"),
    )
)
#: Those that must be what the criterion sets.
REPORTED: Final = ("command", "pattern", "url")


@dataclass(frozen=True, slots=True)
class Sent:
    """What a solver sends for a criterion. `result` is its own claim and never improves ours."""

    criterion: str
    type: str
    payload: Mapping[str, Any]
    result: str | None = None


def evidence_add(
    *, actor: Caller, ref: str, sent: Sent, now: datetime, keep: Keep | None = None
) -> Evidence:
    """Adds the holder's evidence for one criterion; the result is ours to compute.

    422 names every fault of the payload at once, or the value the criterion wants
    (`details.expected_command`, `expected_pattern`, `expected_url`). Of a criterion that sets a url
    it only says when to look: the desk opens the url and adds what it saw.
    """
    scope_require(actor, "evidence:submit")
    facts = facts_get(actor=actor, ref=ref)
    holder_require(facts, actor, "work", now)
    row = _criterion(facts, sent.criterion)
    evidence = evidence_judged(facts, actor, row, sent, now)
    change = Change(
        event="evidence_added",
        data={"criterion": row.key, "type": sent.type, "result": str(evidence.result)},
        by_claim=True,
    )
    with unit_of_work(actor, now, keep) as unit:
        move_apply(unit, facts, work_action(facts), change)
        evidence_keep(unit, evidence)
        if row.url and evidence.type == "external_check" and evidence.result == Result.WAITING:
            check_ask(unit, evidence, row.url)
        unit.result = evidence
    return evidence


def evidence_keep(unit: Unit, evidence: Evidence) -> None:
    """Stores what was judged, in the write in hand."""
    unit.store(evidence.content)
    unit.ordered(partial(_insert, evidence))


def _insert(evidence: Evidence, seq: int) -> None:
    evidence.seq = seq
    rows_insert(evidence)
    if evidence.signed is not None:
        rows_insert(evidence.signed)


def evidence_judged(
    facts: Facts,
    actor: Caller,
    row: Criterion,
    sent: Sent,
    now: datetime,
    *,
    checked: bool = False,
) -> Evidence:
    """The row to store, with our result; refuses what does not fit the criterion.

    `checked`: it comes from whoever checks the fix, not from its solver.
    """
    criterion = judging.Criterion(
        key=row.key,
        method=row.method,
        command=row.command,
        pattern=row.pattern,
        url=row.url,
        expected_exit_code=row.expected_exit,
        expected=row.expected,
    )
    _faults_check(sent)
    masked = payload_masked(sent.payload, f"evidence.{row.key}")
    _match_check(criterion, sent, masked.value)
    return Evidence(
        id=ids.uuid7(),
        org_id=facts.org_id,
        ticket_id=facts.id,
        attempt=facts.attempt,
        criterion=row.key,
        stage=row.stage,
        type=sent.type,
        result=Result(_result(criterion, sent, masked.value, checked)),
        trust=Trust.SELF_REPORTED,
        by=Actor(id=actor.id, org_id=actor.org_id, kind=actor.kind, name=actor.name),
        content=masked_content(facts, "evidence", masked),
        received_sha256=str(sent.payload.get("output_sha256") or "").lower(),
        created_at=now,
    )


def payload_masked(payload: Mapping[str, Any], where: str) -> MaskedValue:
    """The payload with its free texts masked as one; hashes, ids, times and counts stay."""
    opaque = {name: value for name, value in payload.items() if name not in FREE_TEXTS}
    masked = mask_value({**payload, **dict.fromkeys(opaque)}, where)
    masked.value.update(opaque)
    return masked


def _result(
    criterion: judging.Criterion, sent: Sent, masked: Mapping[str, Any], checked: bool
) -> str:
    """By what was sent; else, of a pattern in which a secret was masked, by what is stored."""
    said = sent.result
    result = judging.judge(criterion, sent.type, sent.payload, said, checked=checked).result
    pattern = criterion.pattern or ""
    if result == Result.FAIL and REDACTED in pattern:
        literal = replace(criterion, pattern=pattern.replace(REDACTED, re.escape(REDACTED)))
        return judging.judge(literal, sent.type, masked, said, checked=checked).result
    return result


def _criterion(facts: Facts, key: str) -> Criterion:
    rows = Criterion.objects.of(facts.org_id).filter(ticket_id=facts.id)
    row = rows.filter(key=key).first()
    if row is None:
        known = ", ".join(rows.order_by("stage", "position").values_list("key", flat=True))
        message = f"{facts.ref} has no criterion of that key. Its criteria are {known}."
        raise invalid_fields([("criterion", message)])
    return row


def _faults_check(sent: Sent) -> None:
    faults = payload_faults(sent.type, sent.payload)
    if faults:
        raise invalid_fields([(fault.path, fault.message) for fault in faults])


def _match_check(criterion: judging.Criterion, sent: Sent, masked: Mapping[str, Any]) -> None:
    """The criterion's own value may have been masked, so what is reported counts as it was sent,
    masked by itself, or masked along with the rest of its payload."""
    differs = judging.mismatch(criterion, sent.type, sent.payload)
    if differs is None:
        return
    wanted = replace(criterion, **{name: _worded(getattr(criterion, name)) for name in REPORTED})
    alone = {name: _masked(value) for name, value in sent.payload.items() if name in REPORTED}
    for reported in (alone, masked):
        texts = {name: _worded(reported.get(name)) for name in REPORTED}
        if judging.mismatch(wanted, sent.type, {**sent.payload, **texts}) is None:
            return
    if not differs.expected_key:
        raise invalid_fields([(differs.field, differs.message)])
    raise Invalid(differs.message, details={differs.expected_key: differs.expected})


def _masked(value: Any) -> Any:
    return mask_text(value).text if isinstance(value, str) else value


def _worded(value: Any) -> Any:
    """Compared as a word, for a shell takes the brackets of an unquoted mask for a pattern."""
    return value.replace(REDACTED, "REDACTED") if isinstance(value, str) else value
