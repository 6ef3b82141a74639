"""An agent's life: state file, tokens, retirement."""

from typing import Any


def resumed(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    """One run of a program that keeps its state in a file."""
    with sb.FleetAgent(name="keeper", state_file=ask["state_file"]) as agent:
        agent.heartbeat(status="at work", usage={"tokens": 10})
        return {
            "agent_id": agent.agent_id,
            "registrations": agent.registrations,
            "me": agent.client.get_me(),
        }


def renewed(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    with sb.FleetAgent(name="renewer") as agent:
        old = agent.token
        agent.renew()
        both = [_try(sb, token) for token in (old, agent.token)]
        return {"changed": old != agent.token, "both": both, "renewals": agent.renewals}


def retired(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    """After retirement its token is refused; a fleet agent that meets that registers anew."""
    with sb.FleetAgent(name="leaver") as agent:
        filed = agent.client.create_ticket(ask["package"])["ticket"]
        agent.client.claim_ticket(filed)
        old_id, old_token = agent.agent_id, agent.token
        answer = agent.client.retire_agent(idempotency_key=ask["key"])
        replay = sb.Client(token=old_token).retire_agent(idempotency_key=ask["key"])
        refused = _try(sb, old_token)
        anew = agent.client.get_me()["agent"]["id"]
        return {
            "ref": filed["ref"],
            "answer": answer,
            "replay": replay,
            "refused": refused,
            "anew": anew not in (None, old_id),
            "registrations": agent.registrations,
        }


def retired_on_stop(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    agent = sb.FleetAgent(name="guest", state_file=ask["state_file"], retire_on_stop=True).start()
    token = agent.token
    agent.stop()
    return {"error": repr(agent.last_error), "refused": _try(sb, token)}


def _try(sb: Any, token: Any) -> list[Any]:
    try:
        sb.Client(token=token).get_me()
    except sb.StuckBotError as refused:
        return [refused.status, refused.code]
    return [200, None]
