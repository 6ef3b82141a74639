"""Connecting agents: what an empty desk says, and a page that says it at any time."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import F, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from accounts.models import Agent, Connector, Membership, Token
from accounts.services.orgs import connector_make, enrollment_secret_make
from accounts.states import WORK_SCOPES, Role, TokenKind
from stuckbot.lib import clock
from stuckbot.lib.errors import Forbidden
from stuckbot.lib.reveal import Shown, forget, reveal, revealed
from stuckbot.site.pages.doors import member_post, person_page
from stuckbot.site.pages.fresh import refreshed
from stuckbot.site.pages.times import time_shown
from stuckbot.site.pages.visitor import Visitor, member_page, show
from tickets.selectors import tickets_readable

#: The connector that the button makes when the org has none.
CONNECTOR: Final = "Agents"
_NAMED_MOST: Final = 5


@dataclass(frozen=True, slots=True)
class FirstRun:
    """What the page shows of the way to the first ticket."""

    agent: str
    agent_came: SafeString | None
    has_ticket: bool
    may_make: bool
    secret_made: SafeString | None
    ask: list[str]


def first_run(visitor: Visitor, *, has_ticket: bool) -> dict[str, Any]:
    """The context of `tickets/welcome.html`."""
    now = clock.now()
    agent = _first_agent(visitor)
    may_make = visitor.caller.is_admin
    made = _secret_made(visitor) if may_make else None
    return {
        "first": FirstRun(
            agent=agent.name if agent else "",
            agent_came=time_shown(agent.created_at, now) if agent else None,
            has_ticket=has_ticket,
            may_make=may_make,
            secret_made=time_shown(made, now) if made else None,
            ask=[] if may_make else _who_can(visitor),
        )
    }


def _first_agent(visitor: Visitor) -> Agent | None:
    """The newest that registered, or used a key of its own."""
    came = Q(connector__isnull=False) | Q(last_seen_at__isnull=False)
    return Agent.objects.of(visitor.org.id).filter(came).order_by("-created_at", "-id").first()


def _secret_made(visitor: Visitor) -> datetime | None:
    live = Token.objects.of(visitor.org.id).filter(kind=TokenKind.ENROLLMENT, revoked_at=None)
    return live.order_by("-created_at").values_list("created_at", flat=True).first()


def _who_can(visitor: Visitor) -> list[str]:
    """The names of owners and admins, owners first."""
    can = Membership.objects.of(visitor.org.id).filter(
        role__in=(Role.OWNER, Role.ADMIN), user__is_active=True
    )
    names = can.order_by(F("role").desc(), "created_at").values_list("actor__name", flat=True)
    return list(names[:_NAMED_MOST])


@member_page
@refreshed
def connect_page(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    """How to connect an agent, whether or not there are tickets."""
    has_ticket = tickets_readable(visitor.caller).exists()
    context = first_run(visitor, has_ticket=has_ticket) | {"place": "connect"}
    return show(request, visitor, "tickets/connect.html", context)


def _secret_make(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    """A fresh enrollment secret, shown by the page this leads to."""
    caller = visitor.caller
    if not caller.is_admin:
        raise Forbidden("Only an owner or admin can make an enrollment secret.")
    now = clock.now()
    connector = Connector.objects.of(caller.org_id).order_by(F("name").asc(), "id")
    chosen = connector.filter(name=CONNECTOR).first() or connector.first()
    if chosen is None:
        setter = Membership.objects.of(caller.org_id).get(actor_id=caller.id).actor
        chosen = connector_make(
            org=visitor.org, name=CONNECTOR, scopes=WORK_SCOPES, set_up_by=setter, now=now
        )
    fresh = enrollment_secret_make(actor=caller, connector=chosen, now=now)
    shown = Shown(_("Your enrollment secret"), fresh.text, reverse("connect"))
    return reveal(request, shown, page=reverse("connect_secret_shown"))


secret_make = member_post(_secret_make, back="connect")


def _secret_shown(request: HttpRequest, visitor: Visitor | None) -> HttpResponse:
    """The fresh secret, this once; loading the page again says that it was shown."""
    shown = revealed(request)
    context = {"visitor": visitor, "shown_once": shown}
    response = render(request, "tickets/secret_once.html", context, status=200 if shown else 410)
    return forget(response, page=reverse("connect_secret_shown"))


secret_shown = person_page(_secret_shown)
