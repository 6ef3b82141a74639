"""The OpenAPI 3.1 document, made from the registry of operations by drf-spectacular."""

from typing import Any, Final

from drf_spectacular.openapi import AutoSchema

from stuckbot.site.api import shapes

_ERROR_STATUSES: Final = ("400", "401", "403", "404", "405", "406", "409", "413", "415")
_MORE_ERRORS: Final = ("422", "429", "500", "503")


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
        if chosen.body is not None:
            body = {"application/json": {"schema": chosen.body.schema}}
            described["requestBody"] = {
                "content": body,
                "required": bool(chosen.body.schema.get("required")),
            }
        return described


def _tag(path: str) -> str:
    parts = [part for part in path.split("/") if part and not part.startswith("{")]
    return parts[2] if len(parts) > 2 and parts[0] == "api" else "desk"


def _parameters(path: str, chosen: Any) -> list[dict[str, Any]]:
    found = [
        {
            "name": part[1:-1],
            "in": "path",
            "required": True,
            "schema": {"type": "string"},
            "description": "The id; a ticket also answers to its reference, such as SB-12.",
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


def _responses(chosen: Any) -> dict[str, Any]:
    good = {"description": "Done.", "content": {"application/json": {"schema": chosen.answer}}}
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
