"""What the sweep does about notices: reading events, reminders, daily lists; each by a timer.

A timer's attempts are counted before its work, and one that keeps failing is set aside, so none
of this can keep the rest of the worker from its own.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet

from accounts.models import Membership, Notice
from accounts.states import Notices
from stuckbot.lib import ids
from stuckbot.lib.mail import mail_plan
from stuckbot.lib.models import Timer
from stuckbot.lib.outbox import outbox_decisions
from stuckbot.site.notices.mailing import DIGEST
from stuckbot.site.notices.reading import CONSUMER, MAIL, notices_read
from stuckbot.site.notices.waiting import waits_of_notices

READ: Final = "notices_read"
REMIND: Final = "notices_remind"
DAILY: Final = "notices_daily"
#: Reminders due within this are told in one mail.
AHEAD: Final = timedelta(hours=1)
#: Notices of before are kept this long, so that nobody is told twice.
KEPT: Final = timedelta(days=90)
_PART: Final = 500


def notices_due(now: datetime) -> bool:
    """Whether something wants doing that no timer knows of yet."""
    return next(_due(now), None) is not None


def notices_to_timers(now: datetime) -> None:
    timers = [
        Timer(id=ids.uuid7(), org_id=org_id, kind=kind, subject=subject, due_at=now)
        for kind, org_id, subject in _due(now)
    ]
    if timers:
        Timer.unscoped.bulk_create(timers, ignore_conflicts=True)


def notices_purge(now: datetime) -> None:
    Notice.unscoped.filter(created_at__lt=now - KEPT, remind_at=None).delete()


def _due(now: datetime) -> Iterator[tuple[str, UUID, UUID]]:
    """(kind, org, subject) of what is due, save what a timer has, waiting or set aside."""
    found = [(READ, org_id, org_id) for org_id in outbox_decisions(consumer=CONSUMER)]
    found += [
        (REMIND, org_id, subject)
        for org_id, subject in Notice.unscoped.filter(remind_at__lte=now)
        .values_list("org_id", "membership_id")
        .distinct()[:_PART]
    ]
    found += [
        (DAILY, org_id, subject)
        for org_id, subject in _daily(now).values_list("org_id", "id")[:_PART]
    ]
    if found:
        known = Timer.unscoped.filter(kind__in=(READ, REMIND, DAILY))
        have = set(known.values_list("kind", "subject"))
        yield from (one for one in found if (one[0], one[2]) not in have)


def _daily(now: datetime) -> QuerySet[Membership]:
    return Membership.unscoped.filter(
        Q(digest_at=None) | Q(digest_at__lte=now), notices=Notices.DAILY
    )


def _remind(org_id: UUID, membership_id: UUID, now: datetime) -> None:
    """What the member was told and still waits is to be told once more; the rest never again."""
    with transaction.atomic():
        due = Notice.objects.of(org_id).filter(
            membership_id=membership_id, remind_at__lte=now + AHEAD
        )
        still = [one.id for one, _ in waits_of_notices(org_id, due.order_by("seq"))]
        again = due.filter(id__in=still).update(remind_at=None, mail_id=None, is_reminder=True)
        due.update(remind_at=None)
        if again:
            mail_plan(maker=MAIL, about=membership_id, due_at=now, now=now)


def _digest(org_id: UUID, membership_id: UUID, now: datetime) -> None:
    """Plans the daily list, and when the next is due; of a choice that is new, the latter alone."""
    member = Membership.objects.of(org_id).filter(id=membership_id, notices=Notices.DAILY)
    with transaction.atomic():
        if member.filter(digest_at__lte=now).update(digest_at=digest_next(now)):
            mail_plan(maker=DIGEST, about=membership_id, due_at=now, now=now)
        else:
            member.filter(digest_at=None).update(digest_at=digest_next(now))


def digest_next(now: datetime) -> datetime:
    """The first time after `now` that is the hour of the daily list, in UTC."""
    today = now.astimezone(UTC).replace(
        hour=settings.DIGEST_HOUR, minute=0, second=0, microsecond=0
    )
    return today if today > now else today + timedelta(days=1)


WORK: Final[dict[str, Callable[[UUID, UUID, datetime], None]]] = {
    READ: notices_read,
    REMIND: _remind,
    DAILY: _digest,
}
