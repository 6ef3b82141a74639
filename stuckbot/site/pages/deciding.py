"""A decision that waits: what the reader is asked, on what, and whether it is theirs to make."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from policy.resolve import policy_of
from stuckbot.lib.clock import wire
from stuckbot.site.pages import words
from stuckbot.site.pages.acts_forms import Approve, Reject
from stuckbot.site.pages.acts_words import REFUSED, Text
from stuckbot.site.pages.described import unproved_described
from stuckbot.site.pages.times import clock_time, exact, time_shown
from stuckbot.site.templatetags.texts import shown
from stuckbot.site.usecases.sight import Proof
from tickets.states import State
from verification.eligibility import may_approve
from verification.models import Verification
from verification.services.deciding import agent_first, approval_of
from verification.services.jobs import is_held
from verification.states import VerificationState

#: What is this near is told by the time of day alone.
_NEAR: Final = timedelta(hours=20)


@dataclass(frozen=True, slots=True)
class Deciding:
    """`came` says how it came to a person, `silence` what happens if nobody says anything.

    Without `approve` the reader may not, and `why_not` says why; `own` is what an approval of
    one's own work is recorded as.
    """

    came: list[SafeString]
    silence: Text
    why_not: Text
    own: Text
    approve: Approve | None
    reject: Reject | None
    rejected: Text


def deciding_shown(proof: Proof, now: datetime, *, may_reject: bool) -> Deciding | None:
    """For a ticket that waits for a person to approve a fix; None for any other."""
    job, card = proof.waiting, proof.card
    if job is None or job.state != VerificationState.WAITING_PERSON:
        return None
    why_not, verdict = why_not_approve(proof), may_approve(proof.person)
    approve = Approve(
        card=card,
        unproved=unproved_described(proof),
        auto_id="approve_%s",
        use_required_attribute=False,
    )
    return Deciding(
        came=_came(proof, job, now),
        silence=words.SILENCE,
        why_not=why_not,
        own=words.OWN_FIX if verdict.allowed and verdict.own else "",
        approve=None if why_not else approve,
        reject=Reject(card=card, auto_id="reject_%s") if may_reject else None,
        rejected=_rejected(proof, job),
    )


def why_not_approve(proof: Proof) -> Text:
    """Why this reader cannot approve the stage in hand, in a sentence; empty when they can."""
    verdict, stand, job = may_approve(proof.person), proof.stand, proof.waiting
    if not proof.person.is_member:
        return words.VIEWER_DECIDES_NOT
    if proof.card.facts.incomplete:
        return words.INCOMPLETE_STILL
    if job is not None and agent_first(job):
        return REFUSED["agent_first"]
    if stand.failing:
        return words.FAILS_STILL
    if stand.missing or stand.waiting_checks:
        return words.LACKS_STILL
    return "" if verdict.allowed else REFUSED.get(verdict.code, verdict.reason)


def is_approvable(proof: Proof) -> bool:
    """Whether there is a fix that somebody could approve now."""
    stand, state = proof.stand, proof.card.facts.state
    proved = not (stand.failing or stand.missing or stand.waiting_checks)
    return proved and (proof.waiting is not None or state == State.NEEDS_HUMAN)


def _came(proof: Proof, job: Verification, now: datetime) -> list[SafeString]:
    """Who submitted it, and why a person is asked."""
    submitted = format_html(
        _("Submitted by {who}, {at}."),
        who=shown(job.submitted_by.name),
        at=time_shown(job.submitted_at, now),
    )
    return [submitted, *(format_html("{}", why) for why in _why(proof, job))]


def _why(proof: Proof, job: Verification) -> list[Text]:
    why = (job.details.get("passed_on") or {}).get("why", "")
    found = [words.PASSED_ON[why]] if why in words.PASSED_ON else []
    if approval_of(job) == "person":
        found.append(words.POLICY_PERSON)
    if proof.stand.unchecked:
        found.append(words.SOME_UNCHECKED)
    if proof.stand.manual:
        found.append(words.SOME_MANUAL)
    return found


def rejections(proof: Proof, stage: str) -> tuple[int, int]:
    """How often the stage was rejected since it was filed, sent back or reopened, and after how
    many a person is asked."""
    jobs = [one for one in proof.verifications if one.stage == stage]
    counted = [
        one
        for one in jobs
        if one.state == VerificationState.REJECTED
        and one.attempt >= proof.card.facts.rejections_from
    ]
    most = policy_of(jobs[-1].policy_snapshot).max_rejections if jobs else 0
    return len(counted), most


def _rejected(proof: Proof, job: Verification) -> Text:
    """What becomes of the ticket when it is rejected now."""
    count, most = rejections(proof, job.stage)
    if count + 1 >= most:
        return words.REJECTED_LAST
    told = ngettext(
        "It goes back to be worked on again. After %(left)d more rejection a person is asked.",
        "It goes back to be worked on again. After %(left)d more rejections a person is asked.",
        most - count - 1,
    )
    return told % {"left": most - count - 1}


def verifier_shown(proof: Proof, now: datetime) -> list[SafeString]:
    """Who checks it and until when; else since when it waits, and when a person is asked."""
    job = proof.waiting
    if job is None or job.state != VerificationState.WAITING_AGENT:
        return []
    if job.claimed_by is not None and job.claim_until is not None and is_held(job, now):
        told = format_html(
            _("Checked by {who} until {until}; after that another may take it."),
            who=shown(job.claimed_by.name),
            until=moment(job.claim_until, now),
        )
        return [told, *_asked_instead(proof, now)]
    waits = format_html(
        _("It has waited since {at} for one to take it."), at=moment(job.submitted_at, now)
    )
    return [waits, *(_asked_instead(proof, now) or [format_html("{}", words.NEVER_ASKED)])]


def _asked_instead(proof: Proof, now: datetime) -> list[SafeString]:
    if proof.asks_at is None:
        return []
    told = _("If no verifier has decided by {at}, a person is asked instead.")
    return [format_html(told, at=moment(proof.asks_at, now))]


def moment(at: datetime, now: datetime) -> SafeString:
    """A time of day while that is clear, else the date with it."""
    text = clock_time(at) if abs(at - now) < _NEAR else exact(at)
    return format_html('<time datetime="{}" title="{}">{}</time>', wire(at), exact(at), text)
