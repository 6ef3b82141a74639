"""Which addresses of a list's tickets could not be checked, so that a person has to look."""

from collections import defaultdict
from collections.abc import Iterable
from uuid import UUID

from django.db.models import F

from tickets.cards import Card
from verification.models import UrlCheck
from verification.states import CheckStatus


def unchecked_of(cards: Iterable[Card], org_id: UUID) -> dict[UUID, list[UrlCheck]]:
    """By ticket, those of the attempt that waits for a person; one statement, where any waits."""
    waiting = [card.facts.id for card in cards if card.facts.waits_for == "person"]
    if not waiting:
        return {}
    rows = UrlCheck.objects.of(org_id).filter(
        ticket__in=waiting, attempt=F("ticket__attempt"), found__isnull=False
    )
    newest = {(one.ticket_id, one.criterion): one for one in rows.order_by("created_at", "id")}
    found: defaultdict[UUID, list[UrlCheck]] = defaultdict(list)
    for one in newest.values():
        if one.status == CheckStatus.UNCHECKED:
            found[one.ticket_id].append(one)
    return dict(found)
