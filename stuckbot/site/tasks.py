"""What the worker does. Every task is safe to run twice and safe to lose: rows are the truth."""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import InterfaceError, OperationalError
from django.db.models import Exists, F, OuterRef, QuerySet

from accounts.services.orgs import FLEET_STOPPED, system_caller
from stuckbot.lib import clock, idempotency, ids, sessions
from stuckbot.lib.cutting import masked_cut
from stuckbot.lib.mail import mails_due, mails_purge, mails_send
from stuckbot.lib.models import Timer
from stuckbot.site.notices import due as notices
from stuckbot.site.notices.mailing import MAKERS
from stuckbot.site.search import due as search
from stuckbot.site.usecases.checks import checks_settle, stalled, stalled_to_timers
from stuckbot.site.usecases.lock_out import fleet_free
from stuckbot.site.usecases.watchdog import (
    WATCHDOG,
    agent_silence,
    silences_due,
    silences_to_timers,
)
from tickets.facts import FACT_COLUMNS, Facts
from tickets.models import Ticket
from tickets.services.claims import lease_expire
from tickets.services.endings import lease_warn
from tickets.services.reserving import RESERVATION, reservation_check
from verification.services.deciding import job_wait_over
from verification.states import CHECKS_OVER, VERIFIER_WAIT

log = logging.getLogger("stuckbot.worker")

BATCH: Final = 500
ATTEMPTS_MOST: Final = 5
LEASE_END: Final = "lease_end"
LEASE_WARNING: Final = "lease_warning"
#: After a failed attempt the timer waits 5 s, then 10, 20, 40.
BACKOFF: Final = timedelta(seconds=5)


def due_now() -> bool:
    """One cheap look: does a lease, a timer, a mail, an old record or session want attention?"""
    now = clock.now()
    return (
        _overdue(now).exists()
        or _ending(now).exists()
        or silences_due(now).exists()
        or stalled().exists()
        or _timers(now).exists()
        or mails_due(now).exists()
        or notices.notices_due(now)
        or search.search_due()
        or idempotency.expired_exist(now)
        or sessions.expired_exist(now)
    )


def sweep() -> int:
    """Takes everything that is due; returns how much it did."""
    now = clock.now()
    _leases_to_timers(now)
    silences_to_timers(now)
    stalled_to_timers(now)
    notices.notices_to_timers(now)
    search.search_to_timers(now)
    done = sum(_run(timer, now) for timer in list(_timers(now)[:BATCH]))
    idempotency.expired_purge(now)
    sessions.expired_purge(now)
    mails_purge(now)
    notices.notices_purge(now)
    # Last: a mail server that is slow keeps nothing else waiting.
    return done + mails_send(clock.now(), MAKERS)


def _overdue(now: datetime) -> QuerySet[Ticket]:
    """Leases that ran out."""
    return _untimed(LEASE_END).filter(claim__isnull=False, lease_until__lte=now)


def _ending(now: datetime) -> QuerySet[Ticket]:
    """Leases whose holders are to hear that they end."""
    return _untimed(LEASE_WARNING).filter(warn_at__lte=now, lease_until__gt=now)


def _untimed(kind: str) -> QuerySet[Ticket]:
    """Those without a timer of that kind yet: one that was set aside must not hide others."""
    known = Timer.unscoped.filter(kind=kind, subject=OuterRef("claim_id"))
    return Ticket.unscoped.filter(~Exists(known))


def _timers(now: datetime) -> QuerySet[Timer]:
    return Timer.unscoped.filter(due_at__lte=now, quarantined_at=None).order_by("due_at")


def _leases_to_timers(now: datetime) -> None:
    """What is due becomes a timer, so that its attempts are counted before the work."""
    due = [
        *_rows(LEASE_END, _overdue(now), "lease_until"),
        *_rows(LEASE_WARNING, _ending(now), "warn_at"),
    ]
    if due:
        Timer.unscoped.bulk_create(due, ignore_conflicts=True)


def _rows(kind: str, tickets: QuerySet[Ticket], due: str) -> list[Timer]:
    rows = tickets.order_by(due).values_list("claim_id", "org_id", due)
    return [
        Timer(id=ids.uuid7(), org_id=org_id, kind=kind, subject=claim_id, due_at=at)
        for claim_id, org_id, at in rows[:BATCH]
    ]


def _run(timer: Timer, now: datetime) -> bool:
    """Runs one timer: attempts are raised first, so a worker that dies hard has counted."""
    taken = Timer.unscoped.filter(id=timer.id, attempts=timer.attempts)
    wait = BACKOFF * 2**timer.attempts
    if taken.update(attempts=F("attempts") + 1, due_at=now + wait) != 1:
        return False
    try:
        WORK[timer.kind](timer.org_id, timer.subject, now)
    except (OperationalError, InterfaceError):
        # The database is busy or away: that says nothing about the work.
        log.warning("timer %s waits: the database is busy", timer.kind)
        Timer.unscoped.filter(id=timer.id).update(attempts=timer.attempts)
        return False
    except Exception as error:
        log.exception("timer %s failed", timer.kind)
        _failed(timer, error, now)
        return False
    Timer.unscoped.filter(id=timer.id).delete()
    return True


def _failed(timer: Timer, error: Exception, now: datetime) -> None:
    row = Timer.unscoped.filter(id=timer.id)
    row.update(last_error=masked_cut(f"{type(error).__name__}: {error}", 500))
    if timer.attempts + 1 >= ATTEMPTS_MOST:
        row.update(quarantined_at=now)
        log.error("timer %s of %s is quarantined", timer.kind, timer.subject)


def _lease_end(org_id: UUID, claim_id: UUID, now: datetime) -> None:
    row = Ticket.objects.of(org_id).filter(claim=claim_id).values_list(*FACT_COLUMNS).first()
    if row is not None:
        lease_expire(system=system_caller(org_id), facts=Facts._make(row), now=now)


def _lease_warning(org_id: UUID, claim_id: UUID, now: datetime) -> None:
    lease_warn(system=system_caller(org_id), claim_id=claim_id, now=now)


WORK: Final[dict[str, Callable[[UUID, UUID, datetime], None]]] = {
    LEASE_END: _lease_end,
    LEASE_WARNING: _lease_warning,
    FLEET_STOPPED: fleet_free,
    VERIFIER_WAIT: job_wait_over,
    CHECKS_OVER: checks_settle,
    RESERVATION: reservation_check,
    WATCHDOG: agent_silence,
    **notices.WORK,
    **search.WORK,
}
