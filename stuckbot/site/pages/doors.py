"""Doors of the pages about people: who may come in by GET and by POST."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from accounts.models import User
from stuckbot.lib.errors import Missing, Refusal
from stuckbot.site.pages.errors import refused
from stuckbot.site.pages.visitor import Visitor, visitor_of

View = Callable[..., HttpResponse]


def person_page(view: View) -> View:
    """A page for who is signed in, a member of some org or not; gets the `Visitor`, if any."""
    return require_safe(_signed_in(_with_visitor(view), None))


def person_post(view: View, *, back: str) -> View:
    """An act of who is signed in; signed out meanwhile they come back to the page `back` names."""
    return _only_post(_signed_in(_with_visitor(view), back))


def member_post(view: View, *, back: str) -> View:
    """An act of a member of the org they look at."""

    @wraps(view)
    def act(request: HttpRequest, visitor: Visitor | None, **kwargs: Any) -> HttpResponse:
        if visitor is None:
            return render(request, "no_org.html", status=403)
        return view(request, visitor, **kwargs)

    return person_post(act, back=back)


def _only_post(view: View) -> View:
    """Whoever opens the address of a form reads why there is no page."""

    @wraps(view)
    def act(request: HttpRequest, **kwargs: Any) -> HttpResponse:
        if request.method == "POST":
            return view(request, **kwargs)
        response = render(request, "405.html", status=405)
        response.headers["Allow"] = "POST"
        return response

    return act


def _with_visitor(view: View) -> View:
    @wraps(view)
    def page(request: HttpRequest, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, visitor_of(request), **kwargs)
        except Missing as error:
            raise Http404 from error
        except Refusal as refusal:
            return refused(request, refusal)

    return page


def _signed_in(view: View, back: str | None) -> View:
    @cache_control(private=True, no_cache=True)
    @wraps(view)
    def page(request: HttpRequest, **kwargs: Any) -> HttpResponse:
        if request.user.is_authenticated:
            return view(request, **kwargs)
        if back is not None:
            messages.warning(request, _("You were signed out meanwhile. Nothing was changed."))
        place = request.get_full_path() if back is None else reverse(back)
        response: HttpResponse = redirect_to_login(place)
        return response

    return page


def user_of(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user


def see_other(name: str, query: str = "") -> HttpResponse:
    """Back to a page after an act, by GET."""
    response = HttpResponseRedirect(reverse(name) + query)
    response.status_code = 303
    return response
