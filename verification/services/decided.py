"""Evidence that comes with a decision: judged as a solver's is, before any transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Invalid, invalid_fields
from tickets.facts import Facts
from tickets.models import Criterion
from verification.models import Evidence, Verification
from verification.services.attesting import Attested, evidence_sign, signed_evidence
from verification.services.evidence import Sent, evidence_judged
from verification.states import Result, Trust


@dataclass(frozen=True, slots=True)
class DecidedEvidence:
    """What a decider sends for a criterion: a payload of its own, or a signed statement."""

    criterion: str
    type: str
    payload: Mapping[str, Any] | None = None
    result: str | None = None
    attestation: Mapping[str, Any] | None = None


def evidence_decided(
    facts: Facts,
    actor: Caller,
    job: Verification,
    sent: Sequence[DecidedEvidence],
    criteria: Sequence[Criterion],
    now: datetime,
    *,
    checked: bool = True,
) -> list[Evidence]:
    """The rows to store; 422 names every fault of all of it at once, by place in `evidence`.

    Not `checked`: it comes from a person who rejects work of their own, and is worth what a
    solver's evidence is.
    """
    rows = {one.key: one for one in criteria if one.stage == job.stage}
    signed, faults = signed_evidence(actor=actor, job=job, sent=sent, now=now)
    details: dict[str, Any] = {}
    found: dict[str, Evidence] = {}
    for place, item in enumerate(sent):
        path = f"evidence[{place}]"
        if item.criterion not in rows:
            known = ", ".join(rows)
            told = f"The {job.stage} stage has no criterion of that key. Its criteria are {known}."
            faults.append((f"{path}.criterion", told))
        elif item.criterion in found:
            faults.append((f"{path}.criterion", "Send one piece of evidence for each criterion."))
        elif item.attestation is None or signed[place] is not None:
            row, attested = rows[item.criterion], signed[place]
            try:
                found[item.criterion] = _judged(
                    facts, actor, job, row, item, attested, now, checked
                )
            except Invalid as error:
                faults += _placed(path, error)
                details |= error.details
    if faults:
        refused = invalid_fields(faults)
        refused.details = {**details, **refused.details}
        raise refused
    return list(found.values())


def _judged(
    facts: Facts,
    actor: Caller,
    job: Verification,
    row: Criterion,
    item: DecidedEvidence,
    attested: Attested | None,
    now: datetime,
    checked: bool,
) -> Evidence:
    payload = item.payload if attested is None else attested.signed.payload
    if payload is None:
        raise invalid_fields([("payload", "Add payload: what you saw when you checked it.")])
    sent = Sent(item.criterion, item.type, payload, item.result)
    evidence = evidence_judged(facts, actor, row, sent, now, checked=checked)
    evidence.attempt = job.attempt
    evidence.verification = job
    if checked:
        evidence.trust = Trust.PERSON_APPROVED if actor.is_person else Trust.VERIFIER_CONFIRMED
    if checked and actor.is_person and row.method == "manual":
        evidence.result = Result.FAIL if item.result == Result.FAIL else Result.PASS
    if attested is not None:
        evidence_sign(evidence, attested)
    return evidence


def _placed(path: str, error: Invalid) -> list[tuple[str, str]]:
    fields = error.details.pop("fields", None)
    if fields is None:
        name = next((key for key in error.details if key.startswith("expected_")), "payload")
        fields = [{"path": f"payload.{name.removeprefix('expected_')}", "message": error.message}]
    return [(f"{path}.{one['path']}", one["message"]) for one in fields]
