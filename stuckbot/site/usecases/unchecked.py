"""Which addresses of a list's tickets could not be checked, so that a person has to look."""

from collections import defaultdict
from collections.abc import Iterable
from uuid import UUID

from django.db.models import Exists, F, OuterRef

from tickets.cards import Card
from verification.models import Evidence, UrlCheck
from verification.states import CheckStatus


def unchecked_of(cards: Iterable[Card], org_id: UUID) -> dict[UUID, list[UrlCheck]]:
    """By ticket, those of the stage that waits for a person; one statement, where any waits.

    Whoever approved the stage before took its own upon them, and where a verifier looked, what it
    saw counts.
    """
    waiting = {
        card.facts.id: card.facts.stage for card in cards if card.facts.waits_for == "person"
    }
    if not waiting:
        return {}
    later = Evidence.objects.of(org_id).filter(
        ticket_id=OuterRef("ticket_id"),
        attempt=OuterRef("attempt"),
        criterion=OuterRef("criterion"),
        seq__gt=OuterRef("found__seq"),
    )
    rows = UrlCheck.objects.of(org_id).filter(
        ~Exists(later),
        ticket__in=waiting,
        attempt=F("ticket__attempt"),
        status=CheckStatus.UNCHECKED,
        found__isnull=False,
    )
    found: defaultdict[UUID, list[UrlCheck]] = defaultdict(list)
    for one in rows.annotate(stage=F("found__stage")).order_by("created_at", "id"):
        if one.stage == waiting[one.ticket_id]:
            found[one.ticket_id].append(one)
    return dict(found)
