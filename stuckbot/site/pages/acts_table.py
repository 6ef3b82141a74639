"""What a person can do to a ticket, each act as one row: its words, its form, the service."""

from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from accounts.reach import agents_reachable
from stuckbot.lib import ids
from stuckbot.lib.errors import Conflict, Missing, Stale
from stuckbot.site.pages import acts_forms as forms
from stuckbot.site.pages.acts_base import (
    EXPLAINED,
    FILLED,
    MOVED,
    SET,
    Act,
    Asked,
    Doing,
    Meanwhile,
    form_of,
)
from stuckbot.site.pages.acts_deciding import DECIDING
from stuckbot.site.pages.acts_filling import Fill
from stuckbot.site.pages.acts_proof import PROOF_FORMS, ProofForm, evidence_type
from stuckbot.site.usecases.close import ticket_close
from stuckbot.site.usecases.submit import Submission, stage_submit
from tickets.selectors import criteria_list, packages_get
from tickets.services import claims, closing, editing, notes
from tickets.services.packages import package_fill
from verification.services.evidence import Sent, evidence_add

_PLAIN: Final = form_of(forms.Plain)


def _release_form(asked: Asked) -> forms.ActForm:
    return form_of(forms.NoteMaybe if asked.holds else forms.Force)(asked)


def _settings_form(asked: Asked) -> forms.ActForm:
    people = editing.assignable(asked.caller)
    initial = dict(asked.initial)
    return forms.Settings(asked.data, card=asked.card, people=people, initial=initial)


def _fill_form(asked: Asked) -> Fill:
    facts = asked.card.facts
    package = packages_get(facts.id, {facts.package_n}, facts.org_id)[facts.package_n]
    return Fill(asked.data, card=asked.card, package=package, initial=dict(asked.initial))


def _fill(doing: Doing) -> Any:
    form = doing.form
    assert isinstance(form, Fill)
    return package_fill(fields=form.filled, **doing.who)


def _send_back_form(asked: Asked) -> forms.ActForm:
    card = asked.card
    solver = card.solver.name if card.solver and closing.solver_is_here(card.facts) else ""
    initial = {"to": "all"} | dict(asked.initial)
    return forms.SendBack(asked.data, card=card, solver=solver, initial=initial)


def _proof_form(asked: Asked) -> ProofForm:
    facts = asked.card.facts
    rows = criteria_list(facts.id, facts.org_id)
    wanted = [row for row in rows if asked.criterion in (row.key, "")]
    chosen = next((row for row in wanted if row.stage == facts.stage or asked.criterion), None)
    if chosen is None:
        raise Missing
    kind = PROOF_FORMS[chosen.method]
    return kind(asked.data, card=asked.card, criterion=chosen, initial=dict(asked.initial))


def _edit(doing: Doing, edit: editing.Edit) -> Any:
    """A version that passed since the facts were read is read again; what matters is `void`."""
    try:
        return editing.ticket_edit(edit=edit, version=doing.facts.version, **doing.who)
    except Conflict as error:
        if error.code == "state_changed" and not isinstance(error, Meanwhile):
            raise Stale from error
        raise


def _keep_form(asked: Asked) -> forms.ActForm:
    facts = asked.card.facts
    agents = [
        (str(one.id), one.name)
        for one in agents_reachable(facts.org_id, asked.now)
        if one.reads(facts.project_id) and "tickets:claim" in one.scopes
    ]
    initial = dict(asked.initial)
    return forms.KeepFor(asked.data, card=asked.card, agents=agents, initial=initial)


def _keep_for(doing: Doing) -> Any:
    chosen = ids.parse_uuid(doing.said["agent"])
    return _edit(doing, editing.Edit(reserves=True, reserved_for=chosen))


def _explain(doing: Doing) -> Any:
    said = {name: text for name, text in doing.said.items() if text}
    return _edit(doing, editing.Edit(human_summary=said))


def _settings(doing: Doing) -> Any:
    chosen = doing.said["assignee"]
    edit = editing.Edit(
        urgency=doing.said["urgency"],
        labels=doing.said["labels"],
        assigns=True,
        assignee_id=ids.parse_uuid(chosen) if chosen else None,
    )
    return _edit(doing, edit)


def _proof(doing: Doing) -> Any:
    form = doing.form
    assert isinstance(form, ProofForm)
    sent = Sent(criterion=form.criterion.key, type=evidence_type(form), payload=form.payload)
    return evidence_add(sent=sent, **doing.who)


def _submit(doing: Doing) -> Any:
    stage = "task" if doing.facts.stage == "task" else "blocker"
    submission = Submission(stage=stage, outcome=doing.said["outcome"] or None)
    return stage_submit(submission=submission, **doing.who)


def _release(doing: Doing) -> Any:
    force = isinstance(doing.form, forms.Force)
    return claims.ticket_release(note=doing.said["note"], force=force, **doing.who)


def _renew(doing: Doing) -> Any:
    return claims.claim_renew(actor=doing.caller, ref=str(doing.facts.id), now=doing.now)


def _send_back(doing: Doing) -> Any:
    to_solver = doing.said["to"] == "solver"
    return closing.ticket_send_back(note=doing.said["note"], to_solver=to_solver, **doing.who)


#: By the last part of the address.
ACTS: Final[dict[str, Act]] = {
    "comment": Act(
        "add_comment",
        _("Say something"),
        _("Post the comment"),
        _("Your comment is posted."),
        lambda doing: notes.comment_add(body=doing.said["body"], **doing.who),
        form_of(forms.Comment),
        place="talk",
    ),
    "explain": Act(
        "edit_ticket",
        _("Change the explanation"),
        _("Save the explanation"),
        _("The explanation is changed."),
        _explain,
        form_of(forms.Explain),
        EXPLAINED,
        _("For people who do not know the software: short, and without names of its parts."),
    ),
    "complete": Act(
        "update_package",
        _("Fill in what is missing"),
        _("Save"),
        _("Saved. Something is still missing: see below."),
        _fill,
        _fill_form,
        FILLED,
        _(
            "Whoever filed it could not say everything. What you leave empty stays missing. Once "
            "nothing is, the next agent that looks for work is offered it, and its checks stay as "
            "they are."
        ),
    ),
    "settings": Act(
        "edit_ticket",
        _("Urgency and labels"),
        _("Save"),
        _("Saved."),
        _settings,
        _settings_form,
        SET,
    ),
    "claim": Act(
        "claim_ticket",
        _("Take it yourself"),
        _("Take it"),
        _("It is yours. Send proof for each check, then submit the fix."),
        lambda doing: claims.ticket_claim(wish=claims.ClaimWish(), **doing.who),
        _PLAIN,
        lead=_("Nobody else is offered it while you hold it."),
    ),
    "continue": Act(
        "continue_task",
        _("Finish the task yourself"),
        _("Finish the task"),
        _("It is yours. Send proof for each check, then submit the task."),
        lambda doing: claims.task_continue(wish=claims.ClaimWish(), **doing.who),
        _PLAIN,
        lead=_("Nobody else is offered it while you hold it."),
    ),
    "keep": Act(
        "renew_claim",
        _("Keep it"),
        _("Keep it"),
        _("You have the full time again."),
        _renew,
        _PLAIN,
    ),
    "keep-for": Act(
        "edit_ticket",
        _("Keep it for one agent"),
        _("Keep it for this one"),
        _("It is kept for that agent."),
        _keep_for,
        _keep_form,
        SET,
        _(
            "Nobody else is offered it or can take it. When that agent is gone, or leaves it for"
            " three days, anyone may take it again."
        ),
    ),
    "let-anyone": Act(
        "edit_ticket",
        _("Let anyone take it"),
        _("Let anyone take it"),
        _("Anyone may take it now."),
        lambda doing: _edit(doing, editing.Edit(reserves=True)),
        _PLAIN,
        SET,
    ),
    "release": Act(
        "release_ticket",
        _("Let it go"),
        _("Let it go"),
        _("It is free again."),
        _release,
        _release_form,
        MOVED,
        on_others=_("End their time on it"),
    ),
    "update": Act(
        "post_update",
        _("Say how it goes"),
        _("Post the update"),
        _("Your update is posted."),
        lambda doing: notes.update_post(body=doing.said["body"], **doing.who),
        form_of(forms.Update),
        place="talk",
    ),
    "evidence": Act(
        "add_evidence",
        _("Send proof"),
        _("Send the proof"),
        _("Your proof is there. See below whether it passes."),
        _proof,
        _proof_form,
        place="proof",
    ),
    "submit": Act(
        "submit_stage",
        _("Submit the fix"),
        _("Submit"),
        _("It is submitted."),
        _submit,
        form_of(forms.Outcome),
        lead=_("Every check needs proof that passes. Your time on the ticket ends with it."),
    ),
    "escalate": Act(
        "escalate_ticket",
        _("Ask a person"),
        _("Ask a person"),
        _("It waits for a person now."),
        lambda doing: closing.ticket_escalate(reason=doing.said["reason"], **doing.who),
        form_of(forms.Stuck),
        MOVED,
    ),
    "pause": Act(
        "pause_ticket",
        _("Pause it"),
        _("Pause it"),
        _("It is paused."),
        lambda doing: closing.ticket_pause(reason=doing.said["reason"] or None, **doing.who),
        form_of(forms.ReasonMaybe),
        MOVED,
        _("Nobody is offered it and nobody can take it until it is resumed."),
    ),
    "resume": Act(
        "resume_ticket",
        _("Resume it"),
        _("Resume it"),
        _("It goes on."),
        lambda doing: closing.ticket_resume(**doing.who),
        _PLAIN,
        MOVED,
    ),
    "block": Act(
        "block_ticket",
        _("Say what blocks it"),
        _("Mark it as blocked"),
        _("It is marked as blocked."),
        lambda doing: closing.ticket_block(reason=doing.said["reason"], **doing.who),
        form_of(forms.Blocked),
        MOVED,
    ),
    "unblock": Act(
        "unblock_ticket",
        _("It is not blocked any more"),
        _("It is not blocked any more"),
        _("It is no longer blocked."),
        lambda doing: closing.ticket_unblock(**doing.who),
        _PLAIN,
        MOVED,
    ),
    "close": Act(
        "close_ticket",
        _("Close it"),
        _("Close the ticket"),
        _("It is closed. It stands in the archive."),
        lambda doing: ticket_close(outcome=doing.said["outcome"] or None, **doing.who),
        form_of(forms.Outcome),
        MOVED,
        _("Work on it ends. It can be opened again at any time."),
        is_danger=True,
    ),
    "reopen": Act(
        "reopen_ticket",
        _("Open it again"),
        _("Open it again"),
        _("It is open again."),
        lambda doing: closing.ticket_reopen(**doing.who),
        _PLAIN,
        MOVED,
        _("The next agent that looks for work is offered it. Proof has to be sent anew."),
    ),
    "send-back": Act(
        "send_back",
        _("Send it back"),
        _("Send it back"),
        _("It is sent back."),
        _send_back,
        _send_back_form,
        MOVED,
    ),
    "take-over": Act(
        "take_over",
        _("Take it over"),
        _("Take it over"),
        _("It is yours. Send proof for each check, then submit the fix."),
        lambda doing: closing.ticket_take_over(**doing.who),
        _PLAIN,
        MOVED,
        _("You work on it yourself from here. Nobody else is offered it."),
    ),
    "withdraw": Act(
        "withdraw_ticket",
        _("Take it back"),
        _("Take it back"),
        _("You took it back."),
        lambda doing: closing.ticket_withdraw(reason=doing.said["reason"] or None, **doing.who),
        form_of(forms.ReasonMaybe),
        MOVED,
        _("You filed it, so you may take it back. Nobody works on it any more."),
        is_danger=True,
    ),
    **DECIDING,
}
