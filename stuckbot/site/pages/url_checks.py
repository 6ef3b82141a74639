"""What the desk does, or did, about an address that a check names: opening it by itself."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import urlsplit

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from stuckbot.lib.masking import REDACTED
from stuckbot.lib.outgoing import REFUSALS
from stuckbot.site.pages import url_words
from stuckbot.site.pages.url_words import Text
from stuckbot.site.templatetags.texts import shown
from tickets.facts import Facts
from tickets.states import IN_REVIEW, State
from verification.judging import expected_codes
from verification.models import Evidence, UrlCheck
from verification.states import CheckStatus, Result

#: How often an address is tried before it counts as one that could not be checked.
TRIES: Final = 3
_ADDRESS_MOST: Final = 80
_STEP: Final = 5
_REDIRECTS: Final = range(300, 400)
_SECOND: Final = 1_000
_MASK: Final = "\ue000"
#: A link of it leads where it says: nothing in it that is hidden or that ends it before its end.
_WHOLE: Final = re.compile(r"https?://[!#$%&()*+,\-./0-9:;=?@A-Z\[\]_a-z~]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Opening:
    """`said` are sentences; `now` is what whoever decides does about it, `again` what whoever
    works on it does. `address` is to be opened by a person, empty where that leads nowhere."""

    is_running: bool
    said: list[SafeString]
    now: Text = ""
    again: Text = ""
    address: str = ""


def opening_shown(look: UrlCheck, expected: str, now: datetime) -> Opening:
    """What became of it so far, where `expected` is what the criterion wants."""
    if look.status == CheckStatus.WAITING:
        return Opening(True, [_running(look, now)])
    if look.status == CheckStatus.SUPERSEDED:
        return Opening(False, [format_html("{}", _("Reported anew before it was opened."))])
    if look.found_id is None:
        said = _unchecked(look) if look.reason else [_status(look)]
        told = format_html("{}", url_words.TOO_LATE)
        return Opening(False, [*said, told], again=url_words.ANEW)
    if look.status == CheckStatus.UNCHECKED:
        why = url_words.why(look.reason)
        return Opening(
            False, _unchecked(look), why.now, _again(look), _openable(look.url, look.reason)
        )
    return Opening(False, _answered(look, expected))


def opening_of(row: Evidence | None, expected: str, now: datetime) -> Opening | None:
    """Of the check that the evidence asked for, or tells the result of."""
    look = row.url_check if row is not None else None
    if row is None or look is None or look.found_id not in (None, row.id):
        return None  # the desk's own evidence says it
    return opening_shown(look, expected, now)


def advice_of(opening: Opening | None, facts: Facts, now: datetime) -> Text:
    """What is to be done now about an address of the stage in hand, by whoever's turn it is."""
    if opening is None:
        return ""
    if facts.state == State.NEEDS_HUMAN or facts.waits_for == "person":
        return opening.now
    if facts.state in IN_REVIEW:
        return url_words.VERIFIER if opening.now and facts.waits_for == "verifier" else ""
    return opening.again if facts.is_leased(now) else ""


def unchecked_said(looks: Sequence[UrlCheck]) -> str:
    """What could not be checked and why, in one sentence for a list; empty when all could."""
    if not looks:
        return ""
    if len(looks) == 1:
        known = {"place": place_of(looks[0]), "why": url_words.why(looks[0].reason).short}
        return _("StuckBot could not open “%(place)s”: %(why)s.") % known
    reasons = dict.fromkeys(str(url_words.why(one.reason).short) for one in looks)
    told = _("StuckBot could not open %(count)d addresses: %(why)s.")
    return told % {"count": len(looks), "why": "; ".join(reasons)}


def place_of(look: UrlCheck) -> str:
    """The host, where the address names one that can be read."""
    try:
        # The brackets of a mask are not those of an address of version 6.
        host = look.host or urlsplit(look.url.replace(REDACTED, _MASK)).hostname
    except ValueError:
        host = None
    host = host and host.replace(_MASK, REDACTED)
    return Truncator(host or look.url).chars(_ADDRESS_MOST)


def is_left_to_desk(row: Evidence) -> bool:
    """Whether its sender reported on an address that the desk opens: their word is none."""
    return row.result == Result.WAITING and row.url_check is not None


def is_vouched(row: Evidence) -> bool:
    """Whether somebody stands behind what it says."""
    return row.result != Result.UNCHECKED and not is_left_to_desk(row)


def _running(look: UrlCheck, now: datetime) -> SafeString:
    address, number = _address(look.url), min(look.tries + 1, TRIES)
    if look.under_way:
        told = _("StuckBot is opening {address}, try {number} of {most}.")
        return format_html(told, address=address, number=number, most=TRIES)
    if not look.tries:
        return format_html(_("StuckBot opens {address} as soon as it can."), address=address)
    told = _("Try {number} of {most} to open {address} came to nothing: {why}. {next}")
    return format_html(
        told,
        number=look.tries,
        most=TRIES,
        address=address,
        why=url_words.why(look.reason).short,
        next=_next(look.due_at, now),
    )


def _next(due_at: datetime, now: datetime) -> str:
    """In steps of five seconds, since nobody counts along."""
    seconds = (due_at - now).total_seconds()
    if seconds < _STEP:
        return _("The next begins now.")
    rounded = round(seconds / _STEP) * _STEP
    return _("The next is in about %(seconds)d s.") % {"seconds": rounded}


def _answered(look: UrlCheck, expected: str) -> list[SafeString]:
    said = [_status(look)]
    if look.status == CheckStatus.FAILED:
        wanted = shown(expected) if expected_codes(expected) else _("any from 200 to 399")
        said.append(format_html(_("Wanted: {wanted}."), wanted=wanted))
        if look.http_status in _REDIRECTS:
            told = _("It sends elsewhere, and StuckBot does not follow.")
            said.append(format_html("{}", told))
    return [*said, *_allowed(look)]


def _status(look: UrlCheck) -> SafeString:
    took = look.took_ms
    if took is None:
        return format_html(_("It answered {status}."), status=look.http_status)
    time = f"{took} ms" if took < _SECOND else f"{took / _SECOND:.1f} s"
    return format_html(_("It answered {status} after {time}."), status=look.http_status, time=time)


def _again(look: UrlCheck) -> Text:
    return url_words.NEVER if look.reason in REFUSALS else url_words.AGAIN


def _unchecked(look: UrlCheck) -> list[SafeString]:
    why = url_words.why(look.reason)
    said = [format_html(_("StuckBot could not check it. {means}"), means=why.means)]
    if not why.sent:
        said.append(format_html("{}", _("Nothing was sent there.")))
    elif look.tries > 1:
        told = ngettext("Tried %(count)d time.", "Tried %(count)d times.", look.tries)
        said.append(format_html("{}", told % {"count": look.tries}))
    return [*said, *_allowed(look)]


def _allowed(look: UrlCheck) -> list[SafeString]:
    return [format_html("{}", url_words.ALLOWED)] if look.allowed else []


def _address(url: str) -> SafeString:
    return shown(Truncator(url).chars(_ADDRESS_MOST))


def _openable(url: str, reason: str) -> str:
    """The address where a person's browser may open it; what is no whole address is read only."""
    if reason in ("masked", "bad_url", "userinfo") or REDACTED in url:
        return ""
    return url if _WHOLE.fullmatch(url) else ""
