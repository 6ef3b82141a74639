"""A heartbeat: the agent lives, and the leases it names run on."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from accounts.services.agents import heartbeat_note, token_expires_soon
from accounts.sign_in import SignedIn
from accounts.states import TOKEN_EXPIRES_SOON
from stuckbot.lib.clock import wire
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
    held = leases_held(actor=signed.caller, refs=tickets, now=now)
    heartbeat_note(actor=signed.caller, usage=usage, status=status, now=now)
    leases_renew(actor=signed.caller, held=held, now=now)
    soon = token_expires_soon(signed.token_expires_at, now, TOKEN_EXPIRES_SOON)
    return {
        "ok": True,
        "server_time": wire(now),
        "token_expires_soon": soon,
        "handoff_requested": signed.handoff_request,
        "stop_requested": signed.stop_request,
    }
