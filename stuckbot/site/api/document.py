"""The OpenAPI 3.1 document, made from the registry of operations by drf-spectacular."""

from typing import Any, Final

from drf_spectacular.openapi import AutoSchema

from stuckbot.site.api import shapes
from stuckbot.site.api.operations import BYTES, JSON, Operation

_ERROR_STATUSES: Final = ("400", "401", "403", "404", "405", "406", "409", "413", "415")
_MORE_ERRORS: Final = ("422", "429", "500", "503")
_FILE: Final = {"type": "string", "format": "binary"}
_PARTS: Final = {
    "id": "The id; a ticket also answers to its reference, such as SB-12.",
    "name": "The name.",
    "key": "A criterion's key.",
}


class OperationSchema(AutoSchema):
    """Reads an operation's own words instead of guessing from serializers."""

    def get_operation(
        self, path: str, path_regex: str, path_prefix: str, method: str, registry: Any
    ) -> dict[str, Any] | None:
        chosen = getattr(self.view, "operations", {}).get(method.upper())
        if chosen is None:
            return None
        described: dict[str, Any] = {
            "operationId": chosen.id,
            "summary": chosen.summary,
            "tags": [_tag(path)],
            "parameters": _parameters(path, chosen),
            "responses": _responses(chosen),
            "security": [] if chosen.kinds is None else [{"bearer": []}],
        }
        if chosen.scope:
            described["description"] = f"Agents need the scope `{chosen.scope}`."
        elif chosen.scopes_any:
            named = ", ".join(f"`{scope}`" for scope in chosen.scopes_any)
            described["description"] = f"Agents need one of the scopes {named}."
        body = _request_body(chosen)
        return described if body is None else {**described, "requestBody": body}


def _request_body(chosen: Operation) -> dict[str, Any] | None:
    if chosen.upload:
        return {"content": {BYTES: {"schema": _FILE}}, "required": True}
    if chosen.body is None:
        return None
    required = bool(chosen.body.schema.get("required"))
    return {"content": {JSON: {"schema": chosen.body.schema}}, "required": required}


def _tag(path: str) -> str:
    parts = [part for part in path.split("/") if part and not part.startswith("{")]
    return parts[2] if len(parts) > 2 and parts[0] == "api" else "desk"


def _parameters(path: str, chosen: Operation) -> list[dict[str, Any]]:
    found = [
        {
            "name": part[1:-1],
            "in": "path",
            "required": True,
            "schema": {"type": "string"},
            "description": _PARTS[part[1:-1]],
        }
        for part in path.split("/")
        if part.startswith("{")
    ]
    found += [
        {"name": name, "in": "query", "schema": {"type": "string"}, "description": words}
        for name, words in chosen.query.items()
    ]
    if chosen.method == "POST" and chosen.keyed and chosen.kinds is not None:
        found.append({"$ref": "#/components/parameters/IdempotencyKey"})
    return found


def _responses(chosen: Operation) -> dict[str, Any]:
    answer = chosen.answer if chosen.media == JSON else _FILE
    good = {"description": "Done.", "content": {chosen.media: {"schema": answer}}}
    responses: dict[str, Any] = {str(chosen.status): good}
    if chosen.etag:
        responses["304"] = {"description": "Nothing has changed since the ETag that was sent."}
    for status in (*_ERROR_STATUSES, *_MORE_ERRORS):
        responses[status] = {"$ref": "#/components/responses/Refusal"}
    return responses


def components_add(result: dict[str, Any], generator: Any, **_: Any) -> dict[str, Any]:
    """A spectacular hook: shared schemas, the error envelope, the key header, the bearer."""
    components = result.setdefault("components", {})
    components["schemas"] = dict(sorted(shapes.COMPONENTS.items()))
    components["responses"] = {
        "Refusal": {
            "description": "Refused; `error.message` says what to do.",
            "content": {"application/json": {"schema": shapes.ref("Error")}},
        }
    }
    components["parameters"] = {
        "IdempotencyKey": {
            "name": "Idempotency-Key",
            "in": "header",
            "schema": {"type": "string", "minLength": 1, "maxLength": 255},
            "description": "The same key within 24 hours gives the same answer back.",
        }
    }
    components["securitySchemes"] = {"bearer": {"type": "http", "scheme": "bearer"}}
    return result
