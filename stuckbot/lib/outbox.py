"""Consumers of an org's events: mail, webhooks, mirrors. Each has a cursor; none is a signal.

Read, do the work, then say how far it came. A consumer that dies in between reads the same events
again, so its work must be safe to do twice; it can never miss one, because event ids are in
commit order.
"""

from uuid import UUID

from django.db.models import F

from stuckbot.lib.models import Event, OutboxCursor


def outbox_read(*, consumer: str, org_id: UUID, limit: int = 200) -> list[Event]:
    """The next events that the consumer has not done yet, oldest first."""
    cursor = OutboxCursor.objects.of(org_id).filter(consumer=consumer)
    after = cursor.values_list("seq", flat=True).first() or 0
    events = Event.objects.of(org_id).filter(seq__gt=after)
    return list(events.order_by("seq")[:limit])


def outbox_done(*, consumer: str, org_id: UUID, seq: int) -> None:
    """Everything up to `seq` is done; a slower twin's older word changes nothing."""
    OutboxCursor.unscoped.bulk_create(
        [OutboxCursor(consumer=consumer, org_id=org_id, seq=0)], ignore_conflicts=True
    )
    cursor = OutboxCursor.objects.of(org_id).filter(consumer=consumer, seq__lt=seq)
    cursor.update(seq=seq)


def outbox_lag(*, consumer: str, org_id: UUID, head: int) -> int:
    """How many events the consumer is behind the org's clock."""
    cursor = OutboxCursor.objects.of(org_id).filter(consumer=consumer)
    behind = cursor.annotate(behind=head - F("seq")).values_list("behind", flat=True).first()
    return head if behind is None else behind
