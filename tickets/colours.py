"""What a ticket needs right now, as one of four colours, from its own facts.

Computed for every reader, never stored as truth. The first rule that matches wins: closed, red of
its own, being worked on, everything else. Dependencies join with the closure.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.utils.translation import gettext as _

from tickets.cards import Card
from tickets.states import IN_REVIEW, State


@dataclass(frozen=True, slots=True)
class Status:
    """`rule` names the rule, the ids its cause, `detail` says it in a sentence."""

    color: str
    rule: str
    detail: str
    since: datetime
    holder_id: UUID | None = None
    ticket_ref: str | None = None
    ask_id: UUID | None = None


def status_of(card: Card, now: datetime, *, org_paused: bool = False) -> Status:
    facts = card.facts
    if facts.is_closed:
        return _green(card)
    red = _red(card, org_paused)
    if red is not None:
        return red
    holder = facts.holder(now)
    if holder is not None and card.solver is not None and facts.lease_until is not None:
        left = _left(facts.lease_until - now)
        detail = _("On it: %(name)s, %(left)s left.") % {"name": card.solver.name, "left": left}
        since = card.claim_started_at or facts.updated_at
        return Status("YELLOW", "claimed", detail, since, holder_id=holder)
    if facts.waits_for == "checks":
        detail = _("StuckBot is checking the fix.")
        return Status("YELLOW", "checks_running", detail, facts.updated_at)
    verifier = facts.verifier(now)
    if verifier is not None:
        detail = _("%(name)s is checking the fix.") % {"name": card.verifier or ""}
        return Status("YELLOW", "verifying", detail, facts.updated_at, holder_id=verifier)
    return _orange(card, now)


def _left(time: timedelta) -> str:
    """As "42 min"; from two hours on as "5 h 59 min"."""
    minutes = max(1, round(time.total_seconds() / 60))
    hours, rest = divmod(minutes, 60)
    if hours < 2:
        return _("%(minutes)d min") % {"minutes": minutes}
    if rest == 0:
        return _("%(hours)d h") % {"hours": hours}
    return _("%(hours)d h %(minutes)d min") % {"hours": hours, "minutes": rest}


def _green(card: Card) -> Status:
    facts = card.facts
    since = facts.closed_at or facts.updated_at
    if facts.assurance == "none":
        detail = _("Closed without proof.")
        return Status("GREEN", "closed_without_proof", detail, since)
    rules = {
        State.COMPLETED: ("completed", _("The whole task is finished.")),
        State.BLOCKER_RESOLVED: ("resolved", _("The blocker is gone.")),
        State.WITHDRAWN: ("withdrawn", _("Its creator took it back.")),
        State.HANDED_OFF: ("handed_off", _("It goes on in another ticket.")),
        State.CLOSED: ("resolved", _("Closed after an approved fix.")),
    }
    rule, detail = rules[State(facts.state)]
    return Status("GREEN", rule, detail, since)


def _red(card: Card, org_paused: bool) -> Status | None:
    facts = card.facts
    if facts.blocked_since is not None:
        detail = _("Blocked: %(reason)s") % {"reason": card.blocked_reason or ""}
        return Status("RED", "blocked", detail, facts.blocked_since)
    if facts.state == State.NEEDS_HUMAN:
        detail = _("A person must decide how it goes on.")
        return Status("RED", "needs_human", detail, facts.updated_at)
    if facts.waits_for == "person":
        detail = _("The fix waits for a person to approve it.")
        return Status("RED", "waits_for_person", detail, facts.updated_at)
    if facts.gating_asks:
        detail = _("It waits for an answer from you.")
        return Status("RED", "open_ask", detail, facts.updated_at)
    paused = _paused(card, org_paused)
    if paused is not None:
        since = facts.paused_at or facts.project_paused_at or facts.updated_at
        return Status("RED", "paused", paused, since)
    if facts.incomplete:
        fields = ", ".join(facts.missing_fields)
        detail = _("Fields missing: %(fields)s.") % {"fields": fields}
        return Status("RED", "incomplete", detail, facts.created_at)
    if facts.loop_since is not None:
        detail = _("Agents go round in circles on it and get nothing done.")
        return Status("RED", "loop_suspected", detail, facts.loop_since)
    return None


def _paused(card: Card, org_paused: bool) -> str | None:
    if card.facts.paused_at is not None:
        by_name, plain = _("Paused by %(name)s."), _("Paused.")
    elif card.facts.project_paused_at is not None:
        by_name, plain = _("Its project is paused by %(name)s."), _("Its project is paused.")
    elif org_paused:
        by_name, plain = _("Everything is paused by %(name)s."), _("Everything is paused.")
    else:
        return None
    return by_name % {"name": card.paused_by} if card.paused_by else plain


def _orange(card: Card, now: datetime) -> Status:
    facts = card.facts
    state = facts.state_at(now)
    since = facts.updated_at
    if state in IN_REVIEW:
        detail = _("Waiting for a verifier.")
        return Status("ORANGE", "waits_for_verifier", detail, since)
    if state == State.BLOCKER_RESOLVED:
        detail = _("The blocker is gone; waiting for someone to finish the task.")
        return Status("ORANGE", "waits_for_task", detail, since)
    if facts.is_expired(now) and facts.lease_until is not None:
        since = facts.lease_until
    if card.reserved is not None:
        detail = _("Kept for %(name)s.") % {"name": card.reserved.name}
        return Status("ORANGE", "kept", detail, since)
    detail = _("Waiting for someone to pick it up.")
    return Status("ORANGE", "unclaimed", detail, since)
