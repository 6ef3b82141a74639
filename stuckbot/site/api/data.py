"""Data stores that an org runs itself. The desk knows none yet."""

from typing import Final, NoReturn

from accounts.selectors import scopes_any_require
from stuckbot.lib.errors import Missing
from stuckbot.lib.idempotency import Answer
from stuckbot.lib.shapes import Shape
from stuckbot.site.api import shapes
from stuckbot.site.api.call import Call, plain
from stuckbot.site.api.later import refuse, ticket_refuse
from stuckbot.site.api.operations import operation

#: Who writes tickets may put data aside for them.
WRITING: Final = ("tickets:create", "handoff:create", "evidence:submit")
_STORE_NAME: Final = Shape({"type": "string", "pattern": "^[A-Za-z0-9-]{1,64}$"})
_GRANT = {"store": shapes.PLAIN, "url": shapes.PLAIN, "token": shapes.PLAIN}


@operation(
    "list_data_stores",
    "GET",
    "/data-stores",
    scopes_any=WRITING,
    answer=shapes.record(
        {
            "data_stores": shapes.listed(
                shapes.record({"id": shapes.UUID, "name": shapes.PLAIN, "url": shapes.PLAIN})
            ),
            "strict_privacy_projects": shapes.listed(shapes.UUID),
        }
    ),
)
def list_data_stores(call: Call) -> Answer:
    """The org's own data stores, and the projects whose details stay there."""
    if call.actor.is_agent:
        scopes_any_require(call.actor, WRITING)
    return plain({"data_stores": [], "strict_privacy_projects": []})


@operation(
    "get_upload_grant",
    "POST",
    "/data-stores/{name}/upload-grants",
    scopes_any=WRITING,
    answer=shapes.record({**_GRANT, "expires_at": shapes.TIME}),
)
def get_upload_grant(call: Call) -> NoReturn:
    """A short-lived grant to put objects on a data store."""
    scopes_any_require(call.actor, WRITING)
    if _STORE_NAME.faults(call.args["name"]):
        raise Missing
    refuse("This desk knows no data stores yet. Put what matters into the package.")


@operation(
    "get_data_grants",
    "POST",
    "/tickets/{id}/data-grants",
    body=shapes.body(
        {"objects": {"type": "array", "items": shapes.text(200), "maxItems": 200}},
    ),
    scope="tickets:read_project",
    answer=shapes.record(
        {
            "grants": shapes.listed(
                shapes.record(
                    {
                        "store": shapes.PLAIN,
                        "object": shapes.PLAIN,
                        "kind": shapes.PLAIN,
                        "name": shapes.nullable(shapes.PLAIN),
                        "size": shapes.nullable(shapes.NUMBER),
                        "media_type": shapes.nullable(shapes.PLAIN),
                        "available": shapes.FLAG,
                        "reason": shapes.nullable(shapes.PLAIN),
                        "url": shapes.nullable(shapes.PLAIN),
                        "token": shapes.nullable(shapes.PLAIN),
                        "expires_at": shapes.nullable(shapes.TIME),
                    }
                )
            )
        }
    ),
)
def get_data_grants(call: Call) -> NoReturn:
    """Short-lived grants to read a ticket's objects from the data stores."""
    ticket_refuse(
        call,
        "tickets:read_project",
        "This desk gives no data grants yet. Work from the package, or ask in a comment.",
    )
