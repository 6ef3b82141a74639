"""How long a client may take: a request that does not arrive in time is cut off.

gunicorn's threads wait for a slow client without a bound, so a few dozen half-sent requests would
hold every thread. Here each request has a deadline for arriving whole, and each write of the
answer one for being taken.
"""

import errno
import socket
import time
from typing import Any, Final

from gunicorn.workers.gthread import ThreadWorker

ARRIVAL_SECONDS: Final = 10.0
TAKING_SECONDS: Final = 30.0


class PatientSocket(socket.socket):
    """A connection that waits for its peer until a deadline, however the bytes drip in."""

    deadline: float = float("inf")

    @classmethod
    def of(cls, plain: socket.socket) -> "PatientSocket":
        """Takes the connection over."""
        return cls(plain.family, plain.type, plain.proto, fileno=plain.detach())

    def begin(self) -> None:
        """The next request starts to arrive now."""
        self.deadline = time.monotonic() + ARRIVAL_SECONDS

    def recv(self, *args: Any) -> bytes:
        left = self.deadline - time.monotonic()
        try:
            if left <= 0:
                raise TimeoutError
            self.settimeout(left if left != float("inf") else None)
            return super().recv(*args)
        except TimeoutError as error:
            # To gunicorn this is a client that went away, which is nothing to write a line about.
            raise ConnectionResetError(errno.ECONNRESET, "too slow") from error

    def sendall(self, *args: Any) -> None:
        self.settimeout(TAKING_SECONDS)
        super().sendall(*args)

    def send(self, *args: Any) -> int:
        self.settimeout(TAKING_SECONDS)
        return super().send(*args)


class PatientWorker(ThreadWorker):  # type: ignore[misc]
    """gunicorn's threads over patient sockets."""

    def enqueue_req(self, conn: Any) -> None:
        if not isinstance(conn.sock, PatientSocket):
            conn.sock = PatientSocket.of(conn.sock)
        conn.sock.begin()
        super().enqueue_req(conn)
