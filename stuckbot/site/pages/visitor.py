"""Who looks at a page, and in which of their orgs."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Final
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from accounts.models import Membership, Org, User
from accounts.selectors import caller_of_membership
from accounts.usage import member_seen
from stuckbot.lib import clock
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Missing, Refusal
from stuckbot.site.pages.errors import refused

_ORG: Final = "org"


@dataclass(frozen=True, slots=True)
class Visitor:
    """A signed-in person with the org they look at; `orgs` are all of theirs, oldest first."""

    caller: Caller
    org: Org
    orgs: list[Org]


MemberView = Callable[..., HttpResponse]


def member_page(view: MemberView) -> Callable[..., HttpResponse]:
    """A page that reads as a member: the view gets the `Visitor` after the request.

    Nobody signed in is sent to sign in; whoever belongs to no org is told so. What a selector
    calls missing is a 404.
    """

    @wraps(view)
    def page(request: HttpRequest, **kwargs: Any) -> HttpResponse:
        visitor = visitor_of(request)
        if visitor is None:
            return render(request, "no_org.html", status=403)
        try:
            return view(request, visitor, **kwargs)
        except Missing as error:
            raise Http404 from error
        except Refusal as refusal:
            return refused(request, refusal)

    private = cache_control(private=True, no_cache=True)(page)
    return require_safe(login_required(private))


def visitor_of(request: HttpRequest) -> Visitor | None:
    """The person in the org of `?org=`, of their session, or the first they joined."""
    user = request.user
    assert isinstance(user, User)
    memberships = list(user.memberships.select_related("org", "actor").order_by("created_at", "id"))
    if not memberships:
        return None
    chosen = _chosen(request, memberships)
    member_seen(chosen.id, clock.now())
    return Visitor(caller_of_membership(chosen), chosen.org, [one.org for one in memberships])


def _chosen(request: HttpRequest, memberships: list[Membership]) -> Membership:
    by_org = {str(one.org_id): one for one in memberships}
    asked = request.GET.get(_ORG)
    if asked is None:
        return by_org.get(request.session.get(_ORG, ""), memberships[0])
    if asked not in by_org:
        raise Http404
    if request.session.get(_ORG) != asked:
        request.session[_ORG] = asked
    return by_org[asked]


def org_query(visitor: Visitor) -> str:
    """Says which org an act is of: another tab may have switched meanwhile."""
    return f"?{urlencode({_ORG: str(visitor.org.id)})}" if len(visitor.orgs) > 1 else ""


def show(
    request: HttpRequest, visitor: Visitor, template: str, context: dict[str, Any]
) -> HttpResponse:
    """Renders a page with what every page needs.

    The page's own script that looks for news takes no message away from the reader.
    """
    shared: dict[str, Any] = {"visitor": visitor, "public_url": settings.PUBLIC_URL}
    if "X-Refresh" in request.headers:
        shared["messages"] = ()
    return render(request, template, shared | context)
