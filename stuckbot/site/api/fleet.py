"""What people ask of agents over the wire; members alone."""

from typing import Any, Final
from uuid import UUID

from accounts.models import Agent
from accounts.services.requests import MESSAGE_MOST, request_shown
from accounts.states import RequestKind
from stuckbot.lib import ids
from stuckbot.lib.errors import Missing, invalid_fields
from stuckbot.lib.idempotency import Answer
from stuckbot.site.api import shapes
from stuckbot.site.api.call import Call, done
from stuckbot.site.api.operations import operation
from stuckbot.site.usecases.agent_request import agent_request, agent_request_withdraw

PLACE: Final = "/agents/{id}/requests"


def _agent_id(call: Call) -> UUID:
    found = ids.parse_uuid(call.ref)
    if found is None:
        raise Missing
    return found


def _asked(agent: Agent) -> dict[str, Any]:
    return {
        "handoff_requested": request_shown(agent.handoff_request),
        "stop_requested": request_shown(agent.stop_request),
    }


@operation(
    "request_of_agent",
    "POST",
    PLACE,
    body=shapes.body(
        {
            "kind": {"enum": [str(one) for one in RequestKind]},
            "message": shapes.text(MESSAGE_MOST, 0),
        },
        "kind",
    ),
    status=201,
    answer=shapes.record(
        {"handoff_requested": shapes.REQUEST, "stop_requested": shapes.REQUEST},
    ),
)
def request_of_agent(call: Call) -> Answer:
    """Ask an agent to hand off what it holds, or to stop; members alone."""
    keep = call.keep(_asked, 201)
    agent_request(
        actor=call.actor,
        agent_id=_agent_id(call),
        kind=call.body["kind"],
        message=call.text("message"),
        now=call.now,
        keep=keep,
    )
    return done(keep)


@operation(
    "withdraw_request_of_agent",
    "DELETE",
    PLACE,
    query={"kind": "handoff or stop; left out: both"},
    keyed=False,
    answer=shapes.record({"withdrawn": shapes.WORDS}),
)
def withdraw_request_of_agent(call: Call) -> Answer:
    """Take back what an agent was asked for; after a stop it may take work again."""
    kind = call.query("kind")
    if kind is not None and kind not in RequestKind.values:
        raise invalid_fields([("kind", "kind must be handoff or stop.")])
    keep = call.keep(lambda withdrawn: {"withdrawn": withdrawn})
    agent_request_withdraw(
        actor=call.actor, agent_id=_agent_id(call), kind=kind, now=call.now, keep=keep
    )
    return done(keep)
