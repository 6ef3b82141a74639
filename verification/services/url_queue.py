"""Which of the checks that are due are taken next, of every org, by any number of checkers.

The rows say what is under way and what was tried lately, so the bounds hold over all checkers but
for what two of them take in the same moment.
"""

import logging
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db import Error as DatabaseFault
from django.db import InterfaceError, OperationalError
from django.db.models import F, Q, QuerySet, Sum, Window
from django.db.models.functions import Greatest, RowNumber

from verification.models import UrlCheck
from verification.states import CheckStatus

log = logging.getLogger("stuckbot.checks")

#: Whoever takes a check has so long to end it. A try takes ten seconds at most.
LEASE: Final = timedelta(seconds=60)
#: So long somebody may still be at a try whose check a newer report has ended.
_TRY: Final = timedelta(seconds=12)
#: Nothing is put off for so long: what is due later was written by a clock that was set back since.
_NEVER: Final = timedelta(minutes=10)
#: So far the clock of another checker's machine may be ahead of this one's.
_AHEAD: Final = timedelta(seconds=5)
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
    #: Whoever reports again and again is not opened again and again: of a criterion of a ticket one
    #: try after the other.
    trying: set[tuple[UUID, str]] = field(default_factory=set)

    def take(self, check: UrlCheck) -> bool:
        """Whether one more fits; it is counted then."""
        if (check.ticket_id, check.criterion) in self.trying:
            return False
        if check.host in self.full_hosts or check.org_id in self.full_orgs:
            return False
        self.count(check.org_id, check.host)
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
    return _due(now).exists()


def _due(now: datetime) -> QuerySet[UrlCheck]:
    when = Q(due_at__lte=now) | Q(due_at__gt=now + _NEVER)
    return UrlCheck.unscoped.filter(when, status=CheckStatus.WAITING)


def checks_take(now: datetime, free: int) -> list[UrlCheck]:
    """Takes up to `free` checks, an org in turn with the others; each is ours for a minute.

    When the database fails half way, those that were taken until then are: nobody else would open
    them before the minute is over.
    """
    room = _room(now)
    taken: list[UrlCheck] = []
    for check in _candidates(now, room):
        if len(taken) >= free:
            break
        if not room.take(check):
            continue
        try:
            is_ours = _take(check, now)
        except (OperationalError, InterfaceError):
            if not taken:
                raise
            break
        except DatabaseFault:
            log.exception("check %s cannot be taken", check.id)
            continue
        if is_ours:
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
    open_ = _due(now).exclude(host__in=room.full_hosts).exclude(org_id__in=room.full_orgs)
    most = _LOOK_AT + len(room.trying)
    found: list[UrlCheck] = list(open_.annotate(turn=turn).order_by("turn", "due_at")[:most])
    return found


def _room(now: datetime) -> _Room:
    room = _Room()
    for one in _under_way(now).only("org_id", "host", "status", "ticket_id", "criterion"):
        room.count(one.org_id, one.host)
        if one.status == CheckStatus.SUPERSEDED:
            room.trying.add((one.ticket_id, one.criterion))
    lately = UrlCheck.unscoped.exclude(host="")
    most = settings.URL_CHECKS_PER_HOST
    if most is not None:
        minute = lately.filter(_tried_within(now, timedelta(minutes=1))).values_list("host")
        room.full_hosts |= {host for host, tries in _tried(minute) if tries >= most}
    most = settings.URL_CHECKS_PER_ORG
    if most is not None:
        hour = lately.filter(_tried_within(now, timedelta(hours=1))).values_list("org_id")
        room.full_orgs |= {org_id for org_id, tries in _tried(hour) if tries >= most}
    return room


def _under_way(now: datetime) -> QuerySet[UrlCheck]:
    """A check that a newer report ended keeps its place until its try is over: else whoever reports
    again and again has any number of them under way."""
    leased = Q(due_at__gt=now, due_at__lte=now + _NEVER)
    ours = Q(leased, status=CheckStatus.WAITING, under_way=True)
    ended = Q(_tried_within(now, _TRY), status=CheckStatus.SUPERSEDED, takes__gt=F("tries"))
    return UrlCheck.unscoped.filter(ours | ended)


def _tried_within(now: datetime, period: timedelta) -> Q:
    """A clock that was ahead for a while must not keep anybody out until it is that late."""
    return Q(tried_at__gt=now - period, tried_at__lte=now + _AHEAD)


def _tried(rows: Any) -> Any:
    """With how often they were tried in all: of a row, not only the last try counts."""
    return rows.annotate(tried=Sum(Greatest(F("takes"), 1)))
