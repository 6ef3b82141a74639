"""Routes of the API, made from the registry of operations."""

import re
from collections import defaultdict
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, re_path

from stuckbot.lib import clock
from stuckbot.lib.errors import Missing
from stuckbot.site.api import (
    agents,
    attestations,
    context,
    data,
    files,
    fleet,
    handoffs,
    holding,
    pausing,
    people,
    public,
    signals,
    tickets,
    verifications,
    work,
)
from stuckbot.site.api.call import Call
from stuckbot.site.api.operations import OPERATIONS, Operation
from stuckbot.site.api.views import ApiView, refuse

ROOT: Final = "api/v1"
#: Importing these registers their operations.
MODULES: Final = (
    agents,
    attestations,
    context,
    data,
    files,
    fleet,
    handoffs,
    holding,
    pausing,
    people,
    public,
    signals,
    tickets,
    verifications,
    work,
)
#: What agents ask all the time: routes are tried one after the other.
_ASKED_MOST: Final = frozenset({"/work", "/agents/me/heartbeat"})


def api_not_found(request: HttpRequest, **_: str) -> HttpResponse:
    """Any other address below the API's roots."""
    call = Call(request=request, now=clock.now(), args={})
    return refuse(call, Missing("There is nothing at this address. See /api/v1 for the index."))


def routes() -> list[URLPattern]:
    by_path: dict[str, dict[str, Operation]] = defaultdict(dict)
    for (place, method), operation in OPERATIONS.items():
        by_path[place][method] = operation
    places = sorted(by_path, key=lambda place: place not in _ASKED_MOST)
    found = [_route(place, by_path[place]) for place in places]
    found.append(re_path(r"^(?:api|schemas|\.well-known)(?:/[\s\S]*)?\Z", api_not_found))
    return found


def _route(place: str, operations: dict[str, Operation]) -> URLPattern:
    address = place[2:] if place.startswith("//") else ROOT + place
    handlers = {method.lower(): _documented for method in operations}
    name = "".join(part.capitalize() for part in re.findall(r"\w+", place)) or "Index"
    view: type[ApiView] = type(f"{name}View", (ApiView,), {"operations": operations, **handlers})
    return path(re.sub(r"\{(\w+)\}", r"<str:\1>", address), view.as_view())


def _documented(self: ApiView, request: HttpRequest, **_: str) -> HttpResponse:
    """Never runs: `ApiView.dispatch` answers. It tells the document which methods there are."""
    raise LookupError("ApiView.dispatch answers every call.")


urlpatterns = routes()
