"""What the payload of each type of evidence may hold."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

import jsonschema_rs

from stuckbot.lib.strict_json import text_faults
from tickets.packages.check import Fault
from tickets.packages.schema import load_schema, path_text, problems_of

EVIDENCE_TYPE_OF_METHOD: Final[dict[str, str]] = {
    "command": "command_run",
    "test_suite": "test_report",
    "log_match": "log_match",
    "artifact": "artifact",
    "external_check": "external_check",
    "manual": "manual_note",
}

#: What a program printed may hold NUL; it is kept as it came.
_OUTPUTS: Final = frozenset({"payload.output_excerpt", "payload.excerpt", "payload.summary"})
#: Something to read, as in packages.
_VISIBLE: Final = str(load_schema()["$defs"]["text"]["pattern"])
_UUID: Final = "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$"


def _text(limit: int, **more: Any) -> dict[str, Any]:
    return {"type": "string", "maxLength": limit, **more}


_VALUE: Final = _text(4_000)
_NOTE: Final = _text(5_000)
_EXCERPT: Final = _text(4_000)
_SHA256: Final = _text(64, pattern="^[0-9A-Fa-f]{64}$")
_COUNT: Final = {"type": "integer", "minimum": 0, "maximum": 1_000_000_000}


def _object(required: list[str], **properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": required,
        "properties": properties,
    }


PAYLOAD_SCHEMAS: Final[dict[str, dict[str, Any]]] = {
    "command_run": _object(
        ["command", "exit_code"],
        command=_VALUE,
        exit_code={"type": "integer", "minimum": -(2**31), "maximum": 2**32 - 1},
        output_sha256=_SHA256,
        output_excerpt=_EXCERPT,
        ran_at=_text(64, format="date-time"),
        cwd=_VALUE,
    ),
    "test_report": _object(
        ["runner", "passed", "failed"],
        runner=_text(4_000, pattern=_VISIBLE),
        passed=_COUNT,
        failed=_COUNT,
        skipped=_COUNT,
        summary=_text(8_000),
    ),
    "log_match": _object(["excerpt"], excerpt=_EXCERPT, pattern=_VALUE, source=_VALUE),
    "artifact": {
        **_object(
            [],
            url=_text(4_000, minLength=1),
            attachment_id=_text(36, pattern=_UUID),
            path=_text(4_000, minLength=1),
            sha256=_SHA256,
            note=_NOTE,
        ),
        "anyOf": [{"required": ["url"]}, {"required": ["attachment_id"]}, {"required": ["path"]}],
    },
    "external_check": _object(
        ["url"],
        url=_VALUE,
        status={"type": "integer", "minimum": 100, "maximum": 599},
        note=_NOTE,
    ),
    "manual_note": _object(["note"], note=_text(5_000, pattern=_VISIBLE)),
}

_AT_MOST_4000: Final = "must be text of at most 4,000 characters"
_SHA_RULE: Final = "must be a SHA-256 in 64 hex digits"
_COUNT_RULE: Final = "must be a whole number, 0 or more"
_RULES: Final = {
    "command": _AT_MOST_4000,
    "exit_code": "must be a whole number",
    "output_sha256": _SHA_RULE,
    "output_excerpt": _AT_MOST_4000,
    "ran_at": "must be a time like 2026-03-01T12:00:00Z",
    "cwd": _AT_MOST_4000,
    "runner": "must be text of 1 to 4,000 characters",
    "passed": _COUNT_RULE,
    "failed": _COUNT_RULE,
    "skipped": _COUNT_RULE,
    "summary": "must be text of at most 8,000 characters",
    "excerpt": _AT_MOST_4000,
    "pattern": _AT_MOST_4000,
    "source": _AT_MOST_4000,
    "url": _AT_MOST_4000,
    "attachment_id": "must be the id of an attachment",
    "path": _AT_MOST_4000,
    "sha256": _SHA_RULE,
    "status": "must be a status code from 100 to 599",
    "note": "must be text of at most 5,000 characters",
}
_WANTED: Final = {
    "command": "the command that ran",
    "exit_code": "the number it exited with",
    "runner": "the name or the command of the test runner",
    "passed": "how many tests passed",
    "failed": "how many tests failed",
    "excerpt": "the part of the log that shows it",
    "url": "the address that was checked",
    "note": "what was seen, in a sentence or more",
}
#: Fields that must not be empty where the type needs them.
_NEEDED: Final = {
    ("manual_note", "note"): "must be text of 1 to 5,000 characters",
    ("artifact", "url"): "must be text of 1 to 4,000 characters",
    ("artifact", "path"): "must be text of 1 to 4,000 characters",
}


def payload_faults(type_: str, payload: object) -> list[Fault]:
    """Every fault of a payload, one a path: `payload.exit_code`; `type` when it is unknown."""
    if type_ not in PAYLOAD_SCHEMAS:
        known = ", ".join(PAYLOAD_SCHEMAS)
        return [Fault("type", f"type must be one of {known}.")]
    if not isinstance(payload, Mapping):
        return [Fault("payload", "payload must be an object.")]
    value = dict(payload)
    found: dict[str, str] = {}
    for path, message in (*_text_faults(value), *_schema_faults(type_, value)):
        found.setdefault(path, message)
    return [Fault(path, message) for path, message in found.items()]


def _text_faults(payload: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for path, message in text_faults(payload, "payload"):
        if path not in _OUTPUTS or "surrogate" in message:
            yield path, message


def _schema_faults(type_: str, payload: dict[str, Any]) -> Iterator[tuple[str, str]]:
    try:
        problems = problems_of(_validator(type_), payload)
    except ValueError:
        yield "payload", "payload must be plain JSON."
        return
    for keyword, parts, names in problems:
        path = path_text(["payload", *parts])
        if keyword == "required":
            yield from ((f"{path}.{name}", _missing(f"{path}.{name}", name)) for name in names)
        elif keyword == "additionalProperties":
            yield from ((f"{path}.{name}", _unknown(type_, name)) for name in names)
        elif keyword == "anyOf":
            yield path, "Say where the artifact is: give payload a url, an attachment_id or a path."
        else:
            yield path, f"{path} {_rule(type_, str(parts[0]))}."


def _missing(path: str, name: str) -> str:
    return f"Add {path}: {_WANTED[name]}."


def _unknown(type_: str, name: str) -> str:
    return f"Remove payload.{name}: evidence of type {type_} has no field named {name}."


def _rule(type_: str, field: str) -> str:
    return _NEEDED.get((type_, field)) or _RULES[field]


@cache
def _validator(type_: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(PAYLOAD_SCHEMAS[type_], validate_formats=True)
