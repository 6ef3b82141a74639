"""The proof of a ticket, stage by stage: what was asked, what was sent, who vouches for it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.functional import Promise
from django.utils.safestring import SafeString

from stuckbot.lib.content import text_of, value_of
from stuckbot.site.pages import words
from stuckbot.site.pages.times import time_shown
from stuckbot.site.usecases.detail import Detail
from tickets.models import Criterion
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


@dataclass(frozen=True, slots=True)
class StageShown:
    code: str
    heading: Text
    assurance: Text
    is_warned: bool
    reason: str
    checks: list[Check]


def stages_shown(detail: Detail, now: datetime) -> list[StageShown]:
    """The blocker's stage, and the task's when the mode has one."""
    facts = detail.card.facts
    codes = ["blocker", "task"] if has_task_stage(facts.mode) else ["blocker"]
    described = _described(detail.package)
    return [_stage(code, detail, described, now) for code in codes]


def _stage(code: str, detail: Detail, described: dict[str, str], now: datetime) -> StageShown:
    job = _newest(detail, code)
    rows = [row for row in detail.criteria if row.stage == code]
    return StageShown(
        code=code,
        heading=words.STAGE[code],
        assurance=_assurance(job),
        is_warned=job is not None and job.assurance in ("self_reported", "self_approved"),
        reason=text_of(job.reason.bytes, job.reason.key_id) if job and job.reason else "",
        checks=[_check(row, detail, described.get(row.key, ""), now) for row in rows],
    )


def _newest(detail: Detail, stage: str) -> Verification | None:
    attempt = detail.card.facts.attempt
    jobs = [job for job in detail.verifications if job.stage == stage and job.attempt == attempt]
    return jobs[-1] if jobs else None


def _assurance(job: Verification | None) -> Text:
    if job is None:
        return words.NOT_SUBMITTED
    if job.state == VerificationState.APPROVED and job.assurance in words.ASSURANCE:
        return words.ASSURANCE[job.assurance]
    return words.SUBMITTED[job.state]


def _described(package: dict[str, Any]) -> dict[str, str]:
    listed = [*package.get("blocker_criteria", ()), *package.get("task_criteria", ())]
    return {one["key"]: one["description"] for one in listed if "key" in one}


def _check(row: Criterion, detail: Detail, description: str, now: datetime) -> Check:
    counted = detail.counts.get(row.key)
    standing = standing_of(row, counted)
    same = [one for one in detail.evidence if one.criterion == row.key]
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
        at=time_shown(counted.created_at, now) if counted else None,
        asked=_asked(row),
        sent=_sent(counted),
        earlier=len(same) - (counted is not None),
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
    return [
        Line(words.PROOF_FIELD.get(name, name), str(payload[name])) for name in [*known, *other]
    ]
