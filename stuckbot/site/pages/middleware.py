"""The reader's time zone: their own if they chose one, else the desk's."""

from collections.abc import Callable
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

Handler = Callable[[HttpRequest], HttpResponseBase]


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
