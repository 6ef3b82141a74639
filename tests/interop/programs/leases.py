"""Leases that renew themselves, are lost, or are given back."""

import time
from typing import Any


def renewed(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    with sb.FleetAgent(name="solver") as solver:
        filed = solver.client.create_ticket(ask["package"])["ticket"]
        with solver.claim(filed, renew_every=0.2) as lease:
            first, length = lease.expires_at, lease.lease_seconds
            _until(lambda: lease.renewals >= 3)
            kept = {"renewals": lease.renewals, "held": lease.held, "ends": lease.expires_at}
            lease.evidence("b1", "command_run", command="npm ci", exit_code=0)
            lease.submit()
            _until(lambda: lease.error is not None)
            code = lease.error.code if lease.error else None
        return {**kept, "first": first, "length": length, "code": code, "lost": lease.lost}


def lost(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    """Holds the ticket until a renewal says that it is lost."""
    with sb.FleetAgent(name="solver") as solver:
        with solver.claim(ask["ticket"], renew_every=0.2) as lease:
            _until(lambda: bool(lease.lost))
        code = lease.error.code if lease.error else None
        return {"lost": lease.lost, "code": code, "held": lease.held}


def released_on_error(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    with sb.FleetAgent(name="solver") as solver:
        filed = solver.client.create_ticket(ask["package"])["ticket"]
        raised = None
        try:
            with solver.claim(filed) as lease:
                lease.update("About to fail")
                raise ZeroDivisionError
        except ZeroDivisionError as error:
            raised = type(error).__name__
        events = list(solver.client.iter_ticket_events(filed))
        state = solver.client.get_ticket(filed)["ticket"]["state"]
        return {"raised": raised, "released": lease.released, "state": state, "events": events}


def ends(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    """The other ways a ticket may go: withdrawn, escalated, released with a note."""
    with sb.FleetAgent(name="solver") as agent:
        client = agent.client
        tickets = [client.create_ticket(ask["package"])["ticket"] for _ in range(3)]
        withdrawn = client.withdraw_ticket(tickets[0], reason="Fixed it")["ticket"]["state"]
        with agent.claim(tickets[1]) as lease:
            escalated = lease.escalate("It needs a decision")["ticket"]["state"]
        with agent.claim(tickets[2]) as lease:
            released = lease.release("Not for me")["ticket"]["state"]
        return {"withdrawn": withdrawn, "escalated": escalated, "released": released}


def _until(holds: Any, seconds: float = 20.0) -> None:
    until = time.monotonic() + seconds
    while not holds() and time.monotonic() < until:
        time.sleep(0.02)
