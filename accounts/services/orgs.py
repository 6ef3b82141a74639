"""Orgs, members, projects, connectors and their secrets, for the admin and the commands."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import F

from accounts.models import Actor, Agent, Connector, Membership, Org, Project, Token, User
from accounts.names import Name, name_clean
from accounts.services.agents import agent_make
from accounts.states import ActorKind, Role, TokenKind
from accounts.tokens import Fresh, token_fresh
from stuckbot.lib import ids
from stuckbot.lib.caller import Caller
from stuckbot.lib.idempotency import Keep
from stuckbot.lib.models import OrgClock
from stuckbot.lib.timers import timer_set
from stuckbot.lib.unit import unit_of_work

#: The timer whose work is to free what a locked out connector's agents hold.
FLEET_STOPPED: Final = "fleet_stopped"


def org_make(*, name: str, now: datetime, project_name: str = "Default") -> Org:
    """An org with its clock, its system actor and a default project."""
    clean = name_clean(name)
    with transaction.atomic():
        org = Org.objects.create(name=clean, created_at=now)
        OrgClock.unscoped.bulk_create([OrgClock(org_id=org.id)])
        # The system actor has the org's id: no look-up when the worker acts.
        Actor.unscoped.bulk_create(
            [Actor(id=org.id, org=org, kind=ActorKind.SYSTEM, name="StuckBot")]
        )
        project = project_make(org=org, name=project_name, now=now)
        org.default_project = project
        Org.objects.filter(id=org.id).update(default_project=project)
    return org


def system_caller(org_id: UUID) -> Caller:
    """The desk itself, acting in an org."""
    return Caller(id=org_id, org_id=org_id, kind="system", name="StuckBot")


def project_make(*, org: Org, name: str, now: datetime) -> Project:
    project = Project(org=org, name=name_clean(name), created_at=now)
    Project.unscoped.bulk_create([project])
    return project


def member_add(*, org: Org, user: User, role: Role, now: datetime) -> Membership:
    """Makes `user` a member of `org`, with an actor of their own there."""
    with transaction.atomic():
        actor = Actor.objects.of(org.id).filter(user=user).first()
        if actor is None:
            actor = Actor(
                id=ids.uuid7(),
                org=org,
                kind=ActorKind.PERSON,
                name=name_clean(user.shown_name),
                user=user,
            )
            Actor.unscoped.bulk_create([actor])
        membership = Membership(org=org, user=user, actor=actor, role=role, created_at=now)
        Membership.unscoped.bulk_create([membership])
    return membership


def connector_make(
    *, org: Org, name: str, scopes: Sequence[str], set_up_by: Actor | None, now: datetime
) -> Connector:
    """A connector and its actor, under one id."""
    clean = name_clean(name)
    with transaction.atomic():
        connector_id = ids.uuid7()
        Actor.unscoped.bulk_create(
            [Actor(id=connector_id, org=org, kind=ActorKind.CONNECTOR, name=clean)]
        )
        connector = Connector(
            id=connector_id,
            org=org,
            name=clean,
            scopes=list(scopes),
            set_up_by=set_up_by,
            created_at=now,
        )
        Connector.unscoped.bulk_create([connector])
    return connector


def enrollment_secret_make(*, actor: Caller, connector: Connector, now: datetime) -> Fresh:
    """A fresh enrollment secret; the connector's older ones stop working."""
    with unit_of_work(actor, now) as unit:
        # Of two that are made at once, the second one sees the first.
        Connector.objects.of(actor.org_id).select_for_update(no_key=True).get(id=connector.id)
        Token.objects.of(actor.org_id).filter(connector=connector, revoked_at=None).update(
            revoked_at=now
        )
        fresh = _issue(TokenKind.ENROLLMENT, actor, now, Name(connector.name), connector=connector)
        unit.audit("enrollment_secret_made", str(connector.id), token_id=str(fresh.row.id))
    return fresh


def connector_disable(
    *, actor: Caller, connector: Connector, now: datetime, keep: Keep | None = None
) -> None:
    """Stops the whole fleet: neither the connector's secret nor its agents' tokens sign in.

    What they hold is freed by the worker, right after: a fleet may hold more than one write takes.
    """
    with unit_of_work(actor, now, keep) as unit:
        Connector.objects.of(actor.org_id).filter(id=connector.id).update(disabled_at=now)
        timer_set(org_id=actor.org_id, kind=FLEET_STOPPED, subject=connector.id, due_at=now)
        unit.audit("connector_disabled", str(connector.id))


def connector_enable(
    *, actor: Caller, connector: Connector, now: datetime, keep: Keep | None = None
) -> None:
    with unit_of_work(actor, now, keep) as unit:
        Connector.objects.of(actor.org_id).filter(id=connector.id).update(disabled_at=None)
        unit.audit("connector_enabled", str(connector.id))


def direct_key_make(
    *,
    actor: Caller,
    org: Org,
    name: str,
    scopes: Sequence[str],
    now: datetime,
    expires_at: datetime | None = None,
    keep: Keep | None = None,
) -> Fresh:
    """A named agent of its own with a key that stays until it is revoked or runs out."""
    clean = name_clean(name)
    with unit_of_work(actor, now, keep) as unit:
        set_up_by = None if actor.kind == "system" else Actor.objects.of(org.id).get(id=actor.id)
        agent = agent_make(org=org, name=clean, scopes=scopes, set_up_by=set_up_by, now=now)
        fresh = _issue(TokenKind.DIRECT, actor, now, clean, agent=agent, expires_at=expires_at)
        unit.audit("direct_key_made", str(agent.id), token_id=str(fresh.row.id))
    return fresh


def direct_key_renew(*, actor: Caller, agent: Agent, now: datetime) -> Fresh:
    """A fresh key for an agent that has one, ending when that would; the older ones stop."""
    with unit_of_work(actor, now) as unit:
        Agent.objects.of(actor.org_id).select_for_update(no_key=True).get(id=agent.id)
        keys = Token.objects.of(actor.org_id).filter(agent=agent, kind=TokenKind.DIRECT)
        newest = keys.order_by("-created_at", "-id").first()
        ends = newest.expires_at if newest is not None else None
        keys.filter(revoked_at=None).update(revoked_at=now)
        fresh = _issue(TokenKind.DIRECT, actor, now, Name(agent.name), agent=agent, expires_at=ends)
        unit.audit("direct_key_made", str(agent.id), token_id=str(fresh.row.id))
    return fresh


def person_token_make(
    *,
    membership: Membership,
    name: str,
    now: datetime,
    expires_at: datetime | None = None,
    keep: Keep | None = None,
) -> Fresh:
    """A personal access token: acts with the member's role, whatever that is at the time."""
    clean = name_clean(name)
    person = Caller(
        id=membership.actor_id,
        org_id=membership.org_id,
        kind="person",
        name=membership.actor.name,
        role=membership.role,
    )
    with unit_of_work(person, now, keep) as unit:
        fresh = _issue(
            TokenKind.PERSON, person, now, clean, membership=membership, expires_at=expires_at
        )
        unit.audit("person_token_made", str(membership.id), token_id=str(fresh.row.id))
    return fresh


def token_revoke(*, actor: Caller, token: Token, now: datetime, keep: Keep | None = None) -> None:
    """Revokes one token at once; what it did stays."""
    with unit_of_work(actor, now, keep) as unit:
        Token.objects.of(actor.org_id).filter(id=token.id, revoked_at=None).update(revoked_at=now)
        unit.audit("token_revoked", str(token.id), kind=token.kind)


def policy_touched(*, org_id: UUID) -> None:
    """Steps the org's policy version, so that no process decides by a cached policy."""
    Org.objects.filter(id=org_id).update(policy_version=F("policy_version") + 1)


def _issue(kind: TokenKind, actor: Caller, now: datetime, name: Name, **bearer: object) -> Fresh:
    bearer |= {"name": name, "set_up_by_id": None if actor.kind == "system" else actor.id}
    fresh = token_fresh(kind, org_id=actor.org_id, now=now, **bearer)
    Token.unscoped.bulk_create([fresh.row])
    return fresh
