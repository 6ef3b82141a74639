"""Every operation whose subject comes later, as the public client hears it."""

from typing import Any

MEGABYTE = 1024 * 1024


def reads(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    with sb.FleetAgent(name="reader") as agent:
        client = agent.client
        filed = client.create_ticket(ask["package"])["ticket"]
        told = {
            "signals": client.list_my_signals(limit=5),
            "context": client.get_context(filed),
            "stores": client.list_data_stores(),
            "not_shown": _heard(sb, client.list_verifications),
            "verifications": sb.Client(token=ask["verifier_key"]).list_verifications(limit=10),
        }
        agent.check_signals()
        return told | {"stop": agent.stop_requested, "handoff": agent.handoff_requested}


def writes(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    """Each on a ticket the agent holds; it still holds it afterwards."""
    verifier = sb.Client(token=ask["verifier_key"])
    with sb.FleetAgent(name="stuck") as stuck, sb.FleetAgent(name="solver") as solver:
        filed = stuck.client.create_ticket(ask["package"])["ticket"]
        client = solver.client
        with solver.claim(filed) as lease:
            told = {
                "upload_attachment": _heard(sb, client.upload_attachment, filed, b"{log", "a.json"),
                "request_access": _heard(sb, client.request_access, filed, "The log", "To see"),
                "get_data_grants": _heard(sb, client.get_data_grants, filed, ["sha256:0"]),
                "get_data": _heard(sb, client.get_data, filed),
                "get_upload_grant": _heard(sb, client.get_upload_grant, "main"),
                "put_data": _heard(sb, client.put_data, "main", {"log": "x"}),
            }
            lease.update("Still mine")
            lease.evidence("b1", "command_run", command="npm ci", exit_code=0)
            job = lease.submit()["verification"]
        told["claim_verification"] = _heard(sb, verifier.claim_verification, job)
        told["decide_verification"] = _heard(
            sb, verifier.decide_verification, job, "approve", "It works", ask["evidence"]
        )
        told["download_attachment"] = _heard(sb, client.download_attachment, filed["id"])
        return told | {"state": client.get_ticket(filed)["ticket"]["state"]}


def files(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    """Large files are read to the end, so that the client hears the answer and not a reset."""
    with sb.FleetAgent(name="sender") as agent:
        filed = agent.client.create_ticket(ask["package"])["ticket"]
        stranger = sb.Client(token="sba_nobody", max_retries=0)
        agent.client.max_retries = 0
        return {
            "taken": _heard(sb, agent.client.upload_attachment, filed, bytes(25 * MEGABYTE)),
            "large": _heard(sb, agent.client.upload_attachment, filed, bytes(31 * MEGABYTE)),
            "nobody": _heard(sb, stranger.upload_attachment, filed, bytes(8 * MEGABYTE)),
            "nowhere": _heard(sb, agent.client.upload_attachment, "SB-999999", bytes(8 * MEGABYTE)),
        }


def _heard(sb: Any, call: Any, *args: Any) -> list[Any]:
    """Status, code, message and details of the error that the client raises."""
    try:
        call(*args)
    except sb.StuckBotError as refused:
        return [refused.status, refused.code, refused.message, refused.details]
    return []
