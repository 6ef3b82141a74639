"""What an agent has used in all, from the counters it says; no ORM.

A heartbeat says totals. A counter that is suddenly less than half of what it was began anew, as a
program does that was started again: its old total stays and the new count is added, so that nobody
comes back under a budget by starting again. One that is a little less is a heartbeat that came
late, and changes nothing.
"""

from collections.abc import Mapping
from typing import Final

#: The counters that budgets go by; any other is kept as it was said last.
COUNTED: Final = ("tokens", "cost_usd", "runtime_seconds")

Counters = dict[str, float]


def totals_after(
    totals: Mapping[str, float], said: Mapping[str, float], fresh: Mapping[str, float]
) -> tuple[Counters, Counters]:
    """The totals, and the counters they stand on, once `fresh` was said."""
    others = {name: value for name, value in fresh.items() if name not in COUNTED}
    if not others:
        others = {name: value for name, value in totals.items() if name not in COUNTED}
    total, counters = {}, dict(said)
    for name in COUNTED:
        before, last = totals.get(name, 0), said.get(name, 0)
        value = fresh.get(name)
        if value is not None and not last / 2 <= value < last:
            total[name] = round(before + value - (last if value >= last else 0), 6)
            counters[name] = value
        elif name in totals:
            total[name] = before
    return total | others, counters
