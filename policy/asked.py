"""What the options of `manage.py policy` ask for, read as a whole: every problem is named."""

import re
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from policy.checks import faults_of
from policy.states import BUDGETS

#: Each option's setting; a value that is left out changes nothing.
_OPTIONS: Final = {
    "blocker": "blocker",
    "task": "task",
    "verifier_wait": "verifier_wait_minutes",
    "different_connector": "different_connector",
    "different_provider": "different_provider",
    "max_rejections": "max_rejections",
    "tokens_soft": "budget_tokens_soft",
    "tokens_hard": "budget_tokens_hard",
    "cost_soft": "budget_cost_soft",
    "cost_hard": "budget_cost_hard",
    "runtime_soft": "budget_runtime_soft",
    "runtime_hard": "budget_runtime_hard",
    "watchdog": "watchdog_minutes",
    "create_per_hour": "create_per_hour",
    "create_burst": "create_burst",
}
_COSTS: Final = BUDGETS["cost"]
#: Settings that `off` switches off.
_SWITCHED: Final = (
    "verifier_wait_minutes",
    "watchdog_minutes",
    *(name for pair in BUDGETS.values() for name in pair),
)
_NUMBERS: Final = (*_SWITCHED, "max_rejections", "create_per_hour", "create_burst")
_INHERIT: Final = "inherit"
_OFF: Final = "off"


@dataclass(slots=True)
class Asked:
    changes: dict[str, Any] = field(default_factory=dict)
    clear: bool = False


def asked_read(options: dict[str, Any]) -> tuple[Asked, list[str]]:
    """What is asked for, and a sentence for every problem with it."""
    asked = Asked(clear=bool(options.get("clear")))
    for option, setting in _OPTIONS.items():
        if (value := options.get(option)) is not None:
            asked.changes[setting] = _value(setting, value)
    names = {setting: option for option, setting in _OPTIONS.items()}
    faults = [
        f"--{names[setting].replace('_', '-')}: {_in_words(fault)}"
        for setting, fault in faults_of(asked.changes)
    ]
    if asked.clear and asked.changes:
        faults.append("--clear: it takes all settings away, so give no other change with it.")
    return asked, faults


def ids_read(options: dict[str, Any]) -> tuple[UUID | None, UUID | None, list[str]]:
    """The ids of the org and of the project, where one is given, and what is wrong with them."""
    found: list[UUID | None] = []
    faults: list[str] = []
    for name in ("org", "project"):
        given = options.get(name)
        try:
            found.append(None if given is None else UUID(given))
        except ValueError:
            found.append(None)
            faults.append(f"--{name}: give an id, as the admin and bootstrap print it, no name.")
    return found[0], found[1], faults


def _value(setting: str, given: Any) -> Any:
    """The value as it is stored; what cannot be read stays as it is and is found at fault."""
    if given == _INHERIT:
        return None
    if setting in _SWITCHED and given == _OFF:
        return 0
    if setting in _COSTS and isinstance(given, str):
        return _cents(given)
    if setting in _NUMBERS and isinstance(given, str) and given.isascii() and given.isdigit():
        return int(given) if len(given) < 15 else given
    return given


def _cents(given: str) -> int | str:
    """Dollars as cents; what is no amount in whole cents stays as it is."""
    found = re.fullmatch(r"([0-9]{1,10})(?:\.([0-9]{1,2}))?", given)
    if found is None:
        return given
    return int(found[1]) * 100 + int((found[2] or "0").ljust(2, "0"))


def _in_words(fault: str) -> str:
    """The fault in the words of the options: off is `off` here, and a value can be given back."""
    for zero in (", or 0 for off", ", or 0 for no limit"):
        fault = fault.replace(zero, ", off")
    return f"{fault[:-1]}, or {_INHERIT}."
