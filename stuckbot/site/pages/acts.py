"""One act of a person on a ticket: its form, and what becomes of it when it is sent."""

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods

from stuckbot.lib import clock
from stuckbot.lib.errors import Forbidden, Missing, Refusal
from stuckbot.site.pages.acts_base import Act, Asked
from stuckbot.site.pages.acts_drafts import draft_drop, draft_find, draft_keep
from stuckbot.site.pages.acts_forms import ActForm, Comment, Met
from stuckbot.site.pages.acts_once import act_once
from stuckbot.site.pages.acts_proof import ProofForm
from stuckbot.site.pages.acts_shown import act_url, possible, ticket_url
from stuckbot.site.pages.acts_table import ACTS
from stuckbot.site.pages.acts_unproven import unproven_words
from stuckbot.site.pages.acts_words import Text, refusal_words
from stuckbot.site.pages.cards import card_shown
from stuckbot.site.pages.deciding import why_not_approve
from stuckbot.site.pages.errors import refused
from stuckbot.site.pages.proof import StageShown, criterion_described, stages_shown
from stuckbot.site.pages.timeline import happened
from stuckbot.site.pages.visitor import Visitor, show, visitor_of
from stuckbot.site.usecases.sight import Proof, ticket_proof
from tickets.capabilities import capabilities
from tickets.cards import Card
from tickets.events import ticket_events_newest
from tickets.selectors import card_of, facts_get

#: How much of what happened meanwhile is told.
_MEANWHILE: Final = 20
_KEY_MOST: Final = 64
View = Callable[..., HttpResponse]


def act_page(view: View) -> View:
    """A page on which a person acts. Signed out, what was typed waits until they are back."""

    @wraps(view)
    def page(request: HttpRequest, ref: str, act: str) -> HttpResponse:
        chosen = ACTS.get(act)
        if chosen is None:
            raise Http404
        if not request.user.is_authenticated:
            return _signed_out(request)
        visitor = visitor_of(request)
        if visitor is None:
            return render(request, "no_org.html", status=403)
        try:
            return view(request, visitor, ref, act, chosen)
        except Missing as error:
            raise Http404 from error
        except Refusal as refusal:
            return refused(request, refusal)

    private = cache_control(private=True, no_cache=True)(page)
    return require_http_methods(["GET", "HEAD", "POST"])(private)


def _signed_out(request: HttpRequest) -> HttpResponse:
    place = request.get_full_path()
    if request.method == "POST" and draft_keep(request, place):
        told = _("You were signed out meanwhile. What you wrote is kept: sign in to send it.")
        messages.warning(request, told)
    response: HttpResponse = redirect_to_login(place)
    return response


@dataclass(slots=True)
class Turn:
    """One request to act: who, on which ticket as it stands now, by which form."""

    request: HttpRequest
    visitor: Visitor
    slug: str
    act: Act
    card: Card
    form: ActForm
    allowed: bool
    proof: Proof | None = None
    why_not: Text = ""
    fault: Text = ""
    status: int = 200


@act_page
def ticket_act(
    request: HttpRequest, visitor: Visitor, ref: str, slug: str, act: Act
) -> HttpResponse:
    """GET shows the form, POST does it and goes back to the ticket."""
    turn = _turn(request, visitor, ref, slug, act)
    posted = request.method == "POST"
    if not posted or not turn.form.is_valid():
        return _shown(turn, 422 if posted else 200)
    try:
        fresh = act_once(
            act,
            visitor.caller,
            str(turn.card.facts.id),
            turn.form,
            key=_key(request, slug),
            seen=_seen(request),
        )
    except Missing:
        raise
    except Refusal as refusal:
        return _refused(turn, ref, refusal)
    draft_drop(request)
    told = (
        str(turn.form.done or act.done)
        if fresh
        else _("That was done already. It was not done again.")
    )
    messages.success(request, told)
    return _back(turn)


def _shown(turn: Turn, status: int) -> HttpResponse:
    """The form, or why it is of no use."""
    if not turn.visitor.caller.is_member:
        raise Forbidden(_("You may read this ticket, but not change anything on it."))
    turn.status = status
    if not turn.allowed:
        told = _("That cannot be done with the ticket as it stands.")
        turn.fault, turn.status = turn.why_not or told, 409
    return _form_page(turn)


def _turn(request: HttpRequest, visitor: Visitor, ref: str, slug: str, act: Act) -> Turn:
    now, caller = clock.now(), visitor.caller
    facts = facts_get(actor=caller, ref=ref)
    card = card_of(facts.id, facts.org_id)
    proof = ticket_proof(actor=caller, card=card) if act.shows_proof else None
    asked = Asked(
        caller=caller,
        card=card,
        now=now,
        data=request.POST if request.method == "POST" else None,
        initial=draft_find(request, request.get_full_path()),
        criterion=request.GET.get("criterion", ""),
        proof=proof,
    )
    form, allowed = act.make(asked), slug in possible(visitor, facts, now)
    why_not = why_not_approve(proof) if proof is not None and allowed and slug == "approve" else ""
    act = act.worded(holds=asked.holds)
    return Turn(request, visitor, slug, act, card, form, allowed and not why_not, proof, why_not)


def _refused(turn: Turn, ref: str, refusal: Refusal) -> HttpResponse:
    """The page again, as the ticket stands now, with everything that was typed."""
    again = _turn(turn.request, turn.visitor, ref, turn.slug, ACTS[turn.slug])
    again.form.full_clean()
    again.status = refusal.status
    told = _field_faults(again.form, refusal)
    again.fault = "" if told else unproven_words(again.card, refusal) or refusal_words(refusal)
    return _form_page(again)


def _field_faults(form: ActForm, refusal: Refusal) -> bool:
    """Puts each fault at its field; False when one of them has none here."""
    faults = refusal.details.get("fields") or []
    placed = [(form.place_of(str(one["path"])), one) for one in faults]
    if not placed or any(name not in form.fields for name, _one in placed):
        return False
    for name, one in placed:
        form.add_error(name, one["message"])
    return True


def _form_page(turn: Turn) -> HttpResponse:
    now, facts = clock.now(), turn.card.facts
    events = ticket_events_newest(org_id=facts.org_id, ticket=facts.id, limit=_MEANWHILE)
    seen = _seen(turn.request) if turn.fault else None
    later = [one for one in events if seen is not None and one["id"] > seen]
    may_say = "add_comment" in capabilities(turn.visitor.caller, facts, now)
    context = {
        "act": turn.act,
        "slug": turn.slug,
        "action": turn.request.get_full_path(),
        "form": turn.form,
        "wanted": _wanted(turn),
        "stage": _stage(turn),
        "allowed": turn.allowed,
        "fault": turn.fault,
        "meanwhile": [happened(event, now) for event in later],
        "card": card_shown(turn.card, now, org_paused=turn.visitor.caller.org_paused),
        "says_now": _says_now(turn) if later else {},
        "comment": _as_comment(turn) if may_say and not turn.allowed else None,
        "key": key_make(),
        "seen": events[-1]["id"] if events else 0,
        "back": ticket_url(turn.visitor, facts.ref),
        "say": act_url(turn.visitor, facts.ref, "comment"),
    }
    response = show(turn.request, turn.visitor, "tickets/act.html", context)
    response.status_code = turn.status
    return response


def _wanted(turn: Turn) -> str:
    """What the criterion that the act is about wants, in its author's words."""
    if not isinstance(turn.form, ProofForm | Met):
        return ""
    return criterion_described(turn.card, turn.form.criterion)


def _stage(turn: Turn) -> StageShown | None:
    """The proof that is decided on; to say that one check is met, that one is enough."""
    if turn.proof is None or isinstance(turn.form, Met):
        return None
    stages = stages_shown(turn.proof, turn.visitor, clock.now())
    return next(one for one in stages if one.code == turn.card.facts.stage)


def _says_now(turn: Turn) -> dict[str, str]:
    """What the explanation says by now, beside what was typed over it."""
    return (turn.card.human_summary or {}) if turn.slug == "explain" else {}


def _as_comment(turn: Turn) -> Comment | None:
    """What was typed, ready to be sent as a comment when it can be sent as nothing else."""
    texts = [text for _label, text in turn.form.typed] if turn.form.is_bound else []
    if not texts:
        return None
    return Comment(card=turn.card, initial={"body": "\n\n".join(texts)})


def _back(turn: Turn) -> HttpResponse:
    anchor = f"#{turn.act.place}" if turn.act.place else ""
    response = HttpResponseRedirect(ticket_url(turn.visitor, turn.card.facts.ref) + anchor)
    response.status_code = 303
    return response


def key_make() -> str:
    """A key for the forms of one page as it is shown once."""
    return secrets.token_urlsafe(12)


def _key(request: HttpRequest, slug: str) -> str | None:
    """The key of the form as it was filled in: changed and sent again it is another act."""
    key = request.POST.get("key", "")
    if not key or len(key) > _KEY_MOST:
        return None
    sent = [[name, *request.POST.getlist(name)] for name in sorted(request.POST)]
    ours = ("csrfmiddlewaretoken", "seen")
    parts: Any = [slug, request.path, [one for one in sent if one[0] not in ours]]
    return "page:" + hashlib.sha256(repr(parts).encode()).hexdigest()


def _seen(request: HttpRequest) -> int | None:
    mark = request.POST.get("seen", "")
    return int(mark) if mark.isascii() and mark.isdigit() and len(mark) <= 18 else None
