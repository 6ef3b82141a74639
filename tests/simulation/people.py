"""How people behave through a day: they decide, send back, close, pause, and sometimes just talk."""

from typing import Any, Final

from tests.simulation.agents import RECENT, Step, choose
from tests.simulation.world import Being, World
from tests.support import make_package

SUMMARY: Final = {"problem": "It stopped.", "impact": "Nothing runs.", "next_step": "Start it."}


def person_make(world: World, name: str) -> Being:
    api = world.desk.person(name)
    member = world.desk.people[name]
    being = Being(name, api, str(member.actor_id), is_person=True)
    world.beings.append(being)
    return being


def person_step(world: World, being: Being) -> None:
    choose(world, PERSON)(world, being)


def listed(world: World, being: Being, query: str) -> list[dict[str, Any]]:
    return list(world.call(being, "GET", f"/tickets?limit=20&{query}").ok()["tickets"])


def decide(world: World, being: Being) -> None:
    """Fixes that wait for a person, most of them right."""
    waiting = listed(world, being, "state=blocker_review,task_review")
    waiting = [one for one in waiting if one["status"]["rule"] == "waits_for_person"]
    for ticket in waiting[: world.chance.randint(1, 4)]:
        detail = world.call(being, "GET", f"/tickets/{ticket['ref']}").ok()["ticket"]
        job = detail["verifications"][-1]
        decision = "approve" if world.odds(0.7) else "reject"
        body = {"decision": decision, "reason": "Looked at it"}
        reply = world.call(being, "POST", f"/verifications/{job['id']}/decision", body)
        told = reply.status if reply.status < 400 else reply.code
        world.stories[ticket["ref"]].append(
            f"{world.now:%d %H:%M:%S} {being.name}: {decision} -> {told}"
        )
        # The same button pressed twice decides once.
        if reply.status == 200 and world.odds(0.1):
            again = world.call(being, "POST", f"/verifications/{job['id']}/decision", body)
            assert again.status == 409, again.json


def answer(world: World, being: Being) -> None:
    """Tickets that need a person."""
    for ticket in listed(world, being, "state=needs_human")[: world.chance.randint(1, 4)]:
        act, body = world.chance.choice(
            [
                ("send-back", {"note": "Try the other image"}),
                ("send-back", {"note": "Try again", "to_solver": True}),
                ("send-back", {"note": "Try again", "to_solver": True}),
                ("take-over", {}),
                ("approve", {"reason": "Good enough"}),
                ("close", {"outcome": "We do without"}),
            ]
        )
        world.call(being, "POST", f"/tickets/{ticket['ref']}/{act}", body)


def own_work(world: World, being: Being) -> None:
    """What a person took over: done, given back, or left."""
    mine = [one for one in listed(world, being, "state=claimed,working,continuing") if one["claim"]]
    mine = [one for one in mine if one["claim"]["holder"]["id"] == being.id]
    for ticket in mine[:2]:
        path = f"/tickets/{ticket['ref']}"
        stage = "task" if ticket["state"] == "continuing" else "blocker"
        key, command = ("t1", "make") if stage == "task" else ("b1", "npm ci")
        payload = {"command": command, "exit_code": 0}
        body = {"criterion": key, "type": "command_run", "payload": payload}
        world.call(being, "POST", f"{path}/evidence", body)
        act, sent = world.chance.choice(
            [
                ("submit", {"stage": stage}),
                ("submit", {"stage": stage}),
                ("release", {"note": "No time"}),
                ("escalate", {"reason": "Somebody else"}),
            ]
        )
        world.call(being, "POST", f"{path}/{act}", sent)


def meddle(world: World, being: Being) -> None:
    """One thing a person may do to any ticket, in whatever state it is."""
    if not world.tickets:
        return
    ref = world.chance.choice(world.tickets[-RECENT:])
    act, body = world.chance.choice(
        [
            ("comments", {"body": "Have a look at the log"}),
            ("comments", {"body": "Have a look at the log"}),
            ("pause", {"reason": "Not today"}),
            ("resume", {}),
            ("release", {"note": "Too long", "force": True}),
            ("block", {"reason": "Wait for the contract"}),
            ("unblock", {}),
            ("reopen", {}),
            ("close", {"outcome": "Done by hand"}),
            ("claim", {}),
            ("criteria/b2/met", {"note": "They look right"}),
        ]
    )
    world.call(being, "POST", f"/tickets/{ref}/{act}", body)


def edit(world: World, being: Being) -> None:
    if not world.tickets:
        return
    path = f"/tickets/{world.chance.choice(world.tickets[-RECENT:])}"
    ticket = world.call(being, "GET", path).ok()["ticket"]
    changes: dict[str, Any] = world.chance.choice(
        [{"urgency": world.chance.randint(1, 10)}, {"labels": ["ci"]}, {"human_summary": SUMMARY}]
    )
    world.call(being, "PATCH", path, {**changes, "version": ticket["version"]})


def tidy(world: World, being: Being) -> None:
    """What is paused, blocked or incomplete goes on."""
    for ticket in listed(world, being, "color=RED")[:20]:
        path, rule = f"/tickets/{ticket['ref']}", ticket["status"]["rule"]
        if rule == "paused" and ticket["project_id"] in world.paused:
            world.paused.discard(ticket["project_id"])
            world.call(being, "POST", f"/projects/{ticket['project_id']}/resume", {}).ok()
        elif rule == "paused" and world.odds(0.7):
            world.call(being, "POST", f"{path}/resume")
        elif rule == "blocked" and world.odds(0.7):
            world.call(being, "POST", f"{path}/unblock")
        elif rule == "loop_suspected":
            world.call(being, "POST", f"{path}/comments", {"body": "Look at the log first"})
        elif rule == "incomplete" and world.odds(0.7):
            package = make_package(title="Stuck, in full")
            world.call(being, "POST", f"{path}/package", {"package": package})


def pause_project(world: World, being: Being) -> None:
    project = world.chance.choice(world.projects)
    act = "pause" if world.odds(0.5) and project not in world.paused else "resume"
    (world.paused.add if act == "pause" else world.paused.discard)(project)
    world.call(being, "POST", f"/projects/{project}/{act}", {}).ok()


def ask_agent(world: World, being: Being) -> None:
    """Asks an agent to hand off, or to stop; or takes it back."""
    agents = [one for one in world.beings if not one.is_person]
    if not agents:
        return
    path = f"/agents/{world.chance.choice(agents).id}/requests"
    kind = world.chance.choice(("handoff", "handoff", "stop"))
    world.call(being, "POST", path, {"kind": kind, "message": "Make room"})


PERSON: Final[dict[Step, float]] = {
    decide: 8,
    answer: 8,
    own_work: 3,
    meddle: 3,
    edit: 1,
    tidy: 3,
    pause_project: 0.3,
    ask_agent: 0.5,
}
#: The evening: nothing new, everything that waits is dealt with.
EVENING: Final[dict[Step, float]] = {decide: 8, answer: 8, own_work: 6, tidy: 6}
