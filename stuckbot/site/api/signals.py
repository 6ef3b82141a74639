"""Signals of agents about themselves."""

from typing import Any

from accounts.services.signals import signal_shown
from accounts.sign_in import AGENT_KINDS
from stuckbot.lib.idempotency import Answer
from stuckbot.site.api import shapes
from stuckbot.site.api.call import Call, done
from stuckbot.site.api.operations import operation
from stuckbot.site.api.shown import detail_of
from stuckbot.site.usecases.detail import ticket_detail_fresh
from stuckbot.site.usecases.signal_report import Report, Reported, signal_report

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
def report_signal(call: Call) -> Answer:
    """Report that the agent is stuck, silent or over its budget; a package files a ticket too."""

    def shown(reported: Reported) -> dict[str, Any]:
        answer = {"signal": signal_shown(reported.signal)}
        if reported.filed is not None:
            answer["ticket"] = detail_of(call, ticket_detail_fresh(reported.filed))
        return answer

    report = Report(
        type=call.body["type"],
        details=call.body.get("details"),
        usage=call.body.get("usage"),
        package=call.body.get("package"),
        project_id=call.uuid("project_id"),
    )
    keep = call.keep(shown, status=201)
    signal_report(actor=call.actor, report=report, now=call.now, keep=keep)
    return done(keep)
