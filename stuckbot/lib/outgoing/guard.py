"""The one door for what leaves the desk: a name is resolved once, every address of it judged, and
a connection made to one that was judged."""

import errno
import ipaddress
import socket
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from stuckbot.lib.outgoing.addresses import Address, is_private, is_public
from stuckbot.lib.outgoing.deadline import Deadline
from stuckbot.lib.outgoing.names import Lookup, addresses_of, system_lookup
from stuckbot.lib.outgoing.results import Failed, Refused, Target
from stuckbot.lib.outgoing.trust import trusted

#: A name can list any number of addresses; the desk is not to knock at all of them.
ADDRESSES_TRIED: Final = 4
#: How much of what nobody reads the system takes in before the sender has to stop.
RECEIVE_BUFFER: Final = 65_536
#: Of several addresses that could not be reached, the failure that says most comes first.
_TELLING: Final = ("refused_connection", "timeout", "unreachable")


def system_connect(address: Address, port: int, seconds: float) -> socket.socket:
    """A connection to exactly that address, within that time; raises OSError."""
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    opened = socket.socket(family, socket.SOCK_STREAM)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER)
        opened.settimeout(seconds)
        opened.connect((str(address), port))
    except BaseException:
        opened.close()
        raise
    return opened


@dataclass(frozen=True, slots=True)
class Network:
    """What the guard asks of the world outside. Only tests put anything else in its place, in
    code: no setting leads here."""

    lookup: Lookup = system_lookup
    connect: Callable[[Address, int, float], socket.socket] = system_connect
    trust: Callable[[str], ssl.SSLContext] = trusted


INTERNET: Final = Network()


def judged(target: Target, deadline: Deadline, network: Network) -> tuple[Address, ...] | Refused:
    """The addresses that may be connected to: all that the name has, or none of them.

    The name is looked up here and never again, so a second answer of its server has no effect.
    """
    literal = _literal(target.host)
    found = (literal,) if literal else addresses_of(target.host, deadline, network.lookup)
    if not all(_may_reach(address, target) for address in found):
        return Refused("not_public")
    return found


def _literal(host: str) -> Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _may_reach(address: Address, target: Target) -> bool:
    return is_public(address) or (target.allowed and is_private(address))


def connected(
    addresses: Sequence[Address], port: int, deadline: Deadline, network: Network
) -> tuple[socket.socket, Address]:
    """A connection to the first address that takes one; each gets its share of the time left."""
    tried = addresses[:ADDRESSES_TRIED]
    reasons: list[str] = []
    for index, address in enumerate(tried):
        share = deadline.left() / (len(tried) - index)
        try:
            return network.connect(address, port, share), address
        except OSError as error:
            reasons.append(_reason(error))
    raise Failed(min(reasons, key=_TELLING.index))


def _reason(error: OSError) -> str:
    if isinstance(error, TimeoutError):
        return "timeout"
    return "refused_connection" if error.errno == errno.ECONNREFUSED else "unreachable"
