"""The wall clock: the one place that asks what time it is.

Everything in the project that needs "now" takes it from here or as an argument, so that tests
move one clock and a lint can refuse every other.
"""

from datetime import UTC, datetime


def now() -> datetime:
    """The current time, aware, in UTC."""
    return datetime.now(UTC)


def wire(at: datetime) -> str:
    """A time as the API writes it: RFC 3339 in UTC with ``Z`` and microseconds."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")[:-6] + "Z"


def wire_or_none(at: datetime | None) -> str | None:
    return None if at is None else wire(at)
