"""Calls of the API made at one moment, each in a thread of its own."""

import threading
from collections.abc import Callable

from django.db import connection

from tests.support import Reply

#: A race that is won by chance is run so often.
ROUNDS = 4


def at_once(*calls: Callable[[], Reply]) -> list[Reply]:
    """The answers, in the order of the calls. A desk that is busy says so and is asked again."""
    line = threading.Barrier(len(calls))
    found: dict[int, Reply] = {}

    def run(place: int) -> None:
        try:
            line.wait(30)
            while (reply := calls[place]()).status == 503:
                pass
            found[place] = reply
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return [found[place] for place in range(len(calls))]
