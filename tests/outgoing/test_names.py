"""A name is looked up once, by few threads, and nobody waits for a name server that is silent."""

import os
import socket
import threading
import time
from collections.abc import Iterator, Sequence

import pytest

from stuckbot.lib.outgoing import NOBODY, Network, Result, Unanswered, names, probe
from stuckbot.lib.outgoing.deadline import Deadline
from stuckbot.lib.outgoing.guard import ADDRESSES_TRIED
from stuckbot.lib.outgoing.results import Failed
from tests.outgoing.faked import OTHER_PUBLIC, PUBLIC, PUBLIC_V6, Faked
from tests.outgoing.world import NAME, World

URL = f"https://{NAME}/"


class Silent:
    """A resolver that says nothing until it is let go; then that it knows no such name."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.asked = 0
        self.network = Network(lookup=self._lookup)

    def _lookup(self, _host: str) -> Sequence[str]:
        self.asked += 1
        self.go.wait(30)
        raise socket.gaierror(socket.EAI_NONAME, "unknown")

    def probe(self, seconds: float) -> Result:
        return probe(URL, allowed=NOBODY, seconds=seconds, network=self.network)


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> Iterator[Silent]:
    monkeypatch.setattr(names, "_places", threading.BoundedSemaphore(2))
    made = Silent()
    yield made
    made.go.set()


def _lookups() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "name lookup"]


def test_it_waits_no_longer_for_a_name_server(silent: Silent) -> None:
    started = time.monotonic()
    result = silent.probe(0.3)
    assert time.monotonic() - started < 10, "the resolver would keep it for thirty"
    assert isinstance(result, Unanswered)
    assert (result.reason, result.address) == ("name_timeout", "")
    assert result.took_ms >= 300


def test_it_starts_no_more_threads_than_it_may(silent: Silent) -> None:
    for _ in range(6):
        result = silent.probe(0.05)
        assert isinstance(result, Unanswered)
        assert result.reason == "name_timeout"
    assert (len(_lookups()), silent.asked) == (2, 2)
    threads = _lookups()
    silent.go.set()
    for thread in threads:
        thread.join(30)
    result = silent.probe(10.0)
    assert isinstance(result, Unanswered)
    assert (result.reason, silent.asked) == ("no_such_name", 3)


def test_it_forgets_what_a_parent_process_looks_up(silent: Silent) -> None:
    silent.probe(0.05)
    silent.probe(0.05)
    child = os.fork()
    if child == 0:
        free = [names._places.acquire(blocking=False) for _ in range(names.LOOKUPS_AT_ONCE)]
        os._exit(0 if all(free) else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


def test_it_gives_a_place_back_that_no_thread_could_take(
    silent: Silent, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    for _ in range(3):
        with pytest.raises(RuntimeError, match="new thread"):
            silent.probe(0.2)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (socket.gaierror(socket.EAI_NONAME, "unknown"), "no_such_name"),
        (socket.gaierror(socket.EAI_NODATA, "no address"), "no_such_name"),
        (socket.gaierror(socket.EAI_AGAIN, "later"), "name_timeout"),
        (socket.gaierror(socket.EAI_FAIL, "broken"), "name_timeout"),
        (OSError("none"), "name_timeout"),
    ],
)
def test_it_tells_an_unknown_name_from_a_silent_server(error: OSError, reason: str) -> None:
    def lookup(_host: str) -> Sequence[str]:
        raise error

    with pytest.raises(Failed) as failed:
        names.addresses_of(NAME, Deadline(2), lookup)
    assert failed.value.reason == reason


def test_it_takes_each_address_once_and_in_order() -> None:
    found = names.addresses_of(NAME, Deadline(2), lambda _: [PUBLIC_V6, PUBLIC, PUBLIC_V6])
    assert [str(address) for address in found] == [PUBLIC_V6, PUBLIC]
    with pytest.raises(Failed):
        names.addresses_of(NAME, Deadline(2), lambda _: [])


def test_it_asks_the_resolver_of_the_system() -> None:
    assert set(names.system_lookup("localhost")) & {"127.0.0.1", "::1"}


def test_it_tries_further_addresses_but_not_all(world: World) -> None:
    many = [f"93.184.216.{number}" for number in range(100, 130)]
    faked = Faked(world.authority.file, {NAME: many}, {})
    result = faked.probe(URL)
    assert isinstance(result, Unanswered)
    assert (result.reason, faked.connected) == ("unreachable", many[:ADDRESSES_TRIED])


def test_it_says_what_tells_most_of_several_that_fail(world: World) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    found = {NAME: [OTHER_PUBLIC, PUBLIC, PUBLIC_V6]}
    result = Faked(world.authority.file, found, {PUBLIC: port}).probe(URL)
    assert isinstance(result, Unanswered)
    assert result.reason == "refused_connection"
