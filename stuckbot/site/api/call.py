"""One call of the API: who, when, with what body, and how its answer is kept."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest

from accounts.sign_in import SignedIn
from stuckbot.lib import idempotency, ids
from stuckbot.lib.caller import Caller
from stuckbot.lib.content import json_bytes
from stuckbot.lib.errors import invalid_fields
from stuckbot.lib.idempotency import Answer, Keep
from stuckbot.lib.ratelimit import Allowance


@dataclass(slots=True)
class Call:
    """What a handler gets. `args` are the path's parts, `body` the checked JSON object."""

    request: HttpRequest
    now: datetime
    args: Mapping[str, str]
    raw: bytes = b""
    body: dict[str, Any] = field(default_factory=dict)
    key: str | None = None
    signed_in: SignedIn | None = None
    allowance: Allowance | None = None

    @property
    def signed(self) -> SignedIn:
        if self.signed_in is None:
            raise LookupError("A public operation has no caller.")
        return self.signed_in

    @property
    def actor(self) -> Caller:
        return self.signed.caller

    @property
    def ref(self) -> str:
        return self.args["id"]

    @property
    def request_id(self) -> str:
        return str(getattr(self.request, "request_id", ""))

    @property
    def fingerprint(self) -> str:
        request = self.request
        return idempotency.fingerprint(request.method or "", request.path, self.raw)

    def keep(self, render: Callable[[Any], Any], status: int = 200) -> Keep:
        """How to answer: `render` makes the JSON value from the service's result."""
        return Keep(
            org_id=self.actor.org_id,
            caller_id=self.actor.id,
            key=self.key,
            fingerprint=self.fingerprint,
            render=lambda result: Answer(status, json_bytes(render(result))),
        )

    def header(self, name: str) -> str | None:
        """As `request.headers`, without making all of them ready."""
        value: str | None = self.request.META.get(f"HTTP_{name.upper().replace('-', '_')}")
        return value

    def text(self, name: str) -> str | None:
        value = self.body.get(name)
        return None if value is None else str(value)

    def uuid(self, name: str) -> UUID | None:
        """A UUID from the body; None when it is not there, 422 when it is none."""
        value = self.body.get(name)
        if value is None:
            return None
        found = ids.parse_uuid(value)
        if found is None:
            raise invalid_fields([(name, f"{name} must be an id as the API gives them out.")])
        return found

    def query(self, name: str) -> str | None:
        value = self.request.GET.get(name)
        return value if value else None

    def query_list(self, name: str) -> tuple[str, ...]:
        """A comma-separated query value; repeated parameters join."""
        parts = [part for value in self.request.GET.getlist(name) for part in value.split(",")]
        return tuple(part.strip() for part in parts if part.strip())

    def query_parts(self, name: str) -> tuple[str, ...]:
        """As `query_list`, of what is given out or named by the API: an empty part is one too, and
        refused like any other that nothing is called by."""
        values = [value for value in self.request.GET.getlist(name) if value]
        return tuple(part.strip() for value in values for part in value.split(","))

    def query_flag(self, name: str) -> bool | None:
        value = self.query(name)
        if value is None:
            return None
        if value not in ("0", "1", "true", "false"):
            raise invalid_fields([(name, f"{name} must be 1 or 0.")])
        return value in ("1", "true")

    def query_ids(self, name: str) -> frozenset[UUID]:
        found = [(part, ids.parse_uuid(part)) for part in self.query_parts(name)]
        if any(one is None for _, one in found):
            raise invalid_fields([(name, f"{name} must be ids as the API gives them out.")])
        return frozenset(one for _, one in found if one is not None)


def done(keep: Keep) -> Answer:
    """The answer that the service's transaction made."""
    if keep.answer is None:
        raise LookupError("The service ended without an answer.")
    return keep.answer


def plain(value: Any, status: int = 200) -> Answer:
    """The answer to a read."""
    return Answer(status, json_bytes(value))
