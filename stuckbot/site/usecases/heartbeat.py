"""A heartbeat: the agent lives, the leases it names run on, and its budget is looked at."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from accounts.services.agents import heartbeat_note, token_expires_soon
from accounts.services.orgs import system_caller
from accounts.services.requests import handoff_moot, requests_now
from accounts.sign_in import SignedIn
from accounts.states import TOKEN_EXPIRES_SOON
from stuckbot.lib.clock import wire
from stuckbot.lib.unit import unit_of_work
from stuckbot.site.usecases.budgets import budgets_apply
from tickets.models import Ticket
from tickets.services.claims import leases_held, leases_renew


def heartbeat(
    *,
    signed: SignedIn,
    status: str | None,
    usage: Mapping[str, float] | None,
    tickets: list[str],
    now: datetime,
) -> dict[str, Any]:
    """Renews the leases of the tickets named and of no other: a hung worker's thread may
    heartbeat for ever."""
    actor = signed.caller
    held = leases_held(actor=actor, refs=tickets, now=now)
    totals = heartbeat_note(actor=actor, usage=usage, status=status, now=now)
    leases_renew(actor=actor, held=held, now=now)
    asked = {"handoff": signed.handoff_request, "stop": signed.stop_request}
    changed = _moot(signed, now)
    if totals is not None:
        changed |= budgets_apply(actor=actor, totals=totals, now=now)
    if changed:
        asked = requests_now(org_id=actor.org_id, agent_id=actor.id)
    soon = token_expires_soon(signed.token_expires_at, now, TOKEN_EXPIRES_SOON)
    return {
        "ok": True,
        "server_time": wire(now),
        "token_expires_soon": soon,
        "handoff_requested": asked["handoff"],
        "stop_requested": asked["stop"],
    }


def _moot(signed: SignedIn, now: datetime) -> bool:
    """Takes back the wish for a handoff of a ticket that the agent no longer holds."""
    named = (signed.handoff_request or {}).get("ticket_id")
    if named is None:
        return False
    actor, ticket_id = signed.caller, UUID(named)
    held = Ticket.objects.of(actor.org_id).filter(
        id=ticket_id, solver_id=actor.id, claim__isnull=False
    )
    if held.exists():
        return False
    with unit_of_work(system_caller(actor.org_id), now) as unit:
        handoff_moot(unit, actor.id, ticket_id)
    return True
