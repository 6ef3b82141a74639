"""What must hold of a desk at any moment of its day, and what more at its end."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from accounts.models import Agent, AgentRequest
from stuckbot.lib import clock
from stuckbot.lib.models import Audit, Event, Inbox, OrgClock, Timer
from tests.simulation.replay import Replay
from tests.simulation.world import Being, World
from tests.support import Api
from tickets.models import Ticket
from verification.models import Verification

#: Why a ticket that is not closed waits, as the desk names it, with the colour of each.
REASONS: Final = {
    "blocked": "RED",
    "needs_human": "RED",
    "waits_for_person": "RED",
    "paused": "RED",
    "incomplete": "RED",
    "loop_suspected": "RED",
    "claimed": "YELLOW",
    "verifying": "YELLOW",
    "waits_for_verifier": "ORANGE",
    "waits_for_task": "ORANGE",
    "unclaimed": "ORANGE",
    "kept": "ORANGE",
}
GREEN: Final = {"closed_without_proof", "completed", "resolved", "withdrawn", "handed_off"}
CLOSED: Final = {"completed", "withdrawn", "handed_off", "closed"}
Fault = tuple[str, str]


class DayFailed(AssertionError):
    """Names the seed, what is wrong, and the story of the ticket it is wrong with."""

    def __init__(self, world: World, ref: str, what: str) -> None:
        story = world.story(ref) if ref else "\n".join(list(world.stories)[-5:])
        super().__init__(f"seed {world.seed}, {ref}: {what}\n{story}\n{events_of(world, ref)}")


def events_of(world: World, ref: str) -> str:
    """The events of a ticket, a line each."""
    if not ref:
        return ""
    ticket = Ticket.objects.of(world.desk.org.id).get(number=int(ref.removeprefix("SB-")))
    rows = Event.objects.of(world.desk.org.id).filter(ticket_id=ticket.id).order_by("seq")
    return "\n".join(
        f"{row.seq} {row.at:%d %H:%M:%S} {row.type} by {str(row.actor_id)[-6:]} {row.data}"
        for row in rows
    )


def checkpoint(world: World) -> None:
    """What holds at any moment of the day; the worker has just looked."""
    found = rows_faults(world.desk.org.id)
    if found:
        raise DayFailed(world, found[0][0], "\n".join(": ".join(one) for one in found[:20]))
    for being in world.beings:
        _heard(world, being)


def rows_faults(org_id: UUID, *, moved_leases: bool = False) -> list[Fault]:
    """What is wrong with the org's rows; `moved_leases` when a test set their ends back."""
    parts = (_numbers, _leases, _decisions, _chains, _requests, _timers)
    found = [fault for part in parts for fault in part(org_id)]
    return [*found, *Replay(org_id, moved_leases=moved_leases).run().faults]


def _numbers(org_id: UUID) -> Iterator[Fault]:
    """Events and the audit are numbered 1, 2, 3 and on; so are tickets."""
    head = OrgClock.objects.of(org_id).get()
    for what, rows, column, last in (
        ("events", Event.objects.of(org_id), "seq", head.seq),
        ("the audit", Audit.objects.of(org_id), "no", head.audit_no),
        ("tickets", Ticket.objects.of(org_id), "number", head.ticket_no),
    ):
        if list(rows.order_by(column).values_list(column, flat=True)) != list(range(1, last + 1)):
            yield "", f"{what} are not numbered 1, 2, 3 and on"


def _leases(org_id: UUID) -> Iterator[Fault]:
    """None runs past its end by more than a sweep."""
    now = clock.now()
    for ticket in Ticket.objects.of(org_id).filter(lease_until__lte=now):
        timers = Timer.unscoped.filter(subject=ticket.claim_id or ticket.id, due_at__gt=now)
        if not timers.exists():
            yield str(ticket), "its lease is over and nobody ends it"


def _decisions(org_id: UUID) -> Iterator[Fault]:
    open_jobs = Verification.objects.of(org_id).filter(decided_at=None).select_related("ticket")
    seen = set()
    for job in open_jobs:
        if job.ticket.state not in ("blocker_review", "task_review"):
            yield str(job.ticket), f"{job.state}, but not in review"
        if job.ticket_id in seen:
            yield str(job.ticket), "two verifications are open at once"
        seen.add(job.ticket_id)
    for ticket in Ticket.objects.of(org_id).filter(state__in=["blocker_review", "task_review"]):
        if ticket.id not in seen:
            yield str(ticket), "in review, but nothing waits to be decided"


def _chains(org_id: UUID) -> Iterator[Fault]:
    """One child for each ticket that was handed on, one deeper, of the same root."""
    rows = {row.id: row for row in Ticket.objects.of(org_id)}
    parents = Counter(row.parent_id for row in rows.values())
    for row in rows.values():
        if parents[row.id] != (1 if row.state == "handed_off" else 0):
            yield str(row), f"{row.state} with {parents[row.id]} children"
        parent = rows.get(row.parent_id) if row.parent_id is not None else None
        if parent is not None and (row.root_id, row.depth) != (parent.root_id, parent.depth + 1):
            yield str(row), "its chain is broken"


def _requests(org_id: UUID) -> Iterator[Fault]:
    """An agent is asked for what is open, one of a kind, and for nothing once it is gone."""
    rows = AgentRequest.objects.of(org_id).filter(ended_at=None)
    opened = {(row.agent_id, row.kind): str(row.id) for row in rows}
    for agent in Agent.objects.of(org_id):
        for kind, asked in (("handoff", agent.handoff_request), ("stop", agent.stop_request)):
            told = asked["id"] if asked else None
            if told != opened.get((agent.id, kind)):
                yield "", f"{agent.name} is told to {kind} by {told}, not by what is open"
            if told and agent.retired_at is not None:
                yield "", f"{agent.name} has retired and is asked to {kind}"


def _timers(org_id: UUID) -> Iterator[Fault]:
    for timer in Timer.objects.of(org_id).exclude(quarantined_at=None):
        yield "", f"set aside: {timer}, {timer.last_error}"


def _expect(world: World, holds: bool, what: str, ref: str = "") -> None:
    if not holds:
        raise DayFailed(world, ref, what)


def _heard(world: World, being: Being) -> None:
    """What it heard by polling: each once, in order, and all of its inbox up to where it is."""
    _expect(world, being.heard == sorted(set(being.heard)), f"{being.name} heard twice")
    if not being.heard:
        return
    inbox = Inbox.objects.of(world.desk.org.id).filter(actor_id=being.id)
    sent = inbox.filter(seq__lte=being.heard[-1]).values_list("seq", flat=True)
    missed = set(sent) ^ set(being.heard)
    _expect(world, not missed, f"{being.name} heard other than was sent: {sorted(missed)[:5]}")


def colours(world: World, reader: Being, now: datetime) -> dict[str, Any]:
    """The desk's own word on every ticket, held against its facts; refs by why they wait."""
    rows = {f"SB-{row.number}": row for row in Ticket.objects.of(world.desk.org.id)}
    shown = list(_listed(world, reader))
    _expect(world, {one["ref"] for one in shown} == set(rows), "the list lacks tickets")
    found: dict[str, list[str]] = {}
    for one in shown:
        rule, color, row = one["status"]["rule"], one["status_color"], rows[one["ref"]]
        expected = _color(row, now)
        _expect(world, color == expected, f"{color} {rule}, not {expected}", one["ref"])
        fits = rule in GREEN if color == "GREEN" else REASONS.get(rule) == color
        _expect(world, fits, f"{color} for the reason {rule}", one["ref"])
        found.setdefault(rule, []).append(one["ref"])
    return found


def _listed(world: World, reader: Being) -> Any:
    cursor = ""
    while True:
        page = world.call(reader, "GET", f"/tickets?limit=100{cursor}").ok()
        yield from page["tickets"]
        if page["next_cursor"] is None:
            return
        cursor = f"&cursor={page['next_cursor']}"


def _color(row: Ticket, now: datetime) -> str:
    """Closed, in need of a person, at work, or free: by the plain columns."""
    if row.state in CLOSED or (row.state == "blocker_resolved" and row.mode == "blocker_only"):
        return "GREEN"
    paused = row.paused_at or row.project.paused_at or row.org.paused_at
    if row.blocked_since or row.state == "needs_human" or row.waits_for == "person":
        return "RED"
    if paused or row.incomplete or row.loop_since:
        return "RED"
    is_held = row.lease_until is not None and row.lease_until > now
    is_checked = row.verifier_until is not None and row.verifier_until > now
    return "YELLOW" if is_held or is_checked else "ORANGE"


def nothing_is_lost(world: World, waiting: dict[str, list[str]]) -> None:
    """Everybody is gone: nothing is at work, and what is free is offered to a newcomer."""
    at_work = waiting.get("claimed", []) + waiting.get("verifying", [])
    _expect(world, not at_work, "somebody is said to be at it", (at_work or [""])[0])
    free = set(waiting.get("unclaimed", []) + waiting.get("waits_for_task", []))
    newcomer = Api(world.desk.agent("newcomer").token)
    offered = {one["ref"] for one in newcomer.get("/api/v1/work").ok()["claimable"]}
    fits = offered == free if len(free) <= 100 else offered < free and len(offered) == 100
    _expect(world, fits, f"offered {sorted(offered ^ free)[:9]} unlike what is free")
    checker = world.desk.agent("late-verifier", scopes=["verify", "tickets:read_project"])
    jobs = checker.get("/api/v1/verifications?limit=100").ok()["verifications"]
    unchecked = set(waiting.get("waits_for_verifier", []))
    shown = {one["ticket_ref"] for one in jobs}
    fits = shown == unchecked if len(unchecked) <= 100 else shown < unchecked
    _expect(world, fits, f"jobs of {sorted(shown ^ unchecked)[:9]} unlike what waits")
