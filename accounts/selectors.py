"""Reads of accounts. Everything takes the actor, and a stranger gets `Missing`."""

from datetime import datetime
from typing import Final
from uuid import UUID

from django.db.models import Max

from accounts.models import Agent, Connector, Invitation, Membership, Project, Token, User
from accounts.states import Role, TokenKind
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Forbidden, Missing

#: The most people of an org that one page lists.
MEMBERS_MOST: Final = 500


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


def members_list(*, actor: Caller) -> list[Membership]:
    """The org's members with when they were last seen, here or by a token: owners first."""
    members = Membership.objects.of(actor.org_id).select_related("user", "actor")
    used = members.annotate(token_used_at=Max("tokens__used_at"))
    found = list(used.order_by("actor__name", "id")[:MEMBERS_MOST])
    return sorted(found, key=lambda one: list(Role).index(Role(one.role)))


def invitations_list(*, actor: Caller) -> list[Invitation]:
    """Invitations that were neither used nor withdrawn, for those who may invite."""
    if not actor.is_admin:
        return []
    waiting = Invitation.objects.of(actor.org_id).filter(accepted_at=None, revoked_at=None)
    return list(waiting.select_related("invited_by").order_by("-created_at", "-id")[:MEMBERS_MOST])


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
