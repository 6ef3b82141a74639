"""The parts of a life that end a claim, speak of trouble, or meet what the desk does not have."""

import json
from typing import Any

from seen import heard, until  # type: ignore[import-not-found]


def escalating(cast: Any) -> dict[str, Any]:
    """Gives a ticket to a person."""
    with cast.solver.claim(cast.filed("plain")) as lease:
        answer = lease.escalate("It needs a decision")
    return {"state": lease.state, "needs_person": answer["ticket"]["needs_person"]}


def handing_on(cast: Any) -> dict[str, Any]:
    """Gives a ticket on to a child; a package that is refused leaves it held."""
    sb, client = cast.sb, cast.solver.client
    handed = cast.filed("plain")
    with cast.solver.claim(handed) as lease:
        refused = heard(sb, lease.handoff, {"title": ""}, "Not mine")
        held = lease.held
        answer = lease.handoff(cast.package("labelled"), reason="It is the image, not npm")
    renewed = heard(sb, client.renew_claim, handed)
    return {
        "refused": refused[:2],
        "held": held,
        "answer": answer,
        "filed": handed,
        "renewed": renewed[:2],
        "handed_on_again": heard(sb, client.handoff_ticket, handed, cast.package("plain"))[:2],
    }


def signalling(cast: Any) -> dict[str, Any]:
    """Speaks of trouble: alone, and with a package that lacks what it should have."""
    client = cast.creator.client
    alone = client.report_signal("self_report", {"why": "I go in circles"}, {"tokens": 90_000})
    filed = client.report_signal(
        "budget", package={"title": "Ran out of tokens"}, project_id=cast.ask["project_id"]
    )
    ticket = filed["ticket"]
    whole = client.update_package(ticket, cast.package("plain"))["ticket"]
    return {
        "alone": alone,
        "filed": filed,
        "completed": [whole["incomplete"], whole["missing_fields"]],
        "listed": client.list_my_signals(limit=2)["signals"],
    }


def asked(cast: Any) -> dict[str, Any]:
    """A person asks an agent to hand off and then to stop: each callback fires once, whatever
    tells the agent of it and however often."""
    calls: list[Any] = []
    person = cast.sb.Client(token=cast.ask["person_token"])
    filed = cast.filed("plain")
    with cast.sb.FleetAgent(
        name="asked",
        supports_stop=True,
        on_handoff_requested=lambda request: calls.append(["handoff", request]),
        on_stop_requested=lambda request: calls.append(["stop", request]),
    ) as agent:
        # What its thread asked before is heard by now, and not after what is wished of it.
        until(lambda: agent.heartbeats >= 1)
        with agent.claim(filed) as lease:
            _ask(person, agent, "handoff")
            told = _told(agent)
            cast.filed("labelled")
            item = next(agent.poll(max_wait=0.1, labels=[cast.ask["label"]]))
            lease.release("As I was asked")
        cleared = agent.heartbeat()["handoff_requested"]
        _ask(person, agent, "stop")
        stop_told = _told(agent)
        polled = list(agent.poll(max_wait=0.1))
        refused = heard(cast.sb, agent.client.claim_ticket, filed)
    return {
        "told": told,
        "cleared": cleared,
        "stop_told": stop_told,
        "calls": calls,
        "polled": [item.kind, len(polled)],
        "refused": refused[:2],
    }


def _ask(person: Any, agent: Any, kind: str) -> None:
    body = {"kind": kind, "message": "We need the machine."}
    person.request("POST", f"/api/v1/agents/{agent.agent_id}/requests", body=body)


def _told(agent: Any) -> dict[str, list[Any]]:
    """Both requests as each of the three calls tells them, the poll first with and then without
    an answer of its own."""
    answers = [agent.heartbeat(), agent.check_signals(), agent.client.work(), agent.client.work()]
    agent.heartbeat()
    names = ("handoff_requested", "stop_requested")
    return {name: [json.dumps(one[name]) for one in answers] for name in names}


def later(cast: Any) -> dict[str, Any]:
    """What the desk does not have: reads are empty, writes are refused with a way round."""
    sb, client = cast.sb, cast.solver.client
    filed = cast.filed("plain")
    told: dict[str, Any] = {"context": client.get_context(filed), "refused": {}}
    calls = {
        "upload_attachment": (filed, b"log", "build.log"),
        "download_attachment": (filed["id"],),
        "request_access": (filed, "The build log", "To see why"),
        "get_upload_grant": ("main",),
        "put_data": ("main", {"log": "x"}),
        "get_data_grants": (filed, ["sha256:" + "0" * 64]),
        "get_data": (filed,),
    }
    for name, arguments in calls.items():
        if hasattr(client, name):
            told["refused"][name] = heard(sb, getattr(client, name), *arguments)
    if hasattr(client, "list_data_stores"):
        told["stores"] = client.list_data_stores()
    return told
