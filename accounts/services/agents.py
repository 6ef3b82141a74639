"""An agent's life: register, renew its token, heartbeat. Retiring crosses apps: a use case."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db import connection, transaction

from accounts.models import Actor, Agent, Connector, Org, Project, Token
from accounts.names import Name, name_clean, names_check
from accounts.selectors import connector_get, live_agents_count
from accounts.states import (
    AGENT_LIFE,
    OVERLAP,
    SCOPES,
    TOKEN_LIFE,
    WATCHDOG_SLACK,
    ActorKind,
    TokenKind,
)
from accounts.tokens import Fresh, token_fresh
from accounts.totals import totals_after
from stuckbot.lib import content, ids, sql
from stuckbot.lib.caller import Caller
from stuckbot.lib.content import json_bytes
from stuckbot.lib.errors import (
    Forbidden,
    Missing,
    TooMany,
    Unauthenticated,
    invalid_fields,
)
from stuckbot.lib.idempotency import Keep
from stuckbot.lib.masking import mask_text, mask_value
from stuckbot.lib.models import Content
from stuckbot.lib.unit import unit_of_work

#: What labels and capabilities may take each, as JSON.
OBJECT_BYTES = 8192


@dataclass(frozen=True, slots=True)
class Registration:
    """What an agent says of itself when it registers. Empty `scopes` asks for the usual ones."""

    name: str = ""
    provider: str = ""
    model: str = ""
    runtime: str = ""
    labels: Mapping[str, Any] = field(default_factory=dict)
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    supports_stop: bool = False
    scopes: Sequence[str] = ()
    project_ids: Sequence[UUID] = ()
    parent_agent_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Granted:
    """An agent with a token whose text is shown this once."""

    agent: Agent
    token: Fresh


def agent_register(
    *, actor: Caller, registration: Registration, now: datetime, keep: Keep | None = None
) -> Granted:
    """Registers an agent through the connector that `actor` is.

    Raises 422 for bad names or unknown scopes, 403 `insufficient_scope` for scopes beyond the
    connector's, 404 for projects or a parent it cannot name, 429 `agent_limit` when the org has
    as many live agents as it may.
    """
    connector = connector_get(actor=actor)
    _registration_check(registration)
    scopes = scopes_granted(registration.scopes, connector.scopes)
    projects = _projects_granted(connector, registration.project_ids)
    parent_id = _parent_check(actor.org_id, registration.parent_agent_id)
    _limit_check(actor.org_id, now)
    with unit_of_work(actor, now, keep) as unit:
        _secret_hold(actor)
        agent = _agent_insert(
            org_id=actor.org_id,
            name=name_clean(registration.name or f"agent-{ids.base62(6)}"),
            connector_id=connector.id,
            set_up_by_id=connector.set_up_by_id,
            parent_id=parent_id,
            provider=registration.provider,
            model=registration.model,
            runtime=registration.runtime,
            labels=mask_value(registration.labels).value,
            capabilities=mask_value(registration.capabilities).value,
            supports_stop=registration.supports_stop,
            scopes=scopes,
            project_ids=[str(one) for one in projects],
            created_at=now,
            **_watchdog(registration.capabilities, now),
        )
        granted = Granted(agent, _token_issue(agent, now))
        unit.audit("agent_registered", str(agent.id), connector_id=str(connector.id))
        unit.result = granted
    return granted


def agent_make(
    *, org: Org, name: Name, scopes: Sequence[str], set_up_by: Actor | None, now: datetime
) -> Agent:
    """A named agent for a direct key; inside the caller's transaction."""
    return _agent_insert(
        org_id=org.id,
        name=name,
        set_up_by_id=set_up_by.id if set_up_by else None,
        scopes=list(scopes),
        created_at=now,
    )


def token_renew(*, actor: Caller, now: datetime, keep: Keep | None = None) -> Granted:
    """A fresh token for the calling agent; the old one lives a minute more.

    Raises 403 `not_eligible` for a direct key, 401 `lifetime_exceeded` once a full token life no
    longer fits into the agent's.
    """
    if actor.token_id is None:
        raise Missing
    old = Token.objects.of(actor.org_id).get(pk=actor.token_id)
    if old.kind != TokenKind.AGENT:
        raise Forbidden("A direct key does not expire this way and cannot be renewed.")
    with unit_of_work(actor, now, keep) as unit:
        agent = _agent_held(actor.org_id, actor.id)
        if agent is None:
            raise Unauthenticated("This agent was retired. Register again.", code="token_revoked")
        if now + TOKEN_LIFE > agent.created_at + AGENT_LIFE:
            raise Unauthenticated(
                "This agent has reached its longest life. Register a new one.",
                code="lifetime_exceeded",
            )
        fresh = _token_issue(agent, now)
        ends = min(old.expires_at or now + OVERLAP, now + OVERLAP)
        unrevoked = Token.objects.of(actor.org_id).filter(id=old.id, revoked_at=None)
        if unrevoked.update(expires_at=ends, replaced_by=fresh.row) != 1:
            raise _revoked()
        unit.result = granted = Granted(agent, fresh)
    return granted


def token_regrant(*, actor: Caller, agent_id: UUID, unseen_id: UUID, now: datetime) -> Granted:
    """The answer to a replayed register or renew: a fresh token, the one nobody saw revoked.

    It ends when that one would have, so repeating a call never lengthens an agent's life.

    Inside the caller's transaction. Raises `Missing` when the agent is gone.
    """
    agent = _agent_held(actor.org_id, agent_id)
    if agent is None:
        raise Missing
    unseen = Token.objects.of(actor.org_id).filter(id=unseen_id)
    fresh = _token_issue(agent, now, expires_at=unseen.values_list("expires_at", flat=True).first())
    unseen.filter(revoked_at=None).update(revoked_at=now, replaced_by=fresh.row)
    return Granted(agent, fresh)


def heartbeat_note(
    *, actor: Caller, usage: Mapping[str, float] | None, status: str | None, now: datetime
) -> dict[str, float] | None:
    """Notes that the agent is alive, and its own word of what it does; returns what it has used in
    all, where it says so.

    Bypasses the org's clock: nobody waits on it, and it comes every minute from everyone.
    """
    change: dict[str, Any] = {"last_seen_at": now}
    if status is not None:
        change["status_content_id"] = _status_store(actor, status)
    if usage is None:
        Agent.objects.of(actor.org_id).filter(id=actor.id).update(**change)
        return None
    return usage_note(actor=actor, usage=usage, **change)


def usage_note(*, actor: Caller, usage: Mapping[str, float], **change: Any) -> dict[str, float]:
    """Notes the counters that an agent says, with other columns; what it has used in all."""
    said = {mask_text(name).text: total for name, total in usage.items()}
    agents = Agent.objects.of(actor.org_id).filter(id=actor.id)
    with transaction.atomic():
        rows = agents.select_for_update(no_key=True).values_list("usage", "usage_said")
        totals, counters = totals_after(*rows.get(), said)
        agents.update(usage=totals, usage_said=counters, **change)
    return totals


def scopes_granted(asked: Sequence[str], most: Sequence[str]) -> list[str]:
    """The scopes to grant of what was asked; asking for none gives all but `verify`."""
    faults = [
        (f"scopes[{place}]", f"There is no such scope. Choose from {', '.join(SCOPES)}.")
        for place, scope in enumerate(asked)
        if scope not in SCOPES
    ]
    if faults:
        raise invalid_fields(faults)
    for scope in asked:
        if scope not in most:
            raise Forbidden(
                f"The connector does not carry {scope}. Ask for less, or widen the connector.",
                code="insufficient_scope",
                details={"required_scope": scope},
            )
    wanted = set(asked) or set(most) - {"verify"}
    return [scope for scope in SCOPES if scope in wanted]


def _watchdog(capabilities: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """Whoever declares a watchdog is looked after from now on."""
    if not capabilities.get("watchdog"):
        return {}
    return {"alive_at": now, "silent_at": now + WATCHDOG_SLACK}


def _agent_insert(*, name: Name, **values: Any) -> Agent:
    agent_id = ids.uuid7()
    actor = Actor(id=agent_id, org_id=values["org_id"], kind=ActorKind.AGENT, name=name)
    Actor.unscoped.bulk_create([actor])
    agent = Agent(id=agent_id, actor=actor, name=name, **values)
    Agent.unscoped.bulk_create([agent])
    return agent


def _secret_hold(actor: Caller) -> None:
    """401 once the secret in hand is revoked. Its row is held until the commit: who revokes what
    came by it waits, and finds the agent that registers here."""
    if actor.token_id is None:
        return
    share = " FOR SHARE" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute(f"{_SECRET}{share}", [sql.uuid(actor.token_id)])
        if cursor.fetchone() is None:
            raise _revoked()


_SECRET: Final = "SELECT 1 FROM accounts_token WHERE id = %s AND revoked_at IS NULL"


def _revoked() -> Unauthenticated:
    return Unauthenticated("This token was revoked. Register again.", code="token_revoked")


def _agent_held(org_id: UUID, agent_id: UUID) -> Agent | None:
    """The agent, None once it has retired. Its row is held until the commit: who retires it waits,
    and then revokes the token that was issued meanwhile too."""
    agents = Agent.objects.of(org_id).filter(id=agent_id, retired_at=None)
    return agents.select_for_update(no_key=True).first()


def _token_issue(agent: Agent, now: datetime, expires_at: datetime | None = None) -> Fresh:
    fresh = token_fresh(
        TokenKind.AGENT,
        org_id=agent.org_id,
        now=now,
        agent=agent,
        expires_at=expires_at or now + TOKEN_LIFE,
        set_up_by_id=agent.set_up_by_id,
    )
    Token.unscoped.bulk_create([fresh.row])
    return fresh


def _status_store(actor: Caller, status: str) -> UUID:
    """Keeps one row per agent: the newest status takes the older one's place."""
    fresh = content.prepare(
        org_id=actor.org_id, kind="agent_status", body=mask_text(status), root_id=None
    )
    # One status per agent: its content row has the agent's id and is written over.
    fresh.id = actor.id
    Content.unscoped.bulk_create(
        [fresh],
        update_conflicts=True,
        unique_fields=["id"],
        update_fields=["bytes", "sha256", "key_id", "created_at"],
    )
    return fresh.id


def _registration_check(registration: Registration) -> None:
    given = [
        (label, value)
        for label in ("name", "provider", "model", "runtime")
        if (value := getattr(registration, label))
    ]
    too_large = [
        (label, f"{label} may take {OBJECT_BYTES:,} bytes as JSON.")
        for label in ("labels", "capabilities")
        if len(json_bytes(getattr(registration, label))) > OBJECT_BYTES
    ]
    names_check(given, too_large)


def _projects_granted(connector: Connector, asked: Sequence[UUID]) -> list[UUID]:
    allowed = list(connector.projects.values_list("id", flat=True))
    if not asked:
        return allowed
    readable = Project.objects.of(connector.org_id).filter(id__in=asked)
    if allowed:
        readable = readable.filter(id__in=allowed)
    if readable.count() != len(set(asked)):
        raise Missing
    return sorted(set(asked))


def _parent_check(org_id: UUID, parent_id: UUID | None) -> UUID | None:
    if parent_id is None:
        return None
    if not Agent.objects.of(org_id).filter(id=parent_id).exists():
        raise Missing
    return parent_id


def _limit_check(org_id: UUID, now: datetime) -> None:
    most = Org.objects.values_list("agent_limit", flat=True).get(id=org_id)
    if live_agents_count(org_id=org_id, now=now) >= most:
        raise TooMany(
            f"This org has {most} live agents, as many as it may. Retire some first.",
            code="agent_limit",
        )


def token_expires_soon(expires_at: datetime | None, now: datetime, within: timedelta) -> bool:
    return expires_at is not None and expires_at - now < within
