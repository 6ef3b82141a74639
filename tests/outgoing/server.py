"""Servers on loopback that speak TLS well or badly, and count what they gave away."""

import contextlib
import socket
import ssl
import threading
import time
from collections.abc import Callable
from typing import Self

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


class Talk:
    """One connection as its server sees it; `sent` counts what the system took for sending."""

    def __init__(self, server: "Server", opened: socket.socket) -> None:
        self._server = server
        self.opened = opened

    def asked(self) -> bytes:
        """The header of the request, which is kept with the server too."""
        head = b""
        while b"\r\n\r\n" not in head:
            came = self.opened.recv(4096)
            if not came:
                break
            head += came
        self._server.requests.append(head)
        return head

    def send(self, data: bytes) -> None:
        self.opened.sendall(data)
        self._server.sent += len(data)

    def drip(self, data: bytes, pause: float = 0.05) -> None:
        """Byte by byte, over and over, until nobody listens any more."""
        while not self._server.is_closed:
            for byte in data:
                self.send(bytes([byte]))
                time.sleep(pause)

    def pour(self, data: bytes, times: int) -> None:
        for _ in range(times):
            self.send(data)

    def hold(self) -> None:
        """Says nothing until the other side leaves."""
        with contextlib.suppress(OSError):
            while self.opened.recv(4096):
                pass

    def ignore(self) -> None:
        """Neither reads nor says anything until the server ends."""
        while not self._server.is_closed:
            time.sleep(0.01)


Act = Callable[[Talk], None]


def says(answer: bytes) -> Act:
    """Reads the request, says one thing and leaves."""

    def act(talk: Talk) -> None:
        talk.asked()
        talk.send(answer)

    return act


class Server:
    """Listens on a port of its own while the block runs. Without a context it speaks no TLS, so
    that the act sees the client's first bytes of the handshake."""

    def __init__(self, act: Act, context: ssl.SSLContext | None) -> None:
        self._act = act
        self.context = context
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.requests: list[bytes] = []
        self.names: list[str | None] = []
        self.connections = 0
        self.sent = 0
        self.is_closed = False
        self._open: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        if context is not None:
            context.sni_callback = lambda _tls, name, _context: self.names.append(name)

    def __enter__(self) -> Self:
        self._threads[0].start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.is_closed = True
        for opened in [self._listener, *self._open]:
            with contextlib.suppress(OSError):
                opened.shutdown(socket.SHUT_RDWR)
            opened.close()
        for thread in self._threads:
            thread.join(30)
            assert not thread.is_alive()

    def _accept(self) -> None:
        while True:
            try:
                opened, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._open.append(opened)
            thread = threading.Thread(target=self._serve, args=(opened,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, opened: socket.socket) -> None:
        # What the client does to the connection is what the tests are about: it may well end.
        with contextlib.suppress(OSError), contextlib.closing(opened):
            if self.context is None:
                self._act(Talk(self, opened))
                return
            with self.context.wrap_socket(opened, server_side=True) as secure:
                self._open.append(secure)
                self._act(Talk(self, secure))
