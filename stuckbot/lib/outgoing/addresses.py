"""Which addresses of the network are public, by lists of our own.

`ipaddress.is_global` differs between patch releases of Python and, on some in use, calls addresses
public that lead back into a private network: IPv4 ones wrapped into IPv6, and site-local ones.
"""

import ipaddress
from collections.abc import Sequence
from typing import Final

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def _networks(*texts: str) -> tuple[Network, ...]:
    return tuple(ipaddress.ip_network(text) for text in texts)


_CLOSED_V4: Final = _networks(
    "0.0.0.0/8",  # this host
    "10.0.0.0/8",  # private
    "100.64.0.0/10",  # shared by the customers of a provider
    "127.0.0.0/8",  # loopback
    "168.63.129.16/32",  # a cloud's own services, though the range is a public one
    "169.254.0.0/16",  # link-local, and where clouds tell their machines secrets
    "172.16.0.0/12",  # private
    "192.0.0.0/24",  # protocol assignments
    "192.0.2.0/24",  # documentation
    "192.31.196.0/24",  # AS112, answered by whoever is near
    "192.52.193.0/24",  # multicast tunnels
    "192.88.99.0/24",  # relays of 6to4
    "192.168.0.0/16",  # private
    "192.175.48.0/24",  # AS112
    "198.18.0.0/15",  # benchmarks
    "198.51.100.0/24",  # documentation
    "203.0.113.0/24",  # documentation
    "224.0.0.0/4",  # multicast
    "240.0.0.0/4",  # reserved, and broadcast
)
#: Everything public is in here; mapped, NAT64, unique local, link-local, multicast are not.
_OPEN_V6: Final = ipaddress.IPv6Network("2000::/3")
_CLOSED_V6: Final = _networks(
    "2001::/23",  # protocol assignments: Teredo (an IPv4 address inside), ORCHID, benchmarks
    "2001:db8::/32",  # documentation
    "2002::/16",  # 6to4: an IPv4 address inside
    "2620:4f:8000::/48",  # AS112
    "3fff::/20",  # documentation
)
#: What a name on the operator's list may lead to besides: private networks of machines.
_PRIVATE: Final = _networks(
    "10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"
)
#: Inside of those, where clouds tell their machines secrets.
_METADATA: Final = _networks("100.100.100.200/32", "fd00:ec2::/32", "fd20:ce::/32")


def is_public(address: Address) -> bool:
    """Whether the address is one of the open internet, whoever asks."""
    if address.version == 4:
        return not _is_in(address, _CLOSED_V4)
    return address in _OPEN_V6 and not _has_zone(address) and not _is_in(address, _CLOSED_V6)


def is_private(address: Address) -> bool:
    """Whether the address is a machine's in a private network, which an operator may open."""
    return _is_in(address, _PRIVATE) and not _is_in(address, _METADATA) and not _has_zone(address)


def _has_zone(address: Address) -> bool:
    """A zone names one of this machine's own interfaces, so it leads nowhere else."""
    return isinstance(address, ipaddress.IPv6Address) and address.scope_id is not None


def _is_in(address: Address, networks: Sequence[Network]) -> bool:
    return any(address in network for network in networks)
