"""What people do about agents: ask one to hand off or stop, revoke it, its tokens and keys."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any, Final
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.fleet import agent_of, token_of
from accounts.services.connectors import admin_require
from accounts.services.orgs import direct_key_make, direct_key_renew, token_revoke
from accounts.states import RequestKind
from stuckbot.lib import clock
from stuckbot.lib.errors import Conflict, Missing, Refusal
from stuckbot.lib.idempotency import Keep
from stuckbot.lib.reveal import Shown, forget, reveal, revealed
from stuckbot.site.pages.agent import Typed, agent_page_shown, agent_url
from stuckbot.site.pages.agents_forms import AskForm, KeyForm
from stuckbot.site.pages.doors import member_post, person_page, see_other
from stuckbot.site.pages.once import done_once, key_make
from stuckbot.site.pages.visitor import Visitor, member_page, org_query, show
from stuckbot.site.usecases.agent_request import agent_request, agent_request_withdraw
from stuckbot.site.usecases.retire import Retired, agent_retire

Write = Callable[..., Any]
_SHOWN: Final = "agent_key_shown"


def _ask(request: HttpRequest, visitor: Visitor, agent_id: UUID) -> HttpResponse:
    """A refusal shows the form again as it was filled in."""
    kind = request.POST.get("kind", "")
    if kind not in RequestKind.values:
        raise Http404
    form = AskForm(request.POST, auto_id=f"{kind}_%s")
    if not form.is_valid():
        return agent_page_shown(request, visitor, agent_id, Typed(kind, form), 422)
    message = form.cleaned_data["message"]
    run = partial(
        agent_request, actor=visitor.caller, agent_id=agent_id, kind=kind, message=message
    )
    told = _("It hears of it when it next asks the desk, within a minute as a rule.")
    typed = Typed(kind, form)
    return _done(request, visitor, agent_id, run, told, typed)


def _withdraw(request: HttpRequest, visitor: Visitor, agent_id: UUID) -> HttpResponse:
    kind = request.POST.get("kind", "")
    if kind not in RequestKind.values:
        raise Http404
    run = partial(agent_request_withdraw, actor=visitor.caller, agent_id=agent_id, kind=kind)
    told = _("The request is withdrawn.")
    if kind == RequestKind.STOP:
        told = _("The request is withdrawn. The agent is offered work again.")
    return _done(request, visitor, agent_id, run, told)


def _revoke(request: HttpRequest, visitor: Visitor, agent_id: UUID) -> HttpResponse:
    """Retires it, and shows what it did."""
    agent = agent_of(actor=visitor.caller, agent_id=agent_id, now=clock.now())
    admin_require(visitor.caller)
    found: list[Retired] = []

    def run(now: datetime, keep: Keep) -> None:
        found.append(agent_retire(actor=visitor.caller, agent_id=agent_id, now=now, keep=keep))

    told = partial(_revoked, agent.name, found)
    return _done(request, visitor, agent_id, run, told, place="#did")


def _revoked(name: str, found: list[Retired]) -> str:
    told = _("%(name)s is revoked. Below is all that it did.") % {"name": name}
    done = found[-1] if found else Retired([], [])
    if done.released:
        told += " " + _("Free again: %(refs)s.") % {"refs": ", ".join(done.released)}
    if done.waiting:
        told += " " + _("Still waiting for a check: %(refs)s.") % {"refs": ", ".join(done.waiting)}
    return told


def _token_revoke(
    request: HttpRequest, visitor: Visitor, agent_id: UUID, token_id: UUID
) -> HttpResponse:
    token = token_of(actor=visitor.caller, agent_id=agent_id, token_id=token_id)
    admin_require(visitor.caller)
    run = partial(token_revoke, actor=visitor.caller, token=token)
    told = _("It is revoked and signs in no more. What was done with it stays.")
    return _done(request, visitor, agent_id, run, told, place="#tokens")


def _key_renew(request: HttpRequest, visitor: Visitor, agent_id: UUID) -> HttpResponse:
    """A fresh key for an agent that has one of its own; the older ones stop."""
    caller, now = visitor.caller, clock.now()
    agent = agent_of(actor=caller, agent_id=agent_id, now=now)
    admin_require(caller)
    if agent.connector_id is not None or agent.retired_at is not None:
        raise Missing
    fresh = direct_key_renew(actor=caller, agent=agent, now=now)
    title = _("The new key of %(name)s") % {"name": agent.name}
    return _reveal(request, visitor, title, fresh.text, agent.id)


def _done(
    request: HttpRequest,
    visitor: Visitor,
    agent_id: UUID,
    run: Write,
    told: str | Callable[[], str],
    typed: Typed | None = None,
    place: str = "",
) -> HttpResponse:
    """Does it once and goes back to the agent; a refusal is said there, above what it is now."""
    try:
        done_once(request, visitor.caller, lambda keep, now: run(now=now, keep=keep))
    except Missing:
        raise
    except Refusal as refusal:
        if refusal.status == 403:
            raise
        kind, form = (typed.kind, typed.form) if typed else ("", None)
        shown = Typed(kind, form, refusal.message)
        return agent_page_shown(request, visitor, agent_id, shown, refusal.status)
    messages.success(request, told() if callable(told) else told)
    return _back(visitor, agent_id, place)


def _back(visitor: Visitor, agent_id: UUID, place: str = "") -> HttpResponse:
    response = redirect(agent_url(visitor, agent_id) + place)
    response.status_code = 303
    return response


@member_page
def key_page(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    """The form for an agent with a key of its own."""
    admin_require(visitor.caller)
    return _key_form(request, visitor, KeyForm())


def _key_form(
    request: HttpRequest, visitor: Visitor, form: KeyForm, fault: str = "", status: int = 200
) -> HttpResponse:
    context = {
        "place": "agents",
        "form": form,
        "fault": fault,
        "key": key_make(),
        "org": org_query(visitor),
    }
    response = show(request, visitor, "agents/key.html", context)
    response.status_code = status
    return response


def _key_make(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    """An agent with a key, which the next page shows once."""
    admin_require(visitor.caller)
    form = KeyForm(request.POST)
    if not form.is_valid():
        return _key_form(request, visitor, form, status=422)
    made: list[Any] = []

    def run(keep: Keep, now: datetime) -> None:
        made.append(
            direct_key_make(
                actor=visitor.caller,
                org=visitor.org,
                name=form.cleaned_data["name"],
                scopes=form.cleaned_data["scopes"],
                expires_at=form.expires_at(now),
                now=now,
                keep=keep,
            )
        )

    try:
        is_fresh = done_once(request, visitor.caller, run)
    except Conflict as refusal:
        return _key_form(request, visitor, form, refusal.message, refusal.status)
    if not is_fresh:
        messages.warning(request, _("That key was made already. Its agent stands in the list."))
        return see_other("agents", org_query(visitor))
    fresh = made[-1]
    title = _("The key of %(name)s") % {"name": form.cleaned_data["name"]}
    return _reveal(request, visitor, title, fresh.text, fresh.row.agent_id)


def _reveal(
    request: HttpRequest, visitor: Visitor, title: str, secret: str, agent_id: UUID
) -> HttpResponse:
    shown = Shown(title, secret, agent_url(visitor, agent_id))
    return reveal(request, shown, page=reverse(_SHOWN))


def _key_shown(request: HttpRequest, visitor: Visitor | None) -> HttpResponse:
    """The fresh key, this once; loading the page again says that it was shown."""
    shown = revealed(request)
    context = {"visitor": visitor, "shown_once": shown, "place": "agents"}
    response = render(request, "agents/key_once.html", context, status=200 if shown else 410)
    return forget(response, page=reverse(_SHOWN))


agent_ask = member_post(_ask, back="agents")
agent_withdraw = member_post(_withdraw, back="agents")
agent_revoke = member_post(_revoke, back="agents")
agent_token_revoke = member_post(_token_revoke, back="agents")
agent_key_renew = member_post(_key_renew, back="agents")
key_new = member_post(_key_make, back="agents")
key_shown = person_page(_key_shown)
