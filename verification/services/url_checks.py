"""The rows of the desk's own checks: asked for with the evidence, then taken, put off, ended.

Whoever takes a check holds it by `takes`, which every taking raises: what a checker that lost it
has to say changes nothing any more.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db.models import F, Q, QuerySet

from stuckbot.lib import ids
from stuckbot.lib.errors import Stale
from stuckbot.lib.outgoing import Refused, target_of
from stuckbot.lib.unit import Unit
from tickets.models import Criterion
from verification.models import Evidence, UrlCheck
from verification.states import CheckStatus

#: Once more so long after a try without an answer, and once more after that.
PAUSES: Final = (timedelta(seconds=15), timedelta(seconds=45))
#: After a checker failed on its own account it is tried again so much later, then twice that.
AFTER_FAILURE: Final = timedelta(seconds=5)
FAILURES_MOST: Final = 5
#: The reason of a check that the desk itself failed at, again and again.
DESK_FAILED: Final = "desk_failed"


@dataclass(frozen=True, slots=True)
class End:
    """How a check, or a try of it, ended. `reason` is a code, empty when there was an answer."""

    status: CheckStatus
    reason: str = ""
    http_status: int | None = None
    address: str = ""
    took_ms: int | None = None
    allowed: bool = False


def check_ask(unit: Unit, evidence: Evidence, url: str) -> None:
    """The desk is to open the url, in the write that stores what reports on it.

    A check that still runs for an earlier report is dropped: what it sees may be older than what
    is reported now.
    """
    _supersede(unit.now, evidence)
    row = _row(unit.now, evidence, url)
    UrlCheck.unscoped.bulk_create([row], ignore_conflicts=True)
    evidence.url_check = row


def checks_ensure(unit: Unit, waiting: Sequence[Evidence]) -> None:
    """Asks again for what waits although nobody is at it.

    What was found while nobody held the ticket counts for nothing, and its solver may come back.
    """
    if not waiting:
        return
    known = UrlCheck.objects.of(unit.actor.org_id).filter(evidence__in=[one.id for one in waiting])
    statuses = dict(known.values_list("evidence_id", "status"))
    for evidence in waiting:
        status = statuses.get(evidence.id)
        if status == CheckStatus.WAITING:
            continue
        if status is None:
            check_ask(unit, evidence, _url_of(evidence))
        else:
            _supersede(unit.now, evidence)
            _begin_again(unit.now, evidence)


def check_postpone(check: UrlCheck, end: End, now: datetime) -> bool:
    """Without an answer it is tried again, unless that was the last of three tries."""
    if check.tries >= len(PAUSES):
        return False
    due_at = now + PAUSES[check.tries]
    _ours(check).update(**_columns(end), tries=F("tries") + 1, due_at=due_at, under_way=False)
    return True


def check_retry(check: UrlCheck, now: datetime) -> None:
    """The desk failed on its own account: that is no try, and is borne five times."""
    due_at = now + AFTER_FAILURE * 2 ** max(0, failures(check) - 1)
    _ours(check).update(due_at=due_at, under_way=False)


def check_give_back(check: UrlCheck, due_at: datetime) -> None:
    """As if it had never been taken; it may be taken from then on."""
    _ours(check).update(takes=F("takes") - 1, due_at=due_at, under_way=False)


def check_close(unit: Unit, check: UrlCheck, end: End, found: Evidence | None) -> None:
    """Ends a check that is still ours; raises `Stale` when it is not."""
    columns = {**_columns(end), "tries": F("tries") + int(end.reason != DESK_FAILED)}
    closed = _ours(check).update(
        **columns,
        status=end.status,
        found_id=None if found is None else found.id,
        finished_at=unit.now,
        under_way=False,
    )
    if closed != 1:
        raise Stale


def is_ours(check: UrlCheck) -> bool:
    """Nobody else has taken it, and no newer report has superseded it."""
    return _ours(check).exists()


def failures(check: UrlCheck) -> int:
    """How often whoever took it neither got to an end nor gave it back; this time counts along."""
    return check.takes - check.tries


def _ours(check: UrlCheck) -> QuerySet[UrlCheck]:
    rows = UrlCheck.objects.of(check.org_id)
    return rows.filter(id=check.id, status=CheckStatus.WAITING, takes=check.takes)


def _columns(end: End) -> dict[str, Any]:
    return {name: value for name, value in asdict(end).items() if name != "status"}


def _row(now: datetime, evidence: Evidence, url: str) -> UrlCheck:
    return UrlCheck(
        id=ids.uuid7(),
        org_id=evidence.org_id,
        ticket_id=evidence.ticket_id,
        evidence_id=evidence.id,
        criterion=evidence.criterion,
        attempt=evidence.attempt,
        url=url,
        host=_host(url),
        created_at=now,
        due_at=now,
    )


def _host(url: str) -> str:
    """What checks are counted by; none for an address that will be refused anyhow."""
    target = target_of(url, settings.OUTGOING_ALLOWED)
    return "" if isinstance(target, Refused) else target.host


def _url_of(evidence: Evidence) -> str:
    rows = Criterion.objects.of(evidence.org_id).filter(ticket_id=evidence.ticket_id)
    return rows.filter(key=evidence.criterion).values_list("url", flat=True).first() or ""


def _supersede(now: datetime, evidence: Evidence) -> None:
    others = UrlCheck.objects.of(evidence.org_id).filter(
        ~Q(evidence_id=evidence.id),
        ticket_id=evidence.ticket_id,
        criterion=evidence.criterion,
        status=CheckStatus.WAITING,
    )
    others.update(status=CheckStatus.SUPERSEDED, finished_at=now, under_way=False)


def _begin_again(now: datetime, evidence: Evidence) -> None:
    ended = UrlCheck.objects.of(evidence.org_id).exclude(status=CheckStatus.WAITING)
    ended.filter(evidence_id=evidence.id).update(
        **_columns(End(CheckStatus.WAITING)),
        status=CheckStatus.WAITING,
        found_id=None,
        tries=0,
        takes=0,
        due_at=now,
        finished_at=None,
    )


def check_known(org_id: UUID, check_id: UUID) -> UrlCheck | None:
    """The row as it is now."""
    return UrlCheck.objects.of(org_id).filter(id=check_id).first()
