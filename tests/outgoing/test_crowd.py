"""One machine is not asked more often because it has many names."""

import ipaddress
import time
from dataclasses import replace

import pytest

from stuckbot.lib.outgoing import NOBODY, Answered, Crowd, Crowded, probe
from tests.outgoing.faked import OTHER_PUBLIC, PUBLIC
from tests.outgoing.world import NAME, World

NAMES = [f"n{number}.example.com" for number in range(8)]


def test_many_names_of_one_address_are_one_machine(world: World) -> None:
    server = world.server(None, NAME, *NAMES)
    faked = world.faked(server, {NAME: [OTHER_PUBLIC], **{one: [PUBLIC] for one in NAMES}})
    network = replace(faked.network, connect=Crowd(3).connecting(faked.network.connect))
    crowded = 0
    for name in NAMES:
        try:
            result = probe(f"https://{name}/", allowed=NOBODY, seconds=10.0, network=network)
        except Crowded:
            crowded += 1
        else:
            assert isinstance(result, Answered)
    assert (crowded, server.connections) == (5, 3)
    other = probe(f"https://{NAME}/", allowed=NOBODY, seconds=10.0, network=network)
    assert isinstance(other, Answered)


@pytest.mark.parametrize(
    ("first", "second", "is_one"),
    [
        ("2606:4700::1", "2606:4700::2", True),
        ("2606:4700:0:0:ffff::1", "2606:4700::2", True),
        ("2606:4700:0:1::1", "2606:4700::1", False),
        ("93.184.216.34", "93.184.216.35", False),
    ],
)
def test_a_network_of_version_6_is_one_machine(first: str, second: str, is_one: bool) -> None:
    crowd = Crowd(1)
    crowd.count(ipaddress.ip_address(first))
    if is_one:
        with pytest.raises(Crowded):
            crowd.count(ipaddress.ip_address(second))
    else:
        crowd.count(ipaddress.ip_address(second))


def test_it_is_asked_again_after_a_while_and_nothing_is_kept_for_long() -> None:
    crowd = Crowd(1, seconds=0.05)
    for number in range(200):
        crowd.count(ipaddress.IPv4Address(0x5DB80000 + number))
    time.sleep(0.06)
    crowd.count(ipaddress.IPv4Address(0x5DB80000))
    assert len(crowd._lately) == 1


def test_it_counts_nothing_where_the_operator_sets_no_bound() -> None:
    crowd = Crowd(None)
    for _ in range(1_000):
        crowd.count(ipaddress.IPv4Address(PUBLIC))
    assert not crowd._lately
