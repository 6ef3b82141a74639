"""What the API document says of the parts of an address and of the query."""

from typing import Any, Final

from stuckbot.lib.paging import LIMIT_DEFAULT, LIMIT_MOST
from stuckbot.site.api.answers import takes_key
from stuckbot.site.api.operations import Operation
from tickets.states import Mode, State

Described = dict[str, Any]


def _any_of(item: Described) -> Described:
    """Several, separated by commas."""
    return {"type": "array", "items": item}


_TEXT: Final[Described] = {"type": "string"}
_FLAG: Final[Described] = {"enum": ["0", "1", "true", "false"]}
_ID: Final[Described] = {"type": "string", "format": "uuid"}
#: The schema of each parameter of a query by its name; others are texts.
_QUERY: Final[dict[str, Described]] = {
    "after": {"type": "integer", "minimum": 0, "maximum": 10**18 - 1},
    "archived": _FLAG,
    "color": _any_of({"enum": ["RED", "YELLOW", "ORANGE", "GREEN"]}),
    "filename": {**_TEXT, "minLength": 1, "maxLength": 255},
    "kind": {"enum": ["handoff", "stop"]},
    "labels": _any_of(_TEXT),
    "limit": {"type": "integer", "minimum": 1, "maximum": LIMIT_MOST, "default": LIMIT_DEFAULT},
    "min_urgency": {"type": "integer", "minimum": 1, "maximum": 10},
    "mine": _FLAG,
    "mode": _any_of({"enum": [str(one) for one in Mode]}),
    "project_id": _any_of(_ID),
    "restricted": _FLAG,
    "skills": _any_of(_TEXT),
    "state": _any_of({"enum": [str(one) for one in State]}),
}
_PARTS: Final = {
    "id": ("The id; a ticket also answers to its reference, such as SB-12.", "SB-12"),
    "name": ("The name.", "main"),
    "key": ("A criterion's key.", "b1"),
}


def parameters(path: str, chosen: Operation) -> list[Described]:
    parts = [part[1:-1] for part in path.split("/") if part.startswith("{")]
    found = [_part(name) for name in parts]
    found += [_query(name, words) for name, words in chosen.query.items()]
    shared = [name for name, taken in _shared(chosen).items() if taken]
    return found + [{"$ref": f"#/components/parameters/{name}"} for name in shared]


def parameter_components() -> Described:
    return {
        "IdempotencyKey": {
            "name": "Idempotency-Key",
            "in": "header",
            "schema": {
                **_TEXT,
                "minLength": 1,
                "maxLength": 255,
                "pattern": "^[!-~]+$",
            },
            "description": "The same key within 24 hours gives the same answer back.",
            "example": "5b0d3f3e-fix-1",
        },
        "IfNoneMatch": {
            "name": "If-None-Match",
            "in": "header",
            "schema": _TEXT,
            "description": "The ETag of the answer before.",
        },
    }


def _shared(chosen: Operation) -> dict[str, bool]:
    return {"IdempotencyKey": takes_key(chosen), "IfNoneMatch": chosen.etag}


def _part(name: str) -> Described:
    words, example = _PARTS[name]
    return {
        "name": name,
        "in": "path",
        "required": True,
        "schema": {**_TEXT, "minLength": 1},
        "description": words,
        "example": example,
    }


def _query(name: str, words: str) -> Described:
    schema = _QUERY.get(name, _TEXT)
    described: Described = {"name": name, "in": "query", "schema": schema, "description": words}
    if schema not in (_TEXT, _any_of(_TEXT)) and "minLength" not in schema:
        described["allowEmptyValue"] = True  # as if it were not there
    if schema.get("type") == "array":
        described |= {"style": "form", "explode": False}
    return described
