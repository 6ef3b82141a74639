"""A ticket as a page shows it first: status, title, plain problem, who and when."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from stuckbot.site.pages import words
from stuckbot.site.pages.times import time_shown
from stuckbot.site.pages.url_checks import unchecked_said
from tickets.cards import Card
from tickets.colours import Status, status_of
from verification.models import UrlCheck

Text = str | Promise


@dataclass(frozen=True, slots=True)
class Assured:
    """How sure a closed ticket's fix is, as a chip; `why` says it in a sentence."""

    text: Text
    why: Text
    is_warned: bool


@dataclass(frozen=True, slots=True)
class CardShown:
    """`color` is RED, YELLOW, ORANGE or GREEN; `rule` its code, for the title attribute; `note`
    what whoever decides should know at once."""

    ref: str
    color: str
    rule: str
    badge: Text
    detail: str
    title: str
    problem: str
    outcome: str
    assured: Assured | None
    project: str
    creator: str
    holder: str
    filed: SafeString
    closed: SafeString | None
    urgency: int
    urgency_name: Text
    is_urgent: bool
    waits: str = ""
    note: str = ""
    labels: list[str] = field(default_factory=list)
    can: frozenset[str] = frozenset()


def card_shown(
    card: Card,
    now: datetime,
    *,
    org_paused: bool,
    can: Iterable[str] = (),
    unchecked: Sequence[UrlCheck] = (),
) -> CardShown:
    """The card; `can` are the operations that are the reader's to do, as buttons, `unchecked` what
    nobody could check of a fix that waits for a person."""
    facts = card.facts
    status = status_of(card, now, org_paused=org_paused)
    holds = facts.holder(now) is not None and card.solver is not None
    return CardShown(
        ref=facts.ref,
        color=status.color,
        rule=status.rule,
        badge=words.STATUS[status.color],
        detail=_detail(card, status),
        note=unchecked_said(unchecked),
        title=card.title,
        problem=(card.human_summary or {}).get("problem", ""),
        outcome=outcome_of(card),
        assured=_assured(card),
        project=card.project_name,
        creator=card.creator.name,
        holder=card.solver.name if holds and card.solver else "",
        filed=time_shown(facts.created_at, now),
        closed=time_shown(facts.closed_at, now) if facts.closed_at else None,
        urgency=facts.urgency,
        urgency_name=words.urgency(facts.urgency),
        is_urgent=facts.urgency >= 7,
        waits=_waits(facts.open_deps),
        labels=card.labels,
        can=frozenset(can),
    )


def _detail(card: Card, status: Status) -> str:
    """The status in a sentence, said to a person."""
    if status.rule == "incomplete":
        fields = words.missing(card.facts.missing_fields)
        return _("It lacks: %(fields)s.") % {"fields": fields}
    return str(words.DETAIL.get(status.rule, status.detail))


def outcome_of(card: Card) -> str:
    """What happened, once the ticket is closed: as its solver put it, else as its filer did."""
    if not card.facts.is_closed:
        return ""
    summary: dict[str, Any] = card.human_summary or {}
    return str((card.resolution or {}).get("outcome") or summary.get("outcome") or "")


def needs_now(status: Status) -> Text:
    """One sentence: does anyone have to do anything, and what."""
    return words.NEEDS[status.rule]


def _assured(card: Card) -> Assured | None:
    code = card.facts.assurance
    if not card.facts.is_closed or code not in words.ASSURED:
        return None
    warned = code in ("self_reported", "self_approved", "none")
    return Assured(words.ASSURED[code], words.ASSURANCE.get(code, words.UNPROVEN), warned)


def _waits(count: int) -> str:
    if not count:
        return ""
    text = ngettext("waits for %(count)d ticket", "waits for %(count)d tickets", count)
    return text % {"count": count}
