"""What servers say, and what counts of it."""

import re

import pytest

from stuckbot.lib.outgoing import Answered, Unanswered
from stuckbot.lib.outgoing.head import HEAD_BYTES, read_status
from stuckbot.lib.outgoing.results import Failed
from tests.outgoing.faked import PUBLIC
from tests.outgoing.server import Talk, says
from tests.outgoing.world import NAME, World

URL = f"https://{NAME}/healthz?deep=1"


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (b"HTTP/1.1 200 OK\r\n\r\n", 200),
        (b"HTTP/1.0 204 No Content\r\n\r\n", 204),
        (b"HTTP/1.1 500\r\nA: b\r\n\r\n", 500),
        (b"HTTP/1.1 404 \r\n\r\n", 404),
        (b"HTTP/1.1 200 OK\nA: b\n\n", 200),
        (b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\n\r\n", 302),
        (b"HTTP/1.1 401 No\r\nWWW-Authenticate: Basic\r\n\r\n", 401),
        (b"HTTP/1.1 407 No\r\nProxy-Authenticate: Basic\r\n\r\n", 407),
        (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Made\r\n\r\n", 201),
        (b"HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\nHTTP/1.1 503 Not yet\r\n\r\n", 503),
        (b"HTTP/1.1 599 Odd\r\n\r\n", 599),
        (b"HTTP/1.1 200 caf\xe9\r\n\x00\xff: \x80\r\n\r\n", 200),
    ],
)
def test_it_takes_the_status_of_the_final_header(world: World, answer: bytes, status: int) -> None:
    faked = world.faked(world.server(says(answer)))
    result = faked.probe(URL)
    assert isinstance(result, Answered)
    assert (result.status, result.address, result.allowed) == (status, PUBLIC, False)


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"<html>HTTP/0.9</html>",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"HTTP/2 200\r\n\r\n",
        b"HTTP/1.2 200 OK\r\n\r\n",
        b"HTTP/1.1 2_0 OK\r\n\r\n",
        b"HTTP/1.1 +200 OK\r\n\r\n",
        b"HTTP/1.1 2000 OK\r\n\r\n",
        b"HTTP/1.1 099 Low\r\n\r\n",
        b"HTTP/1.1 600 High\r\n\r\n",
        b"HTTP/1.1 999 High\r\n\r\n",
        b"HTTP/1.1  200 OK\r\n\r\n",
        b"HTTP/1.1\t200 OK\r\n\r\n",
        b"HTTP/1.1 \xb2\xb2\xb2 OK\r\n\r\n",
        b" HTTP/1.1 200 OK\r\n\r\n",
        b"\r\nHTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n",
        b"HTTP/1.1 200 OK\r\nA: b",
        b"HTTP/1.1 100 Continue\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 777 Odd\r\n\r\n",
    ],
)
def test_it_takes_nothing_else_for_an_answer(world: World, answer: bytes) -> None:
    result = world.faked(world.server(says(answer))).probe(URL)
    assert isinstance(result, Unanswered)
    assert (result.reason, result.address) == ("bad_answer", PUBLIC)


def test_it_sends_one_plain_request_and_nothing_of_itself(world: World) -> None:
    server = world.server()
    world.faked(server).probe(URL)
    assert server.requests == [
        b"GET /healthz?deep=1 HTTP/1.1\r\n"
        b"Host: status.example.com\r\n"
        b"User-Agent: StuckBot\r\n"
        b"Accept-Encoding: identity\r\n"
        b"Connection: close\r\n"
        b"Accept: */*\r\n\r\n"
    ]


def test_it_follows_no_redirect(world: World) -> None:
    server = world.server(says(b"HTTP/1.1 302 Found\r\nLocation: https://a.example.com/\r\n\r\n"))
    faked = world.faked(server, {NAME: [PUBLIC], "a.example.com": [PUBLIC]})
    faked.probe(URL)
    assert (server.connections, len(server.requests), faked.looked_up) == (1, 1, [NAME])


def test_it_keeps_no_cookie_from_one_request_to_the_next(world: World) -> None:
    server = world.server(says(b"HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\n\r\n"))
    faked = world.faked(server)
    faked.probe(URL)
    faked.probe(URL)
    assert len(server.requests) == 2
    assert not re.search(b"(?i)cookie", b"".join(server.requests))


def test_it_reads_a_header_that_comes_in_pieces(world: World) -> None:
    def act(talk: Talk) -> None:
        talk.asked()
        for byte in b"HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 418 Teapot\r\nA: b\r\n\r\n":
            talk.send(bytes([byte]))
        talk.hold()

    result = world.faked(world.server(act)).probe(URL)
    assert isinstance(result, Answered)
    assert result.status == 418


def test_it_takes_so_many_bytes_of_headers_and_no_more() -> None:
    taken = 0

    def receive() -> bytes:
        nonlocal taken
        taken += 1_000
        return b"HTTP/1.1 200 OK".ljust(1_000, b"a") if taken == 1_000 else b"b" * 1_000

    with pytest.raises(Failed) as failed:
        read_status(receive)
    assert failed.value.reason == "bad_answer"
    assert taken <= HEAD_BYTES + 1_000
