"""Passing a ticket on to a child."""

from typing import Any

from stuckbot.lib.idempotency import Answer
from stuckbot.site.api import render, shapes
from stuckbot.site.api.call import Call, done
from stuckbot.site.api.operations import operation
from tickets.cards import cards_of
from tickets.services.handoff import HandedOn, ticket_handoff


@operation(
    "handoff_ticket",
    "POST",
    "/tickets/{id}/handoff",
    body=shapes.body(
        {
            "package": {"type": "object"},
            "reason": shapes.text(shapes.NOTE, 0),
            "for_agent": shapes.ID_TEXT,
        },
        "package",
    ),
    status=201,
    scope="handoff:create",
    answer=shapes.record(
        {"ticket": shapes.ref("TicketSummary"), "child": shapes.ref("TicketSummary")}
    ),
)
def handoff_ticket(call: Call) -> Answer:
    """Hand a ticket the caller holds on to a child with a fresh package."""

    def shown(handed: HandedOn) -> dict[str, Any]:
        parent, child = cards_of([handed.parent.id, handed.child.id], call.actor.org_id)
        paused = call.actor.org_paused
        return {
            "ticket": render.summary(parent, call.now, org_paused=paused),
            "child": render.summary(child, call.now, org_paused=paused),
        }

    keep = call.keep(shown, status=201)
    ticket_handoff(
        actor=call.actor,
        ref=call.ref,
        package=call.body["package"],
        reason=call.text("reason"),
        for_agent=call.uuid("for_agent"),
        now=call.now,
        keep=keep,
    )
    return done(keep)
