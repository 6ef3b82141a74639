"""Closing a ticket takes its open verification along."""

from datetime import datetime

from stuckbot.lib.caller import Caller
from stuckbot.lib.idempotency import Keep
from stuckbot.lib.unit import unit_of_work
from tickets.facts import Facts
from tickets.services.closing import close_prepare
from tickets.services.moves import move_apply
from tickets.services.wordsets import tags_drop
from tickets.states import IN_REVIEW
from verification.services.jobs import jobs_cancel


def ticket_close(
    *,
    actor: Caller,
    ref: str,
    outcome: str | None = None,
    now: datetime,
    keep: Keep | None = None,
) -> Facts:
    """Closes the ticket; see `close_prepare` for who may."""
    facts, change = close_prepare(actor=actor, ref=ref, outcome=outcome, now=now)
    with unit_of_work(actor, now, keep) as unit:
        move_apply(unit, facts, "close", change)
        if facts.state in IN_REVIEW:
            jobs_cancel(unit, facts)
        tags_drop(facts)
        unit.result = facts
    return facts
