"""The consumer of events: keeps the words of the tickets that changed.

What is dear (reading, cutting into words) comes before the transaction, which holds the words and
the cursor alike: a reader that dies in between has done nothing, and of twins one is too late.
"""

from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import transaction

from stuckbot.lib.models import Event, OutboxCursor
from stuckbot.lib.outbox import outbox_done, outbox_read, outbox_take
from stuckbot.site.search.sources import sources_read
from tickets.search.index import documents_of, search_write
from tickets.search.likeness import likes_write

CONSUMER: Final = "search"
#: Events of one transaction.
PART: Final = 200
#: Parts of one run of the sweep's timer: the rest is due at once again.
_PARTS: Final = 20
#: Events after which a ticket's words are the same.
QUIET: Final = frozenset(
    {
        *("claim_ending", "claim_expired", "comment_added", "evidence_added", "secret_masked"),
        *("update_posted", "ticket_paused", "ticket_resumed", "ticket_blocked"),
        *("ticket_unblocked", "ticket_claimed", "task_continued", "verification_claimed"),
        *(
            "checks_finished",
            "verification_passed_on",
            "agent_retired",
            "signal_raised",
            "loop_suspected",
        ),
        *("handoff_requested", "stop_requested", "request_acknowledged", "reservation_dropped"),
    }
)


def search_read(org_id: UUID, _subject: UUID, _now: datetime) -> None:
    """Reads on from where the last reader stopped."""
    for _ in range(_PARTS):
        if not _part_read(org_id):
            return


def _part_read(org_id: UUID) -> bool:
    """Whether there may be more."""
    events = outbox_read(consumer=CONSUMER, org_id=org_id, limit=PART)
    if not events:
        return False
    documents = documents_of(sources_read(org_id, _changed(events)))
    with transaction.atomic():
        after, _ = outbox_take(consumer=CONSUMER, org_id=org_id)
        if after >= events[0].seq:
            return True
        search_write(org_id, documents)
        likes_write(org_id, documents)
        outbox_done(consumer=CONSUMER, org_id=org_id, seq=events[-1].seq)
    return len(events) == PART


def _changed(events: list[Event]) -> list[UUID]:
    """Each ticket once."""
    told = {
        one.ticket_id: None for one in events if one.ticket_id is not None and one.type not in QUIET
    }
    return list(told)


def search_lag(org_id: UUID) -> int:
    """How far the index has read."""
    cursor = OutboxCursor.objects.of(org_id).filter(consumer=CONSUMER)
    return cursor.values_list("seq", flat=True).first() or 0
