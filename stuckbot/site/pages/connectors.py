"""Connectors: the ways in for agents, what they may give, and stopping a whole fleet."""

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.fleet import Group, agents_count, connector_of, connectors_list, secret_live
from accounts.models import Connector
from accounts.selectors import projects_list
from accounts.services.connectors import admin_require, connector_add, connector_change
from accounts.services.orgs import connector_disable, connector_enable, enrollment_secret_make
from accounts.services.revoking import tokens_live, tokens_revoke
from stuckbot.lib import clock
from stuckbot.lib.errors import Missing, Refusal
from stuckbot.lib.reveal import Shown, reveal
from stuckbot.site.pages.agents_forms import ConnectorForm
from stuckbot.site.pages.agents_words import SCOPE
from stuckbot.site.pages.doors import member_post, see_other
from stuckbot.site.pages.fresh import refreshed
from stuckbot.site.pages.once import done_once, key_make
from stuckbot.site.pages.times import time_shown
from stuckbot.site.pages.visitor import Visitor, member_page, org_query, show
from stuckbot.site.usecases.fleet import holders


@dataclass(frozen=True, slots=True)
class ConnectorShown:
    id: UUID
    name: str
    agents: str
    stopped: SafeString | None
    made: SafeString


@member_page
@refreshed
def connectors_page(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    """Every connector of the org; the form for one more is for who may make one."""
    return _list(request, visitor)


def _list(
    request: HttpRequest,
    visitor: Visitor,
    form: ConnectorForm | None = None,
    fault: str = "",
    status: int = 200,
) -> HttpResponse:
    now, caller = clock.now(), visitor.caller
    counted = agents_count(actor=caller, named="", holders=holders(caller.org_id, now), now=now)
    groups = {one.id: one for one in counted}
    if form is None and caller.is_admin:
        form = ConnectorForm(projects_list(actor=caller))
    context = {
        "place": "agents",
        "connectors": [_shown(one, groups, now) for one in connectors_list(actor=caller)],
        "form": form,
        "is_open": fault or (form is not None and form.is_bound),
        "fault": fault,
        "key": key_make(),
        "org": org_query(visitor),
    }
    response = show(request, visitor, "agents/connectors.html", context)
    response.status_code = status
    return response


def _shown(row: Connector, groups: dict[UUID | None, Group], now: datetime) -> ConnectorShown:
    group = groups.get(row.id)
    live = group.counts["live"] if group else 0
    return ConnectorShown(
        id=row.id,
        name=row.name,
        agents=ngettext("%(count)d live agent", "%(count)d live agents", live) % {"count": live},
        stopped=time_shown(row.disabled_at, now) if row.disabled_at else None,
        made=time_shown(row.created_at, now),
    )


@member_page
@refreshed
def connector_page(request: HttpRequest, visitor: Visitor, connector_id: UUID) -> HttpResponse:
    return _page(request, visitor, connector_of(actor=visitor.caller, connector_id=connector_id))


def _page(
    request: HttpRequest,
    visitor: Visitor,
    row: Connector,
    form: ConnectorForm | None = None,
    fault: str = "",
    status: int = 200,
) -> HttpResponse:
    """Who may change it gets the form, the others read it."""
    now, caller = clock.now(), visitor.caller
    secret = secret_live(row, now)
    if form is None and caller.is_admin:
        form = ConnectorForm(projects_list(actor=caller), row)
    context = {
        "place": "agents",
        "connector": row,
        "made": time_shown(row.created_at, now),
        "stopped": time_shown(row.disabled_at, now) if row.disabled_at else None,
        "secret": secret,
        "secret_made": time_shown(secret.created_at, now) if secret else None,
        "secret_used": time_shown(secret.used_at, now) if secret and secret.used_at else None,
        "form": form,
        "scopes": [(one, SCOPE.get(one, one)) for one in row.scopes],
        "projects": [] if form else [one.name for one in row.projects.order_by("name")],
        "live": tokens_live(row, now) if caller.is_admin else 0,
        "fault": fault,
        "key": key_make(),
        "org": org_query(visitor),
    }
    response = show(request, visitor, "agents/connector.html", context)
    response.status_code = status
    return response


def _new(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    admin_require(visitor.caller)
    form = ConnectorForm(projects_list(actor=visitor.caller), data=request.POST)
    if not form.is_valid():
        return _list(request, visitor, form, status=422)
    made: list[Connector] = []

    def run(**when: Any) -> None:
        name, reach = form.cleaned_data["name"], form.reach
        made.append(connector_add(actor=visitor.caller, name=name, reach=reach, **when))

    try:
        done_once(request, visitor.caller, lambda keep, now: run(keep=keep, now=now))
    except Refusal as refusal:
        if refusal.status == Missing.status:
            raise
        return _list(request, visitor, form, refusal.message, refusal.status)
    messages.success(request, _("The connector is made. Its agents need an enrollment secret."))
    if not made:
        return see_other("connectors", org_query(visitor))
    return _back(visitor, made[-1].id)


def _change(request: HttpRequest, visitor: Visitor, connector_id: UUID) -> HttpResponse:
    row = connector_of(actor=visitor.caller, connector_id=connector_id)
    admin_require(visitor.caller)
    form = ConnectorForm(projects_list(actor=visitor.caller), row, request.POST)
    if not form.is_valid():
        return _page(request, visitor, row, form, status=422)
    run = partial(
        connector_change,
        actor=visitor.caller,
        connector=row,
        name=form.cleaned_data["name"],
        reach=form.reach,
    )
    told = _("Saved. It holds for its agents from their next call on.")
    return _done(request, visitor, row, run, told, form)


def _stop(request: HttpRequest, visitor: Visitor, connector_id: UUID) -> HttpResponse:
    row = connector_of(actor=visitor.caller, connector_id=connector_id)
    admin_require(visitor.caller)
    run = partial(connector_disable, actor=visitor.caller, connector=row)
    told = _("The fleet is stopped. What its agents hold is free again in a moment.")
    return _done(request, visitor, row, run, told)


def _start(request: HttpRequest, visitor: Visitor, connector_id: UUID) -> HttpResponse:
    row = connector_of(actor=visitor.caller, connector_id=connector_id)
    admin_require(visitor.caller)
    run = partial(connector_enable, actor=visitor.caller, connector=row)
    told = _("Its agents may sign in again, with the tokens and the secret that they have.")
    return _done(request, visitor, row, run, told)


def _revoke(request: HttpRequest, visitor: Visitor, connector_id: UUID) -> HttpResponse:
    row = connector_of(actor=visitor.caller, connector_id=connector_id)
    admin_require(visitor.caller)
    run = partial(tokens_revoke, actor=visitor.caller, bearer=row)
    told = _("Its secret and every token of its agents are revoked. They have to register anew.")
    return _done(request, visitor, row, run, told)


def _secret(request: HttpRequest, visitor: Visitor, connector_id: UUID) -> HttpResponse:
    """A fresh enrollment secret, shown by the page this leads to; the older one stops."""
    row = connector_of(actor=visitor.caller, connector_id=connector_id)
    admin_require(visitor.caller)
    fresh = enrollment_secret_make(actor=visitor.caller, connector=row, now=clock.now())
    title = _("The enrollment secret of %(name)s") % {"name": row.name}
    shown = Shown(title, fresh.text, _url(visitor, row.id))
    return reveal(request, shown, page=reverse("connect_secret_shown"))


def _done(
    request: HttpRequest,
    visitor: Visitor,
    row: Connector,
    run: Any,
    told: str,
    form: ConnectorForm | None = None,
) -> HttpResponse:
    """Does it once and goes back to the connector; a refusal is said there."""
    try:
        done_once(request, visitor.caller, lambda keep, now: run(keep=keep, now=now))
    except Missing:
        raise
    except Refusal as refusal:
        return _page(request, visitor, row, form, refusal.message, refusal.status)
    messages.success(request, told)
    return _back(visitor, row.id)


def _url(visitor: Visitor, connector_id: UUID) -> str:
    return reverse("connector", args=[connector_id]) + org_query(visitor)


def _back(visitor: Visitor, connector_id: UUID) -> HttpResponse:
    response = redirect(_url(visitor, connector_id))
    response.status_code = 303
    return response


connector_new = member_post(_new, back="connectors")
connector_save = member_post(_change, back="connectors")
connector_stop = member_post(_stop, back="connectors")
connector_start = member_post(_start, back="connectors")
connector_revoke = member_post(_revoke, back="connectors")
connector_secret = member_post(_secret, back="connectors")
