"""Reads of a fleet, for people: agents and the connectors they came by, however many there are."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db.models import (
    BooleanField,
    Case,
    Count,
    IntegerField,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Coalesce, Lower

from accounts.models import Agent, Connector, Project, Token
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Missing
from stuckbot.lib.keyset import Keys, Rows, Values, rows_page
from stuckbot.lib.models import Content

#: What a list of agents may be narrowed to. `live` can sign in now; `asked` has a request open.
WHICH: Final = ("live", "working", "asked", "retired", "all")
#: Agents with a key of their own stand after those of the connectors.
_ORDER: Final[Keys] = (
    ("own_key", False),
    ("group", False),
    ("sorted_by", False),
    ("id", False),
)
#: Tokens that are shown of one agent; renewing makes one a day.
TOKENS_SHOWN: Final = 50
CHILDREN_SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class Wish:
    """What is looked for. `connector` is None for all of them; `own_key` for those without one."""

    which: str = "live"
    connector: UUID | None = None
    own_key: bool = False
    named: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """The agents of one connector, or of none, counted by kind as the list is narrowed."""

    id: UUID | None
    name: str
    disabled_at: datetime | None
    counts: dict[str, int]


class Relations(NamedTuple):
    """An agent's children (one more than shown when there are others), and the projects that it is
    kept to; none means all."""

    children: list[tuple[UUID, str]]
    projects: list[str]


def _is_live(org_id: UUID, now: datetime) -> Q:
    """Two lists of ids, each read off the index of live tokens: asked agent by agent, a database
    without statistics reads all of the org's tokens for each."""
    tokens = Token.objects.of(org_id).filter(revoked_at=None, agent__isnull=False)
    ends = tokens.filter(expires_at__gt=now).values("agent_id")
    never_ends = tokens.filter(expires_at=None).values("agent_id")
    signs_in = Q(id__in=ends) | Q(id__in=never_ends)
    return Q(retired_at=None, connector__disabled_at=None) & signs_in


_ASKED: Final = Q(retired_at=None) & (
    Q(handoff_request__isnull=False) | Q(stop_request__isnull=False)
)


def _kinds(org_id: UUID, holders: QuerySet[Any], now: datetime) -> dict[str, Q]:
    return {
        "live": _is_live(org_id, now),
        "working": Q(retired_at=None, id__in=holders),
        "asked": _ASKED,
        "retired": Q(retired_at__isnull=False),
        "all": Q(),
    }


def agents_page(
    *,
    actor: Caller,
    wish: Wish,
    holders: QuerySet[Any],
    now: datetime,
    after: UUID | None = None,
    before: UUID | None = None,
    limit: int,
) -> Rows[Agent]:
    """Agents with their connectors, those of one connector together, each by name.

    `holders` are the ids of agents that hold something. Pages go by the id of the agent at their
    edge; one of another org is Missing.
    """
    of_kind = _kinds(actor.org_id, holders, now)[wish.which]
    ordered = _ordered(actor.org_id)
    page = rows_page(
        ordered.filter(_narrowed(wish), of_kind).only("id"),
        _ORDER,
        after=_place(ordered, after),
        before=_place(ordered, before),
        limit=limit,
    )
    wanted = [one.id for one in page.found]
    whole = _seen(Agent.objects.of(actor.org_id).filter(id__in=wanted), actor.org_id, now)
    found = whole.in_bulk(wanted)
    return Rows([found[one] for one in wanted if one in found], page.is_first, page.is_last)


def agents_count(
    *, actor: Caller, named: str, holders: QuerySet[Any], now: datetime
) -> list[Group]:
    """How many agents of that name each connector has, by kind; connectors by name, none last."""
    kinds = _kinds(actor.org_id, holders, now)
    fits = _narrowed(Wish(named=named))
    counted = {kind: Count("id", filter=fits & of_kind) for kind, of_kind in kinds.items()}
    rows = Agent.objects.of(actor.org_id).order_by()
    found = rows.values_list("connector_id", "connector__name", "connector__disabled_at")
    groups = [
        Group(row[0], row[1] or "", row[2], dict(zip(kinds, row[3:], strict=True)))
        for row in found.annotate(**counted)
    ]
    return sorted(groups, key=lambda one: (one.id is None, one.name))


def agent_of(*, actor: Caller, agent_id: UUID, now: datetime) -> Agent:
    """One agent with where it came from, when it was last heard of, and whether it can sign in."""
    rows = _seen(Agent.objects.of(actor.org_id).filter(id=agent_id), actor.org_id, now)
    found = rows.select_related("connector", "set_up_by", "parent").first()
    if found is None:
        raise Missing
    return found


def agent_tokens(agent: Agent) -> list[Token]:
    """The newest of its tokens and keys with who made them, newest first; one more than shown
    when there are older ones."""
    rows = Token.objects.of(agent.org_id).filter(agent=agent).select_related("set_up_by")
    return list(rows.order_by("-created_at", "-id")[: TOKENS_SHOWN + 1])


def token_of(*, actor: Caller, agent_id: UUID, token_id: UUID) -> Token:
    """A token or key of an agent."""
    rows = Token.objects.of(actor.org_id).filter(id=token_id, agent_id=agent_id)
    found = rows.select_related("agent").first()
    if found is None:
        raise Missing
    return found


def agent_relations(agent: Agent) -> Relations:
    """Its children, newest first, and the projects it may read: its own, else its connector's."""
    org_id = agent.org_id
    newest = Agent.objects.of(org_id).filter(parent=agent).order_by("-created_at", "-id")
    children = Agent.objects.of(org_id).filter(id__in=newest.values("id")[: CHILDREN_SHOWN + 1])
    kept_to = Q(id__in=agent.project_ids)
    if not agent.project_ids and agent.connector_id:
        kept_to = Q(connector=agent.connector_id)
    projects = Project.objects.of(org_id).filter(kept_to)
    rows = children.annotate(sort=Value("child")).values_list("sort", "id", "name")
    names = rows.union(
        projects.annotate(sort=Value("project")).values_list("sort", "id", "name"), all=True
    )
    found = list(names)
    return Relations(
        [(one_id, name) for sort, one_id, name in found if sort == "child"],
        sorted(name for sort, _id, name in found if sort == "project"),
    )


def connectors_list(*, actor: Caller) -> list[Connector]:
    """Every connector of the org, by name."""
    return list(Connector.objects.of(actor.org_id).order_by("name"))


def connector_of(*, actor: Caller, connector_id: UUID) -> Connector:
    rows = Connector.objects.of(actor.org_id).filter(id=connector_id)
    found = rows.select_related("set_up_by").first()
    if found is None:
        raise Missing
    return found


def secret_live(connector: Connector, now: datetime) -> Token | None:
    """The enrollment secret that registers agents now."""
    rows = Token.objects.of(connector.org_id).filter(
        Q(expires_at=None) | Q(expires_at__gt=now), connector=connector, revoked_at=None
    )
    return rows.select_related("set_up_by").order_by("-created_at", "-id").first()


def _narrowed(wish: Wish) -> Q:
    narrowed = Q()
    if wish.own_key:
        narrowed &= Q(connector=None)
    elif wish.connector is not None:
        narrowed &= Q(connector_id=wish.connector)
    if wish.named:
        narrowed &= Q(name__icontains=wish.named)
    return narrowed


def _ordered(org_id: UUID) -> QuerySet[Agent]:
    own_key = Case(
        When(connector=None, then=Value(1)), default=Value(0), output_field=IntegerField()
    )
    return Agent.objects.of(org_id).annotate(
        own_key=own_key, group=Coalesce("connector__name", Value("")), sorted_by=Lower("name")
    )


def _seen(rows: QuerySet[Agent], org_id: UUID, now: datetime) -> QuerySet[Agent]:
    live = Case(
        When(_is_live(org_id, now), then=Value(True)),
        default=Value(False),
        output_field=BooleanField(),
    )
    # By way of the agent, for the same reason.
    same = Agent.objects.of(org_id).filter(id=OuterRef("id")).order_by().values("id")
    latest = same.annotate(latest=Max("tokens__used_at")).values("latest")
    said = Content.objects.of(org_id).filter(id=OuterRef("id"), kind="agent_status")
    through: Any = Connector.projects.through
    kept_to = through.objects.filter(connector_id=OuterRef("connector_id"))
    number = kept_to.order_by().values("connector_id").annotate(number=Count("project_id"))
    return rows.select_related("connector").annotate(
        token_used_at=Subquery(latest),
        is_live=live,
        said_bytes=Subquery(said.values("bytes")),
        said_key=Subquery(said.values("key_id")),
        said_at=Subquery(said.values("created_at")),
        connector_projects=Subquery(number.values("number")),
        connector_project=Subquery(kept_to.values("project_id")[:1]),
    )


def _place(ordered: QuerySet[Agent], agent_id: UUID | None) -> Values | None:
    """The place of an agent as the database sorts it."""
    if agent_id is None:
        return None
    names = [name for name, _down in _ORDER]
    place: Values | None = ordered.filter(id=agent_id).values_list(*names).first()
    if place is None:
        raise Missing
    return place
