"""What was masked in a ticket's texts, for the person who has to replace it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from stuckbot.site.pages import words
from stuckbot.site.pages.times import time_shown
from tickets.models import Finding
from tickets.services.findings import MORE

#: What the kinds that are known by their place are called.
KIND: Final = {
    "named_secret": _("Password or key"),
    "command_secret": _("Password in a command"),
    "url_password": _("Password in an address"),
    "url_parameter": _("Key in an address"),
    "webhook_token": _("Address that lets anyone in"),
    "authorization": _("Login of a request"),
    "cookie": _("Session cookie"),
    "token": _("Access token"),
    "web_token": _("Access token"),
    "ai_key": _("API key"),
    "flood": _("Too many secrets to count"),
}
#: Names that are not written like words.
_WRITTEN: Final = {
    "github": "GitHub",
    "gitlab": "GitLab",
    "stuckbot": "StuckBot",
    "digitalocean": "DigitalOcean",
    "sendgrid": "SendGrid",
    "aws": "AWS",
    "api": "API",
    "npm": "npm",
}


@dataclass(frozen=True, slots=True)
class Secret:
    """`code` is the kind's, for the title attribute; `path` is where in its text it stood."""

    code: str
    kind: str | Promise
    preview: str
    place: str | Promise
    path: str
    at: SafeString


def is_flood(findings: list[Finding]) -> bool:
    """Whether there were more than are told one by one, so that their number says nothing."""
    return any(row.kind in ("flood", MORE) for row in findings)


def masked_shown(findings: list[Finding], now: datetime) -> list[Secret]:
    """Oldest first."""
    return [_masked(row, now) for row in findings]


def _masked(row: Finding, now: datetime) -> Secret:
    first, _, _ = row.place.partition(".")
    more = row.kind == MORE
    return Secret(
        code=row.kind,
        kind=row.preview if more else _kind(row.kind),
        preview="" if more else row.preview,
        place=words.PLACE.get(first, words.PLACE_OTHER),
        path=row.place if row.place != first else "",
        at=time_shown(row.at, now),
    )


def _kind(code: str) -> str | Promise:
    """`github_token`: "GitHub token"."""
    if code in KIND:
        return KIND[code]
    first, *rest = code.split("_")
    return " ".join([_WRITTEN.get(first, first.capitalize()), *(_WRITTEN.get(w, w) for w in rest)])
