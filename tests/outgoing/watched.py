"""The real sockets and the real resolver's call, watched and led to loopback."""

import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from stuckbot.lib.outgoing import NOBODY, Allowed, Network, Result, probe
from stuckbot.lib.outgoing.trust import trusted


class Watched:
    """Everything that the desk's process asks of the network, in order.

    A name's answers are used up one look-up after the other, so that a name can change its mind;
    `other` is what all other names lead to.
    """

    def __init__(
        self,
        patch: pytest.MonkeyPatch,
        ca_file: Path,
        port: int,
        names: Mapping[str, list[str]],
        other: str = "",
    ) -> None:
        self.looked_up: list[object] = []
        self.connected: list[tuple[Any, ...]] = []
        self._names = {name: list(answers) for name, answers in names.items()}
        self._other = [other] if other else []
        self._port = port
        self._real_connect = socket.socket.connect
        self._network = Network(trust=lambda _file: trusted(str(ca_file)))
        patch.setattr(socket, "getaddrinfo", self._getaddrinfo)
        for other in ("gethostbyname", "gethostbyname_ex", "create_connection"):
            patch.setattr(socket, other, self._unexpected)
        watched = self

        def connect(opened: socket.socket, address: tuple[Any, ...]) -> None:
            watched.connected.append(address)
            watched._to_loopback(opened)

        patch.setattr(socket.socket, "connect", connect)
        patch.setattr(socket.socket, "connect_ex", self._unexpected)
        patch.setattr(socket.socket, "sendto", self._unexpected)

    def probe(self, url: str, *, allowed: Allowed = NOBODY, seconds: float = 10.0) -> Result:
        return probe(url, allowed=allowed, seconds=seconds, network=self._network)

    def _to_loopback(self, opened: socket.socket) -> None:
        is_v6 = opened.family == socket.AF_INET6
        self._real_connect(opened, ("::ffff:127.0.0.1" if is_v6 else "127.0.0.1", self._port))

    def _getaddrinfo(self, host: object, *_rest: Any, **_named: Any) -> Sequence[tuple[Any, ...]]:
        self.looked_up.append(host)
        answers = self._names.get(str(host), self._other)
        if not answers:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        found = answers.pop(0) if len(answers) > 1 else answers[0]
        return [_info(address) for address in found.split(",")]

    def _unexpected(self, *_arguments: Any, **_named: Any) -> None:
        raise AssertionError("The desk asks the network in one way only.")


def _info(address: str) -> tuple[Any, ...]:
    if ":" in address:
        return (socket.AF_INET6, socket.SOCK_STREAM, 6, "", (address, 0, 0, 0))
    return (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0))
