"""Deciding on a fix: approve it, reject it, say that a check which only a person can do is met."""

from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from stuckbot.lib.errors import Conflict, Missing
from stuckbot.site.pages import acts_forms as forms
from stuckbot.site.pages.acts_base import PROVED, Act, Asked, Doing, form_of
from stuckbot.site.pages.described import unproved_described
from stuckbot.site.usecases.approve import ticket_approve
from stuckbot.site.usecases.criterion_met import criterion_met
from stuckbot.site.usecases.decide import APPROVE, REJECT, Decision, verification_decide
from tickets.states import State
from verification.models import Verification
from verification.selectors import verification_waiting
from verification.services.deciding import agent_first


def _approve_form(asked: Asked) -> forms.ActForm:
    unproved = unproved_described(asked.proof) if asked.proof else {}
    initial = dict(asked.initial)
    return forms.Approve(asked.data, card=asked.card, unproved=unproved, initial=initial)


def _approve(doing: Doing) -> Any:
    form = doing.form
    assert isinstance(form, forms.Approve)
    if doing.facts.state == State.NEEDS_HUMAN:
        return ticket_approve(reason=form.said, **doing.who)
    job = _waiting(doing)
    if agent_first(job):
        raise Conflict("The policy wants another agent to agree first.", code="agent_first")
    return _decide(doing, job, Decision(APPROVE, form.said))


def _reject(doing: Doing) -> Any:
    return _decide(doing, _waiting(doing), Decision(REJECT, doing.said["reason"]))


def _waiting(doing: Doing) -> Verification:
    job = verification_waiting(doing.facts.id, doing.facts.org_id)
    if job is None:
        told = f"Nothing of {doing.facts.ref} waits for a decision any more."
        raise Conflict(told)
    return job


def _decide(doing: Doing, job: Verification, decision: Decision) -> Any:
    return verification_decide(
        actor=doing.caller, job_id=job.id, decision=decision, now=doing.now, keep=doing.keep
    )


def _met_form(asked: Asked) -> forms.ActForm:
    rows = asked.proof.criteria if asked.proof else []
    manual = (one for one in rows if one.method == "manual" and asked.criterion in (one.key, ""))
    if (row := next(manual, None)) is None:
        raise Missing
    return forms.Met(asked.data, card=asked.card, criterion=row, initial=dict(asked.initial))


def _met(doing: Doing) -> Any:
    form = doing.form
    assert isinstance(form, forms.Met)
    return criterion_met(key=form.criterion.key, note=doing.said["note"], **doing.who)


DECIDING: Final[dict[str, Act]] = {
    "approve": Act(
        "decide_verification",
        _("Approve the fix"),
        _("Approve the fix"),
        _("You approved the fix."),
        _approve,
        _approve_form,
        PROVED,
        _("You say with your name that it holds."),
        also="approve_ticket",
        shows_proof=True,
    ),
    "reject": Act(
        "decide_verification",
        _("Reject the fix"),
        _("Reject the fix"),
        _("You rejected the fix. What you wrote goes with it."),
        _reject,
        form_of(forms.Reject),
        PROVED,
        is_danger=True,
        shows_proof=True,
    ),
    "met": Act(
        "mark_criterion_met",
        _("Say that it is met"),
        _("It is met"),
        _("It counts as met, on your word."),
        _met,
        _met_form,
        PROVED,
        place="decide",
        shows_proof=True,
    ),
}
