"""Nobody holds the desk up: not by waiting, not by talking, not by talking too much."""

import socket
import ssl
import threading
import time

import pytest

from stuckbot.lib.outgoing import (
    NOBODY,
    Answered,
    Network,
    Request,
    Result,
    Unanswered,
    exchange,
    guard,
)
from stuckbot.lib.outgoing.addresses import Address
from stuckbot.lib.outgoing.deadline import Deadline
from stuckbot.lib.outgoing.results import Failed
from stuckbot.lib.outgoing.trust import trusted
from stuckbot.lib.outgoing.wire import Wire
from tests.outgoing.faked import LOOPBACK, OTHER_PUBLIC, PUBLIC, Faked
from tests.outgoing.server import Act, Talk
from tests.outgoing.world import NAME, World

URL = f"https://{NAME}/"
SECONDS = 0.4
#: A busy machine may wake a thread late; what is held up at all is held up for far longer.
LATE = 8.0
MEGABYTE = 1_048_576


def _timed(faked: Faked, seconds: float = SECONDS) -> Result:
    started = time.monotonic()
    result = faked.probe(URL, seconds)
    assert time.monotonic() - started < seconds + LATE
    return result


def _drip_header(talk: Talk) -> None:
    talk.asked()
    talk.send(b"HTTP/1.1 200 OK\r\n")
    talk.drip(b"X-A: b\r\n")


def _drip_status(talk: Talk) -> None:
    talk.asked()
    talk.drip(b"HTTP/1.1 200 OOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOO")


def _say_nothing(talk: Talk) -> None:
    talk.asked()
    talk.hold()


def _drip_interims(talk: Talk) -> None:
    talk.asked()
    while True:
        talk.send(b"HTTP/1.1 102 Processing\r\n\r\n")
        time.sleep(0.05)


@pytest.mark.parametrize("act", [_drip_header, _drip_status, _say_nothing, _drip_interims])
def test_it_waits_no_longer_for_a_header(world: World, act: Act) -> None:
    result = _timed(world.faked(world.server(act)))
    assert isinstance(result, Unanswered)
    assert (result.reason, result.address) == ("timeout", PUBLIC)
    assert result.took_ms >= SECONDS * 1000


def test_it_waits_no_longer_for_a_handshake(world: World) -> None:
    result = _timed(world.faked(world.plain(lambda talk: talk.hold())))
    assert isinstance(result, Unanswered)
    assert result.reason == "timeout"


def test_it_waits_no_longer_for_a_handshake_that_comes_byte_by_byte(world: World) -> None:
    context = world.authority.made(NAME).context()

    def act(talk: Talk) -> None:
        came, out = ssl.MemoryBIO(), ssl.MemoryBIO()
        secure = context.wrap_bio(came, out, server_side=True)
        came.write(talk.opened.recv(4096))
        with pytest.raises(ssl.SSLWantReadError):
            secure.do_handshake()
        talk.drip(out.read())

    result = _timed(world.faked(world.plain(act)))
    assert isinstance(result, Unanswered)
    assert result.reason == "timeout"


def _listen_slowly(talk: Talk) -> None:
    while talk.opened.recv(65_536):
        time.sleep(0.02)


@pytest.mark.parametrize("act", [lambda talk: talk.ignore(), _listen_slowly])
def test_it_waits_no_longer_for_whoever_does_not_listen(world: World, act: Act) -> None:
    network = world.faked(world.server(act)).network
    large = Request("POST", body=b"a" * 32 * MEGABYTE)
    started = time.monotonic()
    result = exchange(URL, large, allowed=NOBODY, seconds=SECONDS, network=network)
    assert time.monotonic() - started < SECONDS + LATE
    assert isinstance(result, Unanswered)
    assert result.reason == "timeout"


def _pour_body(talk: Talk) -> None:
    talk.asked()
    talk.send(b"HTTP/1.1 200 OK\r\nContent-Length: 10737418240\r\n\r\n")
    talk.pour(b"a" * 65_536, 163_840)


def _drip_body(talk: Talk) -> None:
    talk.asked()
    talk.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    talk.drip(b"1\r\na\r\n")


def _drip_trailers(talk: Talk) -> None:
    talk.asked()
    talk.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n")
    talk.drip(b"X-A: b\r\n")


def _drip_redirect(talk: Talk) -> None:
    talk.asked()
    talk.send(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\nContent-Length: 99\r\n\r\n")
    talk.drip(b"moved")


@pytest.mark.parametrize(
    ("act", "status"),
    [(_pour_body, 200), (_drip_body, 200), (_drip_trailers, 200), (_drip_redirect, 302)],
)
def test_it_reads_no_body(world: World, act: Act, status: int) -> None:
    server = world.server(act)
    result = _timed(world.faked(server), 10.0)
    assert isinstance(result, Answered)
    assert result.status == status
    assert result.took_ms < LATE * 1000
    time.sleep(0.1)
    assert server.sent < 8 * MEGABYTE, "what the two systems hold between them, at most"


def _many_headers(talk: Talk) -> None:
    talk.asked()
    talk.send(b"HTTP/1.1 200 OK\r\n")
    talk.pour(b"X-A: " + b"b" * 1017 + b"\r\n", 1024)
    talk.send(b"\r\n")


def _one_long_header(talk: Talk) -> None:
    talk.asked()
    talk.send(b"HTTP/1.1 200 OK\r\nX-A: ")
    talk.pour(b"b" * 1024, 1024)


def _long_status(talk: Talk) -> None:
    talk.asked()
    talk.send(b"HTTP/1.1 200 ")
    talk.pour(b"b" * 1024, 1024)


def _many_interims(talk: Talk) -> None:
    talk.asked()
    talk.pour(b"HTTP/1.1 100 Continue\r\n\r\n", 50_000)


@pytest.mark.parametrize("act", [_many_headers, _one_long_header, _long_status, _many_interims])
def test_it_takes_no_endless_header(world: World, act: Act) -> None:
    result = _timed(world.faked(world.server(act)), 10.0)
    assert isinstance(result, Unanswered)
    assert result.reason == "bad_answer"


def test_it_takes_no_endless_handshake(world: World) -> None:
    """Tickets for a later session come in records that a read of the connection swallows."""
    server = world.server(_say_nothing)
    assert server.context is not None
    server.context.num_tickets = 5_000
    result = _timed(world.faked(server), 10.0)
    assert isinstance(result, Unanswered)
    assert result.reason == "bad_answer"


def test_it_takes_no_endless_certificate(world: World) -> None:
    hosts = [NAME, *(f"{number:060}.example.com" for number in range(5_000))]
    result = _timed(world.faked(world.server(None, *hosts)), 10.0)
    assert isinstance(result, Unanswered)
    assert result.reason in {"tls", "bad_answer"}


def test_it_tries_the_next_address_within_the_same_time(world: World) -> None:
    faked = world.faked(world.server(), {NAME: [OTHER_PUBLIC, PUBLIC]})

    def connect(address: Address, port: int, seconds: float) -> socket.socket:
        if str(address) == PUBLIC:
            return faked.network.connect(address, port, seconds)
        time.sleep(seconds)
        raise TimeoutError

    network = Network(faked.network.lookup, connect, faked.network.trust)
    started = time.monotonic()
    result = exchange(URL, Request(), allowed=NOBODY, seconds=3.0, network=network)
    assert 1.5 <= time.monotonic() - started < 3.0 + LATE
    assert isinstance(result, Answered)
    assert result.address == PUBLIC


def test_it_leaves_no_thread_and_no_socket_behind(world: World) -> None:
    acts = [_drip_header, _pour_body, _many_headers, _say_nothing]
    fakes = [world.faked(world.server(act)) for act in acts]
    fakes.append(world.faked(world.plain(lambda talk: talk.hold())))
    for faked in fakes:
        faked.probe(URL, 0.2)
    assert {opened.fileno() for faked in fakes for opened in faked.opened} == {-1}
    assert "name lookup" not in {thread.name for thread in threading.enumerate()}


def test_it_lets_the_system_hold_little_that_nobody_reads(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "RECEIVE_BUFFER", 8_192)
    server = world.server()
    with guard.system_connect(LOOPBACK, server.port, 2.0) as opened:
        # The kernel counts what it needs itself along, as much again.
        assert opened.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF) <= 2 * 8_192
        assert 0 < (opened.gettimeout() or 0) <= 2.0


def test_it_waits_for_no_more_of_what_is_no_answer(world: World) -> None:
    def act(talk: Talk) -> None:
        talk.asked()
        talk.send(b"SSH-2.0-OpenSSH_9.2\r\n")
        talk.hold()

    result = _timed(world.faked(world.server(act)), 10.0)
    assert isinstance(result, Unanswered)
    assert result.reason == "bad_answer"
    assert result.took_ms < LATE * 1000


def test_it_sends_nothing_once_time_is_up() -> None:
    mine, theirs = socket.socketpair()
    with mine, theirs:
        theirs.setblocking(False)
        wire = Wire(mine, NAME, trusted(""), Deadline(0.0))
        with pytest.raises(Failed) as failed:
            wire.handshake()
        assert failed.value.reason == "timeout"
        with pytest.raises(BlockingIOError):
            theirs.recv(1)
