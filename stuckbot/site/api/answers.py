"""What the API document says of answers: the headers they carry, and every way of being refused.

Which refusals an operation can answer follows from what it takes and who may call it.
"""

from dataclasses import dataclass
from typing import Any, Final

from accounts.states import TokenKind
from stuckbot.site.api.components import ERROR
from stuckbot.site.api.operations import JSON, Operation

Described = dict[str, Any]
FILE: Final = {"type": "string", "format": "binary"}


@dataclass(frozen=True, slots=True)
class Refused:
    """One status of refusal: its component, its codes, and the sentence of its example."""

    name: str
    words: str
    codes: tuple[str, ...]
    message: str
    details: Described | None = None
    headers: tuple[str, ...] = ()


_FAULTS: Final = {"fields": [{"path": "body", "message": "body must not be blank."}]}
REFUSED: Final[dict[int, Refused]] = {
    400: Refused(
        "BadRequest",
        "The body is no JSON (or holds NaN, a key twice, or is too deep), or a header is broken.",
        ("invalid_json", "invalid_header"),
        "The body is not JSON: line 1, column 2.",
    ),
    401: Refused(
        "Unauthenticated",
        "The token is missing, of the wrong kind, revoked or run out.",
        ("invalid_token", "token_expired", "token_revoked", "lifetime_exceeded"),
        "This token has expired. Renew it in time or register again.",
        headers=("WWW-Authenticate",),
    ),
    403: Refused(
        "Forbidden",
        "The caller may not do this.",
        ("insufficient_scope", "own_fix", "not_eligible"),
        "This needs the scope tickets:claim.",
        {"required_scope": "tickets:claim"},
    ),
    404: Refused(
        "NotFound",
        "Not there, of another organisation, or in a project that the caller cannot read.",
        ("not_found",),
        "There is nothing here by that id. Check the id.",
    ),
    405: Refused(
        "MethodNotAllowed",
        "This address takes other methods, which `Allow` names.",
        ("method_not_allowed",),
        "This address takes GET, HEAD.",
        headers=("Allow",),
    ),
    406: Refused(
        "NotAcceptable",
        "The caller accepts no JSON.",
        ("not_acceptable",),
        "This API answers JSON. Accept application/json.",
    ),
    409: Refused(
        "Conflict",
        "What the ticket is in now does not allow it; `details.state` says what that is. "
        "`idempotency_in_progress`: the same request still runs.",
        (
            "already_claimed",
            "invalid_transition",
            "ticket_paused",
            "state_changed",
            "not_claim_holder",
            "criteria_locked",
            "dependency_cycle",
            "idempotency_in_progress",
        ),
        "This ticket is closed. Reopen it first.",
        {"state": "closed", "allowed": ["reopen"]},
        headers=("Retry-After?",),
    ),
    413: Refused(
        "TooLarge",
        "The body is too large.",
        ("too_large",),
        "The body must be under 1,048,576 bytes. Put long logs in a file.",
    ),
    415: Refused(
        "UnsupportedMediaType",
        "The body is of another type; an empty body may be of any.",
        ("unsupported_media_type",),
        "Send JSON with Content-Type: application/json.",
    ),
    422: Refused(
        "Invalid",
        "What was sent cannot be used; `details.fields` names every problem with its path.",
        ("invalid_request", "idempotency_key_reused", "secret_refused"),
        "body must not be blank.",
        _FAULTS,
    ),
    429: Refused(
        "TooMany",
        "Too many calls: `Retry-After` says when to come back. `agent_limit` has none, because "
        "waiting does not help.",
        ("rate_limited", "agent_limit"),
        "Too many calls. Wait 12 s and send it again.",
        headers=("Retry-After?",),
    ),
    500: Refused(
        "Failed",
        "Something is wrong with the desk; nothing was changed.",
        ("internal_error",),
        "Something went wrong here; nothing was changed. Tell the operator the request id.",
    ),
    503: Refused(
        "Unavailable",
        "The desk is busy. Send the same request again.",
        ("unavailable",),
        "The desk is busy. Send the same request again in a second.",
        headers=("Retry-After",),
    ),
}
_COUNTED: Final = ("X-RateLimit-Limit?", "X-RateLimit-Remaining?", "X-RateLimit-Reset?")
_NUMBER: Final = {"type": "integer", "minimum": 0}
_TEXT: Final = {"type": "string"}
#: The schema and the meaning of each header.
_HEADERS: Final[dict[str, tuple[Described, str]]] = {
    "X-Request-Id": (
        {**_TEXT, "pattern": "^req_[0-9a-f]{16}$"},
        "Names this request to the desk's operator.",
    ),
    "X-RateLimit-Limit": (_NUMBER, "Calls a minute for this caller; not there without a limit."),
    "X-RateLimit-Remaining": (_NUMBER, "Calls left in this minute."),
    "X-RateLimit-Reset": (_NUMBER, "The Unix second at which the next minute begins."),
    "Retry-After": ({"type": "integer", "minimum": 1}, "Seconds to wait."),
    "ETag": (_TEXT, "Send it as If-None-Match: an answer that is the same is a 304."),
    "Allow": (_TEXT, "The methods that this address takes."),
    "WWW-Authenticate": (_TEXT, "Bearer."),
    "Idempotent-Replayed": ({"const": "true"}, "The answer is the one of the first time."),
}
#: Without a scope, and refused all the same: what a token of the kind may not do, or not yet.
_FORBIDS: Final = frozenset({"register_agent", "renew_agent_token"})
#: Reads of what may not have come to be yet.
_TOO_EARLY: Final = frozenset({"get_verification_attestation"})


def responses(chosen: Operation) -> Described:
    """Every answer of an operation by its status."""
    good = chosen.answer if chosen.media == JSON else FILE
    found: Described = {
        str(chosen.status): {
            "description": "Done.",
            "headers": _headers(*_carried(chosen)),
            "content": {chosen.media: {"schema": good}},
        }
    }
    if chosen.etag:
        waits = ("Retry-After",) if chosen.id == "find_work" else ()
        found["304"] = {
            "description": "Nothing has changed since the ETag that was sent.",
            "headers": _headers("X-Request-Id", "ETag", *waits, *_COUNTED),
        }
    for status in sorted(_statuses(chosen)):
        found[str(status)] = {"$ref": f"#/components/responses/{REFUSED[status].name}"}
    return found


def refusal_components() -> Described:
    return {one.name: _refusal(one) for one in REFUSED.values()}


def header_components() -> Described:
    return {
        _component(name): {"description": words, "schema": schema, "required": required}
        for bare, (schema, words) in _HEADERS.items()
        for name, required in ((bare, True), (f"{bare}?", False))
    }


def _carried(chosen: Operation) -> tuple[str, ...]:
    names: tuple[str, ...] = ("X-Request-Id",)
    if chosen.kinds is not None:
        names += _COUNTED
    if chosen.etag:
        names += ("ETag",)
    if takes_key(chosen):
        names += ("Idempotent-Replayed?",)
    return names


def takes_key(chosen: Operation) -> bool:
    return chosen.method == "POST" and chosen.keyed and chosen.kinds is not None


def _statuses(chosen: Operation) -> set[int]:
    found = {405, 422, 429, 500, 503}
    if chosen.media == JSON:
        found.add(406)
    if chosen.kinds is not None:
        found.add(401)
    if chosen.method != "GET":
        found |= {400, 413}
        if not chosen.upload:
            found.add(415)
    if _forbids(chosen):
        found.add(403)
    if _finds(chosen):
        found.add(404)
    changes = chosen.method != "GET" and "{" in chosen.path
    if takes_key(chosen) or changes or chosen.id in _TOO_EARLY:
        found.add(409)
    return found


def _forbids(chosen: Operation) -> bool:
    about_a_thing = chosen.method != "GET" or "{" in chosen.path
    by_people = about_a_thing and TokenKind.PERSON in (chosen.kinds or ())
    return bool(chosen.scope or chosen.scopes_any or by_people or chosen.id in _FORBIDS)


def _finds(chosen: Operation) -> bool:
    """Whether it names something that may not be there: in its address or in its body."""
    named = chosen.body.schema["properties"] if chosen.body is not None else {}
    by_body = any(name.endswith(("_id", "_ids")) for name in named)
    return "{" in chosen.path or by_body or chosen.id in _FORBIDS


def _refusal(one: Refused) -> Described:
    error: Described = {
        "code": one.codes[0],
        "message": one.message,
        "request_id": "req_4f0c9a1e2b3d4c5f",
    }
    if one.details is not None:
        error["details"] = one.details
    return {
        "description": f"{one.words} `error.message` says what to do.",
        "headers": _headers("X-Request-Id", *one.headers, *_COUNTED),
        "content": {
            JSON: {"schema": _error(one.codes), "example": {"error": error}},
        },
    }


def _error(codes: tuple[str, ...]) -> Described:
    """The one shape of every refusal, with the codes of this status."""
    error = ERROR["properties"]["error"]
    properties = {**error["properties"], "code": {"enum": list(codes)}}
    return {**ERROR, "properties": {"error": {**error, "properties": properties}}}


def _headers(*names: str) -> Described:
    """By name, each a reference; a name that ends in `?` need not be there."""
    return {
        name.rstrip("?"): {"$ref": f"#/components/headers/{_component(name)}"} for name in names
    }


def _component(name: str) -> str:
    bare = name.rstrip("?").replace("-", "")
    return f"{bare}Maybe" if name.endswith("?") else bare
