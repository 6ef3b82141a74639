"""Signals of agents about themselves. The desk takes none yet."""

from typing import NoReturn

from accounts.selectors import scope_require
from accounts.sign_in import AGENT_KINDS
from stuckbot.site.api import shapes
from stuckbot.site.api.call import Call
from stuckbot.site.api.later import refuse
from stuckbot.site.api.operations import operation

SIGNAL = shapes.record(
    {
        "id": shapes.UUID,
        "type": shapes.PLAIN,
        "at": shapes.TIME,
        "ticket_id": shapes.nullable(shapes.UUID),
        "content": shapes.record({"details": shapes.nullable(shapes.ANYTHING)}),
    }
)


@operation(
    "report_signal",
    "POST",
    "/signals",
    kinds=AGENT_KINDS,
    body=shapes.body(
        {
            "type": {"enum": ["self_report", "watchdog", "budget"]},
            "details": {"type": "object", "maxProperties": 50},
            "usage": shapes.USAGE,
            "package": {"type": "object"},
            "project_id": shapes.ID_TEXT,
        },
        "type",
    ),
    status=201,
    scope="signals:report",
    answer=shapes.record({"signal": SIGNAL, "ticket": shapes.ref("TicketDetail")}, ["signal"]),
)
def report_signal(call: Call) -> NoReturn:
    """Report that the agent is stuck, silent or over its budget."""
    scope_require(call.actor, "signals:report")
    call.uuid("project_id")
    refuse("This desk takes no signals yet. File a ticket, or escalate the one you hold.")
