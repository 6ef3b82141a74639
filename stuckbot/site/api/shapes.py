"""JSON Schemas of what goes over the wire: request bodies, and the shapes of answers."""

from typing import Any, Final

from accounts.states import SCOPES
from stuckbot.lib.shapes import VISIBLE, Shape
from tickets.packages.schema import load_schema
from tickets.states import Mode, State

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
USAGE: Final = {
    "type": "object",
    "maxProperties": 20,
    "additionalProperties": {"type": "number", "minimum": 0},
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

WHO: Final = record({"id": UUID, "kind": PLAIN, "name": PLAIN})
CLAIM_SHOWN: Final = record(
    {
        "id": UUID,
        "holder": ref("Actor"),
        "started_at": TIME,
        "expires_at": TIME,
        "execution_target": PLAIN,
        "conversation": nullable(ANYTHING),
    }
)
STATUS: Final = record(
    {
        "rule": PLAIN,
        "ticket_ref": nullable(PLAIN),
        "holder_id": nullable(UUID),
        "ask_id": nullable(UUID),
        "since": TIME,
    }
)
_SUMMARY: Final[dict[str, Any]] = {
    "id": UUID,
    "ref": PLAIN,
    "url": PLAIN,
    "state": {"enum": [str(one) for one in State]},
    "status_color": {"enum": ["RED", "YELLOW", "ORANGE", "GREEN"]},
    "status": STATUS,
    "mode": {"enum": [str(one) for one in Mode]},
    "urgency": {"type": "integer", "minimum": 1, "maximum": 10},
    "labels": WORDS,
    "required_skills": WORDS,
    "project_id": UUID,
    "root_id": UUID,
    "parent_id": nullable(UUID),
    "depth": NUMBER,
    "paused": FLAG,
    "incomplete": FLAG,
    "version": NUMBER,
    "created_at": TIME,
    "updated_at": TIME,
    "closed_at": nullable(TIME),
    "created_by": ref("Actor"),
    "assignee": nullable(ref("Actor")),
    "reserved_for": nullable(ref("Actor")),
    "claim": nullable(ref("Claim")),
    "needs_person": FLAG,
    "content": record(
        {"title": PLAIN, "human_summary": nullable(ANYTHING), "status_detail": PLAIN}
    ),
    "untrusted_content_notice": PLAIN,
}
CRITERION_SHOWN: Final = record(
    {
        "key": PLAIN,
        "stage": PLAIN,
        "method": PLAIN,
        "evidence_type": PLAIN,
        "status": {"enum": ["missing", "waiting", "failed", "unchecked", "passed"]},
        "locked": FLAG,
    }
)
#: With the statement; with its hash where a secret was masked in it.
ATTESTATION_SHOWN: Final = record(
    {
        "key": PLAIN,
        "statement": PLAIN,
        "statement_sha256": PLAIN,
        "signature": PLAIN,
        "signed_at": TIME,
        "key_revoked_at": TIME,
    },
    ["key", "signature", "signed_at"],
)
EVIDENCE_SHOWN: Final = record(
    {
        "id": UUID,
        "criterion_key": PLAIN,
        "stage": PLAIN,
        "type": PLAIN,
        "result": {"enum": ["pass", "fail", "waiting", "unchecked"]},
        "trust_label": PLAIN,
        "check": nullable(ANYTHING),
        "counts": FLAG,
        "by": ref("Actor"),
        "created_at": TIME,
        "attestation": nullable(ATTESTATION_SHOWN),
        "content": ANYTHING,
    }
)
#: What a solver says of a fix.
_ANSWER: Final = {
    "outcome": nullable(PLAIN),
    "resolution": nullable(
        record({name: PLAIN for name in ("summary", "branch", "commit", "url")}, [])
    ),
}
_STANDING: Final = {
    "stage": {"enum": ["blocker", "task", None]},
    "state": {"enum": ["approved", "submitted", "closed"]},
    "by": nullable(ref("Actor")),
    "at": TIME,
    "assurance": nullable(PLAIN),
    "content": record(_ANSWER),
}
VERIFICATION_SHOWN: Final = record(
    {
        "id": UUID,
        "ticket_id": UUID,
        "ticket_ref": PLAIN,
        "stage": PLAIN,
        "attempt": NUMBER,
        "state": PLAIN,
        "policy": PLAIN,
        "assurance": nullable(PLAIN),
        "notes": WORDS,
        "submitted_by": ref("Actor"),
        "submitted_at": TIME,
        "decided_by": nullable(ref("Actor")),
        "decided_at": nullable(TIME),
        "claim": nullable(record({"holder": ref("Actor"), "expires_at": TIME})),
        "unproved": record({"unchecked": WORDS, "manual": WORDS}),
        "content": record(
            {
                "reason": nullable(PLAIN),
                **_ANSWER,
                "package_changes": listed(record({"path": PLAIN, "before": {}, "after": {}})),
            }
        ),
    }
)
FAULT: Final = record({"path": PLAIN, "message": PLAIN})
MASKED: Final = record({"where": PLAIN, "kind": PLAIN, "preview": PLAIN})
FINDING_SHOWN: Final = record(
    {"id": UUID, "where": PLAIN, "kind": PLAIN, "preview": PLAIN, "at": TIME}
)
WARNING_SHOWN: Final = record({"code": PLAIN, "path": PLAIN, "message": PLAIN})
NOTE_SHOWN: Final = record({"id": UUID, "by": ref("Actor"), "at": TIME, "content": ANYTHING})
#: A ticket as one of its chain: oldest first, the root at the start, the tip at the end.
CHAINED: Final = record(
    {
        "id": UUID,
        "ref": PLAIN,
        "state": {"enum": [str(one) for one in State]},
        "status_color": PLAIN,
        "depth": NUMBER,
        "created_by": ref("Actor"),
        "content": record({"title": PLAIN, "handoff_reason": nullable(PLAIN)}),
    }
)
#: What somebody who left the ticket said to whoever takes it next.
LEFT: Final = record(
    {
        "by": ref("Actor"),
        "at": TIME,
        "reason": PLAIN,
        "content": record({"note": nullable(PLAIN)}),
    }
)
_DETAIL: Final[dict[str, Any]] = {
    **_SUMMARY,
    "content": record(
        {
            "title": PLAIN,
            "human_summary": nullable(ANYTHING),
            "status_detail": PLAIN,
            "package": ANYTHING,
            "blocked_reason": nullable(PLAIN),
        }
    ),
    "criteria": listed(ref("Criterion")),
    "evidence": listed(ref("Evidence")),
    "verifications": listed(ref("Verification")),
    "updates": listed(ref("Note")),
    "comments": listed(ref("Note")),
    "attachments": listed(ANYTHING),
    "dependencies": listed(ANYTHING),
    "dependents": listed(ANYTHING),
    "latest_report": nullable(ANYTHING),
    "asks": listed(ANYTHING),
    "decisions": listed(ANYTHING),
    "findings": listed(ref("Finding")),
    "warnings": listed(ref("Warning")),
    "package_version": NUMBER,
    "missing_fields": WORDS,
    "resolution": nullable(record({**_STANDING, "stages": listed(record(_STANDING))})),
    "private_data": record({"strict_privacy": FLAG}),
    "chain": listed(ref("Chained")),
    "chain_more": NUMBER,
    "handover": listed(ref("Left")),
    "you": record({"role": PLAIN, "holds_claim": FLAG, "can": WORDS}),
}
EVENT_SHOWN: Final = record(
    {
        "id": NUMBER,
        "type": PLAIN,
        "at": TIME,
        "actor": ref("Actor"),
        "data": ANYTHING,
        "content": ANYTHING,
    },
    ["id", "type", "at", "actor", "data"],
)
AGENT_SHOWN: Final = record(
    {
        "id": UUID,
        "name": PLAIN,
        "connector_id": nullable(UUID),
        "parent_agent_id": nullable(UUID),
        "provider": PLAIN,
        "model": PLAIN,
        "runtime": PLAIN,
        "labels": ANYTHING,
        "capabilities": ANYTHING,
        "scopes": WORDS,
        "project_ids": listed(UUID),
        "supports_stop": FLAG,
        "status": PLAIN,
        "last_heartbeat_at": nullable(TIME),
        "created_at": TIME,
    }
)
ERROR: Final = record(
    {
        "error": record(
            {"code": PLAIN, "message": PLAIN, "request_id": PLAIN, "details": ANYTHING},
            ["code", "message", "request_id"],
        )
    }
)

COMPONENTS: Final[dict[str, Any]] = {
    "Actor": WHO,
    "Agent": AGENT_SHOWN,
    "Chained": CHAINED,
    "Claim": CLAIM_SHOWN,
    "Criterion": CRITERION_SHOWN,
    "Error": ERROR,
    "Event": EVENT_SHOWN,
    "Evidence": EVIDENCE_SHOWN,
    "Finding": FINDING_SHOWN,
    "Left": LEFT,
    "Note": NOTE_SHOWN,
    "TicketDetail": record(_DETAIL),
    "TicketSummary": record(_SUMMARY),
    "Verification": VERIFICATION_SHOWN,
    "Warning": WARNING_SHOWN,
}

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
