"""How agents behave through a day: filers, solvers and verifiers, well and badly."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

from tests.simulation.world import Being, World
from tests.support import Reply, make_package

Step = Callable[[World, Being], None]

#: Answers that tell a holder that the ticket is no longer its own.
LOST: Final = {"not_claim_holder", "invalid_transition", "state_changed"}
#: Among how many of the newest tickets somebody looks who looks at any.
RECENT: Final = 15
TASK: Final = {
    "description": "The build passes",
    "method": "command",
    "command": "make",
    "expected": "exits 0",
}
LOOKS: Final = {"description": "The pictures look right", "method": "manual", "expected": "yes"}
COMMANDS: Final = {"b1": "npm ci", "t1": "make"}


def agent_make(world: World, name: str, **registration: Any) -> Being:
    api = world.desk.agent(name, **registration)
    me = api.get("/api/v1/agents/me").ok()["agent"]
    being = Being(name, api, me["id"], scopes=tuple(me["scopes"]))
    being.renew_at = world.now + timedelta(hours=world.chance.uniform(6, 20))
    world.beings.append(being)
    return being


def choose(world: World, steps: dict[Step, float]) -> Step:
    return world.chance.choices(list(steps), weights=list(steps.values()))[0]


def agent_step(world: World, being: Being, habits: dict[Step, float]) -> None:
    """One moment of an agent's life: its token first, then what it was asked, then its own."""
    if world.now >= being.renew_at:
        token_renew(world, being)
    if "stop_requested" in being.asked:
        retire(world, being)
    elif "handoff_requested" in being.asked and being.held:
        choose(world, {hand_off: 3, give_back: 1})(world, being)
    elif being.held:
        work_on(world, being)
    else:
        choose(world, habits)(world, being)


def token_renew(world: World, being: Being) -> None:
    reply = world.call(being, "POST", "/agents/me/token")
    if reply.status == 200:
        being.api.token = reply.json["token"]
    being.renew_at = world.now + timedelta(hours=world.chance.uniform(6, 20))


# --- filing ---------------------------------------------------------------------------------


def file_one(world: World, being: Being) -> None:
    chance = world.chance
    package = make_package(title=f"Problem {len(world.tickets)} of the day")
    shape = chance.choices(("plain", "takeover", "manual"), (6, 3, 1))[0]
    if shape == "takeover":
        mode = chance.choice(("takeover_allowed", "takeover_requested"))
        package |= {"mode": mode, "task_criteria": [TASK]}
    elif shape == "manual":
        package["blocker_criteria"] = [*package["blocker_criteria"], LOOKS]
    package["urgency"] = chance.randint(1, 10)
    package["labels"] = chance.sample(["ci", "web", "db"], chance.randint(0, 2))
    body: dict[str, Any] = {"package": package}
    if chance.random() < 0.7:
        body["project_id"] = chance.choice(world.projects)
    if chance.random() < 0.03:
        body["blocked_reason"] = "Wait for the key"
    reply = world.call(being, "POST", "/tickets", body)
    if reply.status == 201:
        _filed(world, being, reply.json["ticket"]["ref"])


def signal_stuck(world: World, being: Being) -> None:
    """A signal with a package that lacks most of what a ticket needs."""
    package = {"title": "Stuck", "stuck_reason": "It loops"}
    body = {"type": "self_report", "details": {"why": "loop"}, "package": package}
    reply = world.call(being, "POST", "/signals", body)
    if reply.status == 201:
        _filed(world, being, reply.json["ticket"]["ref"])


def _filed(world: World, being: Being, ref: str) -> None:
    world.tickets.append(ref)
    world.own.setdefault(being.name, []).append(ref)
    world.stories[ref].append(f"{world.now:%d %H:%M:%S} {being.name}: filed")


def own_ticket(world: World, being: Being) -> None:
    """A creator comes back to something it filed."""
    mine = world.own.get(being.name, [])
    if not mine:
        return file_one(world, being)
    path = f"/tickets/{world.chance.choice(mine[-3:])}"
    act, body = world.chance.choice(
        [
            ("comments", {"body": "Any news?"}),
            ("comments", {"body": "Any news?"}),
            ("withdraw", {"reason": "Not needed"}),
            ("close", {"outcome": "Found it"}),
            ("reopen", {}),
            ("block", {"reason": "Wait for the key"}),
            ("unblock", {}),
            ("unblock", {}),
            ("package", {"package": make_package(title="Said better", mode=None)}),
        ]
    )
    world.call(being, "POST", f"{path}/{act}", body)
    return None


# --- solving --------------------------------------------------------------------------------


def look_for_work(world: World, being: Being) -> None:
    found = poll(world, being)
    offers = [one for one in found if one["id"]]
    if not offers or len(being.held) > 1:
        return
    taken = world.chance.choice(offers[:8])
    act = "continue" if taken["work"] == "continue" else "claim"
    body: dict[str, Any] = {}
    if world.odds(0.3):
        body["lease_minutes"] = world.chance.randint(5, 60)
    reply = world.call(being, "POST", f"/tickets/{taken['ref']}/{act}", body)
    if reply.status == 200:
        hold(being, reply.json["ticket"])
    else:
        assert reply.code in ("already_claimed", "ticket_paused", "invalid_transition", *_NOT_MINE)


_NOT_MINE: Final = ("not_eligible", "invalid_request", "rate_limited")


def hold(being: Being, ticket: dict[str, Any]) -> None:
    being.held[ticket["ref"]] = "task" if ticket["state"] == "continuing" else "blocker"
    being.proved.discard(ticket["ref"])


def listen(world: World, being: Being) -> None:
    """Hears what is new, and wants no work."""
    poll(world, being)


def poll(world: World, being: Being) -> list[dict[str, Any]]:
    """Hears what is new; returns what it may take. What it is asked for is noted."""
    reply = being_poll(world, being, f"?cursor={being.cursor}" if being.cursor else "")
    if reply.status == 304:
        return []
    told = reply.ok()
    being.cursor = told["next_cursor"]
    being.heard += [one["id"] for one in told["updates"]]
    for name in ("handoff_requested", "stop_requested"):
        if told[name] is None:
            being.asked.discard(name)
        else:
            being.asked.add(name)
    back = {"stage_rejected", "ticket_sent_back", "ticket_resumed"}
    if any(one["type"] in back for one in told["updates"]):
        _look_at_hand(world, being)
    return list(told["claimable"])


def being_poll(world: World, being: Being, query: str) -> Reply:
    headers = {"if_none_match": being.etag} if being.etag else {}
    reply = being.api.call("GET", f"/api/v1/work{query}", None, **headers)
    world.counts[f"poll {reply.status}"] += 1
    being.etag = reply.header("ETag")
    return reply


def _look_at_hand(world: World, being: Being) -> None:
    """What the desk says that it holds now."""
    held = world.call(being, "GET", "/agents/me").ok()["claims"]
    known = being.held
    being.held = {}
    for ticket in held:
        stage = "task" if ticket["state"] == "continuing" else "blocker"
        being.held[ticket["ref"]] = stage
        if known.get(ticket["ref"]) != stage:
            being.proved.discard(ticket["ref"])


def work_on(world: World, being: Being) -> None:
    ref = world.chance.choice(list(being.held))
    if ref in being.proved:
        step = choose(world, {submit: 12, update: 1, beat: 1, hand_off: 0.5, give_up: 0.3})
    else:
        step = choose(world, _WORK)
    step(world, being)


def holding(world: World, being: Being, act: str, body: Any = None) -> Reply | None:
    """One act on a ticket in hand; a ticket that was lost meanwhile is let go."""
    if not being.held:
        return None
    ref = world.chance.choice(list(being.held))
    reply = world.call(being, "POST", f"/tickets/{ref}/{act}", body)
    if reply.status >= 400 and reply.code in LOST:
        being.held.pop(ref)
        being.proved.discard(ref)
        return None
    if reply.status < 300 and act in ("submit", "release", "escalate", "handoff"):
        being.held.pop(ref)
        being.proved.discard(ref)
    return reply


def update(world: World, being: Being) -> None:
    holding(world, being, "updates", {"body": "On it", "progress": {"step": 1}})


def prove(world: World, being: Being, exit_code: int = 0) -> None:
    if not being.held:
        return
    ref = world.chance.choice(list(being.held))
    key = "t1" if being.held[ref] == "task" else "b1"
    payload = {"command": COMMANDS[key], "exit_code": exit_code}
    body = {"criterion": key, "type": "command_run", "payload": payload}
    reply = world.call(being, "POST", f"/tickets/{ref}/evidence", body)
    if reply.status == 201:
        (being.proved.discard if exit_code else being.proved.add)(ref)
    elif reply.code in LOST:
        being.held.pop(ref)


def fail_once(world: World, being: Being) -> None:
    prove(world, being, exit_code=1)


def submit(world: World, being: Being) -> None:
    if not being.held:
        return
    ref = world.chance.choice(list(being.held))
    body = {"stage": being.held[ref], "outcome": "Added the tools", "resolution": {"branch": "fix"}}
    reply = world.call(being, "POST", f"/tickets/{ref}/submit", body)
    if reply.status < 300 or reply.code in LOST:
        being.held.pop(ref)
        being.proved.discard(ref)
        # A second submit, by a client that does not know that the first one went through.
        if world.odds(0.1):
            again = world.call(being, "POST", f"/tickets/{ref}/submit", body)
            assert again.status in (409, 404), again.json


def beat(world: World, being: Being) -> None:
    being.usage["tokens"] += world.chance.randint(0, 80_000)
    being.usage["runtime_seconds"] += world.chance.randint(0, 600)
    body = {"status": "at work", "usage": dict(being.usage), "tickets": list(being.held)}
    told = world.call(being, "POST", "/agents/me/heartbeat", body).ok()
    for name in ("handoff_requested", "stop_requested"):
        (being.asked.add if told[name] else being.asked.discard)(name)


def renew(world: World, being: Being) -> None:
    holding(world, being, "claim/renew")


def give_back(world: World, being: Being) -> None:
    holding(world, being, "release", {"note": "Not mine to solve"})


def give_up(world: World, being: Being) -> None:
    holding(world, being, "escalate", {"reason": "A person must look"})


def hand_off(world: World, being: Being) -> None:
    package = make_package(title="What is left of it")
    if world.odds(0.2):
        package = make_package(title=None)  # refused whole: the ticket stays in hand
    body: dict[str, Any] = {"package": package, "reason": "Another knows more"}
    if world.odds(0.2):
        body["for_agent"] = world.chance.choice(world.beings).id
    holding(world, being, "handoff", body)


def block(world: World, being: Being) -> None:
    holding(world, being, "block", {"reason": "Wait for the key"})


def comment(world: World, being: Being) -> None:
    if world.tickets:
        ref = world.chance.choice(world.tickets[-RECENT:])
        world.call(being, "POST", f"/tickets/{ref}/comments", {"body": "Seen before"})


def claim_any(world: World, being: Being) -> None:
    """By its number, whatever it is."""
    if not world.tickets:
        return
    ref = world.chance.choice(world.tickets[-RECENT:])
    act = world.chance.choice(("claim", "continue"))
    reply = world.call(being, "POST", f"/tickets/{ref}/{act}", {})
    if reply.status == 200:
        hold(being, reply.json["ticket"])


def go_silent(world: World, being: Being) -> None:
    """Hangs for hours with whatever it holds, then goes on as if nothing had been."""
    world.sleep[being.name] = world.now + timedelta(minutes=world.chance.randint(20, 240))
    world.counts["went silent"] += 1


def retire(world: World, being: Being) -> None:
    world.call(being, "POST", "/agents/me/retire").ok()
    being.is_gone = True
    being.held.clear()


def die(world: World, being: Being) -> None:
    """Says nothing, ever again."""
    world.counts["agent died"] += 1
    being.is_gone = True


_WORK: Final[dict[Step, float]] = {
    prove: 8,
    update: 1.5,
    fail_once: 0.8,
    submit: 0.4,
    beat: 1.5,
    renew: 1,
    give_back: 0.6,
    give_up: 0.4,
    hand_off: 0.6,
    block: 0.2,
    comment: 0.3,
    go_silent: 0.4,
    die: 0.15,
    retire: 0.15,
}


# --- verifying ------------------------------------------------------------------------------


def verify(world: World, being: Being) -> None:
    jobs = world.call(being, "GET", "/verifications?limit=20").ok()["verifications"]
    if not jobs:
        return
    job = world.chance.choice(jobs)
    path = f"/verifications/{job['id']}"
    world.stories[job["ticket_ref"]].append(f"{world.now:%d %H:%M:%S} {being.name}: checks")
    if world.odds(0.8):
        world.call(being, "POST", f"{path}/claim")
    if world.odds(0.15):
        return  # and forgets it
    decision = "approve" if world.odds(0.7) else "reject"
    payload = {"command": COMMANDS["t1" if job["stage"] == "task" else "b1"], "exit_code": 0}
    body: dict[str, Any] = {"decision": decision, "reason": "Ran it again"}
    if world.odds(0.5):
        key = "t1" if job["stage"] == "task" else "b1"
        body["evidence"] = [{"criterion": key, "type": "command_run", "payload": payload}]
    world.call(being, "POST", f"{path}/decision", body)


FILER: Final[dict[Step, float]] = {
    file_one: 8,
    signal_stuck: 0.3,
    own_ticket: 2,
    listen: 1,
    comment: 0.3,
    die: 0.03,
    retire: 0.05,
    beat: 0.5,
}
IDLE: Final[dict[Step, float]] = {
    look_for_work: 10,
    claim_any: 0.6,
    comment: 0.2,
    beat: 1,
    die: 0.02,
    retire: 0.04,
}
#: Filers who have filed enough.
LISTENER: Final[dict[Step, float]] = {listen: 5, own_ticket: 1, retire: 0.02}
CHECKER: Final[dict[Step, float]] = {verify: 10, beat: 1, die: 0.05, retire: 0.05}
