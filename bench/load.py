"""A client that costs little: requests made beforehand, sent over connections that stay open."""

import socket
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from threading import Thread
from time import perf_counter

_numbers = count()


@dataclass(frozen=True, slots=True)
class Load:
    """How a batch of requests went."""

    seconds: float
    statuses: frozenset[int]
    requests: int

    @property
    def per_second(self) -> float:
        return self.requests / self.seconds


def request(method: str, path: str, token: str, body: bytes | None = None, **headers: str) -> bytes:
    """A request as it goes over the wire. Every POST has a fresh Idempotency-Key."""
    sent = {"Host": "localhost", "Authorization": f"Bearer {token}"} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    if method == "POST":
        sent["Idempotency-Key"] = f"bench-{next(_numbers)}-{perf_counter()}"
    if body is not None:
        sent |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items())]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + (body or b"")


def send(port: int, requests: Sequence[bytes], connections: int = 2) -> Load:
    """Sends all of them, each connection its share, one after another."""
    clients = [_Client(port, requests[place::connections]) for place in range(connections)]
    started = perf_counter()
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    seconds = perf_counter() - started
    statuses = frozenset(status for client in clients for status in client.statuses)
    return Load(seconds, statuses, sum(client.answered for client in clients))


def ask(port: int, one: bytes) -> tuple[int, bytes, bytes]:
    """Status, head and body of one answer."""
    with _connect(port) as connection:
        connection.sendall(one)
        return _answer(connection)


class _Client(Thread):
    def __init__(self, port: int, requests: Sequence[bytes]) -> None:
        super().__init__()
        self.requests = requests
        self.statuses: set[int] = set()
        self.answered = 0
        self.connection = _connect(port)

    def run(self) -> None:
        with self.connection:
            for one in self.requests:
                self.connection.sendall(one)
                self.statuses.add(_answer(self.connection)[0])
                self.answered += 1


def _connect(port: int) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=60)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def _answer(connection: socket.socket) -> tuple[int, bytes, bytes]:
    got = b""
    while b"\r\n\r\n" not in got:
        got += _more(connection)
    head, _, body = got.partition(b"\r\n\r\n")
    length = _length(head)
    while len(body) < length:
        body += _more(connection)
    return int(head[9:12]), head, body


def _more(connection: socket.socket) -> bytes:
    some = connection.recv(1 << 18)
    if not some:
        raise ConnectionError("The server hung up.")
    return some


def _length(head: bytes) -> int:
    if head[9:12] == b"304":
        return 0
    lowered = head.lower()
    start = lowered.index(b"content-length:") + len(b"content-length:")
    return int(lowered[start:].split(b"\r\n", 1)[0])
