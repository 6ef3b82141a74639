"""What a policy's settings may be; no ORM."""

from collections.abc import Mapping
from typing import Any, Final

from policy.states import (
    BUDGETS,
    COST_MOST,
    CREATE_MOST,
    LEASE_LEAST,
    LEASE_MOST,
    REJECTIONS_MOST,
    RUNTIME_MOST,
    TOKENS_MOST,
    WAIT_MINUTES_MOST,
    WATCHDOG_LEAST,
    WATCHDOG_MOST,
    Approval,
)

_TOKENS: Final = (0, TOKENS_MOST, f"Give a whole number up to {TOKENS_MOST:,}, or 0 for no limit.")
_COST: Final = (
    0,
    COST_MOST,
    f"Give an amount up to ${COST_MOST // 100:,} in whole cents, or 0 for no limit.",
)
_RUNTIME: Final = (
    0,
    RUNTIME_MOST,
    f"Give whole minutes up to {RUNTIME_MOST:,} (a year), or 0 for no limit.",
)
_CREATE: Final = (1, CREATE_MOST, f"Give a whole number from 1 to {CREATE_MOST:,}.")
_WATCHDOG_WORDS: Final = (
    f"Give whole minutes from {WATCHDOG_LEAST} to {WATCHDOG_MOST:,} (a day), or 0 for off."
)
_ORDER_WORDS: Final = "This must be no less than where it is asked to hand off."

_WHOLE: Final = {
    "verifier_wait_minutes": (
        0,
        WAIT_MINUTES_MOST,
        f"Give whole minutes from 1 to {WAIT_MINUTES_MOST:,} (30 days), or 0 for off.",
    ),
    "max_rejections": (1, REJECTIONS_MOST, f"Give a whole number from 1 to {REJECTIONS_MOST}."),
    "lease_minutes": (
        LEASE_LEAST,
        LEASE_MOST,
        f"Give whole minutes from {LEASE_LEAST} to {LEASE_MOST:,} (a day).",
    ),
    "lease_minutes_most": (
        LEASE_LEAST,
        LEASE_MOST,
        f"Give whole minutes from {LEASE_LEAST} to {LEASE_MOST:,} (a day).",
    ),
    "budget_tokens_soft": _TOKENS,
    "budget_tokens_hard": _TOKENS,
    "budget_cost_soft": _COST,
    "budget_cost_hard": _COST,
    "budget_runtime_soft": _RUNTIME,
    "budget_runtime_hard": _RUNTIME,
    "watchdog_minutes": (0, WATCHDOG_MOST, _WATCHDOG_WORDS),
    "create_per_hour": _CREATE,
    "create_burst": _CREATE,
}
_APPROVALS: Final = ("blocker", "task")
_SWITCHES: Final = ("different_connector", "different_provider")


def faults_of(
    changes: Mapping[str, Any], said: Mapping[str, Any] | None = None
) -> list[tuple[str, str]]:
    """Every (setting, what to do) that keeps `changes` from being made; None always inherits.

    `said` is what the policy says before them.
    """
    faults = [
        (name, fault)
        for name, value in changes.items()
        if value is not None and (fault := _fault(name, value))
    ]
    return faults or _disorder(changes, {**(said or {}), **changes})


def _disorder(changes: Mapping[str, Any], after: Mapping[str, Any]) -> list[tuple[str, str]]:
    """A stop that would come before the wish to hand off."""
    return [
        (hard if hard in changes else soft, _ORDER_WORDS)
        for soft, hard in BUDGETS.values()
        if (soft in changes or hard in changes)
        and after.get(soft)
        and after.get(hard)
        and after[hard] < after[soft]
    ]


def _fault(name: str, value: Any) -> str | None:
    if name in _APPROVALS:
        good = isinstance(value, str) and value in Approval.values
        return None if good else f"Choose one of {', '.join(Approval.values)}."
    if name in _SWITCHES:
        return None if isinstance(value, bool) else "Choose yes or no."
    if name in _WHOLE:
        least, most, words = _WHOLE[name]
        whole = isinstance(value, int) and not isinstance(value, bool)
        if name == "watchdog_minutes" and whole and 0 < value < WATCHDOG_LEAST:
            return words
        return None if whole and least <= value <= most else words
    return "There is no such setting."
