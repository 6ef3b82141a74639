"""Files of tickets over the wire. The desk keeps none yet."""

from typing import Any, NoReturn

from accounts.selectors import scope_require
from stuckbot.lib.errors import Missing, invalid_fields
from stuckbot.lib.shapes import Shape
from stuckbot.site.api import shapes
from stuckbot.site.api.call import Call
from stuckbot.site.api.later import ticket_refuse
from stuckbot.site.api.operations import BYTES, operation

ATTACHMENT = shapes.record(
    {
        "id": shapes.UUID,
        "filename": shapes.PLAIN,
        "size": shapes.NUMBER,
        "mime": shapes.PLAIN,
        "sha256": shapes.PLAIN,
        "received_sha256": shapes.PLAIN,
        "masked": shapes.FLAG,
        "restricted": shapes.FLAG,
        "by": shapes.ref("Actor"),
        "at": shapes.TIME,
    }
)
_FILENAME = Shape({"type": "object", "properties": {"filename": shapes.text(255)}})


@operation(
    "upload_attachment",
    "POST",
    "/tickets/{id}/attachments",
    query={
        "filename": "The file's name, 1 to 255 characters",
        "restricted": "1: only for those whom a person lets see it",
    },
    status=201,
    scope="tickets:read_project",
    upload=True,
    answer=shapes.record({"attachment": ATTACHMENT}),
)
def upload_attachment(call: Call) -> NoReturn:
    """Attach a file to a ticket; the body is its bytes."""
    _query_require(call)
    ticket_refuse(
        call,
        "tickets:read_project",
        "This desk keeps no files yet. Put what matters into a comment or the package.",
    )


def _query_require(call: Call) -> None:
    name = call.request.GET.get("filename")
    faults = [] if name is None else _FILENAME.faults({"filename": name})
    if (call.request.GET.get("restricted") or "0") not in ("0", "1", "true", "false"):
        faults.append(("restricted", "restricted must be 1 or 0."))
    if faults:
        raise invalid_fields(faults)


@operation(
    "download_attachment",
    "GET",
    "/attachments/{id}",
    scope="tickets:read_project",
    media=BYTES,
    answer=shapes.ANYTHING,
)
def download_attachment(call: Call) -> Any:
    """The bytes of an attached file."""
    if call.actor.is_agent:
        scope_require(call.actor, "tickets:read_project")
    raise Missing
