"""Passing a ticket on to a child. The desk does not do it yet."""

from typing import NoReturn

from accounts.selectors import scope_require
from stuckbot.site.api import shapes
from stuckbot.site.api.call import Call
from stuckbot.site.api.later import ticket_refuse
from stuckbot.site.api.operations import operation
from tickets.selectors import facts_get
from tickets.services.intake import package_take


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
def handoff_ticket(call: Call) -> NoReturn:
    """Hand a ticket the caller holds on to a child with a fresh package."""
    scope_require(call.actor, "handoff:create")
    facts_get(actor=call.actor, ref=call.ref)
    call.uuid("for_agent")
    package_take(call.body["package"])
    ticket_refuse(
        call,
        "handoff:create",
        "This desk does not hand tickets on yet. Put what is left to do into the package, "
        "then release or escalate it.",
    )
