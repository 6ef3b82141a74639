"""What holds for every page: the reader's time zone, and headers that no view may forget."""

from collections.abc import Callable
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

Handler = Callable[[HttpRequest], HttpResponseBase]


#: Nothing of a desk needs these, so nothing that might ever get into a page can ask for them.
_POLICY: Final = "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()"


class PageHeaders:
    """A page is for its reader alone, refusals and redirects too, unless it says otherwise."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Cache-Control", "private, no-cache")
        response.headers.setdefault("Permissions-Policy", _POLICY)
        return response


class ReaderTimeZone:
    """Shows every page in the time zone of whoever reads it."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with timezone.override(zone_of(getattr(request.user, "time_zone", ""))):
            return self.get_response(request)


def zone_of(name: str) -> ZoneInfo:
    """The zone of that name; the desk's when there is none of it."""
    try:
        return ZoneInfo(name or settings.DISPLAY_TIME_ZONE)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo(settings.DISPLAY_TIME_ZONE)
