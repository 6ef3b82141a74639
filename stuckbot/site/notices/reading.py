"""The consumer of events: writes down once which member is to hear of which decision."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import transaction

from accounts.models import Notice
from stuckbot.lib.mail import mail_plan
from stuckbot.lib.models import DECISION_EVENTS, Event
from stuckbot.lib.outbox import outbox_done, outbox_take
from stuckbot.site.notices.audience import deciders, hears_at_once, not_theirs
from stuckbot.site.notices.waiting import Wait, waits_of_events

CONSUMER: Final = "notices"
#: The maker of the mails that tell it.
MAIL: Final = "notices"
#: A mail waits this long for more to tell: what comes together is read together.
GATHER: Final = timedelta(minutes=2)
#: Events of one transaction.
PART: Final = 200


def notices_read(org_id: UUID, _subject: UUID, now: datetime) -> None:
    """Reads the org's events to their end: notices, planned mails and the cursor in one
    transaction, so a reader that dies in between has done nothing, and a twin waits."""
    while _part_read(org_id, now):
        pass


def _part_read(org_id: UUID, now: datetime) -> bool:
    with transaction.atomic():
        after, head = outbox_take(consumer=CONSUMER, org_id=org_id)
        events = Event.objects.of(org_id).filter(
            seq__gt=after, seq__lte=head, type__in=DECISION_EVENTS
        )
        read = list(events.order_by("seq")[:PART])
        _write_down(org_id, waits_of_events(org_id, read), now)
        is_full = len(read) == PART
        outbox_done(consumer=CONSUMER, org_id=org_id, seq=read[-1].seq if is_full else head)
    return is_full


def _write_down(org_id: UUID, waits: Iterable[tuple[int, Wait]], now: datetime) -> None:
    """A notice a member and decision, if there is none, and a mail for each who has one."""
    members = deciders(org_id)
    rows = [
        Notice(
            org_id=org_id,
            membership=member,
            seq=seq,
            ticket_id=wait.ticket_id,
            verification_id=wait.job_id,
            created_at=now,
        )
        for seq, wait in waits
        for member in not_theirs(members, wait)
        if hears_at_once(member, wait)
    ]
    Notice.unscoped.bulk_create(rows, ignore_conflicts=True, batch_size=100)
    for membership_id in sorted({row.membership_id for row in rows}):
        mail_plan(maker=MAIL, about=membership_id, due_at=now + GATHER, now=now)
