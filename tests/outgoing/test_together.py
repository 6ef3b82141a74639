"""Many requests at once, from threads of one process."""

import threading
from collections.abc import Callable

from stuckbot.lib.outgoing import Answered, Result, Unanswered
from tests.outgoing.faked import OTHER_PUBLIC, PUBLIC, Faked
from tests.outgoing.server import OK, Server, Talk
from tests.outgoing.world import NAME, World

SLOW = "slow.example.com"
TIMES = 24


def _answer(talk: Talk) -> None:
    number = talk.asked().split(b" ")[1].removeprefix(b"/")
    talk.send(OK.replace(b"200", number))


def test_slow_hosts_hold_nobody_else_up_and_answers_are_not_mixed_up(world: World) -> None:
    results: dict[str, Result] = {}
    slow = [f"https://{SLOW}/{number}" for number in range(TIMES)]
    good = [f"https://{NAME}/{200 + number}" for number in range(TIMES)]
    with Server(lambda talk: talk.hold(), None) as silent:
        ports = {PUBLIC: world.server(_answer).port, OTHER_PUBLIC: silent.port}
        faked = Faked(world.authority.file, {NAME: [PUBLIC], SLOW: [OTHER_PUBLIC]}, ports)

        def ask(url: str) -> None:
            results[url] = faked.probe(url, 30.0)

        waiting = [_started(ask, url) for url in slow]
        for thread in [_started(ask, url) for url in good]:
            thread.join()
        assert sorted(results) == good
    for thread in waiting:
        thread.join()
    for number, url in enumerate(good):
        result = results[url]
        assert isinstance(result, Answered), result
        assert (result.status, result.address) == (200 + number, PUBLIC)
    assert all(isinstance(results[url], Unanswered) for url in slow)


def _started(ask: Callable[[str], None], url: str) -> threading.Thread:
    thread = threading.Thread(target=ask, args=(url,))
    thread.start()
    return thread
