"""How a refusal must look, and that it left the database as it was."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from django.apps import apps
from django.test import Client

from tests.support import Reply

APPS: Final = ("core", "accounts", "policy", "tickets", "verification")
#: The codes of each status; nothing else may come out.
CODES: Final = {
    400: {"invalid_json", "invalid_header"},
    401: {"invalid_token", "token_expired", "token_revoked", "lifetime_exceeded"},
    403: {"insufficient_scope", "own_fix", "not_eligible"},
    404: {"not_found"},
    405: {"method_not_allowed"},
    406: {"not_acceptable"},
    409: {
        "already_claimed",
        "invalid_transition",
        "ticket_paused",
        "state_changed",
        "not_claim_holder",
        "criteria_locked",
        "dependency_cycle",
        "idempotency_in_progress",
    },
    413: {"too_large"},
    415: {"unsupported_media_type"},
    422: {"invalid_request", "idempotency_key_reused", "secret_refused"},
    429: {"rate_limited", "agent_limit"},
    500: {"internal_error"},
    503: {"unavailable"},
}


def refused(reply: Reply, status: int, code: str) -> Any:
    """Checks the one shape of every refusal and returns its details."""
    assert (reply.status, reply.code) == (status, code)
    assert code in CODES[status]
    assert reply.header("Content-Type") == "application/json"
    error = reply.json["error"]
    assert set(reply.json) == {"error"}
    assert set(error) <= {"code", "message", "request_id", "details"}
    assert error["request_id"] == reply.header("X-Request-Id")
    message = error["message"]
    assert message.endswith(".")
    assert "\n" not in message
    assert len(message) < 400
    return error.get("details", {})


def paths(details: Any) -> list[str]:
    return sorted(one["path"] for one in details["fields"])


@contextmanager
def nothing_changes(*but: str) -> Iterator[None]:
    """Every row of every table of ours is the same afterwards; `but` names tables left out."""
    before = _everything(but)
    yield
    assert _everything(but) == before


def _everything(but: tuple[str, ...]) -> dict[str, list[Any]]:
    models = [model for model in apps.get_models() if model._meta.app_label in APPS]
    return {
        model.__name__: sorted(map(_shown, model._base_manager.values_list()))
        for model in models
        if model.__name__ not in but
    }


def _shown(row: tuple[Any, ...]) -> str:
    return repr([bytes(one) if isinstance(one, memoryview) else one for one in row])


def send(
    token: str, path: str, raw: bytes, kind: str = "application/json", **headers: str
) -> Reply:
    """A POST of these very bytes."""
    sent: dict[str, Any] = {f"HTTP_{name.upper()}": value for name, value in headers.items()}
    if token:
        sent["HTTP_AUTHORIZATION"] = f"Bearer {token}"
    return Reply(Client(raise_request_exception=False).generic("POST", path, raw, kind, **sent))


def nested(depth: int) -> bytes:
    """A comment whose body holds lists down to `depth` levels, the object counted."""
    return json.dumps({"body": 0}).encode().replace(b"0", b"[" * (depth - 1) + b"]" * (depth - 1))
