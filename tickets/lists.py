"""The lists that people page through: the board of open tickets, the archive of closed ones."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db.models import Count, F, Q, QuerySet

from stuckbot.lib.caller import Caller
from stuckbot.lib.paging import Place
from tickets.cards import Card, cards_of
from tickets.models import Claim, Tag, Ticket, WordSet
from tickets.search.find import Mark, search
from tickets.search.query import Query
from tickets.selectors import in_colors, in_states, tickets_readable
from tickets.states import IN_REVIEW, LEASED, State

LABELS_OFFERED: Final = 100


@dataclass(frozen=True, slots=True)
class Wish:
    """Which tickets somebody wants to see, and in which order. Empty means no matter."""

    closed: bool = False
    project_ids: frozenset[UUID] = field(default_factory=frozenset)
    color: str = ""
    urgency: int = 1
    label: str = ""
    whose: str = ""
    situation: str = ""
    order: str = "urgent"


class Page(NamedTuple):
    """Cards in order, and whether there are more on either side."""

    cards: list[Card]
    is_first: bool
    is_last: bool


#: Each order as (column, downwards); the last column makes it unique.
ORDERS: Final[Mapping[str, tuple[tuple[str, bool], ...]]] = {
    "urgent": (("urgency", True), ("created_at", False), ("id", False)),
    "newest": (("created_at", True), ("id", True)),
    "oldest": (("created_at", False), ("id", False)),
    "closed": (("closed_at", True), ("id", True)),
}

#: What an open ticket is in the middle of.
SITUATIONS: Final[Mapping[str, Callable[[datetime], Q]]] = {
    "waiting": lambda now: in_states(frozenset({State.OPEN}), now),
    "working": lambda now: in_states(LEASED, now),
    "review": lambda now: in_states(IN_REVIEW, now),
    "unfinished": lambda now: in_states(frozenset({State.BLOCKER_RESOLVED}), now),
    "decide": lambda now: Q(state=State.NEEDS_HUMAN),
    "blocked": lambda now: Q(blocked_since__isnull=False),
    "paused": lambda now: Q(paused_at__isnull=False),
    "incomplete": lambda now: Q(incomplete=True),
}
#: How a closed ticket ended.
OUTCOMES: Final[Mapping[str, Q]] = {
    "finished": Q(state=State.COMPLETED),
    "unblocked": Q(state=State.BLOCKER_RESOLVED),
    "closed": Q(state=State.CLOSED) & ~Q(assurance="none"),
    "unproven": Q(assurance="none"),
    "withdrawn": Q(state=State.WITHDRAWN),
    "handed_off": Q(state=State.HANDED_OFF),
}
WHOSE: Final = ("mine", "created", "held", "assigned")


def tickets_page(
    *,
    actor: Caller,
    wish: Wish,
    now: datetime,
    after: Place | None = None,
    before: Place | None = None,
    limit: int,
) -> Page:
    """A page of tickets: the first, the one after a place, or the one before it.

    A page before a place that would not be full is the first page: nobody pages back to a stump.
    """
    keys = ORDERS["closed" if wish.closed else wish.order]
    tickets = _wished(actor, wish, now)
    if before is not None:
        back = [(name, not down) for name, down in keys]
        found = _take(tickets, back, before, limit)
        if len(found) > limit:
            cards = cards_of(found[:limit][::-1], actor.org_id)
            return Page(cards, is_first=False, is_last=False)
        after = None
    found = _take(tickets, keys, after, limit)
    cards = cards_of(found[:limit], actor.org_id)
    return Page(cards, is_first=after is None, is_last=len(found) <= limit)


class Searched(NamedTuple):
    """A page of what a search found, and where the next begins; None after the last."""

    cards: list[Card]
    next: Mark | None


def tickets_search(
    *, actor: Caller, query: Query, wish: Wish, now: datetime, after: Mark | None, limit: int
) -> Searched:
    """Wished tickets that match, in the search's own order."""
    page = search(
        actor=actor,
        query=query,
        narrow=lambda tickets: _narrowed(tickets, actor, wish, now),
        after=after,
        limit=limit,
    )
    return Searched(cards_of(page.ticket_ids, actor.org_id), page.next)


def place_of(card: Card) -> Place:
    facts = card.facts
    return Place(facts.urgency, facts.closed_at or facts.created_at, facts.id)


def colours_count(*, actor: Caller, wish: Wish, now: datetime) -> dict[str, int]:
    """How many of all the wished tickets have each colour, whatever colour is wished, at once."""
    anything = Wish(**{**_fields(wish), "color": ""})
    counts = {
        color: Count("pk", filter=in_colors(frozenset({color}), actor.org_paused, now))
        for color in ("RED", "YELLOW", "ORANGE")
    }
    found: dict[str, int] = _wished(actor, anything, now).aggregate(**counts)
    return found


def labels_offered(*, actor: Caller) -> list[str]:
    """Labels of open tickets, by name, as suggestions."""
    labels = Tag.objects.of(actor.org_id).order_by("label").values_list("label", flat=True)
    return list(labels.distinct()[:LABELS_OFFERED])


def _fields(wish: Wish) -> dict[str, Any]:
    return {name: getattr(wish, name) for name in Wish.__slots__}


def _wished(actor: Caller, wish: Wish, now: datetime) -> QuerySet[Ticket]:
    return _narrowed(tickets_readable(actor), actor, wish, now)


def _narrowed(
    tickets: QuerySet[Ticket], actor: Caller, wish: Wish, now: datetime
) -> QuerySet[Ticket]:
    tickets = tickets.filter(closed_at__isnull=not wish.closed)
    if wish.project_ids:
        tickets = tickets.filter(project_id__in=wish.project_ids)
    if wish.urgency > 1:
        tickets = tickets.filter(urgency__gte=wish.urgency)
    if wish.color:
        tickets = tickets.filter(in_colors(frozenset({wish.color}), actor.org_paused, now))
    if wish.label:
        tickets = tickets.filter(labelset_id__in=_labelsets(actor.org_id, wish.label))
    if wish.whose:
        tickets = tickets.filter(_whose(actor, wish.whose, now))
    if wish.situation:
        tickets = tickets.filter(_situation(wish, now))
    return tickets


def _labelsets(org_id: UUID, label: str) -> list[UUID]:
    """The sets with that label. They are few beside the tickets, and outlive closing."""
    sets = WordSet.objects.of(org_id).filter(kind="labels").values_list("id", "words")
    return [one for one, words in sets if label in words]


def _whose(actor: Caller, whose: str, now: datetime) -> Q:
    created, assigned = Q(creator_id=actor.id), Q(assignee_id=actor.id)
    held = Q(solver_id=actor.id, claim__isnull=False, lease_until__gt=now)
    # One list of what they ever held: asked of each ticket by itself it takes ten times as long.
    once = Claim.objects.of(actor.org_id).filter(actor_id=actor.id).values("ticket_id")
    mine = created | assigned | Q(solver_id=actor.id) | Q(id__in=once)
    return {"created": created, "held": held, "assigned": assigned, "mine": mine}[whose]


def _situation(wish: Wish, now: datetime) -> Q:
    if wish.closed:
        return OUTCOMES[wish.situation]
    return SITUATIONS[wish.situation](now)


def _take(
    tickets: QuerySet[Ticket], keys: Sequence[tuple[str, bool]], place: Place | None, limit: int
) -> list[UUID]:
    """The ids of a page and one more, when there is one.

    With three columns the place is in the middle of its level (all of one urgency), which no bound
    on the first column skips; so the rest of the level is one query, what lies beyond it another.
    """
    if place is None or len(keys) < 3:
        return _ids(tickets, keys, place, limit + 1)
    (name, down), *inner = keys
    level = tickets.filter(**{name: place.rank})
    found = _ids(level, inner, place, limit + 1)
    if len(found) <= limit:
        beyond = tickets.filter(**{f"{name}__{'lt' if down else 'gt'}": place.rank})
        found += _ids(beyond, keys, None, limit + 1 - len(found))
    return found


def _ids(
    tickets: QuerySet[Ticket], keys: Sequence[tuple[str, bool]], place: Place | None, count: int
) -> list[UUID]:
    if place is not None:
        tickets = tickets.filter(_beyond(keys, place))
    order = [F(name).desc() if down else F(name).asc() for name, down in keys]
    return list(tickets.order_by(*order).values_list("id", flat=True)[:count])


def _beyond(keys: Sequence[tuple[str, bool]], place: Place) -> Q:
    """What comes after a place by a time and then the id.

    The bound on the time stands by itself, so that an index can begin at it.
    """
    (name, down), _ = keys
    bound = Q(**{f"{name}__{'lte' if down else 'gte'}": place.at})
    later = Q(**{f"{name}__{'lt' if down else 'gt'}": place.at})
    return bound & (later | Q(**{name: place.at, f"id__{'lt' if down else 'gt'}": place.id}))
