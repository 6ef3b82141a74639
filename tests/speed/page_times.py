"""How long a page takes, and when that is too long."""

import time

from django.test import Client

#: Server time of a page in ms, nineteen times out of twenty.
TIME_MOST = 150
_RUNS = 20
_ATTEMPTS = 4


def took(client: Client, path: str) -> float:
    """Milliseconds of this process alone, the slowest but one of twenty: a test must not depend on
    who else keeps the machine busy.

    Nor on whether somebody fills its caches just then: what is too much is measured anew.
    """
    assert client.get(path).status_code == 200, path
    least = float("inf")
    for _ in range(_ATTEMPTS):
        least = min(least, _slowest_but_one(client, path))
        if least <= TIME_MOST:
            break
    return least


def _slowest_but_one(client: Client, path: str) -> float:
    times = []
    for _ in range(_RUNS):
        started = time.process_time()
        assert client.get(path).status_code == 200, path
        times.append((time.process_time() - started) * 1000)
    return sorted(times)[-2]
