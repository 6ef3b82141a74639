"""Pages for what went wrong: what happened, and what to do."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template import loader

from stuckbot.lib.errors import Refusal


def refused(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    """The page for a refusal of a service, in its own words."""
    return render(request, "refused.html", {"message": refusal.message}, status=refusal.status)


def server_error(request: HttpRequest) -> HttpResponse:
    """The page for a fault of ours. It asks no database: that may be what is broken."""
    request_id = getattr(request, "request_id", "")
    page = loader.get_template("500.html").render({"request_id": request_id})
    return HttpResponse(page, status=500)
