"""The fleet as a person sees it: agents with what they have in hand, and one of them whole."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db.models import Count, F, QuerySet, Window
from django.db.models.functions import RowNumber

from accounts.fleet import Counts, Wish, agent_of, agents_count, agents_page
from accounts.models import Agent
from stuckbot.lib.caller import Caller
from stuckbot.lib.content import text_of
from stuckbot.lib.keyset import Rows
from stuckbot.lib.models import Content
from tickets.events import actor_events_newest
from tickets.models import Ticket
from verification.models import Verification
from verification.states import VerificationState

#: Of what an agent has in hand, as much as a card of a list names.
HELD_NAMED: Final = 2
#: On its own page.
HELD_SHOWN: Final = 50
#: Events of one page.
PAGE: Final = 50
#: Tickets it filed or solved that its page names.
TICKETS_SHOWN: Final = 5


class InHand(NamedTuple):
    """A ticket that an agent holds, or whose fix it checks, until when."""

    ref: str
    title: str
    until: datetime
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


@dataclass(frozen=True, slots=True)
class Fleet:
    """A page of agents, and how many there are of each kind."""

    page: Rows[Agent]
    seen: list[AgentSeen]
    counts: Counts


@dataclass(frozen=True, slots=True)
class Doings:
    """What an agent did, newest first; `earlier` is the mark of what came before."""

    events: list[dict[str, Any]]
    earlier: int | None


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
    counts = agents_count(actor=actor, wish=wish, holders=busy, now=now)
    return Fleet(page, agents_seen(page.found, now, named=HELD_NAMED), counts)


def agent_seen(*, actor: Caller, agent_id: UUID, now: datetime) -> AgentSeen:
    """One agent; of another org it is Missing."""
    agent = agent_of(actor=actor, agent_id=agent_id, now=now)
    return agents_seen([agent], now, named=HELD_SHOWN)[0]


def agents_seen(agents: Sequence[Agent], now: datetime, *, named: int) -> list[AgentSeen]:
    """Agents with what they say of themselves and what they have in hand, `named` of each."""
    if not agents:
        return []
    org_id, ids = agents[0].org_id, [one.id for one in agents]
    said = Content.objects.of(org_id).filter(id__in=ids, kind="agent_status").in_bulk()
    found = _held(org_id, ids, now, named)
    for agent_id, (checks, count) in _checked(org_id, ids, now, named).items():
        held, held_count = found.get(agent_id, ([], 0))
        found[agent_id] = ((held + checks)[:named], held_count + count)
    return [_seen(one, said.get(one.id), *found.get(one.id, ([], 0))) for one in agents]


def _seen(agent: Agent, said: Content | None, in_hand: list[InHand], count: int) -> AgentSeen:
    row: Any = agent
    heard = (agent.last_seen_at, row.token_used_at)
    return AgentSeen(
        agent=agent,
        is_live=bool(row.is_live),
        seen_at=max((at for at in heard if at is not None), default=None),
        status=text_of(said.bytes, said.key_id) if said else "",
        status_at=said.created_at if said else None,
        in_hand=in_hand,
        in_hand_count=count,
    )


_InHand = dict[UUID, tuple[list[InHand], int]]


def _held(org_id: UUID, ids: list[UUID], now: datetime, named: int) -> _InHand:
    tickets = Ticket.objects.of(org_id).filter(
        solver_id__in=ids, claim__isnull=False, lease_until__gt=now
    )
    place = Window(
        RowNumber(), partition_by=F("solver_id"), order_by=[F("lease_until"), F("number")]
    )
    found = tickets.annotate(
        place=place, count=Window(Count("id"), partition_by=F("solver_id"))
    ).filter(place__lte=named)
    rows = found.order_by("place").values_list(
        "solver_id", "count", "number", "title__bytes", "title__key_id", "lease_until"
    )
    return _by_agent(rows, is_check=False)


def _checked(org_id: UUID, ids: list[UUID], now: datetime, named: int) -> _InHand:
    jobs = Verification.objects.of(org_id).filter(
        state=VerificationState.WAITING_AGENT, claimed_by_id__in=ids, claim_until__gt=now
    )
    place = Window(
        RowNumber(), partition_by=F("claimed_by_id"), order_by=[F("claim_until"), F("id")]
    )
    found = jobs.annotate(
        place=place, count=Window(Count("id"), partition_by=F("claimed_by_id"))
    ).filter(place__lte=named)
    rows = found.order_by("place").values_list(
        "claimed_by_id",
        "count",
        "ticket__number",
        "ticket__title__bytes",
        "ticket__title__key_id",
        "claim_until",
    )
    return _by_agent(rows, is_check=True)


def _by_agent(rows: Iterable[tuple[Any, ...]], *, is_check: bool) -> _InHand:
    found: _InHand = {}
    for agent_id, count, number, stored, key_id, until in rows:
        found.setdefault(agent_id, ([], count))[0].append(
            InHand(f"SB-{number}", text_of(stored, key_id), until, is_check)
        )
    return found


def doings(*, agent: Agent, since: datetime | None = None, before: int | None = None) -> Doings:
    """A page of all that an agent did; with `since`, of what it did from then on."""
    events = actor_events_newest(
        org_id=agent.org_id, actor_id=agent.actor_id, before=before, limit=PAGE + 1
    )
    has_more = len(events) > PAGE
    shown = events[:PAGE]
    earlier = shown[-1]["id"] if has_more else None
    if since is not None:
        within = [one for one in shown if datetime.fromisoformat(one["at"]) >= since]
        earlier = earlier if len(within) == len(shown) else None
        shown = within
    return Doings(shown, earlier)
