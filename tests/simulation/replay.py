"""Every ticket's story told again from its events alone, and held against the rules and the rows."""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final
from uuid import UUID

from accounts.models import Actor, Agent
from stuckbot.lib.models import Event, Inbox
from tests.simulation.rules import FOLLOWS, LEASED, rule_for
from tickets.models import Claim, Ticket

#: What the creator of a ticket hears of, unless it did it.
CREATOR_HEARS: Final = frozenset(
    (
        *("ticket_claimed", "task_continued", "ticket_released", "claim_expired", "needs_human"),
        *("stage_submitted", "stage_approved", "stage_rejected", "ticket_handed_off"),
        *("ticket_closed", "ticket_reopened", "ticket_sent_back", "comment_added"),
        *("update_posted", "evidence_added", "ticket_blocked", "ticket_paused"),
    )
)
#: What whoever holds it, or solved it last, hears of, unless it did it.
SOLVER_HEARS: Final = frozenset(
    (
        *("stage_rejected", "ticket_closed", "ticket_sent_back", "comment_added", "ticket_paused"),
        *("ticket_blocked", "claim_expired", "ticket_released", "verification_passed_on"),
    )
)
#: The shortest lease that any policy allows.
LEASE_LEAST: Final = timedelta(minutes=5)


@dataclass
class Told:
    """A ticket as its events tell it."""

    ref: str
    mode: str
    creator_id: UUID
    state: str = "(none)"
    holder_id: UUID | None = None
    solver_id: UUID | None = None
    lease_began: datetime | None = None
    claims: int = 0
    decided: list[str] = field(default_factory=list)
    children: list[str] = field(default_factory=list)
    last: str = ""

    def named(self, state: str) -> str:
        ends_there = state == "blocker_resolved" and self.mode == "blocker_only"
        return "resolved" if ends_there else state


@dataclass
class Replay:
    """Reads the org's whole history; `faults` are `(ref, what is wrong)`."""

    org_id: UUID
    moved_leases: bool = False
    faults: list[tuple[str, str]] = field(default_factory=list)
    told: dict[UUID, Told] = field(default_factory=dict)
    _kinds: dict[UUID, str] = field(default_factory=dict)
    _gone: dict[UUID, datetime] = field(default_factory=dict)
    _heard: set[tuple[UUID, int]] = field(default_factory=set)
    _completed: dict[UUID, int] = field(default_factory=dict)
    _incomplete: set[UUID] = field(default_factory=set)

    def run(self) -> "Replay":
        self._kinds = dict(Actor.objects.of(self.org_id).values_list("id", "kind"))
        gone = Agent.objects.of(self.org_id).exclude(retired_at=None)
        self._gone = {one: at for one, at in gone.values_list("id", "retired_at") if at}
        self._heard = set(Inbox.objects.of(self.org_id).values_list("actor_id", "seq"))
        events = list(Event.objects.of(self.org_id).order_by("seq"))
        done = [one for one in events if one.type == "package_completed"]
        self._completed = {one.ticket_id: one.seq for one in done if one.ticket_id}
        rows = {row.id: row for row in Ticket.objects.of(self.org_id)}
        self._incomplete = {row.id for row in rows.values() if row.incomplete}
        self.told = {
            row.id: Told(f"SB-{row.number}", row.mode, row.creator_id) for row in rows.values()
        }
        for at, event in enumerate(events):
            if event.ticket_id is not None:
                self._step(self.told[event.ticket_id], event, self._mover(events, at))
        for row in rows.values():
            self._end(self.told[row.id], row)
        self._claims(rows)
        return self

    def _mover(self, events: list[Event], at: int) -> UUID:
        """Whose act it is part of. What the desk says in the same write as somebody's act they
        hear in their answer: that a lease had run out before it, that a fix is approved after it.
        """
        event, beside = events[at], {"claim_expired": at + 1, "stage_approved": at - 1}
        place = beside.get(event.type)
        if (
            place is None
            or place >= len(events)
            or self._kinds.get(event.actor_id, "system") != "system"
        ):
            return event.actor_id
        other = events[place]
        is_one = (other.at, other.ticket_id) == (event.at, event.ticket_id)
        return other.actor_id if is_one else event.actor_id

    def fault(self, told: Told, event: Event | None, what: str) -> None:
        at = "" if event is None else f"event {event.seq} {event.type} at {event.at:%d %H:%M:%S}: "
        self.faults.append((told.ref, f"{at}{what}"))

    def _step(self, told: Told, event: Event, mover: UUID) -> None:
        begins = "open" if event.type == "ticket_created" else "keep"
        to = told.named(event.data["to"]) if "to" in event.data else begins
        came = event.data.get("from")
        if came is not None and told.named(came) != told.state:
            self.fault(told, event, f"comes from {came}, but the ticket is {told.state}")
        roles = self._roles(told, event.actor_id)
        if event.data.get("agent_id") == str(event.actor_id):
            roles.add("kept")
        rule = rule_for(event.type, told.state, to, roles, self._lacks(event))
        if rule is None:
            who = ", ".join(sorted(roles))
            self.fault(told, event, f"no rule lets {who} go from {told.state} to {to}")
        elif FOLLOWS.get((rule.event, rule.to)) or FOLLOWS.get((rule.event, rule.states)):
            after = FOLLOWS.get((rule.event, rule.to)) or FOLLOWS[rule.event, rule.states]
            if told.last != after and not (rule.to == "needs_human" and "holder" in roles):
                self.fault(told, event, f"comes after {told.last}, not after {after}")
        self._hearing(told, event, mover)
        self._move(told, event, to, rule.lease if rule else "keep")
        told.last = event.type

    def _lacks(self, event: Event) -> bool:
        ticket = event.ticket_id
        if ticket is None or ticket in self._incomplete:
            return True
        return event.seq <= self._completed.get(ticket, 0)

    def _roles(self, told: Told, actor_id: UUID) -> set[str]:
        kind = self._kinds.get(actor_id, "system")
        roles = {{"person": "member", "agent": "agent", "system": "desk"}.get(kind, kind)}
        if actor_id == told.creator_id:
            roles.add("creator")
        if actor_id == told.holder_id:
            roles.add("holder")
        if actor_id == told.solver_id:
            roles.add("solver")
        if kind == "agent" and actor_id not in (told.creator_id, told.solver_id):
            roles.add("verifier")
        return roles

    def _hearing(self, told: Told, event: Event, mover: UUID) -> None:
        for who, hears in ((told.creator_id, CREATOR_HEARS), (told.solver_id, SOLVER_HEARS)):
            if who is None or event.type not in hears or mover == who:
                continue
            if who in self._gone and self._gone[who] <= event.at:
                continue  # one that has retired hears nothing any more
            if (who, event.seq) not in self._heard:
                part = "creator" if who == told.creator_id else "solver"
                self.fault(told, event, f"its {part} does not hear of it")
        if (mover, event.seq) in self._heard:
            self.fault(told, event, "whoever did it hears of it")

    def _move(self, told: Told, event: Event, to: str, lease: str) -> None:
        if to != "keep":
            told.state = to
        if "verification_id" in event.data and event.type in ("stage_approved", "stage_rejected"):
            told.decided.append(event.data["verification_id"])
        if event.type == "ticket_handed_off":
            told.children.append(event.data["child"]["id"])
        least = None if told.lease_began is None else told.lease_began + LEASE_LEAST
        too_soon = least is not None and event.at < least and not self.moved_leases
        if event.type == "claim_expired" and too_soon:
            self.fault(told, event, "a lease ends by itself sooner than any lease may")
        is_leased = told.state in LEASED.split()
        if lease == "start" or (lease == "begin" and is_leased):
            if told.holder_id is not None:
                self.fault(told, event, "a lease begins while another runs")
            told.solver_id = event.actor_id if lease == "start" else told.solver_id
            told.holder_id, told.lease_began = told.solver_id, event.at
            told.claims += 1
        elif not is_leased:
            told.holder_id = None

    def _end(self, told: Told, row: Ticket) -> None:
        if told.state != told.named(row.state):
            self.fault(told, None, f"its events end in {told.state}, the ticket is {row.state}")
        holder = row.solver_id if row.claim_id is not None else None
        if told.holder_id != holder:
            self.fault(told, None, f"its events say {told.holder_id} holds it, it is {holder}")
        if len(told.decided) != len(set(told.decided)):
            self.fault(told, None, "a stage was decided twice")
        if len(told.children) > 1:
            self.fault(told, None, "it was handed on twice")

    def _claims(self, rows: dict[UUID, Ticket]) -> None:
        """One lease after the other, as many as the events tell of, each ended with a reason."""
        found: dict[UUID, list[Claim]] = defaultdict(list)
        for claim in Claim.objects.of(self.org_id).order_by("seq"):
            found[claim.ticket_id].append(claim)
        for ticket_id, told in self.told.items():
            claims = found[ticket_id]
            if len(claims) != told.claims:
                self.fault(told, None, f"{len(claims)} leases, but its events tell {told.claims}")
            for earlier, later in pairwise(claims):
                if earlier.ended_at is None or earlier.ended_at > later.started_at:
                    self.fault(told, None, f"two leases at once: {earlier.id} and {later.id}")
            for claim in claims:
                is_live = claim.id == rows[ticket_id].claim_id
                if is_live != (claim.ended_at is None) or is_live == bool(claim.end_reason):
                    self.fault(told, None, f"the lease {claim.id} is neither live nor ended")
