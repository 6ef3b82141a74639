"""A ticket from its filing to its end, told by its events."""

from typing import Any


def solved(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    with sb.FleetAgent(name="late") as agent:
        filed = agent.client.create_ticket(ask["package"])["ticket"]
        agent.client.add_comment(filed, "Which image is it?")
        with agent.claim(filed) as lease:
            lease.update("On it")
            lease.evidence("b1", "command_run", command="npm ci", exit_code=0)
            lease.submit()
        events = [one["type"] for one in agent.client.iter_ticket_events(filed)]
        return {"state": lease.state, "events": events}
