"""Agents in the words of their pages."""

from datetime import datetime
from typing import Any, Final

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

Text = str | Promise

WHICH: Final[dict[str, Text]] = {
    "live": gettext_lazy("Live"),
    "working": gettext_lazy("At work"),
    "asked": gettext_lazy("Asked"),
    "retired": gettext_lazy("Retired"),
    "all": gettext_lazy("All"),
}
#: What each of them means, for the title attribute.
WHICH_HELP: Final[dict[str, Text]] = {
    "live": gettext_lazy("Agents that can sign in now"),
    "working": gettext_lazy("Agents that hold a ticket"),
    "asked": gettext_lazy("Agents that were asked to hand off or to stop and have not answered"),
    "retired": gettext_lazy("Agents that shut down or were revoked"),
    "all": gettext_lazy("Every agent there ever was"),
}
#: An empty list, by what it was narrowed to: its heading and one sentence.
NOBODY: Final[dict[str, tuple[Text, Text]]] = {
    "live": (
        gettext_lazy("No agent is live now"),
        gettext_lazy("Agents stand here while they can sign in."),
    ),
    "working": (
        gettext_lazy("No agent holds a ticket now"),
        gettext_lazy("An agent stands here while it works on a ticket."),
    ),
    "asked": (
        gettext_lazy("No agent is asked for anything"),
        gettext_lazy("An agent that is asked to hand off or to stop stands here till it answers."),
    ),
    "retired": (
        gettext_lazy("No agent has retired yet"),
        gettext_lazy("An agent stands here once it shut down, or somebody revoked it."),
    ),
}
#: What an agent was asked for, open and ended; {by} is who asked, {at} when.
ASKED_OPEN: Final[dict[str, Text]] = {
    "handoff": gettext_lazy("Asked to hand off {at}, not answered yet."),
    "stop": gettext_lazy("Told to stop {at}, not answered yet."),
}
ASKED_OPEN_WHY: Final[dict[str, Text]] = {
    "handoff": gettext_lazy("Asked to hand off {at} {why}, not answered yet."),
    "stop": gettext_lazy("Told to stop {at} {why}, not answered yet."),
}
ASKED: Final[dict[str, Text]] = {
    "handoff": gettext_lazy("{by} asked it to hand off"),
    "stop": gettext_lazy("{by} told it to stop"),
}
ASKED_BY_DESK: Final[dict[str, Text]] = {
    "handoff": gettext_lazy("StuckBot asked it to hand off"),
    "stop": gettext_lazy("StuckBot told it to stop"),
}
#: How a request ended.
ENDED: Final[dict[str, Text]] = {
    "handoff": gettext_lazy("it handed off"),
    "escalate": gettext_lazy("it asked a person"),
    "release": gettext_lazy("it gave the ticket back"),
    "retire": gettext_lazy("it has ended"),
    "withdrawn": gettext_lazy("withdrawn"),
    "replaced": gettext_lazy("another request took its place"),
    "moved_on": gettext_lazy("the ticket left its hands another way"),
}
#: Why, where no person asked.
REASON: Final[dict[str, Text]] = {
    "watchdog": gettext_lazy("because it went silent"),
    "budget_soft_tokens": gettext_lazy("because it used many tokens"),
    "budget_soft_cost": gettext_lazy("because it cost much"),
    "budget_soft_runtime": gettext_lazy("because it ran for long"),
    "budget_hard_tokens": gettext_lazy("because its budget of tokens is used up"),
    "budget_hard_cost": gettext_lazy("because its budget of money is used up"),
    "budget_hard_runtime": gettext_lazy("because its budget of time is used up"),
}
SIGNAL: Final[dict[str, Text]] = {
    "self_report": gettext_lazy("It reported that it is stuck"),
    "watchdog": gettext_lazy("It went silent"),
    "budget": gettext_lazy("It went over its budget"),
}
USAGE: Final[dict[str, Text]] = {
    "tokens": gettext_lazy("Tokens"),
    "cost_usd": gettext_lazy("Cost"),
    "runtime_seconds": gettext_lazy("Time"),
}
#: What a token is called, by its kind.
TOKEN: Final[dict[str, Text]] = {
    "sba": gettext_lazy("Token"),
    "sbk": gettext_lazy("Key of its own"),
}
#: What each scope lets an agent do.
SCOPE: Final[dict[str, Text]] = {
    "tickets:create": gettext_lazy("File tickets"),
    "tickets:read_project": gettext_lazy("Read the tickets of its projects"),
    "tickets:claim": gettext_lazy("Take tickets"),
    "tickets:update": gettext_lazy("Say how it goes, ask a person, change the package"),
    "evidence:submit": gettext_lazy("Send proof and submit a fix"),
    "handoff:create": gettext_lazy("Hand a ticket on"),
    "signals:report": gettext_lazy("Report that it is stuck"),
    "verify": gettext_lazy("Check the fixes of others"),
}
_MINUTE: Final = 60
_HOUR: Final = 3600


def left(until: datetime, now: datetime) -> str:
    """How long something still lasts: "42 min left"."""
    seconds = max(0, int((until - now).total_seconds()))
    if seconds < _MINUTE:
        return _("less than a minute left")
    if seconds < 2 * _HOUR:
        return _("%(count)d min left") % {"count": seconds // _MINUTE}
    if seconds < 48 * _HOUR:
        return _("%(count)d h left") % {"count": seconds // _HOUR}
    days = seconds // (24 * _HOUR)
    return ngettext("%(count)d day left", "%(count)d days left", days) % {"count": days}


def amount(name: str, total: float) -> str:
    """A use in the unit that people think of it in."""
    if name == "cost_usd":
        return _("$%(amount)s") % {"amount": _number(total, 2)}
    if name == "runtime_seconds":
        return _duration(int(total))
    return _number(total, 0 if total == int(total) else 2)


def used_of(name: str, total: float, most: float) -> str:
    """ "1.2 of 3", with how much of it that is."""
    return _("%(used)s of %(most)s (%(percent)d\u00a0%%)") % {
        "used": amount(name, total),
        "most": amount(name, most),
        "percent": min(999, int(100 * total / most)) if most else 100,
    }


def called(name: str) -> Text:
    """The name of a kind of use; an agent may report any."""
    return USAGE.get(name, name.replace("_", " ").capitalize())


def cause(code: str) -> Text:
    """Why the desk raised a signal, from its cause (`budget_hard:tokens:100000`)."""
    rule, _sep, rest = code.partition(":")
    short = {"cost_usd": "cost", "runtime_seconds": "runtime"}
    name = rest.partition(":")[0]
    return REASON.get(f"{rule}_{short.get(name, name)}", "")


def _number(value: Any, places: int) -> str:
    return number_format(value, decimal_pos=places, use_l10n=True, force_grouping=True)


def _duration(seconds: int) -> str:
    if seconds < _MINUTE:
        return _("%(count)d s") % {"count": seconds}
    if seconds < _HOUR:
        return _("%(count)d min") % {"count": seconds // _MINUTE}
    hours, rest = divmod(seconds, _HOUR)
    if hours >= 48:
        days, hours = divmod(hours, 24)
        if not hours:
            return ngettext("%(count)d day", "%(count)d days", days) % {"count": days}
        return _("%(days)d d %(hours)d h") % {"days": days, "hours": hours}
    if not rest // _MINUTE:
        return _("%(count)d h") % {"count": hours}
    return _("%(hours)d h %(minutes)d min") % {"hours": hours, "minutes": rest // _MINUTE}
