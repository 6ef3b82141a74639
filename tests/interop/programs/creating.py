"""Creates and registrations that are repeated."""

import time
from pathlib import Path
from typing import Any


def replayed(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    agent = sb.FleetAgent(name="stuck")
    with agent:
        answers, marks = [], []
        for _ in range(2):
            answers.append(agent.client.create_ticket(ask["package"], idempotency_key=ask["key"]))
            marks.append(agent.client.last_response.replayed)
        agent.renew()
        answers.append(agent.client.create_ticket(ask["package"], idempotency_key=ask["key"]))
        marks.append(agent.client.last_response.replayed)
        return {"answers": answers, "replayed": marks, "other": _other_body(sb, agent, ask)}


def _other_body(sb: Any, agent: Any, ask: dict[str, Any]) -> list[Any]:
    try:
        changed = {**ask["package"], "title": "Something else"}
        agent.client.create_ticket(changed, idempotency_key=ask["key"])
    except sb.StuckBotError as refused:
        return [refused.status, refused.code]
    return []


def token(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    """A fresh agent's token, for several processes to share."""
    made = sb.Client().register_agent(name=ask.get("name", "agent"))
    return {"token": made["token"], "agent_id": made["agent"]["id"]}


def one(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    """One create under a given key; says how long it was told to wait before each retry.

    Whoever wants to know of a wait while it lasts gives `waits_file`.
    """
    waits: list[float] = []

    class Patient(sb.Client):  # type: ignore[misc]
        def _sleep(self, seconds: float) -> None:
            waits.append(seconds)
            if "waits_file" in ask:
                Path(ask["waits_file"]).touch()
            time.sleep(seconds)

    client = Patient(token=ask["token"], max_retries=10)
    made = client.create_ticket(ask["package"], idempotency_key=ask["key"])
    return {
        "id": made["ticket"]["id"],
        "replayed": client.last_response.replayed,
        "waits": waits,
    }


def many(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    """Creates under many keys, each repeated with the same key until it is answered."""
    client = sb.Client(token=ask["token"], max_retries=4, backoff=0.1, max_backoff=1.0, timeout=15)
    ids: dict[str, str] = {}
    failures: list[str] = []
    for key in ask["keys"]:
        while key not in ids:
            try:
                made = client.create_ticket(ask["package"], idempotency_key=key)
                ids[key] = made["ticket"]["id"]
            except sb.StuckBotError as error:
                failures.append(f"{error.status} {error.code}")
                if error.status not in (0, 503):
                    raise
                time.sleep(0.2)
    return {"ids": ids, "failures": failures}


def registered_twice(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    client = sb.Client()
    made = [client.register_agent(name="twice", idempotency_key=ask["key"]) for _ in range(2)]
    tries = [_who(sb, one["token"]) for one in made]
    return {"agents": [one["agent"]["id"] for one in made], "tries": tries}


def _who(sb: Any, token: str) -> list[Any]:
    try:
        return [200, sb.Client(token=token).get_me()["agent"]["id"]]
    except sb.StuckBotError as refused:
        return [refused.status, refused.code]
