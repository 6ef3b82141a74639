"""The main job, as three agents live it."""

from typing import Any


def blocker(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    """Filed, found, claimed by one of two, proved, resolved, heard of."""
    label = ask["label"]
    with (
        sb.FleetAgent(name="stuck") as stuck,
        sb.FleetAgent(name="solver") as solver,
        sb.FleetAgent(name="racer") as racer,
    ):
        filed = stuck.client.create_ticket(ask["package"])["ticket"]
        item = next(solver.poll(max_wait=0.2, labels=[label]))
        told: dict[str, Any] = {"filed": filed, "found": [item.kind, item.data["id"]]}
        with solver.claim(item) as lease:
            told["claimed"] = lease.state
            told["lost"] = _lost(sb, racer, item)
            lease.update("Adding python3 to the image", progress={"step": 1})
            told["working"] = lease.state
            told["refused"] = _refused(sb, lease)
            lease.evidence("b1", "command_run", command="npm ci", exit_code=0)
            told["submitted"] = lease.submit()
            told["after"] = lease.state
        told["heard"] = _heard(stuck, filed["id"])
        told["seen"] = stuck.client.get_ticket(filed)["ticket"]
    return told


def _lost(sb: Any, racer: Any, item: Any) -> list[Any]:
    try:
        with racer.claim(item):
            return ["won"]
    except sb.ClaimLost as lost:
        return [lost.status, lost.code]


def _refused(sb: Any, lease: Any) -> dict[str, Any]:
    try:
        lease.evidence("b1", "command_run", command="npm install", exit_code=0)
    except sb.StuckBotError as refused:
        return {"status": refused.status, "code": refused.code, "details": refused.details}
    return {}


def _heard(agent: Any, ticket_id: str) -> list[dict[str, Any]]:
    heard: list[dict[str, Any]] = []
    for item in agent.poll(max_wait=0.2):
        if item.kind == "update" and item.ticket_id == ticket_id:
            heard.append(item.data)
            if item.data["type"] == "stage_approved":
                break
    return heard


def takeover(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    """One resolves the blocker, another takes the rest of the task over and ends it."""
    with sb.FleetAgent(name="stuck") as stuck, sb.FleetAgent(name="solver") as solver:
        filed = stuck.client.create_ticket(ask["package"])["ticket"]
        with solver.claim(filed) as lease:
            lease.evidence("b1", "command_run", command="npm ci", exit_code=0)
            lease.submit()
        told: dict[str, Any] = {"resolved": lease.state}
        with sb.FleetAgent(name="finisher") as finisher:
            item = next(finisher.poll(max_wait=0.2, labels=[ask["label"]]))
            told["found"] = item.kind
            with finisher.claim(item) as lease:
                told["continuing"] = lease.state
                lease.evidence("t1", "test_report", runner="pytest", passed=3, failed=0)
                lease.submit("task")
            told["ended"] = lease.state
            told["second"] = _lost(sb, solver, item)
    return told
