"""What was masked in a ticket's texts, for the person who has to replace it."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise
from django.utils.safestring import SafeString

from stuckbot.site.pages import words
from stuckbot.site.pages.times import time_shown
from tickets.models import Finding
from tickets.services.findings import MORE


@dataclass(frozen=True, slots=True)
class Secret:
    """`code` is the kind's, for the title attribute; `path` is where in its text it stood."""

    code: str
    kind: str
    preview: str
    place: str | Promise
    path: str
    at: SafeString


def masked_shown(findings: list[Finding], now: datetime) -> list[Secret]:
    """Oldest first."""
    return [_masked(row, now) for row in findings]


def _masked(row: Finding, now: datetime) -> Secret:
    first, _, _ = row.place.partition(".")
    more = row.kind == MORE
    return Secret(
        code=row.kind,
        kind=row.preview if more else row.kind.replace("_", " "),
        preview="" if more else row.preview,
        place=words.PLACE.get(first, words.PLACE_OTHER),
        path=row.place if row.place != first else "",
        at=time_shown(row.at, now),
    )
