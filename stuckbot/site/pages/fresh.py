"""Pages that say when they are still what they were: the ETag of a page, and the 304.

A page shows what its org's tickets are, as one person sees it, in that minute: times count in
minutes, and a lease runs out without a write. So its tag is made of the org's clock, the reader
and the minute, and an unchanged page costs no look at a ticket. While a page shows what goes on
without such a write it has no tag (`moving`).
"""

import hashlib
from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import Any, Final

from django.conf import settings
from django.contrib.messages import get_messages
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.templatetags.static import static
from django.utils.translation import get_language

from stuckbot.lib import clock
from stuckbot.lib.models import OrgClock
from stuckbot.site.api.etag import matches
from stuckbot.site.pages.visitor import MemberView, Visitor

_MINUTE: Final = 60
_CSRF: Final = settings.CSRF_COOKIE_NAME


def refreshed(view: MemberView) -> Callable[..., HttpResponse]:
    """Under `member_page`: answers 304 while nothing changed that the page could show."""

    @wraps(view)
    def page(request: HttpRequest, visitor: Visitor, **kwargs: Any) -> HttpResponse:
        if len(get_messages(request)) and not is_refresh(request):
            return view(request, visitor, **kwargs)
        etag = etag_of(request, visitor, clock.now())
        if matches(request.headers.get("If-None-Match"), etag):
            response: HttpResponse = HttpResponseNotModified()
        else:
            request.etag = etag  # type: ignore[attr-defined]
            response = view(request, visitor, **kwargs)
            etag = request.etag  # type: ignore[attr-defined]
        if etag:
            response["ETag"] = etag
        return response

    return page


def moving(request: HttpRequest) -> None:
    """Called by a view before it renders: what it shows changes without a write that steps the
    org's clock, so it is to be read anew each time."""
    request.etag = ""  # type: ignore[attr-defined]


def is_refresh(request: HttpRequest) -> bool:
    """Whether the page's own script asks, to see what is new; not a person who reads it whole."""
    return "X-Refresh" in request.headers


def etag_of(request: HttpRequest, visitor: Visitor, now: datetime) -> str:
    clocks = OrgClock.objects.of(visitor.org.id)
    caller = visitor.caller
    parts = (
        clocks.values_list("seq", "graph_seq", "offer_seq", "audit_no").first(),
        int(now.timestamp()) // _MINUTE,
        request.get_full_path(),
        (caller.id, caller.role, caller.name, caller.org_paused),
        [(one.id, one.name) for one in visitor.orgs],
        (str(getattr(request.user, "time_zone", "")), get_language()),
        request.COOKIES.get(_CSRF, ""),
        (static("stuckbot.css"), static("refresh.js")),
    )
    return f'"{hashlib.sha256(repr(parts).encode()).hexdigest()[:32]}"'
