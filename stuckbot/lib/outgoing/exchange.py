"""One request and the status of its answer, through the guard, within one deadline."""

import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from stuckbot.lib.outgoing.addresses import Address, is_public
from stuckbot.lib.outgoing.allowed import Allowed
from stuckbot.lib.outgoing.deadline import Deadline
from stuckbot.lib.outgoing.guard import INTERNET, Network, connected, judged
from stuckbot.lib.outgoing.head import read_status
from stuckbot.lib.outgoing.results import Answered, Failed, Refused, Target, Unanswered
from stuckbot.lib.outgoing.targets import target_of
from stuckbot.lib.outgoing.wire import Wire

USER_AGENT: Final = "StuckBot"
Result = Answered | Unanswered | Refused
_TOKEN: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_VALUE: Final = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")
#: Said by the guard itself, so that no caller says anything else.
_OWN: Final = frozenset(
    {"accept-encoding", "connection", "content-length", "host", "transfer-encoding", "user-agent"}
)


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked; `headers` besides those of the guard, and no others are ever sent."""

    method: str = "GET"
    headers: Sequence[tuple[str, str]] = ()
    body: bytes = b""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-Z]+", self.method):
            raise ValueError("A method is written in capital letters.")
        for name, value in self.headers:
            if not _TOKEN.fullmatch(name) or not _VALUE.fullmatch(value) or name.lower() in _OWN:
                raise ValueError(f"The header {name!r} cannot be sent.")


def exchange(
    url: str, request: Request, *, allowed: Allowed, seconds: float, network: Network = INTERNET
) -> Result:
    """Asks the URL and waits for the header of its answer, `seconds` in all.

    Redirects are an answer like any other, and no body is read. It never raises for what the other
    side, the name server or the network does; only `Crowded`, from a network that counts.
    """
    target = target_of(url, allowed)
    if isinstance(target, Refused):
        return target
    return _Run(target, Deadline(seconds), allowed, network).result(request)


class _Run:
    def __init__(
        self, target: Target, deadline: Deadline, allowed: Allowed, network: Network
    ) -> None:
        self._target = target
        self._deadline = deadline
        self._network = network
        self._context = network.trust(allowed.ca_file if target.allowed else "")
        self._address: Address | None = None

    def result(self, request: Request) -> Result:
        try:
            status = self._status(request)
        except Failed as failed:
            return Unanswered(failed.reason, *self._facts())
        return status if isinstance(status, Refused) else Answered(status, *self._facts())

    def _facts(self) -> tuple[str, int, bool]:
        address = self._address
        needed = address is None or not is_public(address)
        took = self._deadline.took_ms()
        return str(address or ""), took, self._target.allowed and needed

    def _status(self, request: Request) -> int | Refused:
        addresses = judged(self._target, self._deadline, self._network)
        if isinstance(addresses, Refused):
            return addresses
        # The first is named if none can be reached.
        self._address = addresses[0]
        opened, self._address = connected(
            addresses, self._target.port, self._deadline, self._network
        )
        with opened:
            return self._asked(opened, request)

    def _asked(self, opened: socket.socket, request: Request) -> int:
        wire = Wire(opened, self._target.host, self._context, self._deadline)
        wire.handshake()
        wire.send(_head(self._target, request) + request.body)
        return read_status(wire.receive)


def _head(target: Target, request: Request) -> bytes:
    host = f"[{target.host}]" if ":" in target.host else target.host
    headers = [
        ("Host", host),
        ("User-Agent", USER_AGENT),
        ("Accept-Encoding", "identity"),
        ("Connection", "close"),
        *request.headers,
    ]
    if request.body or request.method not in {"GET", "HEAD"}:
        headers.append(("Content-Length", str(len(request.body))))
    lines = [f"{request.method} {target.path} HTTP/1.1", *(f"{n}: {v}" for n, v in headers)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("ascii")
