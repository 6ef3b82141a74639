"""The fleet as a person sees it: agents with what they have in hand, and one of them whole."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db.models import Count, DateTimeField, F, QuerySet, Value, Window
from django.db.models.functions import Coalesce, RowNumber

from accounts.fleet import (
    Group,
    Relations,
    Wish,
    agent_of,
    agent_relations,
    agent_tokens,
    agents_count,
    agents_page,
)
from accounts.models import Agent, AgentRequest, Signal, Token
from stuckbot.lib.caller import Caller
from stuckbot.lib.content import text_of, value_of
from stuckbot.lib.errors import Missing
from stuckbot.lib.keyset import Rows
from tickets.events import actor_events_newest
from tickets.models import Ticket
from verification.doings import Doings, tickets_of_actor
from verification.models import Verification
from verification.states import VerificationState

#: Of what an agent has in hand, as much as is read for a card of a list.
HELD_READ: Final = 10
#: On its own page: what it has in hand, and the newest of what it filed, solved and was asked.
HELD_SHOWN: Final = 50
DONE_SHOWN: Final = 5
SAID_SHOWN: Final = 10
#: Events of one page.
PAGE: Final = 50


class InHand(NamedTuple):
    """A ticket that an agent holds, or whose fix it checks, until when."""

    ref: str
    title: str
    until: datetime
    project_id: UUID
    is_check: bool


@dataclass(frozen=True, slots=True)
class AgentSeen:
    """An agent as it stands. `in_hand` are the first of `in_hand_count`; `status` is what it
    says of itself."""

    agent: Agent
    is_live: bool
    seen_at: datetime | None
    status: str
    status_at: datetime | None
    in_hand: list[InHand] = field(default_factory=list)
    in_hand_count: int = 0

    @property
    def held_projects(self) -> set[UUID]:
        """The projects of the tickets it holds, as far as they were read."""
        return {one.project_id for one in self.in_hand if not one.is_check}


@dataclass(frozen=True, slots=True)
class Fleet:
    """A page of agents, and how many each connector has of each kind."""

    page: Rows[Agent]
    seen: list[AgentSeen]
    groups: list[Group]


class Asked(NamedTuple):
    """What an agent was asked for, and how that ended; `kind` is handoff or stop."""

    kind: str
    reason: str
    at: datetime
    by: str
    message: str
    ended_at: datetime | None
    ended_by: str


class Signalled(NamedTuple):
    """A word about an agent: its own, or the desk's. `details` are as they were sent."""

    type: str
    cause: str
    at: datetime
    details: Any


@dataclass(frozen=True, slots=True)
class AgentSight:
    """One agent whole. `events` are all that it did, newest first; `earlier` is the mark of what
    came before them. Of `tokens` and `children` there is one more than shown where there are more.
    """

    seen: AgentSeen
    tickets: Doings
    relations: Relations
    tokens: list[Token]
    asked: list[Asked]
    signals: list[Signalled]
    events: list[dict[str, Any]]
    earlier: int | None
    since: Token | None


def holders(org_id: UUID, now: datetime) -> QuerySet[Any]:
    """The ids of whoever holds a ticket by a lease that runs."""
    held = Ticket.objects.of(org_id).filter(claim__isnull=False, lease_until__gt=now)
    return held.filter(solver__isnull=False).values("solver_id")


def fleet_page(
    *,
    actor: Caller,
    wish: Wish,
    now: datetime,
    after: UUID | None = None,
    before: UUID | None = None,
    limit: int,
) -> Fleet:
    """In as many statements however many agents there are."""
    busy = holders(actor.org_id, now)
    page = agents_page(
        actor=actor, wish=wish, holders=busy, now=now, after=after, before=before, limit=limit
    )
    groups = agents_count(actor=actor, named=wish.named, holders=busy, now=now)
    return Fleet(page, agents_seen(page.found, now, most=HELD_READ), groups)


def agents_seen(agents: Sequence[Agent], now: datetime, *, most: int) -> list[AgentSeen]:
    """Agents with what they say of themselves and what they have in hand, `most` of each."""
    if not agents:
        return []
    org_id, ids = agents[0].org_id, [one.id for one in agents]
    found = _held(org_id, ids, now, most)
    for agent_id, (checks, count) in _checked(org_id, ids, now, most).items():
        held, held_count = found.get(agent_id, ([], 0))
        found[agent_id] = ((held + checks)[:most], held_count + count)
    return [agent_seen(one, *found.get(one.id, ([], 0))) for one in agents]


def agent_seen(agent: Agent, in_hand: list[InHand], count: int) -> AgentSeen:
    """An agent as `accounts.fleet` reads it, with what it has in hand."""
    row: Any = agent
    heard = (agent.last_seen_at, agent.alive_at, row.token_used_at)
    return AgentSeen(
        agent=agent,
        is_live=bool(row.is_live),
        seen_at=max((at for at in heard if at is not None), default=None),
        status=text_of(row.said_bytes, row.said_key),
        status_at=row.said_at,
        in_hand=in_hand,
        in_hand_count=count,
    )


_InHand = dict[UUID, tuple[list[InHand], int]]


def _held(org_id: UUID, ids: list[UUID], now: datetime, most: int) -> _InHand:
    tickets = Ticket.objects.of(org_id).filter(
        solver_id__in=ids, claim__isnull=False, lease_until__gt=now
    )
    place = Window(
        RowNumber(), partition_by=F("solver_id"), order_by=[F("lease_until"), F("number")]
    )
    found = tickets.annotate(
        place=place, count=Window(Count("id"), partition_by=F("solver_id"))
    ).filter(place__lte=most)
    rows = found.order_by("place").values_list(
        *("solver_id", "count", "number", "title__bytes", "title__key_id", "lease_until"),
        "project_id",
    )
    return _by_agent(rows, is_check=False)


def _checked(org_id: UUID, ids: list[UUID], now: datetime, most: int) -> _InHand:
    jobs = Verification.objects.of(org_id).filter(
        state=VerificationState.WAITING_AGENT, claimed_by_id__in=ids, claim_until__gt=now
    )
    place = Window(
        RowNumber(), partition_by=F("claimed_by_id"), order_by=[F("claim_until"), F("id")]
    )
    found = jobs.annotate(
        place=place, count=Window(Count("id"), partition_by=F("claimed_by_id"))
    ).filter(place__lte=most)
    rows = found.order_by("place").values_list(
        "claimed_by_id",
        "count",
        "ticket__number",
        "ticket__title__bytes",
        "ticket__title__key_id",
        "claim_until",
        "ticket__project_id",
    )
    return _by_agent(rows, is_check=True)


def _by_agent(rows: Iterable[tuple[Any, ...]], *, is_check: bool) -> _InHand:
    found: _InHand = {}
    for agent_id, count, number, stored, key_id, until, project_id in rows:
        title = text_of(stored, key_id)
        found.setdefault(agent_id, ([], count))[0].append(
            InHand(f"SB-{number}", title, until, project_id, is_check)
        )
    return found


def agent_sight(
    *,
    actor: Caller,
    agent_id: UUID,
    now: datetime,
    since_id: UUID | None = None,
    before: int | None = None,
) -> AgentSight:
    """An agent with all that it did, or all since one of its tokens was made."""
    agent = agent_of(actor=actor, agent_id=agent_id, now=now)
    tokens = agent_tokens(agent)
    since = next((one for one in tokens if one.id == since_id), None)
    if since_id is not None and since is None:
        raise Missing
    tickets = tickets_of_actor(
        org_id=agent.org_id, actor_id=agent.id, now=now, done=DONE_SHOWN, in_hand=HELD_SHOWN
    )
    asked, signals = _said_of(agent)
    events, earlier = _did(agent, since.created_at if since else None, before)
    in_hand = [
        InHand(*one, is_check)
        for part, is_check in ((tickets.held, False), (tickets.checked, True))
        for one in part.first
    ]
    count = tickets.held.number + tickets.checked.number
    return AgentSight(
        seen=agent_seen(agent, in_hand, count),
        tickets=tickets,
        relations=agent_relations(agent),
        tokens=tokens,
        asked=asked,
        signals=signals,
        events=events,
        earlier=earlier,
        since=since,
    )


def _said_of(agent: Agent) -> tuple[list[Asked], list[Signalled]]:
    """The newest requests and signals, in one statement."""
    asked = AgentRequest.objects.of(agent.org_id).filter(agent=agent)
    newest = asked.order_by("-requested_at", "-id").values("id")[:SAID_SHOWN]
    signals = Signal.objects.of(agent.org_id).filter(agent=agent)
    latest = signals.order_by("-at", "-id").values("id")[:SAID_SHOWN]
    nothing, never = Value(""), Value(None, output_field=DateTimeField())
    rows = (
        AgentRequest.objects.of(agent.org_id)
        .filter(id__in=newest)
        .annotate(sort=Value("asked"))
        .values_list(
            *("sort", "kind", "reason", "requested_at", "requested_by__name"),
            *("message__bytes", "message__key_id", "ended_at", "ended_by"),
        )
        .union(
            Signal.objects.of(agent.org_id)
            .filter(id__in=latest)
            .annotate(
                sort=Value("signal"),
                why=Coalesce("cause", nothing),
                nobody=nothing,
                no_end=never,
                no_how=nothing,
            )
            .values_list(
                *("sort", "type", "why", "at", "nobody"),
                *("details__bytes", "details__key_id", "no_end", "no_how"),
            ),
            all=True,
        )
    )
    found = sorted(rows, key=lambda row: row[3], reverse=True)
    return (
        [
            Asked(kind, reason, at, by, text_of(stored, key_id), ended_at, ended_by)
            for sort, kind, reason, at, by, stored, key_id, ended_at, ended_by in found
            if sort == "asked"
        ],
        [
            Signalled(row[1], row[2], row[3], (value_of(row[5], row[6]) or {}).get("details"))
            for row in found
            if row[0] == "signal"
        ],
    )


def _did(
    agent: Agent, since: datetime | None, before: int | None
) -> tuple[list[dict[str, Any]], int | None]:
    """A page of all that it did, newest first; with `since`, of what it did from then on."""
    found = actor_events_newest(
        org_id=agent.org_id, actor_id=agent.id, before=before, limit=PAGE + 1
    )
    shown, has_more = found[:PAGE], len(found) > PAGE
    within = [one for one in shown if since is None or datetime.fromisoformat(one["at"]) >= since]
    has_more = has_more and len(within) == len(shown)
    return within, shown[-1]["id"] if has_more else None
