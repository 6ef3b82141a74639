"""The proof of a ticket, stage by stage: what was asked, what was sent, who vouches for it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.functional import Promise
from django.utils.safestring import SafeString

from stuckbot.lib.content import text_of, value_of
from stuckbot.lib.errors import Missing
from stuckbot.site.pages import words
from stuckbot.site.pages.acts_shown import act_url, proof_url
from stuckbot.site.pages.acts_words import TRUST_MEANS
from stuckbot.site.pages.times import exact, time_shown
from stuckbot.site.pages.visitor import Visitor
from stuckbot.site.usecases.sight import Sight
from tickets.capabilities import capabilities
from tickets.cards import Card
from tickets.models import Criterion
from tickets.selectors import package_get
from tickets.states import has_task_stage
from verification.models import Evidence, Verification
from verification.standing import standing_of
from verification.states import VerificationState

Text = str | Promise


@dataclass(frozen=True, slots=True)
class Line:
    """A label with text that an agent wrote."""

    label: Text
    text: str


@dataclass(frozen=True, slots=True)
class Check:
    """One criterion. `status` is the code for the icon, `result` the same in words."""

    key: str
    description: str
    method: Text
    status: str
    result: Text
    trust: Text
    is_warned: bool
    is_command: bool
    by: str
    at: SafeString | None
    asked: list[Line]
    sent: list[Line]
    earlier: int
    log: str
    prove: str | None


@dataclass(frozen=True, slots=True)
class ResultShown:
    """A piece of evidence by itself; `counts` when it is what its criterion stands on."""

    status: str
    result: Text
    trust: Text
    why: Text
    is_warned: bool
    by: str
    at: SafeString
    sent: list[Line]
    counts: bool


@dataclass(frozen=True, slots=True)
class StageShown:
    code: str
    heading: Text
    assurance: Text
    is_warned: bool
    reason: str
    checks: list[Check]
    trusts: list[tuple[Text, Text]]


@dataclass(frozen=True, slots=True)
class _Reader:
    """Who reads, and when; `proves` when proof is theirs to send, for the stage in hand."""

    visitor: Visitor
    now: datetime
    proves: bool


def stages_shown(sight: Sight, visitor: Visitor, now: datetime) -> list[StageShown]:
    """The blocker's stage, and the task's when the mode has one."""
    facts = sight.card.facts
    codes = ["blocker", "task"] if has_task_stage(facts.mode) else ["blocker"]
    described = _described(sight.package)
    proves = "add_evidence" in capabilities(visitor.caller, facts, now)
    reader = _Reader(visitor, now, proves)
    return [_stage(code, sight, described, reader) for code in codes]


def criterion_shown(sight: Sight, key: str) -> str:
    """What the criterion of that key wants, in words; `Missing` when there is none."""
    if all(row.key != key for row in sight.criteria):
        raise Missing
    return _described(sight.package).get(key) or key


def criterion_described(card: Card, row: Criterion) -> str:
    """The same by the card alone, for a page that shows nothing else of the package."""
    stored = package_get(card.facts.id, card.facts.package_n, card.facts.org_id).content
    return _described(value_of(stored.bytes, stored.key_id) or {}).get(row.key) or row.key


def results_shown(rows: Iterable[Evidence], sight: Sight, now: datetime) -> list[ResultShown]:
    return [_result_shown(row, sight, now) for row in rows]


def _result_shown(row: Evidence, sight: Sight, now: datetime) -> ResultShown:
    counted = sight.counts.get(row.criterion)
    status = {"pass": "passed", "fail": "failed"}.get(row.result, row.result)
    return ResultShown(
        status=status,
        result=words.RESULT[status],
        trust=words.TRUST[row.trust],
        why=TRUST_MEANS[row.trust],
        is_warned=row.trust == "self_reported",
        by=row.by.name,
        at=time_shown(row.created_at, now),
        sent=_sent(row),
        counts=counted is not None and counted.id == row.id,
    )


def _stage(code: str, sight: Sight, described: dict[str, str], reader: _Reader) -> StageShown:
    job = _newest(sight, code)
    rows = [row for row in sight.criteria if row.stage == code]
    counted = [sight.counts[row.key].trust for row in rows if row.key in sight.counts]
    return StageShown(
        code=code,
        heading=words.STAGE[code],
        assurance=_assurance(job, closed=sight.card.facts.is_closed),
        is_warned=job is not None and job.assurance in ("self_reported", "self_approved"),
        reason=text_of(job.reason.bytes, job.reason.key_id) if job and job.reason else "",
        checks=[_check(row, sight, described.get(row.key, ""), reader) for row in rows],
        trusts=[(words.TRUST[one], TRUST_MEANS[one]) for one in dict.fromkeys(counted)],
    )


def _newest(sight: Sight, stage: str) -> Verification | None:
    attempt = sight.card.facts.attempt
    jobs = [job for job in sight.verifications if job.stage == stage]
    if stage == "blocker" and sight.card.facts.proven:
        return next((job for job in jobs[::-1] if job.state == VerificationState.APPROVED), None)
    return next((job for job in jobs[::-1] if job.attempt == attempt), None)


def _assurance(job: Verification | None, *, closed: bool) -> Text:
    if job is None:
        return words.NEVER_SUBMITTED if closed else words.NOT_SUBMITTED
    if job.state == VerificationState.APPROVED and job.assurance in words.ASSURANCE:
        return words.ASSURANCE[job.assurance]
    return words.SUBMITTED[job.state]


def _described(package: dict[str, Any]) -> dict[str, str]:
    listed = [*package.get("blocker_criteria", ()), *package.get("task_criteria", ())]
    return {one["key"]: one["description"] for one in listed if "key" in one}


def _check(row: Criterion, sight: Sight, description: str, reader: _Reader) -> Check:
    counted, facts = sight.counts.get(row.key), sight.card.facts
    prove = act_url(reader.visitor, facts.ref, "evidence", criterion=row.key)
    standing = standing_of(row, counted)
    return Check(
        key=row.key,
        description=description or row.key,
        method=words.METHOD[row.method],
        status=standing.status,
        result=_result(row, standing.status),
        trust=words.TRUST[counted.trust] if counted else "",
        is_warned=counted is not None and counted.trust == "self_reported",
        is_command=row.command is not None,
        by=counted.by.name if counted else "",
        at=time_shown(counted.created_at, reader.now) if counted else None,
        asked=_asked(row),
        sent=_sent(counted),
        earlier=sight.sent.get(row.key, 0) - (counted is not None),
        log=proof_url(reader.visitor, facts.ref, row.key),
        prove=prove if reader.proves and row.stage == facts.stage else None,
    )


def _result(row: Criterion, status: str) -> Text:
    if row.method == "manual":
        return words.WAITS_FOR_PERSON
    if status == "waiting" or (row.method == "external_check" and status == "missing"):
        return words.WAITS_FOR_CHECK
    return words.RESULT[status]


def _asked(row: Criterion) -> list[Line]:
    """What the criterion wants, as its author wrote it."""
    lines = [
        Line(words.PROOF_FIELD[name], text)
        for name in ("command", "pattern", "url")
        if (text := getattr(row, name))
    ]
    return [*lines, Line(words.EXPECTED, row.expected)] if row.expected else lines


def _sent(counted: Evidence | None) -> list[Line]:
    """What the evidence says, in the order of the words' table, then what that does not know."""
    if counted is None:
        return []
    payload = value_of(counted.content.bytes, counted.content.key_id) or {}
    known = [name for name in words.PROOF_FIELD if name in payload]
    other = [name for name in payload if name not in words.PROOF_FIELD]
    lines = [
        Line(words.PROOF_FIELD.get(name, name), str(payload[name])) for name in [*known, *other]
    ]
    return [*lines, *_signed(counted)]


def _signed(row: Evidence) -> list[Line]:
    """Whose key signed it, and that it is revoked since; that undoes nothing."""
    if row.signed is None:
        return []
    key = row.signed.key
    lines = [Line(words.SIGNED_WITH, f"{key.name} ({key.fingerprint[:16]}…)")]
    if key.revoked_at is not None:
        lines.append(Line(words.KEY_REVOKED, exact(key.revoked_at)))
    return lines
