"""A network whose names are made up and whose public addresses lie on loopback."""

import ipaddress
import socket
import ssl
from collections.abc import Mapping, Sequence
from pathlib import Path

from stuckbot.lib.outgoing import NOBODY, Allowed, Network, Result, probe
from stuckbot.lib.outgoing.addresses import Address
from stuckbot.lib.outgoing.guard import system_connect
from stuckbot.lib.outgoing.trust import trusted

PUBLIC = "93.184.216.34"
OTHER_PUBLIC = "93.184.216.35"
PUBLIC_V6 = "2606:2800:220:1:248:1893:25c8:1946"
LOOPBACK = ipaddress.IPv4Address("127.0.0.1")
Answers = Mapping[str, Sequence[str]]


class Faked:
    """Names and ports that tests decide on; it writes down what it was asked for.

    Of the real thing only the addresses are changed: the socket, its options and its timeout are
    those of the desk. `network` is what to hand to whatever asks.
    """

    def __init__(self, ca_file: Path, names: Answers, ports: Mapping[str, int]) -> None:
        self.looked_up: list[str] = []
        self.connected: list[str] = []
        self.opened: list[socket.socket] = []
        self._names = names
        self._ports = ports
        self._ca_file = ca_file
        self.network = Network(self._lookup, self._connect, self._trust)

    def probe(self, url: str, seconds: float = 10.0, allowed: Allowed = NOBODY) -> Result:
        return probe(url, allowed=allowed, seconds=seconds, network=self.network)

    def _lookup(self, host: str) -> Sequence[str]:
        self.looked_up.append(host)
        if host not in self._names:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return self._names[host]

    def _connect(self, address: Address, port: int, seconds: float) -> socket.socket:
        self.connected.append(str(address))
        assert port == 443
        if str(address) not in self._ports:
            raise OSError("nobody there")
        self.opened.append(system_connect(LOOPBACK, self._ports[str(address)], seconds))
        return self.opened[-1]

    def _trust(self, ca_file: str) -> ssl.SSLContext:
        return trusted(ca_file or str(self._ca_file))
