"""Reads: pages of tickets and events, the package, the API's own description."""

from typing import Any


def pages(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    """Several agents file tickets; one reads them page by page while more are filed."""
    filers = [sb.Client(token=sb.Client().register_agent(name="filer")["token"]) for _ in range(4)]
    filed = [filers[n % 4].create_ticket(ask["package"])["ticket"]["id"] for n in range(120)]
    read = []
    for ticket in filers[0].iter_tickets(limit=25):
        read.append(ticket["id"])
        if len(read) in (10, 60):
            filers[1].create_ticket(ask["package"])
    mine = [ticket["id"] for ticket in filers[2].iter_tickets(mine=True, state=["open"], limit=7)]
    return {"filed": filed, "read": read, "mine": mine}


def events(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    """More events than one page holds. Each says all that it has to say: who take turns for long
    without getting anything done are told to wait."""
    agents = [sb.Client(token=sb.Client().register_agent(name="talker")["token"]) for _ in range(6)]
    filed = agents[0].create_ticket(ask["package"])["ticket"]
    for number in range(210):
        comment = agents[number // 35].add_comment(filed, f"Comment {number}")["comment"]
    page = agents[0].list_ticket_events(filed)["events"]
    read = list(agents[1].iter_ticket_events(filed))
    shown = agents[2].get_ticket(filed["ref"])["ticket"]["comments"]
    return {"page": len(page), "read": read, "shown": len(shown), "last": comment}


def package(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    with sb.FleetAgent(name="stuck") as stuck, sb.FleetAgent(name="other") as other:
        filed = stuck.client.create_ticket(ask["package"])["ticket"]
        changed = {**ask["package"], "title": "Now with a better title"}
        updated = stuck.client.update_package(filed, changed)["ticket"]
        refusals = [_refusal(sb, other, filed, changed)]
        other.client.claim_ticket(filed)
        harder = {**changed, "blocker_criteria": ask["other_criteria"]}
        refusals.append(_refusal(sb, other, filed, harder))
        return {"updated": updated, "refusals": refusals}


def _refusal(sb: Any, agent: Any, ticket: Any, package: Any) -> list[Any]:
    try:
        agent.client.update_package(ticket, package)
    except sb.StuckBotError as refused:
        return [refused.status, refused.code]
    return []


def description(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    with sb.FleetAgent(name="reader") as agent:
        return {
            "operations": sb.OPERATIONS,
            "document": agent.client.get_openapi(),
            "index": agent.client.api_index(),
            "schema": agent.client.get_handoff_package_schema(),
            "me": agent.client.get_me(),
            "signals": agent.client.list_my_signals(),
            "rate_limit": agent.client.rate_limit.limit,
            "request_id": agent.client.request_id,
        }


def polls(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    """Two polls with nothing between them, then one after a ticket more."""
    with sb.FleetAgent(name="poller") as agent, sb.FleetAgent(name="filer") as filer:
        query = {"labels": [ask["label"]]}
        polls = [agent.client.work(**query) for _ in range(2)]
        filer.client.create_ticket(ask["package"])
        polls.append(agent.client.work(**query))
        return {
            "unchanged": [poll.unchanged for poll in polls],
            "wait": [poll.retry_after_seconds for poll in polls],
            "found": [len(poll["claimable"]) for poll in polls],
        }
