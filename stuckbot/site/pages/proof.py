"""The proof of a ticket, stage by stage: what was asked, what was sent, who vouches for it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.safestring import SafeString

from stuckbot.lib.content import value_of
from stuckbot.lib.errors import Missing
from stuckbot.site.pages import words
from stuckbot.site.pages.acts_shown import act_url, address_of, proof_url
from stuckbot.site.pages.acts_words import TRUST_MEANS
from stuckbot.site.pages.described import Line, described
from stuckbot.site.pages.proof_past import (
    ChangeShown,
    Past,
    changes_shown,
    past_shown,
    rejections_shown,
)
from stuckbot.site.pages.times import time_shown
from stuckbot.site.pages.url_checks import (
    Opening,
    advice_of,
    is_left_to_desk,
    is_vouched,
    opening_of,
)
from stuckbot.site.pages.visitor import Visitor
from stuckbot.site.usecases.sight import Proof
from tickets.capabilities import capabilities
from tickets.cards import Card
from tickets.models import Criterion
from tickets.selectors import package_get
from tickets.states import IN_REVIEW, State, has_task_stage
from verification.eligibility import may_approve
from verification.models import Evidence, Verification
from verification.standing import standing_of
from verification.states import VerificationState

Text = str | Promise


@dataclass(frozen=True, slots=True)
class Signed:
    """Whose key signed a result; `revoked` is when that key was, if it was since."""

    name: str
    fingerprint: str
    at: SafeString
    revoked: SafeString | None


@dataclass(frozen=True, slots=True)
class Check:
    """One criterion. `status` is the code for the icon, `result` the same in words.

    `prove` and `met` lead to where proof is sent, and where a person says that it is met.
    `opening` is what the desk does, or did, about its address.
    """

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
    met: str | None
    signed: Signed | None
    opening: Opening | None = None
    #: What to do about an address that could not be checked, as long as something can be done.
    advice: Text = ""


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
    signed: Signed | None
    opening: Opening | None


@dataclass(frozen=True, slots=True)
class StageShown:
    """`changes` are what whoever worked on it changed in the package before submitting; `export`
    leads to the signed results of the decision, where there are some."""

    code: str
    heading: Text
    assurance: Text
    is_warned: bool
    rejected: str
    checks: list[Check]
    trusts: list[tuple[Text, Text]]
    changes: list[ChangeShown]
    past: list[Past]
    export: str

    @property
    def is_moving(self) -> bool:
        """Whether the desk opens an address of it just now."""
        return any(one.opening is not None and one.opening.is_running for one in self.checks)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Who reads, and when; `proves` when proof is theirs to send, for the stage in hand, `marks`
    when they may say there that a manual check is met."""

    visitor: Visitor
    now: datetime
    proves: bool
    marks: bool


def stages_shown(proof: Proof, visitor: Visitor, now: datetime) -> list[StageShown]:
    """The blocker's stage, and the task's when the mode has one."""
    facts = proof.card.facts
    codes = ["blocker", "task"] if has_task_stage(facts.mode) else ["blocker"]
    can = capabilities(visitor.caller, facts, now)
    worked_on = facts.state in (*IN_REVIEW, State.NEEDS_HUMAN) or facts.is_leased(now)
    marks = worked_on and "mark_criterion_met" in can and may_approve(proof.person).allowed
    reader = _Reader(visitor, now, "add_evidence" in can, marks)
    return [_stage(code, proof, reader) for code in codes]


def criterion_shown(proof: Proof, key: str) -> str:
    """What the criterion of that key wants, in words; `Missing` when there is none."""
    if all(row.key != key for row in proof.criteria):
        raise Missing
    return described(proof.package).get(key) or key


def criterion_described(card: Card, row: Criterion) -> str:
    """The same by the card alone, for a page that shows nothing else of the package."""
    stored = package_get(card.facts.id, card.facts.package_n, card.facts.org_id).content
    return described(value_of(stored.bytes, stored.key_id) or {}).get(row.key) or row.key


def results_shown(rows: Iterable[Evidence], proof: Proof, now: datetime) -> list[ResultShown]:
    return [_result_shown(row, proof, now) for row in rows]


def _result_shown(row: Evidence, proof: Proof, now: datetime) -> ResultShown:
    counted = proof.counts.get(row.criterion)
    status = {"pass": "passed", "fail": "failed"}.get(row.result, row.result)
    wanted = next((one.expected for one in proof.criteria if one.key == row.criterion), "")
    return ResultShown(
        status=status,
        result=words.LEFT_TO_DESK if is_left_to_desk(row) else words.RESULT[status],
        trust=words.TRUST[row.trust] if is_vouched(row) else "",
        why=TRUST_MEANS[row.trust],
        is_warned=row.trust == "self_reported",
        by=row.by.name,
        at=time_shown(row.created_at, now),
        sent=_sent(row),
        counts=counted is not None and counted.id == row.id,
        signed=_signed(row, now),
        opening=opening_of(row, wanted, now),
    )


def _stage(code: str, proof: Proof, reader: _Reader) -> StageShown:
    job, said = proof.newest(code), described(proof.package)
    rows = [row for row in proof.criteria if row.stage == code]
    counted = [proof.counts[row.key] for row in rows if row.key in proof.counts]
    trusts = dict.fromkeys(one.trust for one in counted if is_vouched(one))
    return StageShown(
        code=code,
        heading=words.STAGE[code],
        assurance=_assurance(job, closed=proof.card.facts.is_closed),
        is_warned=job is not None and job.assurance in ("self_reported", "self_approved"),
        rejected="" if proof.card.facts.is_closed else rejections_shown(proof, code),
        checks=[_check(row, proof, said.get(row.key, ""), reader) for row in rows],
        trusts=[(words.TRUST[one], TRUST_MEANS[one]) for one in trusts],
        changes=changes_shown(proof.changes.get(code, ()), said),
        past=past_shown(proof, code, reader.now),
        export=_export(counted, proof.card.facts.ref, reader.visitor),
    )


def _export(counted: list[Evidence], ref: str, visitor: Visitor) -> str:
    """Where the signed results that count are to be had; they came with one decision."""
    jobs = [one.verification_id for one in counted if one.signed is not None]
    if not jobs or jobs[-1] is None:
        return ""
    place = reverse("ticket_signed", kwargs={"ref": ref, "job_id": jobs[-1]})
    return address_of(visitor, place)


def _assurance(job: Verification | None, *, closed: bool) -> Text:
    if job is None:
        return words.NEVER_SUBMITTED if closed else words.NOT_SUBMITTED
    if job.state == VerificationState.APPROVED and job.assurance in words.ASSURANCE:
        return words.ASSURANCE[job.assurance]
    return words.SUBMITTED[job.state]


def _check(row: Criterion, proof: Proof, description: str, reader: _Reader) -> Check:
    counted, facts = proof.counts.get(row.key), proof.card.facts
    in_hand, asked = row.stage == facts.stage, _asked(row)
    unmet = row.method == "manual" and standing_of(row, counted).status == "waiting"
    standing = standing_of(row, counted)
    opening = opening_of(counted, row.expected, reader.now)
    return Check(
        key=row.key,
        description=description or row.key,
        method=words.METHOD[row.method],
        status=standing.status,
        result=_result(row, standing.status, opening),
        trust=words.TRUST[counted.trust] if counted and is_vouched(counted) else "",
        is_warned=counted is not None and counted.trust == "self_reported",
        is_command=row.command is not None,
        by=counted.by.name if counted else "",
        at=time_shown(counted.created_at, reader.now) if counted else None,
        asked=asked,
        sent=[line for line in _sent(counted) if line not in asked],
        earlier=proof.sent.get(row.key, 0) - (counted is not None),
        log=proof_url(reader.visitor, facts.ref, row.key),
        prove=_act(row, facts.ref, reader, "evidence") if reader.proves and in_hand else None,
        met=_act(row, facts.ref, reader, "met") if reader.marks and in_hand and unmet else None,
        signed=_signed(counted, reader.now) if counted else None,
        opening=opening,
        advice=advice_of(opening, facts, reader.now) if in_hand else "",
    )


def _act(row: Criterion, ref: str, reader: _Reader, slug: str) -> str:
    return act_url(reader.visitor, ref, slug, criterion=row.key)


def _result(row: Criterion, status: str, opening: Opening | None) -> Text:
    if row.method == "manual" and status == "waiting":
        return words.WAITS_FOR_PERSON
    if status == "missing" and row.method == "external_check" and row.url:
        return words.NOT_REPORTED
    if status != "waiting":
        return words.RESULT[status]
    is_over = opening is not None and not opening.is_running
    return words.NONE_COUNTS if is_over else words.WAITS_FOR_CHECK


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


def _signed(row: Evidence, now: datetime) -> Signed | None:
    if row.signed is None:
        return None
    key = row.signed.key
    return Signed(
        name=key.name,
        fingerprint=key.fingerprint,
        at=time_shown(row.signed.signed_at, now),
        revoked=time_shown(key.revoked_at, now) if key.revoked_at else None,
    )
