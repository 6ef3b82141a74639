"""The mails: written when they leave, so that they tell what still waits then and no more."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from accounts.models import Membership, Notice
from accounts.states import Notices
from stuckbot.lib.mail import Letter, Maker
from stuckbot.site.notices.audience import deciders, hears_at_once, is_decider, not_theirs
from stuckbot.site.notices.letters import Told, digest_letter, notices_letter
from stuckbot.site.notices.reading import MAIL
from stuckbot.site.notices.waiting import waits_now, waits_of_notices

#: The maker of the daily list.
DIGEST: Final = "digest"
#: What still waits this long after it was told is told once more.
REMIND_AFTER: Final = timedelta(days=1)


def _notices_make(membership_id: UUID, mail_id: UUID, _now: datetime) -> Letter | None:
    """What the member was not told yet and still waits; None for who is no longer to hear of it.

    The notices are this mail's from its first try on: another mail of the member, which may be
    leaving right now, does not tell them too.
    """
    member = _member(membership_id)
    if member is None:
        return None
    notices = Notice.objects.of(member.org_id).filter(membership=member)
    notices.filter(mail_id=None).update(mail_id=mail_id)
    mine = notices.filter(mail_id=mail_id).order_by("seq")
    told = [
        Told(wait, one.is_reminder)
        for one, wait in waits_of_notices(member.org_id, mine)
        if hears_at_once(member, wait)
    ]
    return notices_letter(member, told) if told else None


def _notices_sent(mail_id: UUID, now: datetime) -> None:
    told = Notice.unscoped.filter(mail_id=mail_id, is_reminder=False)
    told.update(remind_at=now + REMIND_AFTER)


def _digest_make(membership_id: UUID, _mail_id: UUID, _now: datetime) -> Letter | None:
    """All that waits now and is not the member's own to have decided by others."""
    member = _member(membership_id)
    if member is None or member.notices != Notices.DAILY:
        return None
    members = deciders(member.org_id)
    told = [
        Told(wait, False)
        for wait in waits_now(member.org_id)
        if member in not_theirs(members, wait)
    ]
    return digest_letter(member, told) if told else None


def _digest_sent(_mail_id: UUID, _now: datetime) -> None:
    """Nothing to note: tomorrow's list is due whatever became of today's."""


def _member(membership_id: UUID) -> Membership | None:
    """The membership, as long as whoever has it may decide."""
    rows = Membership.unscoped.filter(id=membership_id).select_related("user", "org")
    member = rows.first()
    return member if member is not None and is_decider(member) else None


MAKERS: Final[Mapping[str, Maker]] = {
    MAIL: Maker(_notices_make, _notices_sent),
    DIGEST: Maker(_digest_make, _digest_sent),
}
