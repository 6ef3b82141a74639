"""The OpenAPI 3.1 document, made from the registry of operations by drf-spectacular."""

from typing import Any

from drf_spectacular.openapi import AutoSchema

from stuckbot.site.api import answers
from stuckbot.site.api.components import COMPONENTS
from stuckbot.site.api.examples import EXAMPLES
from stuckbot.site.api.operations import BYTES, JSON, Operation
from stuckbot.site.api.parameters import parameter_components, parameters


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
            "parameters": parameters(path, chosen),
            "responses": answers.responses(chosen),
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
        return {"content": {BYTES: {"schema": answers.FILE}}, "required": True}
    if chosen.body is None:
        return None
    content: dict[str, Any] = {"schema": chosen.body.schema}
    if chosen.id in EXAMPLES:
        content["example"] = EXAMPLES[chosen.id]
    return {"content": {JSON: content}, "required": bool(chosen.body.schema.get("required"))}


def _tag(path: str) -> str:
    parts = [part for part in path.split("/") if part and not part.startswith("{")]
    return parts[2] if len(parts) > 2 and parts[0] == "api" else "desk"


def components_add(result: dict[str, Any], generator: Any, **_: Any) -> dict[str, Any]:
    """A spectacular hook: shared schemas, refusals, headers, parameters, the bearer."""
    components = result.setdefault("components", {})
    components["schemas"] = dict(sorted(COMPONENTS.items()))
    components["responses"] = answers.refusal_components()
    components["headers"] = answers.header_components()
    components["parameters"] = parameter_components()
    components["securitySchemes"] = {"bearer": {"type": "http", "scheme": "bearer"}}
    return result
