"""The part of a policy's form that is about agents: budgets, silence, and how fast they file."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from policy.resolve import Resolved
from policy.states import (
    BUDGETS,
    COST_MOST,
    CREATE_MOST,
    RUNTIME_MOST,
    TOKENS_MOST,
    WATCHDOG_LEAST,
    WATCHDOG_MOST,
)

LIMITS: Final = tuple(name for pair in BUDGETS.values() for name in pair)
AGENTS: Final = (*LIMITS, "watchdog_minutes", "create_per_hour", "create_burst")
AGENT_TITLE: Final[dict[str, str | Promise]] = {
    "budget_tokens_soft": gettext_lazy("Tokens: ask it to hand off after"),
    "budget_tokens_hard": gettext_lazy("Tokens: stop it at"),
    "budget_cost_soft": gettext_lazy("Dollars: ask it to hand off after"),
    "budget_cost_hard": gettext_lazy("Dollars: stop it at"),
    "budget_runtime_soft": gettext_lazy("Minutes at work: ask it to hand off after"),
    "budget_runtime_hard": gettext_lazy("Minutes at work: stop it at"),
    "watchdog_minutes": gettext_lazy("Minutes of silence before its tickets are freed"),
    "create_per_hour": gettext_lazy("Tickets it may file in an hour"),
    "create_burst": gettext_lazy("Tickets it may file at once"),
}
_COSTS: Final = BUDGETS["cost"]
_MOST: Final = {
    **dict.fromkeys(BUDGETS["tokens"], TOKENS_MOST),
    **dict.fromkeys(BUDGETS["runtime"], RUNTIME_MOST),
    "watchdog_minutes": WATCHDOG_MOST,
    "create_per_hour": CREATE_MOST,
    "create_burst": CREATE_MOST,
}


def agent_words(name: str, value: int) -> str:
    """A setting's value in words; it is as it holds, never one that inherits."""
    if name in LIMITS and not value:
        return _("No limit")
    if name in _COSTS:
        return f"${value / 100:,.2f}"
    if name in BUDGETS["tokens"]:
        return ngettext("%(count)s token", "%(count)s tokens", value) % {"count": f"{value:,}"}
    if name == "watchdog_minutes" and not value:
        return _("Never")
    if name in (*BUDGETS["runtime"], "watchdog_minutes"):
        return ngettext("%(count)s minute", "%(count)s minutes", value) % {"count": f"{value:,}"}
    return f"{value:,}"


def agent_fields(wider: Resolved | None) -> dict[str, forms.Field]:
    """The fields; with `wider` each may be left empty to be as it is there."""
    return {name: _field(name, wider) for name in AGENTS}


def _field(name: str, wider: Resolved | None) -> forms.Field:
    words = _help(name, wider)
    if name in _COSTS:
        return forms.DecimalField(
            label=str(AGENT_TITLE[name]),
            help_text=words,
            min_value=0,
            max_value=COST_MOST // 100,
            decimal_places=2,
            required=False,
        )
    return forms.IntegerField(
        label=str(AGENT_TITLE[name]),
        help_text=words,
        min_value=1 if name.startswith("create") else 0,
        max_value=_MOST[name],
        required=False,
    )


def _help(name: str, wider: Resolved | None) -> str:
    if wider is not None:
        now = agent_words(name, getattr(wider, name))
        if name in LIMITS:
            told = _("Left empty it is the org's (%(now)s). 0 is no limit.")
        else:
            told = _("Left empty it is the org's (%(now)s).")
        return told % {"now": now}
    if name in LIMITS:
        return _("Left empty there is no limit.")
    if name == "watchdog_minutes":
        return _("For agents that declare a watchdog. 0 is never.")
    return _("Left empty it is %(now)s.") % {"now": agent_words(name, getattr(Resolved(), name))}


def agent_text(name: str, value: int | None, wider: Resolved | None) -> str:
    """What a field holds for a value as it is stored."""
    if value is None or (wider is None and name in LIMITS and not value):
        return ""
    return f"{value / 100:.2f}" if name in _COSTS else str(value)


def agent_stored(name: str, value: Any) -> int | None:
    """The value to store of one that was filled in; None inherits."""
    if value is None:
        return None
    return int(Decimal(value) * 100) if name in _COSTS else int(value)


def agent_faults(sent: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What does not fit together in fields that are each right."""
    faults = [
        (hard, _("This must be no less than where it is asked to hand off."))
        for soft, hard in BUDGETS.values()
        if sent.get(soft) and sent.get(hard) and sent[hard] < sent[soft]
    ]
    minutes = sent.get("watchdog_minutes")
    if minutes is not None and 0 < minutes < WATCHDOG_LEAST:
        told = _("Give at least %(least)d minutes, or 0 for never.") % {"least": WATCHDOG_LEAST}
        faults.append(("watchdog_minutes", told))
    return faults
