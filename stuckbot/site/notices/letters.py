"""What the mails about decisions say, in plain text.

Text that agents wrote is masked before it is stored. In the mail its lines are marked as quoted
and titles stand in quotes, so that none of it can pass for words of the desk.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

from django.conf import settings
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import Actor, Membership
from accounts.services.notices import unsubscribe_token
from accounts.states import ActorKind
from stuckbot.lib.mail import Letter, one_line
from stuckbot.site.notices.proof import Detail, details_read
from stuckbot.site.notices.waiting import Wait
from stuckbot.site.pages import words
from tickets.cards import Card, cards_of

#: So many are told with what was done and proved, so many by title; the rest are counted.
DETAILED: Final = 5
LISTED: Final = 30
TITLE_MOST: Final = 80
QUOTED_MOST: Final = 600
QUOTED_LINES: Final = 10


class Told(NamedTuple):
    """A decision in a mail; `again` when the reader was told of it before."""

    wait: Wait
    again: bool


@dataclass(frozen=True, slots=True)
class Item:
    """A decision as its part of the mail shows it."""

    ref: str
    title: str
    again: bool
    link: str
    is_ask: bool
    by: str
    problem: list[str]
    project: str
    urgency: str | Promise
    detail: Detail | None
    says: list[str]


def notices_letter(member: Membership, told: Sequence[Told]) -> Letter:
    """One mail for all of them: those told before last."""
    ordered = sorted(told, key=lambda one: one.again)
    items = _items(member, ordered)
    is_again = all(one.again for one in ordered)
    if len(ordered) == 1:
        subject = _subject_of_one(items[0], ordered[0].wait, is_again)
    else:
        subject = _subject_of_many(member, len(ordered), is_again)
    context = {"is_again": is_again, "is_digest": False}
    return _letter(member, subject, items, len(ordered), context)


def digest_letter(member: Membership, told: Sequence[Told]) -> Letter:
    count, org = len(told), one_line(member.org.name)
    subject = ngettext(
        "Today in %(org)s: %(count)d decision waits",
        "Today in %(org)s: %(count)d decisions wait",
        count,
    ) % {"count": count, "org": org}
    context = {"is_again": False, "is_digest": True}
    return _letter(member, subject, _items(member, told), count, context)


def _subject_of_one(item: Item, wait: Wait, is_again: bool) -> str:
    named = {"ref": item.ref, "title": item.title}
    if is_again:
        return _("Still waiting: %(ref)s, %(title)s") % named
    if wait.job_id is None:
        return _("%(ref)s needs a person: %(title)s") % named
    return _("%(ref)s waits to be approved: %(title)s") % named


def _subject_of_many(member: Membership, count: int, is_again: bool) -> str:
    named = {"count": count, "org": one_line(member.org.name)}
    if is_again:
        return _("%(count)d decisions still wait in %(org)s") % named
    return _("%(count)d decisions wait in %(org)s") % named


def _letter(
    member: Membership, subject: str, items: list[Item], count: int, context: dict[str, Any]
) -> Letter:
    end = f"{settings.PUBLIC_URL}/unsubscribe/{unsubscribe_token(member)}"
    context |= {
        "items": items,
        "count": count,
        "more": count - len(items),
        "has_fix": any(not one.is_ask for one in items),
        "has_ask": any(one.is_ask for one in items),
        "org": one_line(member.org.name),
        "board": f"{settings.PUBLIC_URL}/?org={member.org_id}&color=red",
        "account": f"{settings.PUBLIC_URL}/account#notices",
        "choice": member.notices,
        "end": end,
        "desk": settings.PUBLIC_URL,
    }
    with timezone.override(_zone(member)):
        text = render_to_string("mail/decisions.txt", context)
    whole = re.sub(r"\n{3,}", "\n\n", text.strip())
    return Letter(member.user.email, f"StuckBot: {subject}", whole + "\n", end)


def _zone(member: Membership) -> ZoneInfo:
    return ZoneInfo(member.user.time_zone or settings.DISPLAY_TIME_ZONE)


def _items(member: Membership, told: Sequence[Told]) -> list[Item]:
    shown = told[:LISTED]
    found = cards_of([one.wait.ticket_id for one in shown], member.org_id)
    cards = {card.facts.id: card for card in found}
    waits = [one.wait for one in shown if one.wait.ticket_id in cards]
    details = details_read(member.org_id, waits[:DETAILED], cards)
    return [
        _item(member, one, cards[one.wait.ticket_id], details.get(one.wait))
        for one in shown
        if one.wait.ticket_id in cards
    ]


def _item(member: Membership, told: Told, card: Card, detail: Detail | None) -> Item:
    ref = card.facts.ref
    return Item(
        ref=ref,
        title=cut(one_line(card.title), TITLE_MOST),
        again=told.again,
        link=f"{settings.PUBLIC_URL}/tickets/{ref}?org={member.org_id}#decide",
        is_ask=told.wait.job_id is None,
        by=_named(detail.by) if detail else "",
        problem=quoted((card.human_summary or {}).get("problem", "")),
        project=one_line(card.project_name),
        urgency=words.urgency(card.facts.urgency),
        detail=detail,
        says=[line for text in detail.says for line in quoted(text)] if detail else [],
    )


def _named(actor: Actor) -> str:
    named = {"name": one_line(actor.name)}
    if actor.kind == ActorKind.AGENT:
        return _("The agent “%(name)s”") % named
    return _("“%(name)s”") % named


def cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def quoted(text: str) -> list[str]:
    """The first lines of a text, each marked as quoted."""
    lines = [one_line(line) for line in cut(text, QUOTED_MOST).splitlines()]
    lines = [line for line in lines if line]
    kept = lines[:QUOTED_LINES] + (["…"] if len(lines) > QUOTED_LINES else [])
    return [f"> {line}" for line in kept]
