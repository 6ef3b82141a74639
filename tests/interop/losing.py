"""A way to the desk on which answers get lost."""

import contextlib
import http.client
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.interop.server import Server

#: What names the connection, and not what is sent over it.
_OF_THE_WAY = {"connection", "transfer-encoding", "keep-alive", "server", "date"}


class _Losing(ThreadingHTTPServer):
    """Hands every call on and every answer back, save the first one to each writing call."""

    daemon_threads = True

    def __init__(self, to_port: int) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.to_port = to_port
        self.lost: list[str] = []
        self._seen: set[str] = set()
        self._lock = threading.Lock()

    def loses(self, path: str, key: str | None) -> bool:
        with self._lock:
            if key is None or key in self._seen:
                return False
            self._seen.add(key)
            self.lost.append(path)
        return True


class _Handler(BaseHTTPRequestHandler):
    server: _Losing

    def _pass(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        desk = http.client.HTTPConnection("127.0.0.1", self.server.to_port, timeout=60)
        with contextlib.closing(desk):
            desk.request(self.command, self.path, body, dict(self.headers))
            answer = desk.getresponse()
            said = answer.read()
        if self.server.loses(self.path, self.headers.get("Idempotency-Key")):
            self.close_connection = True
            return
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in _OF_THE_WAY:
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(said)

    do_GET = do_POST = do_PATCH = do_DELETE = _pass

    def log_message(self, *_: object) -> None:
        """Nothing: what is sent is seen by the test."""


@contextlib.contextmanager
def losing_answers(server: Server) -> Iterator[tuple[Server, list[str]]]:
    """The server as its clients find it behind such a way, and the calls whose answer was lost."""
    way = _Losing(server.port)
    thread = threading.Thread(target=way.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield replace(server, port=way.server_port), way.lost
    finally:
        way.shutdown()
        way.server_close()
        thread.join()
