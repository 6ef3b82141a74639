"""Policies in the words of their page."""

from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from policy.states import Approval
from stuckbot.site.pages.policy_agents import AGENT_TITLE, AGENTS, agent_words

#: What each way to approve means, in one sentence.
APPROVAL_HELP: Final[dict[str, str | Promise]] = {
    "automatic": gettext_lazy("Evidence that passes moves the ticket on at once."),
    "agent": gettext_lazy("An agent that had no part in the work approves or rejects."),
    "person": gettext_lazy("Somebody here approves every fix before it counts."),
    "agent_then_person": gettext_lazy("Both have to approve, the agent first."),
}
TITLE: Final[dict[str, str | Promise]] = {
    "blocker": gettext_lazy("When a blocker is fixed"),
    "task": gettext_lazy("When a task is finished"),
    "verifier_wait_minutes": gettext_lazy("Ask a person instead of a verifier"),
    "different_connector": gettext_lazy("Where the verifier comes from"),
    "different_provider": gettext_lazy("The verifier's model provider"),
    "max_rejections": gettext_lazy("Rejected fixes before a person is asked"),
    **AGENT_TITLE,
}
_SWITCH: Final[dict[str, tuple[str | Promise, str | Promise]]] = {
    "different_connector": (
        gettext_lazy("Any connector"),
        gettext_lazy("Not the solver's connector"),
    ),
    "different_provider": (
        gettext_lazy("Any provider"),
        gettext_lazy("Not the solver's provider"),
    ),
}


def value_words(name: str, value: Any) -> str:
    """A setting's value in words; `value` is as it holds, never one that inherits."""
    if name in ("blocker", "task"):
        return str(Approval(value).label)
    if name == "verifier_wait_minutes":
        return wait_words(value or 0)
    if name in _SWITCH:
        return str(_SWITCH[name][bool(value)])
    if name in AGENTS:
        return agent_words(name, value)
    return str(value)


def wait_words(minutes: int) -> str:
    if not minutes:
        return _("Never")
    if minutes % 1440 == 0:
        days = minutes // 1440
        return ngettext("After %(count)d day", "After %(count)d days", days) % {"count": days}
    if minutes % 60 == 0:
        hours = minutes // 60
        return ngettext("After %(count)d hour", "After %(count)d hours", hours) % {"count": hours}
    told = ngettext("After %(count)d minute", "After %(count)d minutes", minutes)
    return told % {"count": minutes}
