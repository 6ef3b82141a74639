"""Times as people read them: how long ago, with the exact moment for hover and screen readers."""

from datetime import datetime
from typing import Final

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from stuckbot.lib.clock import wire

_MINUTE: Final = 60
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR


def time_shown(at: datetime, now: datetime) -> SafeString:
    """A ``<time>`` element: "12 min ago", the exact time in the reader's zone as its title."""
    return format_html(
        '<time datetime="{}" title="{}">{}</time>', wire(at), exact(at), ago(at, now)
    )


def ago(at: datetime, now: datetime) -> str:
    """How long ago, in the largest unit that fits; the date once it is over a month."""
    seconds = int((now - at).total_seconds())
    if seconds < _MINUTE:
        return _("just now")
    if seconds < _HOUR:
        return _("%(count)d min ago") % {"count": seconds // _MINUTE}
    if seconds < _DAY:
        return _("%(count)d h ago") % {"count": seconds // _HOUR}
    days = seconds // _DAY
    if days <= 30:
        return ngettext("%(count)d day ago", "%(count)d days ago", days) % {"count": days}
    return date_format(timezone.localtime(at), "DATE_FORMAT")


def exact(at: datetime) -> str:
    """The moment in the reader's time zone, with the zone's name."""
    local = timezone.localtime(at)
    return f"{date_format(local, 'DATETIME_FORMAT')} {local.tzname()}"


def clock_time(at: datetime) -> str:
    """The time of day in the reader's zone, for what is near."""
    return date_format(timezone.localtime(at), "TIME_FORMAT")
