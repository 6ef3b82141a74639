"""Many processes at the same tickets at once."""

import time
from typing import Any


def claims(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    """Tries to claim every ticket, in the order given, without a second try."""
    made = sb.Client().register_agent(name=ask["name"])
    client = sb.Client(token=made["token"], max_retries=0)
    _wait_until(ask["start_at"])
    outcomes = {}
    for ticket in ask["tickets"]:
        try:
            outcomes[ticket] = client.claim_ticket(ticket)["ticket"]["claim"]["holder"]["id"]
        except sb.StuckBotError as refused:
            outcomes[ticket] = f"{refused.status} {refused.code}"
    return {"agent_id": made["agent"]["id"], "outcomes": outcomes}


def writes(sb: Any, ask: dict[str, Any]) -> list[str]:
    """Comments on the tickets in turn; returns what it wrote."""
    client = sb.Client(token=sb.Client().register_agent(name=ask["name"])["token"])
    _wait_until(ask["start_at"])
    bodies = [f"{ask['name']} {number}" for number in range(ask["count"])]
    for number, body in enumerate(bodies):
        client.add_comment(ask["tickets"][number % len(ask["tickets"])], body)
    return bodies


def hears(sb: Any, ask: dict[str, Any]) -> list[list[Any]]:
    """Follows the cursor of /work until it has heard as much as it should."""
    client = sb.Client(token=ask["token"])
    heard: list[list[Any]] = []
    cursor = None
    until = time.monotonic() + ask["seconds"]
    while len(heard) < ask["expected"] and time.monotonic() < until:
        found = client.work(cursor=cursor)
        if not found.unchanged:
            heard += [[one["id"], one["content"]["body"]] for one in found["updates"]]
            cursor = found["next_cursor"]
    return heard


def reads(sb: Any, ask: dict[str, Any]) -> list[list[Any]]:
    """Follows the events of one ticket until it has read as much as it should."""
    client = sb.Client(token=ask["token"])
    read: list[list[Any]] = []
    after = 0
    until = time.monotonic() + ask["seconds"]
    while len(read) < ask["expected"] and time.monotonic() < until:
        for event in client.list_ticket_events(ask["ticket"], after=after)["events"]:
            after = event["id"]
            if event["type"] == "comment_added":
                read.append([event["id"], event["content"]["body"]])
    return read


def _wait_until(start_at: float) -> None:
    time.sleep(max(0.0, start_at - time.time()))
