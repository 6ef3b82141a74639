"""Ports for servers that tests start."""

import random
import socket
from pathlib import Path

_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
#: Below, programs of the machine have their ports.
_LEAST = 10_000
#: The tests' own seeds must not lead two processes to the same port.
_chance = random.SystemRandom()


def free_port() -> int:
    """A port that is free now and, until its server listens, is given to no outgoing connection."""
    first = int(_RANGE.read_text(encoding="ascii").split()[0])
    while True:
        port = _chance.randrange(_LEAST, first) if first > 2 * _LEAST else 0
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
