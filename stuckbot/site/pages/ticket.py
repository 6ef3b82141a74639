"""One ticket: what is wrong, what it needs, how it is proved, what was said and done."""

from datetime import datetime
from typing import Any, Final, NamedTuple

from django.http import HttpRequest, HttpResponse

from stuckbot.lib import clock, ids
from stuckbot.site.pages import words
from stuckbot.site.pages.acts import key_make
from stuckbot.site.pages.acts_forms import Comment, Explain
from stuckbot.site.pages.acts_shown import needs_shown, ticket_url
from stuckbot.site.pages.answered import answers_shown, solved_shown
from stuckbot.site.pages.cards import CardShown, card_shown, outcome_of
from stuckbot.site.pages.chain import chain_shown, left_shown, tip_shown
from stuckbot.site.pages.fresh import moving, refreshed
from stuckbot.site.pages.masked import is_flood, masked_shown
from stuckbot.site.pages.proof import (
    StageShown,
    criterion_shown,
    results_shown,
    stages_shown,
)
from stuckbot.site.pages.technical import solution_shown, technical_shown
from stuckbot.site.pages.timeline import notes_shown, timeline_shown
from stuckbot.site.pages.visitor import Visitor, member_page, show
from stuckbot.site.usecases.answers import answers_standing
from stuckbot.site.usecases.sight import PAGE, Sight, ticket_sight
from tickets.colours import status_of
from tickets.models import Note
from verification.selectors import evidence_newest

_DIGITS: Final = 18
#: Tickets of the list beside.
BESIDE: Final = 25


class Row(NamedTuple):
    """A ticket of the list beside; `is_chosen`: the one whose page this is."""

    card: CardShown
    href: str
    is_chosen: bool


@member_page
@refreshed
def ticket_page(request: HttpRequest, visitor: Visitor, ref: str) -> HttpResponse:
    """The ticket whole; of what was said and done the newest, with a way to what came before."""
    now = clock.now()
    events_before = _mark(request, "events")
    notes_before = ids.parse_uuid(request.GET.get("said", ""))
    sight = ticket_sight(
        actor=visitor.caller,
        ref=ref,
        events_before=events_before,
        notes_before=notes_before,
        listed=BESIDE,
    )
    card, paused = sight.card, visitor.caller.org_paused
    events, notes = sight.events[-PAGE:], sight.notes[-PAGE:]
    needs = needs_shown(sight, status_of(card, now, org_paused=paused), visitor, now)
    stages = _stages(request, sight, visitor, now)
    in_hand = card.facts.stage if needs.deciding else ""
    chain = chain_shown(sight, visitor, now)
    context = {
        "card": card_shown(card, now, org_paused=paused),
        "needs": needs,
        "plain": _plain(sight),
        **_answered(sight, now, is_deciding=bool(in_hand)),
        "stages": [one for one in stages if one.code != in_hand],
        "stage_in_hand": next((one for one in stages if one.code == in_hand), None),
        "masked": masked_shown(sight.findings, now),
        "is_flood": is_flood(sight.findings),
        "technical": technical_shown(sight.proof.package),
        "mode": words.MODE[card.facts.mode],
        "labels": card.labels,
        "skills": card.skills,
        "assignee": card.assignee.name if card.assignee else "",
        "kept_for": card.reserved.name if card.reserved and not card.facts.is_closed else "",
        "chain": chain,
        "tip": tip_shown(chain),
        "left": left_shown(sight, now),
        "notes": notes_shown(notes, now),
        "events": timeline_shown(events, now),
        "notes_earlier": _earlier(visitor, sight, "said", sight.notes, notes),
        "events_earlier": _earlier(visitor, sight, "events", sight.events, events),
        "newest": ticket_url(visitor, card.facts.ref),
        "is_newest": events_before is None and notes_before is None,
        "comment": Comment(card=card, auto_id="comment_%s"),
        "explain": Explain(card=card, auto_id="explain_%s"),
        "key": key_make(),
        "seen": sight.seen,
        "beside": _beside(sight, visitor, now),
    }
    return show(request, visitor, "tickets/ticket.html", context)


@member_page
def proof_page(request: HttpRequest, visitor: Visitor, ref: str, criterion: str) -> HttpResponse:
    """Everything that was sent for one criterion, the newest first, a page at a time."""
    now = clock.now()
    sight = ticket_sight(actor=visitor.caller, ref=ref)
    ticket_id, org_id = sight.card.facts.id, sight.card.facts.org_id
    before = _mark(request, "before")
    found = evidence_newest(ticket_id, org_id, criterion, before=before, limit=PAGE + 1)
    context = {
        "card": card_shown(sight.card, now, org_paused=visitor.caller.org_paused),
        "criterion": criterion_shown(sight.proof, criterion),
        "results": results_shown(found[:PAGE], sight.proof, now),
        "earlier": found[PAGE - 1].seq if len(found) > PAGE else None,
        "back": ticket_url(visitor, sight.card.facts.ref),
    }
    return show(request, visitor, "tickets/proof.html", context)


def _stages(
    request: HttpRequest, sight: Sight, visitor: Visitor, now: datetime
) -> list[StageShown]:
    stages = stages_shown(sight.proof, visitor, now)
    if any(one.is_moving for one in stages):
        moving(request)
    return stages


def _answered(sight: Sight, now: datetime, *, is_deciding: bool) -> dict[str, Any]:
    """What was said of the fix: where somebody decides on it, what waits is shown there."""
    standing = answers_standing(sight.card, sight.proof.verifications)
    answers = answers_shown(standing, now, with_submitted=not is_deciding)
    said = any(one.outcome for one in answers)
    facts = sight.card.facts
    return {
        "answers": answers,
        "outcome": "" if said else outcome_of(sight.card),
        "solution": solution_shown(standing),
        "solved_before": [] if facts.proven else solved_shown(sight.alike, facts.root_id, now),
    }


def _beside(sight: Sight, visitor: Visitor, now: datetime) -> list[Row]:
    """The list that the ticket is on, for screens with room for both."""
    paused = visitor.caller.org_paused
    return [
        Row(
            card_shown(one, now, org_paused=paused),
            ticket_url(visitor, one.facts.ref),
            one.facts.id == sight.card.facts.id,
        )
        for one in sight.listed
    ]


def _mark(request: HttpRequest, name: str) -> int | None:
    mark = request.GET.get(name, "")
    return int(mark) if mark.isascii() and mark.isdigit() and len(mark) <= _DIGITS else None


def _earlier(
    visitor: Visitor, sight: Sight, name: str, found: list[Any], shown: list[Any]
) -> str | None:
    """The address of what came before, when there is something."""
    if len(found) == len(shown):
        return None
    first = shown[0]
    mark = str(first.id) if isinstance(first, Note) else str(first["id"])
    return ticket_url(visitor, sight.card.facts.ref, **{name: mark})


def _plain(sight: Sight) -> dict[str, str]:
    """The plain explanation; of an older client's ticket, what the agent wrote of its problem."""
    if sight.card.human_summary:
        return sight.card.human_summary
    return {"problem": str(sight.proof.package.get("stuck_reason", ""))}
