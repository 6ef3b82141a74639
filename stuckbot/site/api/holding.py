"""Taking a ticket and working on it, over the wire."""

from typing import Any

from stuckbot.lib.idempotency import Answer
from stuckbot.site.api import render, shapes
from stuckbot.site.api.call import Call, done, plain
from stuckbot.site.api.operations import operation
from stuckbot.site.api.shown import answer_summary, job_and_ticket, summary_of
from stuckbot.site.usecases.submit import Submission, stage_submit
from tickets.models import Note
from tickets.selectors import card_of
from tickets.services import claims, closing, notes
from verification.models import Evidence
from verification.services import evidence as evidences


@operation(
    "claim_ticket",
    "POST",
    "/tickets/{id}/claim",
    body=shapes.CLAIM,
    scope="tickets:claim",
    conflicts_kept=False,
    answer=shapes.TICKET,
)
def claim_ticket(call: Call) -> Answer:
    """Take the lease on an open ticket."""
    keep = call.keep(lambda facts: answer_summary(call, facts))
    claims.ticket_claim(actor=call.actor, ref=call.ref, wish=_wish(call), now=call.now, keep=keep)
    return done(keep)


@operation(
    "continue_task",
    "POST",
    "/tickets/{id}/continue",
    body=shapes.CLAIM,
    scope="tickets:claim",
    conflicts_kept=False,
    answer=shapes.TICKET,
)
def continue_task(call: Call) -> Answer:
    """Take over the rest of the task once the blocker is resolved."""
    keep = call.keep(lambda facts: answer_summary(call, facts))
    claims.task_continue(actor=call.actor, ref=call.ref, wish=_wish(call), now=call.now, keep=keep)
    return done(keep)


def _wish(call: Call) -> claims.ClaimWish:
    return claims.ClaimWish(
        execution_target=call.body.get("execution_target", "external"),
        lease_minutes=call.body.get("lease_minutes"),
        conversation=call.body.get("conversation"),
    )


@operation(
    "renew_claim",
    "POST",
    "/tickets/{id}/claim/renew",
    scope="tickets:claim",
    cost=0.1,
    keyed=False,
    answer=shapes.TICKET,
)
def renew_claim(call: Call) -> Answer:
    """Extend the caller's lease to its full length from now."""
    facts = claims.claim_renew(actor=call.actor, ref=call.ref, now=call.now)
    return plain(answer_summary(call, facts))


@operation(
    "release_ticket",
    "POST",
    "/tickets/{id}/release",
    body=shapes.RELEASE,
    scope="tickets:claim",
    answer=shapes.TICKET,
)
def release_ticket(call: Call) -> Answer:
    """Give the ticket back; a member may end somebody else's lease with `force` and a note."""
    keep = call.keep(lambda facts: answer_summary(call, facts))
    claims.ticket_release(
        actor=call.actor,
        ref=call.ref,
        note=call.text("note"),
        force=bool(call.body.get("force")),
        now=call.now,
        keep=keep,
    )
    return done(keep)


@operation(
    "post_update",
    "POST",
    "/tickets/{id}/updates",
    body=shapes.UPDATE,
    status=201,
    scope="tickets:update",
    answer=shapes.record({"update": shapes.ref("Note"), "ticket": shapes.ref("TicketSummary")}),
)
def post_update(call: Call) -> Answer:
    """Post a progress note on a ticket the caller holds."""

    def shown(note: Note) -> dict[str, Any]:
        return {"update": render.note(note), "ticket": summary_of(call, note.ticket_id)}

    keep = call.keep(shown, status=201)
    notes.update_post(
        actor=call.actor,
        ref=call.ref,
        body=call.body["body"],
        progress=call.body.get("progress"),
        now=call.now,
        keep=keep,
    )
    return done(keep)


@operation(
    "add_evidence",
    "POST",
    "/tickets/{id}/evidence",
    body=shapes.EVIDENCE,
    status=201,
    scope="evidence:submit",
    answer=shapes.record(
        {"evidence": shapes.ref("Evidence"), "ticket": shapes.ref("TicketSummary")}
    ),
)
def add_evidence(call: Call) -> Answer:
    """Prove one criterion of a ticket the caller holds; the desk computes the result."""

    def shown(row: Evidence) -> dict[str, Any]:
        card = card_of(row.ticket_id, call.actor.org_id)
        # What is sent for a blocker that is proven already changes nothing.
        counts = {} if card.facts.proven and row.stage == "blocker" else {row.criterion: row}
        summary = render.summary(card, call.now, org_paused=call.actor.org_paused)
        return {"evidence": render.evidence(row, counts), "ticket": summary}

    keep = call.keep(shown, status=201)
    sent = evidences.Sent(
        criterion=call.body["criterion"],
        type=call.body["type"],
        payload=call.body["payload"],
        result=call.body.get("result"),
    )
    evidences.evidence_add(actor=call.actor, ref=call.ref, sent=sent, now=call.now, keep=keep)
    return done(keep)


@operation(
    "submit_stage",
    "POST",
    "/tickets/{id}/submit",
    body=shapes.SUBMIT,
    scope="evidence:submit",
    answer=shapes.record(
        {"ticket": shapes.ref("TicketSummary"), "verification": shapes.ref("Verification")}
    ),
)
def submit_stage(call: Call) -> Answer:
    """Submit the blocker or task stage once every criterion has passing evidence."""
    keep = call.keep(lambda job: job_and_ticket(call, job))
    submission = Submission(
        stage=call.body["stage"],
        outcome=call.text("outcome"),
        resolution=call.body.get("resolution"),
    )
    stage_submit(actor=call.actor, ref=call.ref, submission=submission, now=call.now, keep=keep)
    return done(keep)


@operation(
    "escalate_ticket",
    "POST",
    "/tickets/{id}/escalate",
    body=shapes.REASON,
    scope="tickets:update",
    answer=shapes.TICKET,
)
def escalate_ticket(call: Call) -> Answer:
    """Ask a person to step in on a ticket the caller holds."""
    keep = call.keep(lambda facts: answer_summary(call, facts))
    closing.ticket_escalate(
        actor=call.actor, ref=call.ref, reason=call.body["reason"], now=call.now, keep=keep
    )
    return done(keep)
