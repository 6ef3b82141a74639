"""Bytes over TLS, until one moment and within one number of bytes.

The records are handled in memory and the socket only ever gives or takes what is there, so every
wait is one call with the time that is left, and every byte of the other side is counted: those of
a handshake that never ends, too, which no call on an encrypted socket would hand back to us.
"""

import socket
import ssl
from collections.abc import Callable
from functools import partial
from typing import Final, TypeVar

from stuckbot.lib.outgoing.deadline import Deadline
from stuckbot.lib.outgoing.results import Failed

#: A handshake is at most about 100 KB, a header 64 KB.
BYTES_TAKEN: Final = 262_144
_AT_ONCE: Final = 16_384
_Done = TypeVar("_Done")


class Wire:
    """One encrypted connection over a socket that whoever opened it closes."""

    def __init__(
        self, opened: socket.socket, host: str, context: ssl.SSLContext, deadline: Deadline
    ) -> None:
        self._socket = opened
        self._deadline = deadline
        self._taken = 0
        self._in = ssl.MemoryBIO()
        self._out = ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._in, self._out, server_hostname=host)

    def handshake(self) -> None:
        """Agrees on keys and checks the certificate against the host."""
        try:
            self._drive(self._tls.do_handshake)
        except ssl.SSLCertVerificationError:
            raise Failed("certificate") from None
        except ssl.SSLError:
            raise Failed("tls") from None
        except TimeoutError:
            raise Failed("timeout") from None
        except OSError:
            raise Failed("tls") from None

    def send(self, data: bytes) -> None:
        """Sends all of it; the other side may have stopped to listen without a word."""
        sent = 0
        while sent < len(data):
            sent += self._driven(partial(self._tls.write, data[sent : sent + _AT_ONCE]))

    def receive(self) -> bytes:
        """Some of what came, or nothing when the other side has ended."""
        return self._driven(partial(self._tls.read, _AT_ONCE))

    def _driven(self, step: Callable[[], _Done]) -> _Done:
        try:
            return self._drive(step)
        except (ssl.SSLZeroReturnError, ssl.SSLEOFError):
            raise Failed("bad_answer") from None
        except ssl.SSLError:
            # With TLS 1.3 the other side says only after the handshake that it wants none of us.
            raise Failed("tls") from None
        except TimeoutError:
            raise Failed("timeout") from None
        except OSError:
            raise Failed("bad_answer") from None

    def _drive(self, step: Callable[[], _Done]) -> _Done:
        """One step of the protocol, with all the sending and receiving that it takes."""
        while True:
            try:
                done = step()
            except ssl.SSLWantReadError:
                self._flush()
                self._fill()
            else:
                self._flush()
                return done

    def _flush(self) -> None:
        if self._out.pending:
            self._socket.settimeout(self._deadline.left())
            self._socket.sendall(self._out.read())

    def _fill(self) -> None:
        self._socket.settimeout(self._deadline.left())
        came = self._socket.recv(_AT_ONCE)
        self._taken += len(came)
        if self._taken > BYTES_TAKEN:
            raise Failed("bad_answer")
        if came:
            self._in.write(came)
        else:
            self._in.write_eof()
