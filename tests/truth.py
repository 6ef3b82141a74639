"""Holds every answer that a test gets against the API document, so that it cannot lie.

Stricter than the document itself: an answer may hold nothing that the document does not name.
"""

import json
import re
from functools import cache
from typing import Any, Final

import jsonschema_rs

from stuckbot.site.api.public import document

JSON: Final = "application/json"
Found = tuple[str, dict[str, Any]]


def answer_check(method: str, path: str, response: Any) -> None:
    """Fails when the document says otherwise of this answer; unknown addresses pass."""
    found = operation_find("GET" if method == "HEAD" else method, path.partition("?")[0])
    if found is None:
        return
    name, described = found
    status = str(response.status_code)
    assert status in described["responses"], f"{name} answered {status}, which is not described"
    assert _headers_missing(described, status, response) == [], f"{name} answered {status}"
    if method == "HEAD" or status == "304":
        return
    kind = response.headers["Content-Type"]
    assert kind in _content(described, status), f"{name} answered {status} with {kind}"
    if kind == JSON:
        faults = faults_of(name, status, json.loads(response.content))
        assert faults == [], f"{name} answered {status} unlike its description: {faults}"


def operation_find(method: str, path: str) -> Found | None:
    for pattern, methods in _routes():
        if pattern.fullmatch(path) and method.lower() in methods:
            described = methods[method.lower()]
            return described["operationId"], described
    return None


def faults_of(name: str, status: str, answer: Any) -> list[str]:
    return [
        f"{'.'.join(map(str, error.instance_path))}: {error.message}"[:300]
        for error in _validator(name, status).iter_errors(answer)
    ]


@cache
def spec() -> dict[str, Any]:
    return document()


@cache
def _routes() -> list[tuple[re.Pattern[str], dict[str, Any]]]:
    """Addresses without parts that vary come first: `/agents/me` is no agent's id."""
    paths = sorted(spec()["paths"].items(), key=lambda one: "{" in one[0])
    return [(re.compile(re.sub(r"\{\w+\}", "[^/]+", path)), methods) for path, methods in paths]


def _headers_missing(described: dict[str, Any], status: str, response: Any) -> list[str]:
    """Headers that the document promises and that are not there or unlike their description."""
    return [
        header
        for header, where in _response(described, status).get("headers", {}).items()
        if not _header_fits(_pointed(where["$ref"]), response.headers.get(header))
    ]


def _header_fits(promised: dict[str, Any], value: str | None) -> bool:
    if value is None:
        return not promised["required"]
    whole = promised["schema"].get("type") == "integer"
    return bool(jsonschema_rs.is_valid(promised["schema"], int(value) if whole else value))


def _content(described: dict[str, Any], status: str) -> dict[str, Any]:
    return _response(described, status)["content"]  # type: ignore[no-any-return]


def _response(described: dict[str, Any], status: str) -> dict[str, Any]:
    response = described["responses"][status]
    found: dict[str, Any] = _pointed(response["$ref"]) if "$ref" in response else response
    return found


def _pointed(reference: str) -> Any:
    found: Any = spec()
    for step in reference.removeprefix("#/").split("/"):
        found = found[step]
    return found


@cache
def _validator(name: str, status: str) -> Any:
    operations = [one for _, methods in _routes() for one in methods.values()]
    described = next(one for one in operations if one["operationId"] == name)
    schema = _closed(_content(described, status)[JSON]["schema"])
    return jsonschema_rs.Draft202012Validator(schema, validate_formats=True)


def _closed(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with its references filled in; objects hold what is named and nothing else."""
    if "$ref" in schema:
        return _closed(_pointed(schema["$ref"]))
    if "allOf" in schema:
        return _merged([_closed(one) for one in schema["allOf"]])
    found = dict(schema)
    if "properties" in schema:
        found["properties"] = {key: _closed(one) for key, one in schema["properties"].items()}
        found.setdefault("additionalProperties", False)
    if "items" in schema:
        found["items"] = _closed(schema["items"])
    if "anyOf" in schema:
        found["anyOf"] = [_closed(one) for one in schema["anyOf"]]
    return found


def _merged(parts: list[dict[str, Any]]) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    required: list[str] = []
    for part in parts:
        properties |= part["properties"]
        required += part.get("required", [])
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
