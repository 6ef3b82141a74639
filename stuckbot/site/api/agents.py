"""Agents over the wire: register, renew, heartbeat, who am I, retire."""

import json
from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.db import transaction

from accounts.selectors import agent_get, projects_list
from accounts.services.agents import (
    Granted,
    Registration,
    agent_register,
    token_regrant,
    token_renew,
)
from accounts.services.signals import signal_shown, signals_list
from accounts.sign_in import AGENT_KINDS, ENROLLMENT_KINDS
from stuckbot.lib import ids, paging
from stuckbot.lib.clock import wire_or_none
from stuckbot.lib.content import json_bytes, seal
from stuckbot.lib.errors import InProgress, Missing, invalid_fields
from stuckbot.lib.idempotency import Answer, Keep, key_hash, record_find
from stuckbot.lib.models import Idempotency
from stuckbot.site.api import render, shapes
from stuckbot.site.api.call import Call, done, plain
from stuckbot.site.api.operations import operation
from stuckbot.site.api.signals import SIGNAL
from stuckbot.site.usecases.heartbeat import heartbeat as heartbeat_send
from stuckbot.site.usecases.retire import agent_retire
from stuckbot.site.usecases.work import idle_seconds
from tickets.selectors import held_list

ORG = shapes.record({"id": shapes.UUID, "name": shapes.PLAIN})
GRANTED = {
    "agent": shapes.ref("Agent"),
    "token": shapes.PLAIN,
    "expires_at": shapes.TIME,
}


def _granted(call: Call, granted: Granted) -> dict[str, Any]:
    return {
        "agent": render.agent(granted.agent, call.now),
        "token": granted.token.text,
        "expires_at": wire_or_none(granted.token.row.expires_at),
    }


def _granted_with_org(call: Call, granted: Granted) -> dict[str, Any]:
    org = {"id": str(call.actor.org_id), "name": call.signed.org_name}
    return {**_granted(call, granted), "org": org}


def _regrant(call: Call, status: int, shown: Callable[[Call, Granted], dict[str, Any]]) -> Answer:
    """No token is stored: a repeat gets a fresh one, and the one nobody saw is revoked."""
    record = record_find(call.actor.id, call.key or "")
    if record is None:
        raise Missing
    kept = json.loads(record.body)
    with transaction.atomic():
        granted = token_regrant(
            actor=call.actor,
            agent_id=UUID(kept["agent_id"]),
            unseen_id=UUID(kept["token_id"]),
            now=call.now,
        )
        body, key_id = seal(_kept_body(granted))
        same = Idempotency.objects.of(call.actor.org_id).filter(
            caller_id=call.actor.id, key_sha256=key_hash(call.key or ""), body=record.body
        )
        if same.update(body=body, key_id=key_id) != 1:
            # A twin of this repeat was faster; its token is the one that counts.
            raise InProgress
    return Answer(status, json_bytes(shown(call, granted)))


def _kept_body(granted: Granted) -> bytes:
    return json_bytes({"agent_id": str(granted.agent.id), "token_id": str(granted.token.row.id)})


def _keep_without_token(
    call: Call, status: int, shown: Callable[[Call, Granted], dict[str, Any]]
) -> Keep:
    keep = call.keep(lambda granted: shown(call, granted), status)
    keep.keep_instead = lambda granted: Answer(status, _kept_body(granted))
    return keep


def _ids(call: Call, name: str) -> list[UUID]:
    found = [ids.parse_uuid(one) for one in call.body.get(name) or []]
    faults = [
        (f"{name}[{place}]", "This must be an id as the API gives them out.")
        for place, one in enumerate(found)
        if one is None
    ]
    if faults:
        raise invalid_fields(faults)
    return [one for one in found if one is not None]


@operation(
    "register_agent",
    "POST",
    "/agents/register",
    kinds=ENROLLMENT_KINDS,
    body=shapes.REGISTER,
    status=201,
    answer=shapes.record({**GRANTED, "org": ORG}),
    replay=lambda call: _regrant(call, 201, _granted_with_org),
)
def register_agent(call: Call) -> Answer:
    """Register a new agent with a connector's enrollment secret."""
    sent = call.body
    registration = Registration(
        name=sent.get("name", ""),
        provider=sent.get("provider", ""),
        model=sent.get("model", ""),
        runtime=sent.get("runtime", ""),
        labels=sent.get("labels", {}),
        capabilities=sent.get("capabilities", {}),
        supports_stop=sent.get("supports_stop", False),
        scopes=sent.get("scopes", ()),
        project_ids=_ids(call, "project_ids"),
        parent_agent_id=call.uuid("parent_agent_id"),
    )
    keep = _keep_without_token(call, 201, _granted_with_org)
    agent_register(actor=call.actor, registration=registration, now=call.now, keep=keep)
    return done(keep)


@operation(
    "renew_agent_token",
    "POST",
    "/agents/me/token",
    kinds=AGENT_KINDS,
    answer=shapes.record(GRANTED),
    replay=lambda call: _regrant(call, 200, _granted),
)
def renew_agent_token(call: Call) -> Answer:
    """Get a fresh agent token; the old one lives a minute more."""
    keep = _keep_without_token(call, 200, _granted)
    token_renew(actor=call.actor, now=call.now, keep=keep)
    return done(keep)


@operation(
    "heartbeat",
    "POST",
    "/agents/me/heartbeat",
    kinds=AGENT_KINDS,
    body=shapes.HEARTBEAT,
    cost=0.1,
    keyed=False,
    answer=shapes.record(
        {
            "ok": shapes.FLAG,
            "server_time": shapes.TIME,
            "token_expires_soon": shapes.FLAG,
            "handoff_requested": shapes.REQUEST,
            "stop_requested": shapes.REQUEST,
        }
    ),
)
def heartbeat(call: Call) -> Answer:
    """Say that the agent is alive; leases of the tickets it names are renewed."""
    answer = heartbeat_send(
        signed=call.signed,
        status=call.text("status"),
        usage=call.body.get("usage"),
        tickets=call.body.get("tickets") or [],
        now=call.now,
    )
    return plain(answer)


@operation(
    "get_me",
    "GET",
    "/agents/me",
    kinds=AGENT_KINDS,
    answer=shapes.record(
        {
            "agent": shapes.ref("Agent"),
            "org": ORG,
            "projects": shapes.listed(
                shapes.record({"id": shapes.UUID, "name": shapes.PLAIN, "paused": shapes.FLAG})
            ),
            "polling": shapes.record({"interval_seconds": shapes.NUMBER}),
            "claims": shapes.listed(shapes.ref("TicketSummary")),
        }
    ),
)
def get_me(call: Call) -> Answer:
    """The calling agent, its org, its projects and what it holds."""
    agent = agent_get(actor=call.actor)
    paused = call.actor.org_paused
    held = held_list(actor=call.actor, now=call.now)
    return plain(
        {
            "agent": render.agent(agent, call.now),
            "org": {"id": str(call.actor.org_id), "name": call.signed.org_name},
            "projects": [
                {"id": str(one.id), "name": one.name, "paused": paused or bool(one.paused_at)}
                for one in projects_list(actor=call.actor)
            ],
            "polling": {"interval_seconds": idle_seconds(call.now - call.now)},
            "claims": [render.summary(card, call.now, org_paused=paused) for card in held],
        }
    )


@operation(
    "list_my_signals",
    "GET",
    "/agents/me/signals",
    kinds=AGENT_KINDS,
    query={"limit": "1 to 100, 50 when left out"},
    answer=shapes.record(
        {
            "signals": shapes.listed(SIGNAL),
            "handoff_requested": shapes.REQUEST,
            "stop_requested": shapes.REQUEST,
        }
    ),
)
def list_my_signals(call: Call) -> Answer:
    """Recent signals of the calling agent and any pending handoff or stop request."""
    limit = paging.limit_parse(call.query("limit"))
    return plain(
        {
            "signals": [signal_shown(one) for one in signals_list(actor=call.actor, limit=limit)],
            "handoff_requested": call.signed.handoff_request,
            "stop_requested": call.signed.stop_request,
        }
    )


@operation(
    "retire_agent",
    "POST",
    "/agents/me/retire",
    kinds=AGENT_KINDS,
    answer=shapes.record({"released": shapes.WORDS, "waiting": shapes.WORDS}),
)
def retire_agent(call: Call) -> Answer:
    """Retire the calling agent: what it works on is freed, its tokens stop."""
    keep = call.keep(lambda retired: {"released": retired.released, "waiting": retired.waiting})
    agent_retire(actor=call.actor, agent_id=call.actor.id, now=call.now, keep=keep)
    return done(keep)
