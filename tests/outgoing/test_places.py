"""Silent name servers take no places away from names that are known."""

import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from stuckbot.lib.outgoing import NOBODY, Network, Result, Unanswered, probe
from stuckbot.site.server.checker import THREADS
from tests.outgoing.faked import PUBLIC
from tests.outgoing.world import NAME

SECONDS = 0.5
#: A system's resolver gives up after up to 40 seconds, which is four times what a check may take.
GIVES_UP = 4 * SECONDS


def _lookup(host: str) -> Sequence[str]:
    if host != NAME:
        time.sleep(GIVES_UP)
        raise OSError("no name server answered")
    return [PUBLIC]


def _connect(*_place: object) -> object:
    raise OSError("nobody there")


def test_all_threads_at_silent_names_leave_places_for_others() -> None:
    network = Network(lookup=_lookup, connect=_connect)  # type: ignore[arg-type]
    until = time.monotonic() + GIVES_UP + SECONDS

    def ask(host: str) -> Result:
        return probe(f"https://{host}/", allowed=NOBODY, seconds=SECONDS, network=network)

    def keep_asking(number: int) -> None:
        while time.monotonic() < until:
            ask(f"silent{number}.example.com")

    reasons = []
    with ThreadPoolExecutor(THREADS) as pool:
        for number in range(THREADS - 1):
            pool.submit(keep_asking, number)
        while time.monotonic() < until:
            result = ask(NAME)
            assert isinstance(result, Unanswered)
            reasons.append(result.reason)
            time.sleep(0.05)
    # Where places are short nearly all of them wait in vain; a busy machine may do that to one.
    assert set(reasons) <= {"unreachable", "name_timeout"}
    assert reasons.count("name_timeout") <= 1 < reasons.count("unreachable")
    for thread in threading.enumerate():
        if thread.name == "name lookup":
            thread.join(2 * GIVES_UP)
