"""Who is behind a bearer token, in one statement.

The same statement brings the org, the agent or person, the heads that an unchanged poll compares,
and the kept answer under the request's idempotency key, so that signing in costs one round trip.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Final
from uuid import UUID

from django.db import connection

from accounts.services.requests import request_shown
from accounts.states import TokenKind
from accounts.tokens import token_lookup, token_matches
from stuckbot.lib import sql
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Unauthenticated
from stuckbot.lib.first_read import first_row
from stuckbot.lib.idempotency import Record, key_hash

AGENT_KINDS: Final = frozenset({TokenKind.AGENT, TokenKind.DIRECT})
ACTING_KINDS: Final = AGENT_KINDS | {TokenKind.PERSON}
ENROLLMENT_KINDS: Final = frozenset({TokenKind.ENROLLMENT})


@dataclass(frozen=True, slots=True)
class Watched:
    """An agent that declared a watchdog: the call of its own that was written down last, and
    whether it was found silent since."""

    alive_at: datetime | None
    is_silent: bool


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A token's bearer and what came along with it."""

    caller: Caller
    kind: TokenKind
    org_name: str
    token_expires_at: datetime | None
    record: Record | None
    offer_seq: int
    inbox_head: int
    flags_version: int
    handoff_request: Any
    stop_request: Any
    #: Told to stop: it takes nothing new.
    stopped: bool = False
    #: None for who has no watchdog.
    watched: Watched | None = None
    #: Set when the token no longer signs in: the code that says why (`token_revoked`…).
    refused: str | None = None


_COLUMNS: Final = """
t.id, t.kind, t.sha256, t.expires_at, t.revoked_at,
o.id, o.name, o.paused_at, o.policy_version,
a.id, a.name, a.scopes, a.project_ids, a.retired_at, a.flags_version,
a.handoff_request, a.stop_request,
c.id, c.name, c.scopes, c.disabled_at,
p.id, p.name, m.role, u.is_active,
offer_seq, inbox_head, o.default_project_id,
i.fingerprint, i.status, i.body, i.key_id, i.created_at,
granted_projects,
a.stopped_at, a.alive_at, a.silent_at, a.silent_since
"""
#: Subqueries instead of joins, wherever one column is all that is wanted.
_ALONE: Final = {
    "offer_seq": "(SELECT x.offer_seq FROM core_orgclock x WHERE x.org_id = t.org_id)",
    "inbox_head": "COALESCE((SELECT x.seq FROM core_inbox x WHERE x.actor_id = {bearer}"
    " ORDER BY x.seq DESC LIMIT 1), 0)",
}
_ALONE_AGENT: Final = _ALONE | {
    "c.id": "a.connector_id",
    "c.scopes": "(SELECT x.scopes FROM accounts_connector x WHERE x.id = a.connector_id)",
    "c.disabled_at": "(SELECT x.disabled_at FROM accounts_connector x WHERE x.id = a.connector_id)",
    "granted_projects": "(SELECT {json_list}(x.project_id) FROM accounts_connector_projects x"
    " WHERE x.connector_id = a.connector_id)",
}
_FROM: Final = " FROM accounts_token t JOIN accounts_org o ON o.id = t.org_id"
_FROM_RECORD: Final = (
    " LEFT JOIN core_idempotency i ON i.caller_id = {bearer} AND i.key_sha256 = %s"
)
_AGENT: Final = " JOIN accounts_agent a ON a.id = t.agent_id"
_CONNECTOR: Final = " JOIN accounts_connector c ON c.id = t.connector_id"
_PERSON: Final = (
    " JOIN accounts_membership m ON m.id = t.membership_id"
    " JOIN accounts_actor p ON p.id = m.actor_id"
    " LEFT JOIN accounts_user u ON u.id = m.user_id"
)
#: By the kind of token, which its text tells: the bearer's id, its tables, its lone columns.
_BEARERS: Final = {
    TokenKind.AGENT: ("t.agent_id", _AGENT, _ALONE_AGENT),
    TokenKind.DIRECT: ("t.agent_id", _AGENT, _ALONE_AGENT),
    TokenKind.ENROLLMENT: ("t.connector_id", _CONNECTOR, _ALONE),
    TokenKind.PERSON: ("m.actor_id", _PERSON, _ALONE),
}


@cache
def _statement(kind: TokenKind, with_record: bool) -> str:
    """Joins the tables of this bearer alone and has NULL for the columns of all others: planning
    a join of nine tables takes PostgreSQL longer than the rest of an unchanged poll."""
    bearer, tables, alone = _BEARERS[kind]
    text = _FROM + tables + (_FROM_RECORD if with_record else "")
    joined = tuple(f"{name}." for name in ("t", *re.findall(r"JOIN \w+ (\w)\b", text)))
    columns = [
        alone.get(column, column if column.startswith(joined) else "NULL")
        for column in (one.strip() for one in _COLUMNS.split(","))
    ]
    json_list = "json_agg" if connection.vendor == "postgresql" else "json_group_array"
    statement = f"SELECT {', '.join(columns)}{text} WHERE t.lookup = %s"
    return statement.format(bearer=bearer, json_list=json_list)


def sign_in(
    header: str | None,
    *,
    kinds: frozenset[TokenKind],
    now: datetime,
    idempotency_key: str | None = None,
) -> SignedIn:
    """The bearer of an ``Authorization`` header.

    Raises `Unauthenticated`: `invalid_token` for none, half, unknown or of another kind. A token
    that ran out or was revoked comes back with `refused` set, so that a replayed retire can still
    be answered; everyone else raises `refusal(...)` for it.
    """
    text = _bearer_text(header)
    lookup = token_lookup(text)
    if lookup is None or text[:3] not in kinds:
        raise invalid_token()
    key = [key_hash(idempotency_key)] if idempotency_key else []
    row = first_row(_statement(TokenKind(text[:3]), bool(key)), [*key, lookup])
    if row is None or not token_matches(text, row[2]):
        raise invalid_token()
    return _signed_in(row, now)


def invalid_token() -> Unauthenticated:
    return Unauthenticated("Send a valid token of the right kind as Authorization: Bearer TOKEN.")


def refusal(code: str) -> Unauthenticated:
    return Unauthenticated(_WORDS[code], code=code)


_WORDS: Final = {
    "token_expired": "This token has expired. Renew it in time or register again.",
    "token_revoked": (
        "This token no longer signs in: it was revoked, its agent retired, or its fleet was "
        "stopped. Register again, or ask who set it up."
    ),
}


def _bearer_text(header: str | None) -> str:
    scheme, _, text = (header or "").strip().partition(" ")
    if scheme.lower() != "bearer":
        raise invalid_token()
    return text.strip()


def _signed_in(row: tuple[Any, ...], now: datetime) -> SignedIn:
    (token_id, kind, _, expires_at, revoked_at) = row[:5]
    expires = sql.to_time(expires_at)
    retired_or_disabled = row[13] or row[20] or row[24] in (False, 0)
    refused = None
    if revoked_at is not None or retired_or_disabled:
        refused = "token_revoked"
    elif expires is not None and expires <= now:
        refused = "token_expired"
    return SignedIn(
        caller=_caller(row, _uuid(token_id)),
        kind=TokenKind(kind),
        org_name=row[6],
        token_expires_at=expires,
        record=_record(row[28:33]),
        offer_seq=row[25],
        inbox_head=row[26],
        flags_version=row[14] or 0,
        handoff_request=request_shown(sql.to_json(row[15])),
        stop_request=request_shown(sql.to_json(row[16])),
        stopped=row[34] is not None,
        watched=_watched(row[35:38]),
        refused=refused,
    )


def _watched(part: tuple[Any, ...]) -> Watched | None:
    alive_at, silent_at, silent_since = part
    if silent_at is None and silent_since is None:
        return None
    return Watched(sql.to_time(alive_at), silent_since is not None)


def _caller(row: tuple[Any, ...], token_id: UUID) -> Caller:
    shared: dict[str, Any] = {
        "org_id": _uuid(row[5]),
        "org_paused": row[7] is not None,
        "policy_version": row[8],
        "default_project_id": sql.to_uuid(row[27]),
        "token_id": token_id,
    }
    if row[9] is not None:
        return Caller(
            id=_uuid(row[9]),
            kind="agent",
            name=row[10],
            scopes=_agent_scopes(row),
            project_ids=_agent_projects(row),
            connector_id=sql.to_uuid(row[17]),
            **shared,
        )
    if row[21] is not None:
        return Caller(id=_uuid(row[21]), kind="person", name=row[22], role=row[23], **shared)
    scopes = frozenset(sql.to_json(row[19]))
    return Caller(
        id=_uuid(row[17]),
        kind="connector",
        name=row[18],
        scopes=scopes,
        connector_id=_uuid(row[17]),
        **shared,
    )


def _agent_scopes(row: tuple[Any, ...]) -> frozenset[str]:
    """What the agent was given, within what its connector carries today."""
    scopes = frozenset(sql.to_json(row[11]))
    return scopes if row[17] is None else scopes & frozenset(sql.to_json(row[19]))


def _agent_projects(row: tuple[Any, ...]) -> frozenset[UUID] | None:
    """Likewise its projects: none named means all, but none left means none."""
    own = frozenset(UUID(one) for one in sql.to_json(row[12])) or None
    most = frozenset(UUID(one) for one in sql.to_json(row[33]) or ()) or None
    if own is None or most is None:
        return own or most
    return own & most


def _record(part: tuple[Any, ...]) -> Record | None:
    if part[0] is None:
        return None
    created = sql.to_time(part[4])
    assert created is not None
    return Record(part[0], part[1], bytes(part[2]), part[3], created)


def _uuid(value: Any) -> UUID:
    found = sql.to_uuid(value)
    assert found is not None
    return found
