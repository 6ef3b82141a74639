"""Pages for what went wrong: what happened, and what to do."""

from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template import loader
from django.urls import reverse

from stuckbot.lib.cutting import masked_cut
from stuckbot.lib.errors import Refusal

#: Of each text that is given back to who wrote it.
_TYPED_MOST: Final = 20_000
_TEXTS_MOST: Final = 6


def refused(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    """The page for a refusal of a service, in its own words."""
    return render(request, "refused.html", {"message": refusal.message}, status=refusal.status)


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The page for a form whose token is no longer good, as after signing in anew elsewhere.

    What was written on a ticket is given back, to be copied; nothing of it is sent by itself.
    """
    context = {"typed": _typed(request), "place": request.get_full_path(), "reason": reason}
    return render(request, "403_csrf.html", context, status=403)


def _typed(request: HttpRequest) -> list[str]:
    if not request.path.startswith(reverse("ticket", kwargs={"ref": "SB"}).removesuffix("SB")):
        return []
    names = [name for name in request.POST if name not in ("csrfmiddlewaretoken", "key", "seen")]
    texts = [masked_cut(str(request.POST[name]), _TYPED_MOST) for name in names[:_TEXTS_MOST]]
    return [text for text in texts if text.strip()]


def server_error(request: HttpRequest) -> HttpResponse:
    """The page for a fault of ours. It asks no database: that may be what is broken."""
    request_id = getattr(request, "request_id", "")
    page = loader.get_template("500.html").render({"request_id": request_id})
    return HttpResponse(page, status=500)
