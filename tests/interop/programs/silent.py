"""An agent that is watched, and one that goes on where it left off."""

import time
from typing import Any


def holding(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    """Takes the ticket and works on it until it is killed."""
    dog = sb.FleetAgent(name=ask["name"], capabilities={"watchdog": True}, state_file=ask["state"])
    with dog, dog.claim(ask["ticket"]) as lease:
        lease.update("Begun")
        while True:
            dog.heartbeat(status="at work")
            time.sleep(0.1)


def taking(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    """Waits until the ticket is offered, and solves it."""
    with sb.FleetAgent(name=ask["name"]) as agent:
        for item in agent.poll(max_wait=0.2):
            if item.data.get("id") != ask["ticket"]:
                continue
            with agent.claim(item) as lease:
                lease.evidence("b1", "command_run", command="npm ci", exit_code=0)
                lease.submit()
            return {"kind": item.kind, "state": lease.state}
    return {}


def back(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    """Comes back from its state file and goes on as if nothing had been."""
    with sb.FleetAgent(name=ask["name"], state_file=ask["state"]) as agent:
        try:
            agent.client.add_evidence(
                ask["ticket"], "b1", "command_run", {"command": "npm ci", "exit_code": 0}
            )
            refused = None
        except sb.StuckBotError as error:
            refused = [error.status, error.code]
        return {
            "registrations": agent.registrations,
            "refused": refused,
            "claims": agent.client.get_me()["claims"],
            "signals": [one["type"] for one in agent.check_signals()["signals"]],
        }
