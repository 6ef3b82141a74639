"""Asking people for files, logs and the like. The desk takes no such requests yet."""

from typing import NoReturn

from accounts.selectors import scope_require
from stuckbot.lib.idempotency import Answer
from stuckbot.site.api import shapes
from stuckbot.site.api.call import Call, plain
from stuckbot.site.api.later import ticket_refuse
from stuckbot.site.api.operations import operation
from tickets.selectors import facts_get

ACCESS_REQUEST = shapes.record(
    {
        "id": shapes.UUID,
        "state": shapes.PLAIN,
        "at": shapes.TIME,
        "content": shapes.record({"what": shapes.PLAIN, "reason": shapes.nullable(shapes.PLAIN)}),
    }
)


@operation(
    "request_access",
    "POST",
    "/tickets/{id}/access-requests",
    body=shapes.body(
        {"what": shapes.text(shapes.NOTE), "reason": shapes.text(shapes.NOTE, 0)}, "what"
    ),
    scope="tickets:read_project",
    answer=shapes.record({"access_request": ACCESS_REQUEST}),
)
def request_access(call: Call) -> NoReturn:
    """Ask a person for a file, log or detail of the environment."""
    ticket_refuse(
        call,
        "tickets:read_project",
        "This desk takes no access requests yet. Ask in a comment, or escalate what you hold.",
    )


@operation(
    "get_context",
    "GET",
    "/tickets/{id}/context",
    scope="tickets:read_project",
    answer=shapes.record(
        {
            "grants": shapes.listed(shapes.ANYTHING),
            "access_requests": shapes.listed(ACCESS_REQUEST),
        }
    ),
)
def get_context(call: Call) -> Answer:
    """What people gave the caller for a ticket, and what it has asked for."""
    if call.actor.is_agent:
        scope_require(call.actor, "tickets:read_project")
    facts_get(actor=call.actor, ref=call.ref)
    return plain({"grants": [], "access_requests": []})
