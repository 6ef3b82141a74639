"""The chain of a ticket on its page, what those who left it said, and who it is kept for."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from stuckbot.site.pages import words
from stuckbot.site.pages.acts_shown import ticket_url
from stuckbot.site.pages.acts_words import Text
from stuckbot.site.pages.times import time_shown
from stuckbot.site.pages.visitor import Visitor
from stuckbot.site.usecases.sight import Sight
from tickets.cards import Card
from tickets.colours import status_of
from tickets.facts import Facts
from tickets.states import State

#: How somebody left a ticket: {who} comes first.
LEFT: Final[dict[str, Text]] = {
    "released": _("gave it back"),
    "ended_by_person": _("ended the time of whoever held it"),
    "escalated": _("asked for a person"),
    "rejected": _("rejected the fix"),
    "sent_back": _("sent it back"),
    "handed_off": _("handed it on to this ticket"),
}

#: "Done" would say too much of a ticket that another one carries on.
HANDED_ON: Final = _("Handed on")


@dataclass(frozen=True, slots=True)
class LinkShown:
    """A ticket of the chain. `handed_by` handed the one before it on, `reason` is why."""

    ref: str
    href: str
    title: str
    color: str
    rule: str
    badge: Text
    detail: Text
    handed_by: str
    reason: str
    at: SafeString
    is_this: bool
    #: How many are left out before it.
    skipped: int


@dataclass(frozen=True, slots=True)
class LeftShown:
    by: str
    how: Text
    at: SafeString
    note: str


def chain_shown(sight: Sight, visitor: Visitor, now: datetime) -> list[LinkShown]:
    """From the root to the tip; nothing for a ticket that is alone."""
    chain = sight.chain
    if len(chain.cards) < 2:
        return []
    before = [0, chain.more, *[0] * len(chain.cards)]
    return [
        _link(card, sight.card.facts, skipped, visitor, now)
        for card, skipped in zip(chain.cards, before, strict=False)
    ]


def _link(card: Card, this: Facts, skipped: int, visitor: Visitor, now: datetime) -> LinkShown:
    status = status_of(card, now, org_paused=visitor.caller.org_paused)
    facts = card.facts
    return LinkShown(
        ref=facts.ref,
        href=ticket_url(visitor, facts.ref),
        title=card.title,
        color=status.color,
        rule=status.rule,
        badge=HANDED_ON if facts.state == State.HANDED_OFF else words.STATUS[status.color],
        detail=words.DETAIL.get(status.rule, status.detail),
        handed_by=card.creator.name if facts.depth else "",
        reason=card.handoff_reason or "",
        at=time_shown(facts.created_at, now),
        is_this=facts.id == this.id,
        skipped=skipped,
    )


def tip_shown(chain: list[LinkShown]) -> LinkShown | None:
    """Where it goes on, on the page of a ticket that was handed on."""
    return chain[-1] if chain and not chain[-1].is_this else None


def left_shown(sight: Sight, now: datetime) -> list[LeftShown]:
    """What was said, oldest first; whoever left without a word has their place in the timeline."""
    return [
        LeftShown(
            one.by.name, LEFT.get(one.reason, LEFT["released"]), time_shown(one.at, now), one.note
        )
        for one in sight.left
        if one.note
    ]
