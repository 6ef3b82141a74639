"""What a policy's settings may be; no ORM."""

from collections.abc import Mapping
from typing import Any, Final

from policy.states import LEASE_LEAST, LEASE_MOST, REJECTIONS_MOST, WAIT_MINUTES_MOST, Approval

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
}
_APPROVALS: Final = ("blocker", "task")
_SWITCHES: Final = ("different_connector", "different_provider")


def faults_of(changes: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Every (setting, what to do) that keeps `changes` from being made; None always inherits."""
    return [
        (name, fault)
        for name, value in changes.items()
        if value is not None and (fault := _fault(name, value))
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
        return None if whole and least <= value <= most else words
    return "There is no such setting."
