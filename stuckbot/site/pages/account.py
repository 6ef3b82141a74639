"""One's own account: name and zone, ways to sign in, personal access tokens, orgs."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from accounts.models import Membership, Token
from accounts.selectors import caller_of_membership, person_tokens_list
from accounts.services.orgs import person_token_make, token_revoke
from accounts.services.people import person_change, sessions_end
from stuckbot.lib import clock
from stuckbot.lib.errors import Missing, Refusal
from stuckbot.lib.idempotency import Keep
from stuckbot.lib.once import Secret, secret_put, secret_take
from stuckbot.site.pages.doors import person_page, person_post, see_other, user_of
from stuckbot.site.pages.notices import daily_hour, notices_shown
from stuckbot.site.pages.once import done_once, key_make
from stuckbot.site.pages.people_forms import EXPIRY, ROLE, DetailsForm, TokenForm
from stuckbot.site.pages.times import exact, time_shown
from stuckbot.site.pages.visitor import Visitor


@dataclass(frozen=True, slots=True)
class TokenShown:
    id: UUID
    name: str
    start: str
    org: str
    made: SafeString
    used: SafeString | None
    ends: str
    is_over: bool


@person_page
def account_page(request: HttpRequest, visitor: Visitor | None) -> HttpResponse:
    return _page(request, visitor)


def _page(
    request: HttpRequest,
    visitor: Visitor | None,
    *,
    details: DetailsForm | None = None,
    token: TokenForm | None = None,
    status: int = 200,
) -> HttpResponse:
    user, now = user_of(request), clock.now()
    memberships = _memberships(request)
    initial = {"name": user.name, "time_zone": user.time_zone}
    context = {
        "visitor": visitor,
        "place": "account",
        "details": details or _details(initial=initial),
        "token_form": (token or _token_form(memberships)) if memberships else None,
        "tokens": [_token_shown(one, now) for one in person_tokens_list(user=user)],
        "memberships": [
            {"id": one.id, "org_id": one.org_id, "org": one.org.name, "role": ROLE[one.role]}
            for one in memberships
        ],
        "notices": notices_shown(memberships),
        "daily_hour": daily_hour(),
        "has_password": user.has_usable_password(),
        "key": key_make(),
    }
    return render(request, "people/account.html", context, status=status)


def _memberships(request: HttpRequest) -> list[Membership]:
    rows = user_of(request).memberships.select_related("org", "actor")
    return list(rows.order_by("created_at", "id"))


def _details(data: Any = None, **kwargs: Any) -> DetailsForm:
    return DetailsForm(data, auto_id="me_%s", desk_zone=settings.DISPLAY_TIME_ZONE, **kwargs)


def _token_form(memberships: list[Membership], data: Any = None) -> TokenForm:
    return TokenForm(memberships, data, auto_id="token_%s")


def _token_shown(row: Token, now: datetime) -> TokenShown:
    return TokenShown(
        id=row.id,
        name=row.name,
        start=f"{row.kind}_{row.lookup}…",
        org=row.org.name,
        made=time_shown(row.created_at, now),
        used=time_shown(row.used_at, now) if row.used_at else None,
        ends=exact(row.expires_at) if row.expires_at else "",
        is_over=not row.is_live(now),
    )


def _change(request: HttpRequest, visitor: Visitor | None) -> HttpResponse:
    form = _details(request.POST)
    if not form.is_valid():
        return _page(request, visitor, details=form, status=422)
    try:
        person_change(user=user_of(request), **form.cleaned_data)
    except Refusal as refusal:
        form.add_error("name", refusal.message)
        return _page(request, visitor, details=form, status=refusal.status)
    messages.success(request, _("Saved."))
    return see_other("account")


def _sessions_end(request: HttpRequest, visitor: Visitor | None) -> HttpResponse:
    user = user_of(request)
    sessions_end(user)
    update_session_auth_hash(request, user)
    messages.success(request, _("You are signed out everywhere but here."))
    return see_other("account")


def _token_make(request: HttpRequest, visitor: Visitor | None) -> HttpResponse:
    memberships = _memberships(request)
    form = _token_form(memberships, request.POST)
    if not form.is_valid():
        return _page(request, visitor, token=form, status=422)
    chosen = next(one for one in memberships if str(one.org_id) == form.cleaned_data["org"])
    days = EXPIRY[form.cleaned_data["expires"]][1]

    def make(keep: Keep, now: datetime) -> None:
        ends = None if days is None else now + timedelta(days=days)
        name = form.cleaned_data["name"]
        fresh = person_token_make(membership=chosen, name=name, now=now, expires_at=ends, keep=keep)
        secret_put(request, Secret(name, fresh.text))

    try:
        done_once(request, caller_of_membership(chosen), make)
    except Refusal as refusal:
        form.add_error("name", refusal.message)
        return _page(request, visitor, token=form, status=refusal.status)
    return see_other("account_token")


@never_cache
@person_page
def account_token(request: HttpRequest, visitor: Visitor | None) -> HttpResponse:
    """The fresh token, this once: loading the page again says that it was shown."""
    context = {"visitor": visitor, "place": "account", "secret": secret_take(request)}
    response = render(request, "people/token_once.html", context)
    response.headers["Cache-Control"] = "no-store, private"
    return response


def _token_revoke(request: HttpRequest, visitor: Visitor | None, token_id: UUID) -> HttpResponse:
    token = next(
        (one for one in person_tokens_list(user=user_of(request)) if one.id == token_id), None
    )
    if token is None:
        raise Missing
    member = next(one for one in _memberships(request) if one.id == token.membership_id)
    token_revoke(actor=caller_of_membership(member), token=token, now=clock.now())
    messages.success(request, _("The token is revoked. It does not work any more."))
    return see_other("account")


account_change = person_post(_change, back="account")
account_sessions_end = person_post(_sessions_end, back="account")
account_token_make = person_post(_token_make, back="account")
account_token_revoke = person_post(_token_revoke, back="account")
