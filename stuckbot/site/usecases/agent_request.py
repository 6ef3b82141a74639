"""A member asks an agent to hand off what it holds, or to stop; or takes that back."""

from datetime import datetime
from typing import Final
from uuid import UUID

from accounts.models import Agent
from accounts.services.requests import request_make, requests_withdraw
from accounts.services.signals import agent_lock
from accounts.states import RequestKind, RequestReason
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Conflict, Forbidden, Missing
from stuckbot.lib.idempotency import Keep
from stuckbot.lib.masking import mask_text
from stuckbot.lib.unit import unit_of_work
from tickets.models import Ticket

BOTH: Final = frozenset(RequestKind)
_ACT: Final = {RequestKind.HANDOFF: "hand off", RequestKind.STOP: "stop"}


def agent_request(
    *,
    actor: Caller,
    agent_id: UUID,
    kind: str,
    message: str | None = None,
    now: datetime,
    keep: Keep | None = None,
) -> Agent:
    """Asks an agent to hand off or to stop (`RequestKind`); the agent, with the request on it.

    A handoff names the ticket that the agent holds when it is one alone. 403 for all but members,
    404 for an agent of another org, 409 when it has retired or a person asked for that already.
    """
    wanted = RequestKind(kind)
    agent = agent_named(actor, agent_id)
    _member_require(actor)
    with unit_of_work(actor, now, keep) as unit:
        # Held before the look at its ticket: it may be about to let go of that.
        if agent_lock(unit, agent_id) is None:
            raise Conflict(f"{agent.name} has retired. There is nobody left to ask.")
        ticket_id = ticket_in_hand(actor.org_id, agent_id) if wanted == "handoff" else None
        words = mask_text((message or "").strip(), "request.message")
        reason = RequestReason.PERSON
        if not request_make(unit, agent_id, wanted, reason, words, ticket_id, now):
            raise Conflict(
                f"{agent.name} was asked to {_ACT[wanted]} already and has not answered yet."
                " Withdraw that request before you ask anew."
            )
        unit.audit(f"{wanted}_requested", str(agent_id))
        unit.result = found = agent_named(actor, agent_id)
    return found


def agent_request_withdraw(
    *,
    actor: Caller,
    agent_id: UUID,
    kind: str | None = None,
    now: datetime,
    keep: Keep | None = None,
) -> list[str]:
    """Takes back what was asked of an agent, all or one kind; the kinds that were open.

    Whoever was told to stop takes work again, also one that had answered. Again does no harm.
    """
    agent_named(actor, agent_id)
    _member_require(actor)
    kinds = BOTH if kind is None else frozenset({RequestKind(kind)})
    with unit_of_work(actor, now, keep) as unit:
        unit.result = withdrawn = requests_withdraw(unit, agent_id, kinds)
        for one in withdrawn:
            unit.audit(f"{one}_withdrawn", str(agent_id))
    return withdrawn


def agent_named(actor: Caller, agent_id: UUID) -> Agent:
    agent = Agent.objects.of(actor.org_id).filter(id=agent_id).first()
    if agent is None:
        raise Missing
    return agent


def ticket_in_hand(org_id: UUID, agent_id: UUID) -> UUID | None:
    """The ticket that the agent holds, when it is one alone."""
    held = Ticket.objects.of(org_id).filter(solver_id=agent_id, claim__isnull=False)
    found = list(held.values_list("id", flat=True)[:2])
    return found[0] if len(found) == 1 else None


def _member_require(actor: Caller) -> None:
    if not actor.is_member:
        raise Forbidden("Only an owner, admin or member can ask an agent to hand off or stop.")
