"""One ticket."""

from typing import Any

from django.http import HttpRequest, HttpResponse

from stuckbot.lib import clock
from stuckbot.site.pages import words
from stuckbot.site.pages.cards import card_shown, needs_now
from stuckbot.site.pages.masked import masked_shown
from stuckbot.site.pages.proof import stages_shown
from stuckbot.site.pages.technical import technical_shown
from stuckbot.site.pages.timeline import notes_shown, timeline_shown
from stuckbot.site.pages.visitor import Visitor, member_page, show
from stuckbot.site.usecases.detail import Detail, ticket_detail
from tickets.cards import Card
from tickets.colours import status_of
from tickets.selectors import card_get


@member_page
def ticket_page(request: HttpRequest, visitor: Visitor, ref: str) -> HttpResponse:
    """One ticket: plain explanation, what it needs, proof, technical details, what happened."""
    now = clock.now()
    card = card_get(actor=visitor.caller, ref=ref)
    detail = ticket_detail(card)
    paused = visitor.caller.org_paused
    events, later = timeline_shown(card.facts.org_id, card.facts.id, _after(request), now)
    context = {
        "card": card_shown(card, now, org_paused=paused),
        "needs": needs_now(status_of(card, now, org_paused=paused)),
        "plain": _plain(detail),
        "outcome": _outcome(card),
        "stages": stages_shown(detail, now),
        "masked": masked_shown(detail.findings, now),
        "technical": technical_shown(detail.package),
        "mode": words.MODE[card.facts.mode],
        "labels": card.labels,
        "skills": card.skills,
        "notes": notes_shown(detail.notes, now),
        "events": events,
        "later": later,
    }
    return show(request, visitor, "tickets/ticket.html", context)


def _after(request: HttpRequest) -> int:
    mark = request.GET.get("events", "")
    return int(mark) if mark.isascii() and mark.isdigit() and len(mark) <= 18 else 0


def _plain(detail: Detail) -> dict[str, str]:
    """The plain explanation; of an older client's ticket, what the agent wrote of its problem."""
    if detail.card.human_summary:
        return detail.card.human_summary
    return {"problem": str(detail.package.get("stuck_reason", ""))}


def _outcome(card: Card) -> str:
    """What happened, once the ticket is closed: as its solver put it, else as its filer did."""
    if not card.facts.is_closed:
        return ""
    summary: dict[str, Any] = card.human_summary or {}
    return str((card.resolution or {}).get("outcome") or summary.get("outcome") or "")
