"""What the options of `manage.py policy` ask for, read as a whole: every problem is named."""

from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from policy.checks import faults_of

#: Each option's setting; a value that is left out changes nothing.
_OPTIONS: Final = {
    "blocker": "blocker",
    "task": "task",
    "verifier_wait": "verifier_wait_minutes",
    "different_connector": "different_connector",
    "different_provider": "different_provider",
    "max_rejections": "max_rejections",
}
_NUMBERS: Final = ("verifier_wait_minutes", "max_rejections")
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
    if setting == "verifier_wait_minutes" and given == _OFF:
        return 0
    if setting in _NUMBERS and isinstance(given, str) and given.isascii() and given.isdigit():
        return int(given) if len(given) < 10 else given
    return given


def _in_words(fault: str) -> str:
    """The fault in the words of the options: off is `off` here, and a value can be given back."""
    return f"{fault.replace(', or 0 for off', ', off')[:-1]}, or {_INHERIT}."
