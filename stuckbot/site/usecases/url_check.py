"""One of the desk's own checks has ended: its result becomes evidence, if it still counts."""

import logging
import time
from datetime import datetime
from typing import Any, Final

from accounts.services.orgs import system_caller
from stuckbot.lib import clock, ids
from stuckbot.lib.errors import Stale
from stuckbot.lib.outgoing import Answered, Refused, Unanswered
from stuckbot.lib.unit import Unit, unit_of_work
from stuckbot.site.usecases.checks import ticket_settle
from tickets.facts import Facts
from tickets.models import Criterion
from tickets.rows import facts_read
from tickets.services.moves import Change, move_apply
from tickets.services.texts import value_content
from tickets.states import IN_REVIEW, LEASED
from verification.judging import status_passes
from verification.models import Evidence, UrlCheck
from verification.services.evidence import evidence_keep
from verification.services.url_checks import (
    DESK_FAILED,
    FAILURES_MOST,
    End,
    check_close,
    check_postpone,
    is_ours,
)
from verification.states import CheckStatus, Result, Trust

log = logging.getLogger("stuckbot.checks")

#: Others write on the ticket at the same moment; each of them takes milliseconds.
_ROUNDS: Final = 20
_PAUSE: Final = 0.05
_RESULTS: Final = {
    CheckStatus.PASSED: Result.PASS,
    CheckStatus.FAILED: Result.FAIL,
    CheckStatus.UNCHECKED: Result.UNCHECKED,
}


def url_checked(check: UrlCheck, seen: Answered | Unanswered | Refused) -> None:
    """Writes down what came of a try: an answer or a refusal ends the check, and so does the third
    try without an answer; else it is put off. Nothing, when the check is not ours any more.

    Raises `Stale` when the ticket moves so often that nothing can be written; try again then.
    """
    end = _end(check, seen)
    if isinstance(seen, Unanswered) and check_postpone(check, end, clock.now()):
        return
    url_check_end(check, end)


def url_check_failed(check: UrlCheck, failures: int) -> bool:
    """Ends a check that the desk itself failed at five times; False before that."""
    if failures < FAILURES_MOST:
        return False
    log.error("check %s is given up: the desk failed at it %s times", check.id, failures)
    url_check_end(check, End(CheckStatus.UNCHECKED, DESK_FAILED))
    return True


def url_check_end(check: UrlCheck, end: End) -> None:
    """The one way to end a check, in one transaction with the evidence that tells of it."""
    for _ in range(_ROUNDS):
        if not is_ours(check):
            return
        try:
            _write(check, end, clock.now())
        except Stale:
            time.sleep(_PAUSE)
            continue
        ticket_settle(check.org_id, check.ticket_id, clock.now())
        return
    raise Stale


def _end(check: UrlCheck, seen: Answered | Unanswered | Refused) -> End:
    if isinstance(seen, Refused):
        return End(CheckStatus.UNCHECKED, seen.reason)
    status, reason, answered = CheckStatus.UNCHECKED, "", None
    if isinstance(seen, Unanswered):
        reason = seen.reason
    else:
        answered = seen.status
        passes = status_passes(_expected(check), answered)
        status = CheckStatus.PASSED if passes else CheckStatus.FAILED
    return End(status, reason, answered, seen.address, seen.took_ms, seen.allowed)


def _expected(check: UrlCheck) -> str:
    rows = Criterion.objects.of(check.org_id).filter(ticket_id=check.ticket_id)
    return rows.filter(key=check.criterion).values_list("expected", flat=True).first() or ""


def _write(check: UrlCheck, end: End, now: datetime) -> None:
    facts = facts_read(check.org_id, "id", check.ticket_id)
    with unit_of_work(system_caller(check.org_id), now) as unit:
        found = None
        if facts is not None and _counts(facts, check, now):
            found = _evidence(facts, check, end, now)
            _tell(unit, facts, check, end, now)
            evidence_keep(unit, found)
        check_close(unit, check, end, found)


def _counts(facts: Facts, check: UrlCheck, now: datetime) -> bool:
    """Somebody holds the ticket or decides on it, and the attempt is the one that was reported in.

    Else what was found is kept with the check and counts for nothing.
    """
    return facts.attempt == check.attempt and facts.state_at(now) in LEASED | IN_REVIEW


def _tell(unit: Unit, facts: Facts, check: UrlCheck, end: End, now: datetime) -> None:
    """In review the outcome of all checks is what is told, and besides what was not checked."""
    reviewed = facts.state_at(now) in IN_REVIEW
    event: str | None = None if reviewed else "evidence_added"
    data: dict[str, Any] = {"criterion": check.criterion, "type": "external_check"}
    data["result"] = str(_RESULTS[end.status])
    if end.status is CheckStatus.UNCHECKED:
        event, data["reason"] = "url_check_skipped", end.reason
    move_apply(unit, facts, "review_check" if reviewed else "work", Change(event=event, data=data))


def _evidence(facts: Facts, check: UrlCheck, end: End, now: datetime) -> Evidence:
    payload: dict[str, Any] = {"url": check.url}
    if end.http_status is not None:
        payload["status"] = end.http_status
    stage = Criterion.objects.of(facts.org_id).filter(ticket_id=facts.id, key=check.criterion)
    return Evidence(
        id=ids.uuid7(),
        org_id=facts.org_id,
        ticket_id=facts.id,
        attempt=check.attempt,
        criterion=check.criterion,
        stage=stage.values_list("stage", flat=True).get(),
        type="external_check",
        result=_RESULTS[end.status],
        trust=Trust.PLATFORM_CHECKED,
        by_id=facts.org_id,
        content=value_content(facts, "evidence", payload, f"evidence.{check.criterion}"),
        created_at=now,
    )
