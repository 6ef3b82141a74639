"""Which addresses are public, against tables written anew as first and last of each range."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stuckbot.lib.outgoing.addresses import Address, is_private, is_public

CLOSED_V4 = [
    ("0.0.0.0", "0.255.255.255"),
    ("10.0.0.0", "10.255.255.255"),
    ("100.64.0.0", "100.127.255.255"),
    ("127.0.0.0", "127.255.255.255"),
    ("168.63.129.16", "168.63.129.16"),
    ("169.254.0.0", "169.254.255.255"),
    ("172.16.0.0", "172.31.255.255"),
    ("192.0.0.0", "192.0.0.255"),
    ("192.0.2.0", "192.0.2.255"),
    ("192.31.196.0", "192.31.196.255"),
    ("192.52.193.0", "192.52.193.255"),
    ("192.88.99.0", "192.88.99.255"),
    ("192.168.0.0", "192.168.255.255"),
    ("192.175.48.0", "192.175.48.255"),
    ("198.18.0.0", "198.19.255.255"),
    ("198.51.100.0", "198.51.100.255"),
    ("203.0.113.0", "203.0.113.255"),
    ("224.0.0.0", "255.255.255.255"),
]
CLOSED_V6 = [
    ("::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2620:4f:8000::", "2620:4f:8000:ffff:ffff:ffff:ffff:ffff"),
    ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
]
PRIVATE_V4 = [CLOSED_V4[1], CLOSED_V4[2], CLOSED_V4[6], CLOSED_V4[12]]
EDGES = [ipaddress.ip_address(edge) for pair in CLOSED_V4 + CLOSED_V6 for edge in pair]


def _is_within(address: Address, ranges: list[tuple[str, str]]) -> bool:
    number = int(address)
    return any(
        int(ipaddress.ip_address(first)) <= number <= int(ipaddress.ip_address(last))
        for first, last in ranges
    )


def _is_closed(address: Address) -> bool:
    return _is_within(address, CLOSED_V4 if address.version == 4 else CLOSED_V6)


def _beside(edge: Address) -> list[Address]:
    most = 2**edge.max_prefixlen
    return [type(edge)(int(edge) + step) for step in (-1, 0, 1) if 0 <= int(edge) + step < most]


@pytest.mark.parametrize("edge", EDGES, ids=str)
def test_it_is_right_on_both_sides_of_each_edge(edge: Address) -> None:
    for address in _beside(edge):
        assert is_public(address) is not _is_closed(address), address


@given(st.ip_addresses(v=4))
def test_it_knows_public_addresses(address: Address) -> None:
    assert is_public(address) is not _is_closed(address)
    assert is_private(address) is (
        _is_within(address, PRIVATE_V4) and str(address) != "100.100.100.200"
    )


@given(st.ip_addresses(v=6))
def test_it_knows_public_addresses_of_version_6(address: Address) -> None:
    assert is_public(address) is not _is_closed(address)


@given(st.ip_addresses())
def test_it_is_never_more_lenient_than_the_standard_library(address: Address) -> None:
    if is_public(address):
        assert address.is_global
        others = [address.is_multicast, address.is_reserved, address.is_link_local]
        assert not any(others)
        assert not is_private(address)


@given(st.ip_addresses(v=4), st.integers(0, 2**64 - 1))
def test_it_calls_no_address_public_that_has_another_inside(
    inside: ipaddress.IPv4Address, rest: int
) -> None:
    """Mapped, compatible, translated, NAT64, its local prefix, 6to4 and Teredo: whatever the
    address inside is, a machine in between may unwrap it."""
    number = int(inside)
    low = rest & (2**32 - 1)
    for wrapped in [
        0xFFFF << 32 | number,
        number,
        0xFFFF << 48 | number,
        0x64FF9B << 96 | number,
        0x64FF9B0001 << 80 | low << 32 | number,
        0x2002 << 112 | number << 80 | rest,
        0x20010000 << 96 | number << 64 | rest,
        0x20010000 << 96 | rest & ~(2**32 - 1) | number ^ (2**32 - 1),
    ]:
        address = ipaddress.IPv6Address(wrapped)
        assert not is_public(address), address
        assert not is_private(address), address


@pytest.mark.parametrize(
    ("text", "private"),
    [
        ("10.0.0.0", True),
        ("172.31.255.255", True),
        ("192.168.0.1", True),
        ("100.64.0.1", True),
        ("fd12:3456::1", True),
        ("fc00::", True),
        ("100.100.100.200", False),
        ("fd00:ec2::254", False),
        ("fd20:ce::254", False),
        ("127.0.0.1", False),
        ("::1", False),
        ("0.0.0.0", False),
        ("169.254.169.254", False),
        ("168.63.129.16", False),
        ("fe80::1", False),
        ("fec0::1", False),
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("192.0.2.1", False),
        ("::ffff:10.0.0.1", False),
        ("64:ff9b::a00:1", False),
        ("fd12:3456::1%2", False),
        ("93.184.216.34", False),
    ],
)
def test_it_knows_what_an_operator_may_open(text: str, private: bool) -> None:
    assert is_private(ipaddress.ip_address(text)) is private


@pytest.mark.parametrize("text", ["2606:4700::1111%eth0", "2606:4700::1111%1"])
def test_it_calls_no_address_with_a_zone_public(text: str) -> None:
    assert not is_public(ipaddress.ip_address(text))
