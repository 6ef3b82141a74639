"""An agent whose fix is proved by an address that the desk opens by itself."""

import time
from typing import Any

PATIENCE = 60.0


def lives(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    """Each of the cases by name, from filing to what became of its fix."""
    creator = sb.Client(token=sb.Client().register_agent(name="creator")["token"])
    solver = sb.Client(token=sb.Client().register_agent(name="solver")["token"])
    begun = {
        name: _begun(sb, creator, solver, ask["package"], one) for name, one in ask["cases"].items()
    }
    return {name: {**told, **_ended(solver, told["ticket"])} for name, told in begun.items()}


def _begun(
    sb: Any, creator: Any, solver: Any, package: dict[str, Any], one: dict[str, Any]
) -> dict[str, Any]:
    """Filed, claimed, reported and submitted; `early`: submitted while the check may still run."""
    check = {
        "description": "It answers",
        "method": "external_check",
        "url": one["url"],
        "expected": one.get("expected", "200 OK"),
    }
    ticket = creator.create_ticket({**package, "blocker_criteria": [check]})["ticket"]["id"]
    solver.claim_ticket(ticket)
    sent = {"url": one["url"], "status": 200}
    evidence = solver.add_evidence(ticket, "b1", "external_check", sent)["evidence"]
    told = {"ticket": ticket, "result": evidence["result"], "check": evidence["check"]}
    if not one.get("early"):
        told["standing"] = _standing(solver, ticket)
    try:
        told["submitted"] = solver.submit_blocker(ticket)["verification"]["state"]
    except sb.StuckBotError as refused:
        told["refused"] = [refused.status, refused.code, refused.details]
    return told


def _standing(client: Any, ticket: str) -> str:
    return str(
        _once(lambda: client.get_ticket(ticket)["ticket"]["criteria"][0]["status"], "waiting")
    )


def _ended(client: Any, ticket: str) -> dict[str, Any]:
    """Once the desk's checks are over: the ticket, and what happened on it."""

    def job() -> Any:
        jobs = client.get_ticket(ticket)["ticket"]["verifications"]
        return jobs[-1]["state"] if jobs else None

    _once(job, "waiting_checks")
    return {
        "seen": client.get_ticket(ticket)["ticket"],
        "events": [one["type"] for one in client.list_ticket_events(ticket)["events"]],
    }


def _once(ask: Any, over: str) -> Any:
    """What it says once it no longer says that."""
    until = time.monotonic() + PATIENCE
    while (said := ask()) == over and time.monotonic() < until:
        time.sleep(0.2)
    return said


def verifies(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    """A verifier takes the job, reads what the desk could not check, looks itself and decides."""
    client = sb.Client(token=ask["token"])
    [job] = client.list_verifications()["verifications"]
    client.claim_verification(job["id"])
    seen = client.get_ticket(job["ticket_id"])["ticket"]
    own = {"criterion": "b1", "type": "external_check", "payload": ask["payload"]}
    decided = client.decide_verification(job["id"], "approve", "Opened it inside.", evidence=[own])
    return {"seen": seen, "decided": decided["verification"]}
