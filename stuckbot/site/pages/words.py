"""The plain words of the pages for the codes of the desk."""

from collections.abc import Iterable
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

Words = dict[str, str | Promise]

STATUS: Final[Words] = {
    "RED": _("Blocked on you"),
    "YELLOW": _("Being worked on"),
    "ORANGE": _("Waiting"),
    "GREEN": _("Done"),
}
#: By the rule that decided the status: said to a person otherwise than to programs.
DETAIL: Final[Words] = {"waits_for_person": _("The fix waits for your approval.")}
#: By the rule that decided the status.
NEEDS: Final[Words] = {
    "unclaimed": _("Nothing from you. The next agent that looks for work is offered it."),
    "claimed": _("Nothing from you. Somebody is working on it."),
    "checks_running": _("Nothing from you. StuckBot is running its own checks."),
    "verifying": _("Nothing from you. Another agent is checking the fix right now."),
    "waits_for_verifier": _("Nothing from you. Another agent is to check the fix."),
    "waits_for_task": _(
        "Nothing from you. The next agent that looks for work can finish the task."
    ),
    "waits_for_person": _("A person has to look at the proof and approve the fix or reject it."),
    "needs_human": _(
        "A person has to decide: send it back with a hint, take it over, approve it where its "
        "proof is enough, or close it."
    ),
    "blocked": _("Somebody has to clear what blocks it, and then mark it as unblocked."),
    "open_ask": _("A person has to answer the question that it waits for."),
    "paused": _("A person has to resume it. Until then nobody is offered it."),
    "kept": _("Nothing from you. It waits for the agent that it is kept for."),
    "incomplete": _("Somebody has to fill in the fields that its package lacks."),
    "loop_suspected": _(
        "A person has to say something: comment, send it on, pause it or close it. Until then the "
        "agents that go round in circles have to wait."
    ),
    "completed": _("Nothing. It is finished."),
    "resolved": _("Nothing. Whoever filed it can carry on."),
    "withdrawn": _("Nothing. It was taken back."),
    "handed_off": _("Nothing here. It goes on in another ticket."),
    "closed_without_proof": _("Nothing. Be aware that nobody proved the fix."),
}
EXPECTED: Final = _("Expected")
STAGE: Final[Words] = {"blocker": _("Is the blocker gone?"), "task": _("Is the task done?")}
RESULT: Final[Words] = {
    "missing": _("No proof yet"),
    "waiting": _("Waiting"),
    "failed": _("Failed"),
    "unchecked": _("Could not be checked"),
    "passed": _("Passed"),
}
WAITS_FOR_PERSON: Final = _("Waits for a person")
WAITS_FOR_CHECK: Final = _("Waits for StuckBot's own check")
NONE_COUNTS: Final = _("No result that counts")
NOT_REPORTED: Final = _("Not reported yet. Once it is, StuckBot opens the address")
LEFT_TO_DESK: Final = _("Left to StuckBot's own check")
TRUST: Final[Words] = {
    "self_reported": _("Self-reported"),
    "platform_checked": _("Checked by StuckBot"),
    "verifier_confirmed": _("Verifier confirmed"),
    "person_approved": _("Approved by a person"),
    "customer_verified": _("Signed by your verifier"),
}
ASSURANCE: Final[Words] = {
    "customer_verified": _("Your own verifier ran the checks and signed the results."),
    "platform_checked": _("Approved: StuckBot checked every result itself."),
    "person_approved": _("Approved by a person who had no part in the work."),
    "agent_verified": _("Approved by a second agent."),
    "self_approved": _("Approved by the person who did the work."),
    "self_reported": _("Approved automatically, on nothing but the solver's own report."),
}
#: The same, as a chip on a closed ticket.
ASSURED: Final[Words] = {
    "customer_verified": _("Signed by your verifier"),
    "platform_checked": _("Checked by StuckBot"),
    "person_approved": _("Approved by a person"),
    "agent_verified": _("Approved by a second agent"),
    "self_approved": _("Approved by whoever did the work"),
    "self_reported": _("Self-reported"),
    "none": _("Closed without proof"),
}
UNPROVEN: Final = _("Nobody proved that the fix works.")
#: By the state of the newest verification of a stage that is not approved.
SUBMITTED: Final[Words] = {
    "waiting_checks": _("Submitted. StuckBot is checking it."),
    "waiting_agent": _("Submitted. It waits for another agent to check it."),
    "waiting_person": _("Submitted. It waits for a person to approve it."),
    "approved": _("Approved."),
    "rejected": _("The last submission was rejected."),
    "cancelled": _("The last submission was taken back."),
}
#: A decision: by whom, and by the desk itself.
DECIDED: Final[Words] = {
    "approved": _("Approved by {who}, {at}."),
    "rejected": _("Rejected by {who}, {at}."),
    "cancelled": _("Taken back, {at}."),
}
DECIDED_BY_DESK: Final[Words] = DECIDED | {"approved": _("Approved automatically, {at}.")}
UNPROVED: Final[Words] = {
    "unchecked": _("StuckBot could not check this; it was approved all the same:"),
    "manual": _("This rested on whoever approved it:"),
}
#: How a fix came to a person.
PASSED_ON: Final[Words] = {
    "wait_over": _("No verifier decided in time, so a person is asked."),
    "agent_approved": _("Another agent checked it and agreed. A person has the last word."),
}
POLICY_PERSON: Final = _("Your policy asks a person for every fix.")
SOME_UNCHECKED: Final = _("Something could not be checked, so it rests on you.")
SOME_MANUAL: Final = _("Something can only be seen by a person.")
SILENCE: Final = _(
    "If nobody says anything it stays like this: nobody works on it, and whoever filed it waits."
)
NEVER_ASKED: Final = _("Your policy asks no person instead, however long it takes.")
VIEWER_DECIDES_NOT: Final = _("You may read this. Members approve or reject.")
FAILS_STILL: Final = _("It cannot be approved while a check fails.")
INCOMPLETE_STILL: Final = _("It cannot be approved while its package lacks something.")
LACKS_STILL: Final = _("It cannot be approved while a check has no result.")
OWN_FIX: Final = _(
    "You did this work yourself, and nobody else here may approve it. Your approval will say so."
)
REJECTED_LAST: Final = _(
    "It was rejected as often as your policy bears: a person then says how it goes on."
)
NOT_SUBMITTED: Final = _("Not submitted yet.")
NEVER_SUBMITTED: Final = _("Never submitted.")
METHOD: Final[Words] = {
    "command": _("a command is run"),
    "test_suite": _("tests are run"),
    "log_match": _("a line in a log"),
    "artifact": _("a file or link"),
    "external_check": _("an address is opened"),
    "manual": _("a person looks"),
}
MODE: Final[Words] = {
    "blocker_only": _("Only the blocker is to be removed."),
    "takeover_allowed": _("Whoever removes the blocker may finish the task too."),
    "takeover_requested": _("Whoever removes the blocker should finish the task too."),
}
#: What a piece of evidence says, by the field of its payload.
PROOF_FIELD: Final[Words] = {
    "command": _("Command"),
    "exit_code": _("Exit code"),
    "cwd": _("Folder"),
    "ran_at": _("Run at"),
    "runner": _("Test runner"),
    "passed": _("Tests passed"),
    "failed": _("Tests failed"),
    "skipped": _("Tests skipped"),
    "summary": _("Summary"),
    "pattern": _("Pattern"),
    "source": _("Source"),
    "url": _("Address"),
    "status": _("Status"),
    "path": _("Path"),
    "attachment_id": _("Attachment"),
    "note": _("Note"),
    "excerpt": _("Excerpt"),
    "output_excerpt": _("End of the output"),
    "output_sha256": _("SHA-256 of the output"),
    "sha256": _("SHA-256"),
}
#: What a package can lack, as one names it in a sentence.
MISSING: Final[Words] = {
    "title": _("a title"),
    "objective": _("the goal"),
    "stuck_reason": _("what fails"),
    "completed": _("what is done"),
    "remaining": _("what is left"),
    "attempts": _("what was tried"),
    "next_steps": _("what to try next"),
    "blocker_criteria": _("how one sees that the problem is gone"),
    "task_criteria": _("how one sees that the task is done"),
}
#: What the desk says happened; {who} is the actor's name.
EVENT: Final[Words] = {
    "ticket_created": _("{who} filed the ticket."),
    "ticket_claimed": _("{who} took it."),
    "task_continued": _("{who} went on with the task."),
    "ticket_released": _("{who} gave it back."),
    "claim_expired": _("The time of the one who held it ran out, so it is free again."),
    "loop_suspected": _("Agents seem to go round in circles here, so a person is asked to look."),
    "claim_ending": _("The time of the one who holds it ends in a few minutes."),
    "update_posted": _("{who} said how it goes."),
    "comment_added": _("{who} commented."),
    "evidence_added": _("{who} sent proof for {criterion}."),
    "stage_submitted": _("{who} submitted the fix."),
    "stage_approved": _("{who} approved the fix."),
    "stage_rejected": _("{who} rejected the fix."),
    "needs_human": _("{who} asked for a person."),
    "ticket_handed_off": _("{who} handed it on."),
    "reservation_dropped": _("It is not kept for one agent any more, so anyone may take it."),
    "ticket_withdrawn": _("{who} took it back."),
    "ticket_closed": _("{who} closed it."),
    "ticket_reopened": _("{who} opened it again."),
    "ticket_sent_back": _("{who} sent it back."),
    "ticket_paused": _("{who} paused it."),
    "ticket_resumed": _("{who} resumed it."),
    "ticket_blocked": _("{who} said what blocks it."),
    "ticket_unblocked": _("{who} said that it is no longer blocked."),
    "ticket_edited": _("{who} changed its settings."),
    "explanation_edited": _("{who} changed the explanation."),
    "package_updated": _("{who} changed the package."),
    "package_completed": _("{who} filled in all that was missing."),
    "secret_masked": _("{who} masked a secret in what was written."),
    "criterion_met": _("{who} said that {criterion} is met."),
    "verification_claimed": _("{who} began to check the fix."),
    "verification_passed_on": _("{who} passed the fix on to a person."),
    "url_check_skipped": _("StuckBot could not check {criterion}."),
    "checks_finished": _("StuckBot has ended its own checks."),
    "signal_raised": _("{who} sent a signal about itself."),
    "handoff_requested": _("{who} asked the agent at work to hand off."),
    "stop_requested": _("{who} told the agent at work to stop."),
    "request_acknowledged": _("{who} did what it was asked for."),
    "agent_retired": _("{who} shut down while the fix waits for its check."),
}
#: By the kind of signal, where the desk may have raised it too.
SIGNAL_RAISED: Final[Words] = {
    "watchdog": _("The agent that held it went silent."),
    "budget": _("The agent at work reached a limit of its budget."),
}
#: The same, where an agent says it of itself.
SIGNAL_SENT: Final[Words] = {
    "budget": _("{who} said that it reached its budget."),
    "watchdog": _("{who} said that its watchdog gave it up."),
    "self_report": _("{who} said that it is stuck."),
}
EVENT_OTHER: Final = _("{who} did something.")
#: By the result of a check that the desk made itself.
OPENED: Final[Words] = {
    "pass": _("{who} opened the address of {criterion} itself, and it passes."),
    "fail": _("{who} opened the address of {criterion} itself, and it fails."),
}
#: What comes after the desk's own checks, by what the fix waits for then.
CHECKS_ENDED: Final[Words] = {
    "waiting_agent": _("StuckBot has ended its own checks. Another agent is to check the fix."),
    "waiting_person": _("StuckBot has ended its own checks. A person is asked."),
}
#: Where a secret was masked, by the first part of its path.
PLACE: Final[Words] = {
    "package": _("in the package"),
    "blocked_reason": _("in the reason why it is blocked"),
    "update": _("in an update"),
    "comment": _("in a comment"),
    "evidence": _("in the proof"),
    "resolution": _("in what was said of the fix"),
    "close": _("in what was said on closing it"),
    "release": _("in the note on giving it back"),
    "send_back": _("in the note on sending it back"),
    "escalate": _("in the reason for asking a person"),
    "withdraw": _("in the reason for taking it back"),
    "pause": _("in the reason for pausing it"),
    "handoff": _("in the reason for handing it on"),
    "signal": _("in a signal of an agent"),
    "decision": _("in the reason for approving or rejecting the fix"),
}
PLACE_OTHER: Final = _("in the ticket")
#: Fields of a package besides the technical ones.
PACKAGE: Final[Words] = {
    "title": _("Title"),
    "blocker_criteria": _("Checks of the blocker"),
    "task_criteria": _("Checks of the task"),
    "human_summary": _("The plain explanation"),
    "labels": _("Labels"),
    "required_skills": _("Skills"),
    "urgency": _("Urgency"),
}
EXPLAINED: Final[Words] = {
    "problem": _("What is wrong"),
    "impact": _("What it affects"),
    "next_step": _("What happens next"),
    "outcome": _("What happened"),
}
TECHNICAL: Final[Words] = {
    "stuck_reason": _("Why it is stuck"),
    "objective": _("Goal"),
    "attempts": _("What was tried"),
    "completed": _("Already done"),
    "remaining": _("Left to do"),
    "next_steps": _("What to try next"),
    "repro": _("How to see it"),
    "constraints": _("Limits"),
    "budget_spent": _("Spent so far"),
}
CONTEXT: Final[Words] = {
    "errors": _("Errors"),
    "logs": _("Logs"),
    "environment": _("Environment"),
    "snippets": _("Snippets"),
    "workspace": _("Workspace"),
    "attachment_ids": _("Attachments"),
}


#: The lists: what they can be narrowed to, and how they are ordered.
ALL: Final = _("All")
FILTER: Final[Words] = {
    "project": _("Project"),
    "state": _("Where it stands"),
    "whose": _("Whose"),
    "urgency": _("Urgency"),
    "order": _("Order"),
}
FILTER_ANY: Final[Words] = {
    "project": _("Every project"),
    "state": _("Anywhere"),
    "whose": _("Anybody's"),
    "urgency": _("Any urgency"),
}
SITUATION: Final[Words] = {
    "waiting": _("Waiting to be picked up"),
    "working": _("Being worked on"),
    "review": _("Waiting for a check"),
    "unfinished": _("Blocker gone, task left"),
    "decide": _("A person must decide"),
    "blocked": _("Blocked"),
    "paused": _("Paused"),
    "incomplete": _("Something is missing"),
}
OUTCOME: Final[Words] = {
    "finished": _("Task finished"),
    "unblocked": _("Blocker removed"),
    "closed": _("Closed after an approved fix"),
    "unproven": _("Closed without proof"),
    "withdrawn": _("Taken back"),
    "handed_off": _("Goes on elsewhere"),
}
WHOSE: Final[Words] = {
    "mine": _("Anything of mine"),
    "created": _("Filed by me"),
    "held": _("Held by me"),
    "assigned": _("Assigned to me"),
}
ORDER: Final[Words] = {
    "urgent": _("Most urgent, then oldest"),
    "newest": _("Newest first"),
    "oldest": _("Oldest first"),
}


def urgency_least(number: int) -> str:
    """An urgency and all above it."""
    if number >= 10:
        return f"10 {urgency(10)}"
    return gettext("%(number)d %(name)s or more") % {"number": number, "name": urgency(number)}


def urgency(number: int) -> str | Promise:
    """The name of an urgency from 1 to 10."""
    if number <= 3:
        return _("Low")
    if number <= 6:
        return _("Normal")
    if number <= 8:
        return _("High")
    return _("Critical") if number == 9 else _("Stop everything")


def missing(fields: Iterable[str]) -> str:
    """The fields that a package lacks, in a sentence's words."""
    return ", ".join(str(MISSING.get(name, name)) for name in fields)
