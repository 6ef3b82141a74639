"""JSON Schemas of what goes over the wire: request bodies, and the parts of answers.

What several answers share, such as a ticket, stands in `components` by the name that `ref` takes.
"""

from typing import Any, Final

from accounts.states import SCOPES
from stuckbot.lib.shapes import VISIBLE, Shape
from tickets.packages.schema import load_schema

TEXT: Final = 20_000
NOTE: Final = 5_000


def ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def text(most: int, least: int = 1) -> dict[str, Any]:
    """A text; where it is wanted (`least` of 1) something in it can be seen."""
    shape = {"type": "string", "minLength": least, "maxLength": most}
    return {**shape, "pattern": VISIBLE} if least else shape


def listed(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": item}


def nullable(item: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [item, {"type": "null"}]}


def record(properties: dict[str, Any], required: list[str] | None = None) -> dict[str, Any]:
    """An answer's object: every property is there unless `required` names fewer."""
    names = list(properties) if required is None else required
    return {"type": "object", "properties": properties, "required": names}


def body(properties: dict[str, Any], *required: str) -> Shape:
    """A request's object: unknown fields are refused."""
    schema: dict[str, Any] = {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
    }
    if required:
        schema["required"] = list(required)
    return Shape(schema)


UUID: Final = {"type": "string", "format": "uuid"}
ID_TEXT: Final = text(64)
TIME: Final = {"type": "string", "format": "date-time"}
NUMBER: Final = {"type": "integer"}
FLAG: Final = {"type": "boolean"}
WORDS: Final = listed({"type": "string"})
NAME: Final = text(80, 0)
ANYTHING: Final = {"type": "object"}
PLAIN: Final = {"type": "string"}

# --- request bodies -------------------------------------------------------------------------

CONVERSATION: Final = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "harness": text(80),
        "session_id": {"type": ["string", "null"], "maxLength": 200},
        "thread_url": {"type": ["string", "null"], "maxLength": 2000, "pattern": "^https?://"},
    },
}
REGISTER: Final = body(
    {
        "name": NAME,
        "labels": {"type": "object", "maxProperties": 50},
        "runtime": NAME,
        "provider": NAME,
        "model": NAME,
        "capabilities": {"type": "object", "maxProperties": 50},
        "supports_stop": FLAG,
        "scopes": {"type": "array", "items": {"type": "string"}, "maxItems": len(SCOPES) * 2},
        "project_ids": {"type": "array", "items": ID_TEXT, "maxItems": 200},
        "parent_agent_id": ID_TEXT,
    }
)
#: The name of a counter is shown beside its number: short, on one line, and not turned around.
_COUNTER: Final = "^[^\\x00-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]*$"
USAGE: Final = {
    "type": "object",
    "maxProperties": 20,
    "propertyNames": {"minLength": 1, "maxLength": 80, "pattern": _COUNTER},
    "additionalProperties": {"type": "number", "minimum": 0, "maximum": 1e15},
}
HEARTBEAT: Final = body(
    {
        "status": text(1_000, 0),
        "usage": USAGE,
        "tickets": {"type": "array", "items": ID_TEXT, "maxItems": 50},
    }
)
CREATE: Final = body(
    {
        "package": {"type": "object"},
        "project_id": ID_TEXT,
        "blocked_reason": text(NOTE),
        "depends_on": {"type": "array", "items": ID_TEXT, "maxItems": 200},
        "assignee": ID_TEXT,
        "for_agent": ID_TEXT,
    },
    "package",
)
PACKAGE: Final = body({"package": {"type": "object"}}, "package")
PACKAGE_TRIED: Final = Shape(PACKAGE.schema, texts_later=True)
CLAIM: Final = body(
    {
        "execution_target": {"enum": ["external", "runner"]},
        "lease_minutes": {"type": "integer"},
        "conversation": CONVERSATION,
    }
)
RELEASE: Final = body({"note": text(NOTE, 0), "force": FLAG})
REASON: Final = body({"reason": text(NOTE)}, "reason")
REASON_MAYBE: Final = body({"reason": text(NOTE, 0)})
OUTCOME: Final = body({"outcome": text(NOTE, 0)})
MET: Final = body({"note": text(NOTE)}, "note")
SEND_BACK: Final = body({"note": text(NOTE), "to_solver": FLAG}, "note")
_PACKAGE: Final = load_schema()
_EXPLANATION: Final = _PACKAGE["properties"]["human_summary"]
_SUMMARY_TEXT: Final = _PACKAGE["$defs"]["summary"]
EDIT: Final = body(
    {
        "human_summary": {
            **_EXPLANATION,
            "properties": dict.fromkeys(_EXPLANATION["properties"], _SUMMARY_TEXT),
        },
        "urgency": {"type": "integer", "minimum": 1, "maximum": 10},
        "labels": _PACKAGE["$defs"]["words"],
        "assignee": {**ID_TEXT, "type": ["string", "null"]},
        "reserved_for": {**ID_TEXT, "type": ["string", "null"]},
        "version": {"type": "integer", "minimum": 1},
    },
    "version",
)
UPDATE: Final = body({"body": text(TEXT), "progress": {"type": ["object", "null"]}}, "body")
COMMENT: Final = body({"body": text(TEXT)}, "body")
#: What a program printed, as evidence reports it.
OUTPUTS: Final = frozenset({"payload.output_excerpt", "payload.excerpt", "payload.summary"})
EVIDENCE: Final = Shape(
    body(
        {
            "criterion": text(40),
            "type": text(40),
            "payload": {"type": "object"},
            "result": {"enum": ["pass", "fail"]},
        },
        "criterion",
        "type",
        "payload",
    ).schema,
    outputs=OUTPUTS,
)
SUBMIT: Final = body(
    {
        "stage": {"enum": ["blocker", "task"]},
        "outcome": text(NOTE, 0),
        "resolution": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "branch": text(400),
                "commit": text(400),
                "url": text(4_000),
                "summary": text(NOTE),
            },
        },
    },
    "stage",
)

# --- answers --------------------------------------------------------------------------------

FAULT: Final = record({"path": PLAIN, "message": PLAIN})
MASKED: Final = record({"where": PLAIN, "kind": PLAIN, "preview": PLAIN})
TICKET: Final = record({"ticket": ref("TicketSummary")})
TICKET_WHOLE: Final = record({"ticket": ref("TicketDetail")})
REQUEST: Final = nullable(
    record(
        {
            "id": PLAIN,
            "reason": PLAIN,
            "requested_at": TIME,
            "ticket_id": nullable(UUID),
            "content": ANYTHING,
        }
    )
)
