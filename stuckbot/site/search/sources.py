"""What is stored of tickets, as far as they are found by it, in a fixed number of statements."""

from collections import defaultdict
from collections.abc import Collection
from typing import Any, Final
from uuid import UUID

from django.db.models import F

from stuckbot.lib.content import text_of, value_of
from tickets.models import Claim, Package, Ticket
from tickets.search.document import Source
from verification.models import Verification
from verification.states import VerificationState

_TEXTS: Final = ("title", "summary", "resolution")
_COLUMNS: Final = (
    *("id", "number", "project_id", "creator_id", "solver_id", "labelset__words"),
    *(f"{name}__{column}" for name in _TEXTS for column in ("bytes", "key_id")),
)


def sources_read(org_id: UUID, ticket_ids: Collection[UUID]) -> list[Source]:
    """In order of their numbers; a ticket that is gone lacks."""
    chosen = list(ticket_ids)
    packages = _packages(org_id, chosen)
    readers = _readers(org_id, chosen)
    answers = _answers(org_id, chosen)
    rows = Ticket.objects.of(org_id).filter(id__in=chosen).order_by("number").values(*_COLUMNS)
    return [
        Source(
            org_id=org_id,
            ticket_id=row["id"],
            number=row["number"],
            project_id=row["project_id"],
            reader_ids=[row["creator_id"], *readers[row["id"]]],
            labels=row["labelset__words"] or [],
            title=text_of(row["title__bytes"], row["title__key_id"]),
            summary=value_of(row["summary__bytes"], row["summary__key_id"]) or {},
            package=packages.get(row["id"], {}),
            answers=[*answers[row["id"]], *_closing(row)],
        )
        for row in rows
    ]


def _packages(org_id: UUID, chosen: list[UUID]) -> dict[UUID, dict[str, Any]]:
    """The newest of each."""
    rows = Package.objects.of(org_id).filter(ticket_id__in=chosen, n=F("ticket__package_n"))
    texts = rows.values_list("ticket_id", "content__bytes", "content__key_id")
    return {ticket_id: value_of(stored, key_id) or {} for ticket_id, stored, key_id in texts}


def _readers(org_id: UUID, chosen: list[UUID]) -> dict[UUID, list[UUID]]:
    """Whoever held it once reads it."""
    found: dict[UUID, list[UUID]] = defaultdict(list)
    rows = Claim.objects.of(org_id).filter(ticket_id__in=chosen)
    for ticket_id, actor_id in rows.values_list("ticket_id", "actor_id").distinct():
        found[ticket_id].append(actor_id)
    return found


def _answers(org_id: UUID, chosen: list[UUID]) -> dict[UUID, list[dict[str, Any]]]:
    """What was said of a fix on submitting it, unless it was rejected."""
    found: dict[UUID, list[dict[str, Any]]] = defaultdict(list)
    rows = Verification.objects.of(org_id).filter(ticket_id__in=chosen, answer__isnull=False)
    stood = rows.exclude(state=VerificationState.REJECTED).order_by("id")
    for ticket_id, stored, key_id in stood.values_list(
        "ticket_id", "answer__bytes", "answer__key_id"
    ):
        found[ticket_id].append(value_of(stored, key_id) or {})
    return found


def _closing(row: dict[str, Any]) -> list[dict[str, Any]]:
    said = value_of(row["resolution__bytes"], row["resolution__key_id"])
    return [said] if said else []
