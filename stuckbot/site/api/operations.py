"""The operations of the API: each says its path, who may call it, its body and its answers.

The registry makes the routes, the checks before a handler runs, and the OpenAPI document, so that
the three cannot drift apart.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from accounts.sign_in import ACTING_KINDS
from accounts.states import TokenKind
from stuckbot.lib.idempotency import Answer
from stuckbot.lib.shapes import Shape
from stuckbot.site.api.call import Call

Handler = Callable[[Call], Any]

JSON: Final = "application/json"
BYTES: Final = "application/octet-stream"


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation. `path` is below the API's root unless it begins with `//`.

    `answer` is the JSON Schema of the good answer, `status` its number. `cost` is what a call
    counts against the rate limit. `conflicts_kept` False: a lost race is never replayed. `media`
    is the good answer's type; `upload`: the body is a file's bytes, whatever type it claims.
    An agent needs `scope`, or any one of `scopes_any`.
    """

    id: str
    method: str
    path: str
    summary: str
    handler: Handler
    answer: Mapping[str, Any]
    status: int = 200
    body: Shape | None = None
    query: Mapping[str, str] = field(default_factory=dict)
    kinds: frozenset[TokenKind] | None = ACTING_KINDS
    scope: str = ""
    scopes_any: tuple[str, ...] = ()
    cost: float = 1.0
    keyed: bool = True
    conflicts_kept: bool = True
    replay: Callable[[Call], Answer] | None = None
    etag: bool = False
    upload: bool = False
    media: str = JSON


OPERATIONS: Final[dict[tuple[str, str], Operation]] = {}


def operation(id: str, method: str, path: str, **rest: Any) -> Callable[[Handler], Handler]:
    """Registers the handler of one operation; its docstring's first line is the summary."""

    def register(handler: Handler) -> Handler:
        summary = (handler.__doc__ or id).strip().splitlines()[0]
        OPERATIONS[path, method] = Operation(
            id=id, method=method, path=path, summary=summary, handler=handler, **rest
        )
        return handler

    return register


EMPTY: Final = Shape({"type": "object", "additionalProperties": False, "properties": {}})
