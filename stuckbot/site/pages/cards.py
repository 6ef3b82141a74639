"""A ticket as a page shows it first: status, title, plain problem, who and when."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise
from django.utils.safestring import SafeString

from stuckbot.site.pages import words
from stuckbot.site.pages.times import time_shown
from tickets.cards import Card
from tickets.colours import Status, status_of


@dataclass(frozen=True, slots=True)
class CardShown:
    """`color` is RED, YELLOW, ORANGE or GREEN; `rule` its code, for the title attribute."""

    ref: str
    color: str
    rule: str
    badge: str | Promise
    detail: str
    title: str
    problem: str
    project: str
    creator: str
    holder: str
    filed: SafeString
    closed: SafeString | None
    urgency: int
    urgency_name: str | Promise
    is_urgent: bool


def card_shown(card: Card, now: datetime, *, org_paused: bool) -> CardShown:
    facts = card.facts
    status = status_of(card, now, org_paused=org_paused)
    holds = facts.holder(now) is not None and card.solver is not None
    return CardShown(
        ref=facts.ref,
        color=status.color,
        rule=status.rule,
        badge=words.STATUS[status.color],
        detail=status.detail,
        title=card.title,
        problem=(card.human_summary or {}).get("problem", ""),
        project=card.project_name,
        creator=card.creator.name,
        holder=card.solver.name if holds and card.solver else "",
        filed=time_shown(facts.created_at, now),
        closed=time_shown(facts.closed_at, now) if facts.closed_at else None,
        urgency=facts.urgency,
        urgency_name=words.urgency(facts.urgency),
        is_urgent=facts.urgency >= 7,
    )


def needs_now(status: Status) -> str | Promise:
    """One sentence: does anyone have to do anything, and what."""
    return words.NEEDS[status.rule]
