"""Which of the checks that are due are taken next, of every org, by any number of checkers.

The rows say what is under way and what was tried lately, so the bounds hold over all checkers but
for what two of them take in the same moment.
"""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db.models import Count, F, Window
from django.db.models.functions import RowNumber

from verification.models import UrlCheck
from verification.states import CheckStatus

#: Whoever takes a check has so long to end it. A try takes ten seconds at most.
LEASE: Final = timedelta(seconds=60)
#: So many at once of one host, over all orgs, and of one org, over all hosts.
HOST_AT_ONCE: Final = 4
ORG_AT_ONCE: Final = 16
#: Candidates looked at in one go.
_LOOK_AT: Final = 200


@dataclass(slots=True)
class _Room:
    """How much may still begin, by host and by org."""

    hosts: Counter[str] = field(default_factory=Counter)
    orgs: Counter[UUID] = field(default_factory=Counter)
    full_hosts: set[str] = field(default_factory=set)
    full_orgs: set[UUID] = field(default_factory=set)

    def take(self, org_id: UUID, host: str) -> bool:
        """Whether one more fits; it is counted then."""
        if host in self.full_hosts or org_id in self.full_orgs:
            return False
        self.count(org_id, host)
        return True

    def count(self, org_id: UUID, host: str) -> None:
        self.orgs[org_id] += 1
        if self.orgs[org_id] >= ORG_AT_ONCE:
            self.full_orgs.add(org_id)
        if not host:
            return  # nothing is ever sent for it
        self.hosts[host] += 1
        if self.hosts[host] >= HOST_AT_ONCE:
            self.full_hosts.add(host)


def checks_due(now: datetime) -> bool:
    """One cheap look, by an index of what waits."""
    return UrlCheck.unscoped.filter(status=CheckStatus.WAITING, due_at__lte=now).exists()


def checks_take(now: datetime, free: int) -> list[UrlCheck]:
    """Takes up to `free` checks, an org in turn with the others; each is ours for a minute."""
    room = _room(now)
    taken: list[UrlCheck] = []
    for check in _candidates(now, room):
        if len(taken) >= free:
            break
        if room.take(check.org_id, check.host) and _take(check, now):
            taken.append(check)
    return taken


def _take(check: UrlCheck, now: datetime) -> bool:
    same = UrlCheck.objects.of(check.org_id).filter(
        id=check.id, status=CheckStatus.WAITING, takes=check.takes, due_at=check.due_at
    )
    until = now + LEASE
    if same.update(takes=F("takes") + 1, due_at=until, under_way=True, tried_at=now) != 1:
        return False
    check.takes, check.due_at, check.under_way, check.tried_at = check.takes + 1, until, True, now
    return True


def _candidates(now: datetime, room: _Room) -> list[UrlCheck]:
    turn = Window(RowNumber(), partition_by=[F("org_id")], order_by=[F("due_at"), F("id")])
    due = UrlCheck.unscoped.filter(status=CheckStatus.WAITING, due_at__lte=now)
    open_ = due.exclude(host__in=room.full_hosts).exclude(org_id__in=room.full_orgs)
    found: list[UrlCheck] = list(open_.annotate(turn=turn).order_by("turn", "due_at")[:_LOOK_AT])
    return found


def _room(now: datetime) -> _Room:
    room = _Room()
    waiting = UrlCheck.unscoped.filter(status=CheckStatus.WAITING, under_way=True, due_at__gt=now)
    for org_id, host in waiting.values_list("org_id", "host"):
        room.count(org_id, host)
    lately = UrlCheck.unscoped.exclude(host="")
    if settings.URL_CHECKS_PER_HOST is not None:
        minute = lately.filter(tried_at__gt=now - timedelta(minutes=1)).values_list("host")
        tried = minute.annotate(tried=Count("id"))
        room.full_hosts |= {host for host, count in tried if count >= settings.URL_CHECKS_PER_HOST}
    if settings.URL_CHECKS_PER_ORG is not None:
        hour = lately.filter(tried_at__gt=now - timedelta(hours=1)).values_list("org_id")
        tried_by = hour.annotate(tried=Count("id"))
        room.full_orgs |= {
            org_id for org_id, count in tried_by if count >= settings.URL_CHECKS_PER_ORG
        }
    return room
