"""Consumers of an org's events: mail, webhooks, mirrors. Each has a cursor; none is a signal.

Read, do the work, then say how far it came. A consumer that dies in between reads the same events
again, so its work must be safe to do twice; it can never miss one, because event ids are in
commit order.
"""

from typing import Final
from uuid import UUID

from django.db import connection
from django.db.models import F

from stuckbot.lib import sql
from stuckbot.lib.models import DECISION_EVENTS, Event, OrgClock, OutboxCursor


def outbox_read(*, consumer: str, org_id: UUID, limit: int = 200) -> list[Event]:
    """The next events that the consumer has not done yet, oldest first."""
    cursor = OutboxCursor.objects.of(org_id).filter(consumer=consumer)
    after = cursor.values_list("seq", flat=True).first() or 0
    events = Event.objects.of(org_id).filter(seq__gt=after)
    return list(events.order_by("seq")[:limit])


def outbox_take(*, consumer: str, org_id: UUID) -> tuple[int, int]:
    """How far the consumer read, and the org's newest event; a twin waits to the end of the
    transaction in hand (a row lock on PostgreSQL, the write lock on SQLite)."""
    OutboxCursor.unscoped.bulk_create(
        [OutboxCursor(consumer=consumer, org_id=org_id, seq=0)], ignore_conflicts=True
    )
    cursor = OutboxCursor.objects.of(org_id).filter(consumer=consumer).select_for_update()
    after = cursor.values_list("seq", flat=True).get()
    # Read before the events are: all of them up to here have been committed.
    head = OrgClock.objects.of(org_id).values_list("seq", flat=True).get()
    return after, head


def outbox_decisions(*, consumer: str) -> list[UUID]:
    """The orgs with an event of `DECISION_EVENTS` that the consumer has not read."""
    with connection.cursor() as cursor:
        cursor.execute(_DECISIONS, [consumer])
        found = [sql.to_uuid(row[0]) for row in cursor.fetchall()]
    return [one for one in found if one is not None]


def outbox_behind(*, consumer: str, timer: str, limit: int = 500) -> list[UUID]:
    """Orgs with events that the consumer has not read, save those with a timer of that kind."""
    with connection.cursor() as cursor:
        cursor.execute(_BEHIND, [consumer, timer, limit])
        found = [sql.to_uuid(row[0]) for row in cursor.fetchall()]
    return [one for one in found if one is not None]


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


_BEHIND: Final = (
    "SELECT k.org_id FROM core_orgclock k"
    " LEFT JOIN core_outboxcursor c ON c.org_id = k.org_id AND c.consumer = %s"
    " WHERE k.seq > COALESCE(c.seq, 0) AND NOT EXISTS"
    " (SELECT 1 FROM core_timer t WHERE t.kind = %s AND t.subject = k.org_id)"
    " LIMIT %s"
)
_TYPES: Final = ", ".join(f"'{one}'" for one in DECISION_EVENTS)
#: The types stand in the text, not as parameters: else SQLite does not take the partial index.
_DECISIONS: Final = (
    "SELECT k.org_id FROM core_orgclock k"  # noqa: S608
    " LEFT JOIN core_outboxcursor c ON c.org_id = k.org_id AND c.consumer = %s"
    " WHERE k.seq > COALESCE(c.seq, 0) AND EXISTS (SELECT 1 FROM core_event e"
    " WHERE e.org_id = k.org_id AND e.seq > COALESCE(c.seq, 0)"
    f" AND e.type IN ({_TYPES}))"
)
