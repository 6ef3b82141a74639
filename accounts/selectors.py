"""Reads of accounts. Everything takes the actor, and a stranger gets `Missing`."""

from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

from django.db.models import Case, IntegerField, Max, Value, When
from django.db.models.functions import Lower

from accounts.models import Actor, Agent, Connector, Invitation, Membership, Project, Token, User
from accounts.states import Role, TokenKind
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Forbidden, Missing
from stuckbot.lib.keyset import Keys, Rows, Values, rows_page

#: Owners first, and each role by name. The actor's id outlives the membership: the place of who
#: was removed meanwhile is still a place.
_MEMBERS: Final[Keys] = (("rank", False), ("sorted_by", False), ("actor_id", False))
_RANK: Final = Case(
    *(When(role=role, then=Value(rank)) for rank, role in enumerate(Role.values)),
    output_field=IntegerField(),
)
_INVITATIONS: Final[Keys] = (("created_at", True), ("id", True))


class MemberPlace(NamedTuple):
    """Where somebody stands in the list of members; `rank` is their role's."""

    rank: int
    actor_id: UUID


def agent_get(*, actor: Caller) -> Agent:
    """The calling agent's own row."""
    agent = Agent.objects.of(actor.org_id).filter(id=actor.id).first()
    if agent is None:
        raise Missing
    return agent


def connector_get(*, actor: Caller) -> Connector:
    """The connector that an enrollment secret belongs to."""
    connector = Connector.objects.of(actor.org_id).filter(id=actor.id).first()
    if connector is None:
        raise Missing
    return connector


def projects_list(*, actor: Caller) -> list[Project]:
    """The projects the actor can read, by name."""
    projects = Project.objects.of(actor.org_id)
    if actor.project_ids is not None:
        projects = projects.filter(id__in=actor.project_ids)
    return list(projects.order_by("name", "id"))


def members_page(
    *,
    actor: Caller,
    after: MemberPlace | None = None,
    before: MemberPlace | None = None,
    limit: int,
) -> Rows[Membership]:
    """Members with when they were last seen, here or by a token; owners first, then by name."""
    members = Membership.objects.of(actor.org_id)
    page = rows_page(
        members.annotate(rank=_RANK, sorted_by=Lower("actor__name")),
        _MEMBERS,
        after=_place_values(actor, after),
        before=_place_values(actor, before),
        limit=limit,
    )
    wanted = [one.id for one in page.found]
    whole = members.filter(id__in=wanted).select_related("user", "actor")
    found = whole.annotate(token_used_at=Max("tokens__used_at")).in_bulk(wanted)
    shown: list[Membership] = [found[one] for one in wanted if one in found]
    return Rows(shown, page.is_first, page.is_last)


def member_place(member: Membership) -> MemberPlace:
    return MemberPlace(list(Role).index(Role(member.role)), member.actor_id)


def _place_values(actor: Caller, place: MemberPlace | None) -> Values | None:
    """The place as the database sorts it; refuses one that is nobody's of this org."""
    if place is None:
        return None
    names = Actor.objects.of(actor.org_id).filter(id=place.actor_id)
    name = names.values_list(Lower("name"), flat=True).first()
    if name is None:
        raise Missing
    return place.rank, name, place.actor_id


def invitations_page(
    *,
    actor: Caller,
    after: tuple[datetime, UUID] | None = None,
    before: tuple[datetime, UUID] | None = None,
    limit: int,
) -> Rows[Invitation]:
    """Invitations neither used nor withdrawn, the newest first; none for who may not invite."""
    if not actor.is_admin:
        return Rows([], is_first=True, is_last=True)
    waiting = Invitation.objects.of(actor.org_id).filter(accepted_at=None, revoked_at=None)
    rows = waiting.select_related("invited_by")
    return rows_page(rows, _INVITATIONS, after=after, before=before, limit=limit)


def person_tokens_list(*, user: User) -> list[Token]:
    """The personal access tokens of somebody's own, in all of their orgs, newest first."""
    tokens: list[Token] = []
    for membership in user.memberships.select_related("org"):
        found = Token.objects.of(membership.org_id).filter(membership=membership, revoked_at=None)
        tokens += found.select_related("org").order_by("-created_at", "-id")
    return tokens


def live_agents_count(*, org_id: UUID, now: datetime) -> int:
    """Agents that are not retired and hold a token that has not run out."""
    return (
        Token.objects.of(org_id)
        .filter(
            kind=TokenKind.AGENT,
            revoked_at=None,
            expires_at__gt=now,
            agent__retired_at=None,
        )
        .values("agent_id")
        .distinct()
        .count()
    )


def caller_of_membership(membership: Membership) -> Caller:
    """A person signed in to the pages, as an actor of that org."""
    org = membership.org
    return Caller(
        id=membership.actor_id,
        org_id=org.id,
        kind="person",
        name=membership.actor.name,
        role=membership.role,
        org_paused=org.paused_at is not None,
        policy_version=org.policy_version,
    )


def scope_require(actor: Caller, scope: str) -> None:
    """Refuses an agent without `scope`, and a viewer; other people act by their role."""
    if actor.is_person:
        if not actor.is_member:
            raise Forbidden("A viewer can read but not change anything. Ask for a member's role.")
        return
    if scope not in actor.scopes:
        raise Forbidden(
            f"This token needs the scope {scope}. Ask whoever set it up.",
            code="insufficient_scope",
            details={"required_scope": scope},
        )


def scopes_any_require(actor: Caller, scopes: tuple[str, ...]) -> None:
    """Refuses an agent with none of `scopes`, and a viewer."""
    if not actor.is_agent:
        scope_require(actor, scopes[0])
    elif not actor.scopes & set(scopes):
        raise Forbidden(
            f"This token needs one of the scopes {', '.join(scopes)}. Ask whoever set it up.",
            code="insufficient_scope",
            details={"required_scope": scopes[0]},
        )
