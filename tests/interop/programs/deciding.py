"""Solvers who submit, and many who decide at once."""

import time
from collections.abc import Callable
from typing import Any

SCOPES = ["verify", "tickets:read_project"]


def reviews(sb: Any, ask: dict[str, Any]) -> list[dict[str, str]]:
    """Files tickets and brings each into review; their ids and those of their jobs."""
    creator = sb.Client(token=sb.Client().register_agent(name="creator")["token"])
    solver = sb.Client(token=sb.Client().register_agent(name="solver")["token"])
    found = []
    for _ in range(ask["count"]):
        ticket = creator.create_ticket(ask["package"])["ticket"]["id"]
        solver.claim_ticket(ticket)
        found.append({"ticket": ticket, "job": _submit(solver, ticket)})
    return found


def _submit(solver: Any, ticket: str) -> str:
    solver.add_evidence(ticket, "b1", "command_run", {"command": "npm ci", "exit_code": 0})
    return str(solver.submit_blocker(ticket)["verification"]["id"])


def claims(sb: Any, ask: dict[str, Any]) -> dict[str, str]:
    client = _decider(sb, ask)
    return _each(sb, ask, lambda one: client.claim_verification(one["job"]))


def decides(sb: Any, ask: dict[str, Any]) -> dict[str, str]:
    client = _decider(sb, ask)
    choice = ask["decision"]
    return _each(sb, ask, lambda one: client.decide_verification(one["job"], choice, "Seen"))


def closes(sb: Any, ask: dict[str, Any]) -> dict[str, str]:
    client = _decider(sb, ask)
    return _each(
        sb, ask, lambda one: client.request("POST", f"/api/v1/tickets/{one['ticket']}/close")
    )


def _each(sb: Any, ask: dict[str, Any], act: Callable[[Any], Any]) -> dict[str, str]:
    """What came of each, in turn, without a second try."""
    time.sleep(max(0.0, ask["start_at"] - time.time()))
    told = {}
    for one in ask["reviews"]:
        try:
            act(one)
            told[one["job"]] = "won"
        except sb.StuckBotError as refused:
            told[one["job"]] = f"{refused.status} {refused.code}"
    return told


def _decider(sb: Any, ask: dict[str, Any]) -> Any:
    token = ask.get("token") or sb.Client().register_agent(name="verifier", scopes=SCOPES)["token"]
    return sb.Client(token=token, max_retries=0)


def solves(sb: Any, ask: dict[str, Any]) -> int:
    """Brings every ticket into review, and again whenever it comes back; how often it did."""
    creator = sb.Client(token=sb.Client().register_agent(name="creator")["token"])
    solver = sb.Client(token=sb.Client().register_agent(name="solver")["token"])
    tickets = []
    for _ in range(ask["count"]):
        tickets.append(creator.create_ticket(ask["package"])["ticket"]["id"])
        solver.claim_ticket(tickets[-1])
        _submit(solver, tickets[-1])
    submitted, until = len(tickets), time.monotonic() + ask["seconds"]
    while tickets and time.monotonic() < until:
        states = {one: solver.get_ticket(one)["ticket"]["state"] for one in tickets}
        for one in [one for one, state in states.items() if state == "working"]:
            _submit(solver, one)
            submitted += 1
        tickets = [one for one, state in states.items() if state in ("working", "blocker_review")]
    assert not tickets, tickets
    return submitted


def verifies(sb: Any, ask: dict[str, Any]) -> dict[str, list[str]]:
    """Decides on whatever it is offered, rejecting every third, until it is quiet for a while."""
    client = _decider(sb, ask)
    told: dict[str, list[str]] = {}
    quiet_since = time.monotonic()
    while time.monotonic() < quiet_since + ask["quiet"]:
        for one in client.list_verifications(limit=20)["verifications"]:
            quiet_since = time.monotonic()
            decision = "reject" if int(one["ticket_ref"][3:]) % 3 == 0 else "approve"
            try:
                client.decide_verification(one["id"], decision, "Seen")
                told.setdefault(one["id"], []).append(decision)
            except sb.StuckBotError as refused:
                told.setdefault(one["id"], []).append(f"{refused.status} {refused.code}")
    return told
