"""One moment by which a request has to be over, however many steps it takes."""

import time

from stuckbot.lib.outgoing.results import Failed


class Deadline:
    """Counts from when it is made, by a clock that nobody sets."""

    def __init__(self, seconds: float) -> None:
        self._start = time.monotonic()
        self._end = self._start + seconds

    def left(self) -> float:
        """Seconds that are left, more than none; raises `Failed("timeout")` when none are."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise Failed("timeout")
        return left

    def took_ms(self) -> int:
        return round((time.monotonic() - self._start) * 1000)
