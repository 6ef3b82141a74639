"""What a mail says of a decision: what was done, by whom, and how the proof stands."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.models import Actor
from stuckbot.lib.content import text_of, value_of
from stuckbot.lib.mail import one_line
from stuckbot.lib.models import Content, Event
from stuckbot.site.notices.waiting import Wait
from stuckbot.site.pages import words
from stuckbot.site.pages.acts_words import TRUST_MEANS
from stuckbot.site.pages.url_checks import unchecked_said
from tickets.cards import Card
from tickets.selectors import criteria_list, package_get
from tickets.services.looping import SUSPECTED
from verification.models import Evidence, UrlCheck, Verification
from verification.selectors import evidence_of_attempt
from verification.standing import counting, stage_attempts, standing_of
from verification.states import Result

Text = str | Promise

#: What a solver says of the fix, in this order.
_SAID: Final = ("outcome", "summary", "branch", "commit", "url")
_CRITERION_MOST: Final = 200
_LOOPS: Final[dict[str, Text]] = {
    "talk": _("Agents answer each other on it again and again, and nothing gets done."),
    "takes": _("An agent took it again and again, and got nothing done."),
}
_WHY: Final[dict[str, Text]] = {
    "wait_over": _("No other agent checked it in time, so a person is asked."),
    "agent_approved": _("Another agent checked it and agreed. A person has the last word."),
}


@dataclass(frozen=True, slots=True)
class Check:
    """A criterion, how it stands, and whose word that is, in codes."""

    status: str
    result: Text
    description: str
    trust: str
    #: Why nobody could check it, in a sentence.
    why: str = ""

    @property
    def trust_word(self) -> Text:
        return words.TRUST[self.trust] if self.trust else ""


@dataclass(frozen=True, slots=True)
class Detail:
    """`stage` is empty where the ticket needs a person; `says` are texts of who asks."""

    stage: str
    by: Actor
    at: datetime
    says: list[str]
    checks: list[Check]
    #: Why a person is asked though another agent was to check it.
    why: Text = ""
    #: What the desk noticed, where nobody asked for a person.
    loop: Text = ""

    @property
    def passed(self) -> int:
        return sum(one.status == "passed" for one in self.checks)

    @property
    def trusts(self) -> list[tuple[Text, Text]]:
        """Whose word the proof is, each with what that means."""
        met = dict.fromkeys(one.trust for one in self.checks if one.trust)
        return [(words.TRUST[one], TRUST_MEANS[one]) for one in met]


def details_read(
    org_id: UUID, waits: Sequence[Wait], cards: Mapping[UUID, Card]
) -> dict[Wait, Detail]:
    """The details of a few decisions; a few statements each."""
    return {
        wait: _ask(org_id, wait)
        if wait.job_id is None
        else _job(org_id, wait.job_id, cards[wait.ticket_id])
        for wait in waits
    }


def _ask(org_id: UUID, wait: Wait) -> Detail:
    event = Event.objects.of(org_id).get(seq=wait.seq)
    loop = _LOOPS.get(event.data.get("what", ""), "") if event.type == SUSPECTED else ""
    says = [] if event.content_id is None else [_text(org_id, event.content_id)]
    by = Actor.objects.of(org_id).get(id=wait.by_id)
    return Detail("", by, event.at, [one for one in says if one], [], loop=loop)


def _text(org_id: UUID, content_id: UUID) -> str:
    stored = Content.objects.of(org_id).get(id=content_id)
    return text_of(stored.bytes, stored.key_id)


def _job(org_id: UUID, job_id: UUID, card: Card) -> Detail:
    rows = Verification.objects.of(org_id).select_related("submitted_by")
    job = rows.get(id=job_id)
    said = card.resolution or {}
    says = [str(said[name]) for name in _SAID if said.get(name)]
    return Detail(
        job.stage, job.submitted_by, job.submitted_at, says, _checks(job, card), _why(job)
    )


def _why(job: Verification) -> Text:
    passed = job.details.get("passed_on") or {}
    return _WHY.get(passed.get("why", ""), "")


def _checks(job: Verification, card: Card) -> list[Check]:
    facts = card.facts
    sent = evidence_of_attempt(facts.id, facts.org_id, job.attempt)
    counts = counting(sent, stage_attempts(job.attempt, {}, proven=False))
    stored = package_get(facts.id, facts.package_n, facts.org_id).content
    described = _described(value_of(stored.bytes, stored.key_id) or {})
    rows = [one for one in criteria_list(facts.id, facts.org_id) if one.stage == job.stage]
    why = _why_unchecked(facts.org_id, counts.values())
    found = []
    for row in rows:
        standing = standing_of(row, counts.get(row.key))
        description = one_line(described.get(row.key) or row.key)[:_CRITERION_MOST]
        result = _result(row.method, standing.status)
        trust = "" if standing.status == "unchecked" else standing.trust or ""
        found.append(Check(standing.status, result, description, trust, why.get(row.key, "")))
    return found


def _why_unchecked(org_id: UUID, counted: Iterable[Evidence]) -> dict[str, str]:
    """By criterion, why the desk could not open its address."""
    told = [one.id for one in counted if one.result == Result.UNCHECKED]
    looks = UrlCheck.objects.of(org_id).filter(found__in=told) if told else ()
    return {one.criterion: one_line(unchecked_said([one])) for one in looks}


def _result(method: str, status: str) -> Text:
    if method == "manual" and status == "waiting":
        return words.WAITS_FOR_PERSON
    return words.RESULT[status]


def _described(package: dict[str, Any]) -> dict[str, str]:
    listed = [*package.get("blocker_criteria", ()), *package.get("task_criteria", ())]
    return {one["key"]: one["description"] for one in listed if "key" in one}
