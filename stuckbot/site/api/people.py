"""What a member does to tickets, with a personal access token."""

from stuckbot.lib.idempotency import Answer
from stuckbot.site.api import shapes
from stuckbot.site.api.call import Call, done
from stuckbot.site.api.operations import operation
from stuckbot.site.api.shown import answer_summary, summary_of
from stuckbot.site.usecases.approve import ticket_approve
from stuckbot.site.usecases.criterion_met import criterion_met
from tickets.services import closing, editing


@operation(
    "reopen_ticket",
    "POST",
    "/tickets/{id}/reopen",
    scope="tickets:update",
    answer=shapes.TICKET,
)
def reopen_ticket(call: Call) -> Answer:
    """Open a closed ticket again; a new attempt begins."""
    keep = call.keep(lambda facts: answer_summary(call, facts))
    closing.ticket_reopen(actor=call.actor, ref=call.ref, now=call.now, keep=keep)
    return done(keep)


@operation(
    "pause_ticket", "POST", "/tickets/{id}/pause", body=shapes.REASON_MAYBE, answer=shapes.TICKET
)
def pause_ticket(call: Call) -> Answer:
    """Keep a ticket from being offered or claimed; members alone."""
    keep = call.keep(lambda facts: answer_summary(call, facts))
    closing.ticket_pause(
        actor=call.actor, ref=call.ref, reason=call.text("reason"), now=call.now, keep=keep
    )
    return done(keep)


@operation("resume_ticket", "POST", "/tickets/{id}/resume", answer=shapes.TICKET)
def resume_ticket(call: Call) -> Answer:
    """Let a paused ticket be offered again; members alone."""
    keep = call.keep(lambda facts: answer_summary(call, facts))
    closing.ticket_resume(actor=call.actor, ref=call.ref, now=call.now, keep=keep)
    return done(keep)


@operation(
    "block_ticket",
    "POST",
    "/tickets/{id}/block",
    body=shapes.REASON,
    scope="tickets:update",
    answer=shapes.TICKET,
)
def block_ticket(call: Call) -> Answer:
    """Declare that a ticket is blocked on a person, and why."""
    keep = call.keep(lambda facts: answer_summary(call, facts))
    closing.ticket_block(
        actor=call.actor, ref=call.ref, reason=call.body["reason"], now=call.now, keep=keep
    )
    return done(keep)


@operation(
    "unblock_ticket",
    "POST",
    "/tickets/{id}/unblock",
    scope="tickets:update",
    answer=shapes.TICKET,
)
def unblock_ticket(call: Call) -> Answer:
    """Clear the declared blocked reason."""
    keep = call.keep(lambda facts: answer_summary(call, facts))
    closing.ticket_unblock(actor=call.actor, ref=call.ref, now=call.now, keep=keep)
    return done(keep)


@operation(
    "send_back", "POST", "/tickets/{id}/send-back", body=shapes.SEND_BACK, answer=shapes.TICKET
)
def send_back(call: Call) -> Answer:
    """Send a ticket that needs a person back to work, to everybody or to its solver."""
    keep = call.keep(lambda facts: answer_summary(call, facts))
    closing.ticket_send_back(
        actor=call.actor,
        ref=call.ref,
        note=call.body["note"],
        to_solver=bool(call.body.get("to_solver")),
        now=call.now,
        keep=keep,
    )
    return done(keep)


@operation(
    "approve_ticket", "POST", "/tickets/{id}/approve", body=shapes.REASON, answer=shapes.TICKET
)
def approve_ticket(call: Call) -> Answer:
    """Approve the stage of a ticket that needs a person, on what was proved; members alone."""
    keep = call.keep(lambda facts: answer_summary(call, facts))
    ticket_approve(
        actor=call.actor, ref=call.ref, reason=call.body["reason"], now=call.now, keep=keep
    )
    return done(keep)


@operation(
    "mark_criterion_met",
    "POST",
    "/tickets/{id}/criteria/{key}/met",
    body=shapes.MET,
    answer=shapes.TICKET,
)
def mark_criterion_met(call: Call) -> Answer:
    """Say that a manual criterion is met; members alone."""
    keep = call.keep(lambda mark: {"ticket": summary_of(call, mark.ticket_id)})
    criterion_met(
        actor=call.actor,
        ref=call.ref,
        key=call.args["key"],
        note=call.body["note"],
        now=call.now,
        keep=keep,
    )
    return done(keep)


@operation("take_over", "POST", "/tickets/{id}/take-over", answer=shapes.TICKET)
def take_over(call: Call) -> Answer:
    """Take a ticket that needs a person into one's own hands."""
    keep = call.keep(lambda facts: answer_summary(call, facts))
    closing.ticket_take_over(actor=call.actor, ref=call.ref, now=call.now, keep=keep)
    return done(keep)


@operation(
    "edit_ticket", "PATCH", "/tickets/{id}", body=shapes.EDIT, keyed=False, answer=shapes.TICKET
)
def edit_ticket(call: Call) -> Answer:
    """Change a ticket's explanation, urgency, labels, assignee or whom it is kept for; members."""
    edit = editing.Edit(
        human_summary=call.body.get("human_summary"),
        urgency=call.body.get("urgency"),
        labels=call.body.get("labels"),
        assigns="assignee" in call.body,
        assignee_id=call.uuid("assignee"),
        reserves="reserved_for" in call.body,
        reserved_for=call.uuid("reserved_for"),
    )
    keep = call.keep(lambda facts: answer_summary(call, facts))
    editing.ticket_edit(
        actor=call.actor,
        ref=call.ref,
        edit=edit,
        version=call.body["version"],
        now=call.now,
        keep=keep,
    )
    return done(keep)
