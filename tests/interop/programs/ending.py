"""Tokens near their end or past it, an agent's longest life, and an org that is full."""

import time
from collections.abc import Callable
from typing import Any


def told(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    """Heartbeats until the desk says that the token ends soon; the agent renews by itself.

    Its thread renews. It does so twice when this one's heartbeat was still on the way with the
    old token and brings the news once more.
    """
    with sb.FleetAgent(name=ask["name"]) as agent:
        first = [agent.agent_id, agent.expires_at]
        renewed = _until(lambda: (agent.heartbeat(), agent.renewals)[1])
        after = agent.heartbeat()["token_expires_soon"]
        later = agent.expires_at > first[1]
        return {
            "renewed": renewed and agent.renewals in (1, 2),
            "same": agent.agent_id == first[0],
            "later": later,
            "after": after,
        }


def over(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    """Calls until its token is past its end; the next call is made as a new agent."""
    with sb.FleetAgent(name=ask["name"]) as agent:
        first = agent.agent_id
        anew = _until(lambda: agent.client.get_me()["agent"]["id"] != first)
        return {"anew": anew, "registrations": agent.registrations, "renewals": agent.renewals}


def outlived(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    """Renews until the desk says that it has lived long enough; then it registers anew."""
    codes: list[str] = []
    with sb.FleetAgent(name=ask["name"]) as agent:
        renew = agent.client.renew_agent_token

        def noted(**rest: Any) -> Any:
            try:
                return renew(**rest)
            except sb.StuckBotError as refused:
                codes.append(refused.code)
                raise

        agent.client.renew_agent_token = noted
        anew = _until(lambda: (agent.renew(), agent.registrations)[1] == 2)
        me = agent.client.get_me()["agent"]["id"]
        return {"anew": anew, "codes": codes, "me": me == agent.agent_id}


def full(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    """Registers where the org has all the agents it may; counts the tries."""
    waits: list[float] = []

    class Noting(sb.Client):  # type: ignore[misc]
        def _sleep(self, seconds: float) -> None:
            waits.append(seconds)

    try:
        Noting().register_agent(name="one too many")
    except sb.StuckBotError as refused:
        return {
            "error": [refused.status, refused.code, refused.retry_after],
            "again": len(waits),
        }
    return {}


def _until(holds: Callable[[], Any], seconds: float = 30.0) -> bool:
    until = time.monotonic() + seconds
    while not (held := holds()) and time.monotonic() < until:
        time.sleep(0.1)
    return bool(held)
