"""How often one machine is asked, under whatever names: a desk is no cannon to point at others."""

import ipaddress
import socket
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Final

from stuckbot.lib.outgoing.addresses import Address

Connect = Callable[[Address, int, float], socket.socket]
#: One machine commonly has all of such a network to itself.
_V6_PREFIX: Final = 64


class Crowded(Exception):
    """The address was asked so often lately that it is left alone for a while; nothing was sent."""


class Crowd:
    """Counts connections by address; no more than `most` within `seconds`, None for any number.

    Names do not tell machines apart: anybody can have thousands of names for somebody else's.
    """

    def __init__(self, most: int | None, seconds: float = 60.0) -> None:
        self._most = most
        self._seconds = seconds
        self._lately: OrderedDict[str, deque[float]] = OrderedDict()
        self._lock = threading.Lock()

    def connecting(self, connect: Connect) -> Connect:
        """The same, for addresses that are not asked too often; raises `Crowded` for the others."""

        def counted(address: Address, port: int, seconds: float) -> socket.socket:
            self.count(address)
            return connect(address, port, seconds)

        return counted

    def count(self, address: Address) -> None:
        if self._most is None:
            return
        now = time.monotonic()
        with self._lock:
            self._forget(now - self._seconds)
            times = self._lately.setdefault(_machine(address), deque())
            while times and times[0] <= now - self._seconds:
                times.popleft()
            if len(times) >= self._most:
                raise Crowded(str(address))
            times.append(now)
            self._lately.move_to_end(_machine(address))

    def _forget(self, before: float) -> None:
        """The least lately asked come first, so that what is kept is bounded by what was asked."""
        while self._lately:
            machine, times = next(iter(self._lately.items()))
            if times and times[-1] > before:
                return
            del self._lately[machine]


def _machine(address: Address) -> str:
    if address.version == 4:
        return str(address)
    return str(ipaddress.IPv6Network((int(address), _V6_PREFIX), strict=False))
