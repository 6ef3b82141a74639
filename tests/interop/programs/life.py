"""The whole life of agents that use one release of the public client: every call that it has."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from life_ends import asked, escalating, handing_on, later, signalling  # type: ignore[import-not-found]
from seen import Seen, heard, until  # type: ignore[import-not-found]


@dataclass
class Cast:
    """Who takes part. `ask` is what the test wants done."""

    sb: Any
    ask: dict[str, Any]
    creator: Any
    solver: Any
    verifier: Any

    def package(self, name: str) -> Any:
        return self.ask["packages"][name]

    def filed(self, name: str, **where: Any) -> Any:
        return self.creator.client.create_ticket(self.package(name), **where)["ticket"]


def whole(sb: Any, ask: dict[str, Any]) -> dict[str, Any]:
    seen = Seen(sb)
    with _cast(sb, ask) as cast:
        told = {part.__name__: part(cast) for part in PARTS}
    return {**told, **seen.told(), "known": sorted(sb.OPERATIONS), "version": sb.__version__}


@contextmanager
def _cast(sb: Any, ask: dict[str, Any]) -> Iterator[Cast]:
    creator = sb.FleetAgent(state_file=ask["state_file"], **ask["registration"])
    with creator, sb.FleetAgent(name="solver") as solver:
        yield Cast(sb, ask, creator, solver, sb.Client(token=ask["verifier_key"]))


def joining(cast: Cast) -> dict[str, Any]:
    """Registers, comes back from its state file, renews its token."""
    first = cast.creator
    with cast.sb.FleetAgent(state_file=cast.ask["state_file"], **cast.ask["registration"]) as again:
        resumed = [again.agent_id == first.agent_id, again.registrations]
    before = first.token
    first.renew()
    first.client.renew_agent_token()
    child = cast.sb.Client().register_agent(name="child", parent_agent_id=first.agent_id)
    return {
        "agent": first.agent,
        "registrations": first.registrations,
        "resumed": resumed,
        "renewed": [first.renewals, first.token != before],
        "me": first.client.get_me(),
        "child": child,
    }


def living(cast: Cast) -> dict[str, Any]:
    """Says that it lives, and hears whether somebody wants something of it."""
    client = cast.solver.client
    answer = cast.solver.heartbeat(status="at work", usage={"tokens": 10, "cost_usd": 0.01})
    plain = client.heartbeat(usage={"tokens": 12, "own_measure": 3})
    signals = cast.solver.check_signals(limit=5)
    return {
        "answer": answer,
        "plain": plain,
        "signals": signals,
        "same": signals == client.list_my_signals(limit=5),
    }


def filing(cast: Cast) -> dict[str, Any]:
    """Files a ticket, reads it in every way, mends its package, takes it back."""
    client, other = cast.creator.client, cast.solver.client
    filed = cast.filed("plain", project_id=cast.ask["project_id"])
    titled = {**cast.package("plain"), "title": "Now with a better title"}
    comment = other.add_comment(filed["ref"], "Which image is it?")["comment"]
    mended = client.update_package(filed, titled)["ticket"]
    listed = client.list_tickets(mine=True, state=["open", "claimed"], limit=1)
    events = client.list_ticket_events(filed)["events"]
    return {
        "filed": filed,
        "comment": comment,
        "mended": mended["content"]["title"],
        "read": client.get_ticket(int(filed["ref"][3:]))["ticket"]["content"]["title"],
        "listed": [one["id"] for one in listed["tickets"]],
        "iterated": [one["id"] for one in client.iter_tickets(mine=True, limit=2)],
        "events": [one["type"] for one in events],
        "same": events == list(client.iter_ticket_events(filed)),
        "withdrawn": client.withdraw_ticket(filed, reason="Fixed it")["ticket"]["state"],
        "gone": heard(cast.sb, client.withdraw_ticket, filed),
    }


def polling(cast: Cast) -> dict[str, Any]:
    """Polls with an ETag, finds a ticket, takes it, and loses the next race for it."""
    query = {"labels": [cast.ask["label"]]}
    client = cast.solver.client
    polls = [client.work(**query), client.work(**query)]
    filed = cast.filed("labelled")
    item = next(cast.solver.poll(max_wait=0.2, **query))
    polls.append(client.find_work(**query))
    with cast.solver.claim(item, renew_every=0.2) as lease:
        lost = heard(cast.sb, cast.creator.client.claim_ticket, filed)
        renewals = until(lambda: lease.renewals >= 2)
        lease.renew()
        claim = client.renew_claim(filed)["ticket"]["claim"]
        lease.release("Somebody else knows more")
    return {
        "unchanged": [one.unchanged for one in polls],
        "waits": [one.retry_after_seconds for one in polls],
        "found": [item.kind, item.ticket_id == filed["id"]],
        "lost": lost,
        "renewals": renewals,
        "claim": claim,
        "length": lease.lease_seconds,
        "after": lease.state,
    }


def solving(cast: Cast) -> dict[str, Any]:
    """Proves a ticket with evidence of each type; what waits for a person waits."""
    filed = cast.filed("every_method")
    with cast.solver.claim(filed) as lease:
        update = lease.update("On it", progress={"step": 1})["update"]
        early = heard(cast.sb, lease.submit)
        results = {}
        for key, (kind, fields) in cast.ask["evidence"].items():
            results[key] = lease.evidence(key, kind, fields)["evidence"]["result"]
        wrong = heard(cast.sb, lease.evidence, "b1", "command_run", command="true", exit_code=0)
        submitted = lease.submit()["verification"]
    heard_of = [event["type"] for event in cast.creator.client.iter_ticket_events(filed, after=0)]
    return {
        "update": update,
        "early": early,
        "results": results,
        "wrong": wrong,
        "submitted": submitted,
        "state": lease.state,
        "kept": not lease.released,
        "events": heard_of,
    }


def taking_over(cast: Cast) -> dict[str, Any]:
    """Resolves a blocker, goes on with the task, and has it checked by a verifier."""
    sb, client = cast.sb, cast.solver.client
    filed = cast.filed("takeover", project_id=cast.ask["project_id"])
    with cast.solver.claim(filed) as lease:
        lease.evidence("b1", "command_run", command="npm ci", exit_code=0)
    client.submit_blocker(filed)
    with cast.solver.claim(filed, continue_task=True) as lease:
        told = {"continuing": lease.state}
        lease.evidence("t1", "test_report", runner="pytest", passed=3, failed=0)
    job = client.submit_task(filed)["verification"]
    waiting = [one["id"] for one in cast.verifier.list_verifications(limit=100)["verifications"]]
    taken = cast.verifier.claim_verification(job)["verification"]
    second = heard(sb, cast.creator.client.claim_verification, job)
    decided = cast.verifier.decide_verification(job, "approve", "I ran the tests")
    return {
        **told,
        "job": job,
        "waiting": job["id"] in waiting,
        "taken": taken,
        "second": second,
        "decided": decided["verification"],
        "state": decided["ticket"]["state"],
    }


def failing(cast: Cast) -> dict[str, Any]:
    """An error in the middle gives the ticket back with a note."""
    filed = cast.filed("plain")
    raised = ""
    try:
        with cast.solver.claim(filed) as lease:
            raise ZeroDivisionError
    except ZeroDivisionError as error:
        raised = type(error).__name__
    last = list(cast.solver.client.iter_ticket_events(filed))[-1]
    return {
        "raised": raised,
        "released": lease.released,
        "state": cast.solver.client.get_ticket(filed)["ticket"]["state"],
        "last": last,
    }


def describing(cast: Cast) -> dict[str, Any]:
    client = cast.creator.client
    document = client.get_openapi()
    return {
        "operations": {name: list(call) for name, call in cast.sb.OPERATIONS.items()},
        "index": client.api_index(),
        "openapi": document["openapi"],
        "title": client.get_handoff_package_schema()["title"],
        "keys": heard(cast.sb, client.get_grant_keys)
        if hasattr(client, "get_grant_keys")
        else None,
        "request_id": client.request_id,
        "rate_limit": client.rate_limit.limit if client.rate_limit else None,
    }


def retiring(cast: Cast) -> dict[str, Any]:
    filed = cast.filed("plain")
    guest = cast.sb.FleetAgent(name="guest", retire_on_stop=True).start()
    token = guest.token
    guest.client.claim_ticket(filed)
    guest.stop()
    refused = heard(cast.sb, cast.sb.Client(token=token).get_me)
    leaver = cast.sb.Client(token=cast.sb.Client().register_agent(name="leaver")["token"])
    leaver.claim_ticket(filed)
    return {
        "refused": refused[:2],
        "error": repr(guest.last_error),
        "answer": leaver.retire_agent(),
        "ref": filed["ref"],
    }


PARTS: tuple[Callable[[Cast], dict[str, Any]], ...] = (
    joining,
    living,
    filing,
    polling,
    solving,
    taking_over,
    failing,
    escalating,
    handing_on,
    later,
    signalling,
    asked,
    describing,
    retiring,
)
