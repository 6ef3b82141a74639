"""Private hosts that the operator names, and no others."""

import pytest

from stuckbot.lib.outgoing import (
    NOBODY,
    Allowed,
    Answered,
    Network,
    Refused,
    Result,
    Unanswered,
    allowed_hosts,
    check_ca_file,
    probe,
    target_of,
)
from tests.outgoing.faked import PUBLIC, Faked
from tests.outgoing.world import World

LIST = "staging.corp.example, Wiki , b\u00fccher.corp.example, nas.local., db.internal"


def _allowed(ca_file: str = "") -> Allowed:
    return allowed_hosts(LIST, ca_file)


def _probe(world: World, url: str, addresses: list[str], allowed: Allowed) -> tuple[Result, Faked]:
    host = url.removeprefix("https://").strip("/").lower()
    server = world.server(None, host)
    faked = world.faked(server, {host: addresses})
    return faked.probe(url, allowed=allowed), faked


def test_it_reads_exact_names() -> None:
    assert _allowed().hosts == {
        "staging.corp.example",
        "wiki",
        "xn--bcher-kva.corp.example",
        "nas.local",
        "db.internal",
    }
    assert allowed_hosts("").hosts == allowed_hosts(" , ,").hosts == frozenset()
    assert NOBODY.hosts == frozenset()


@pytest.mark.parametrize(
    "word",
    [
        "10.0.0.1", "[::1]", "::1", "*.corp.example", "*", ".corp.example", "corp.example:8443",
        "https://corp.example", "corp.example/path", "user@corp.example", "localhost",
        "a.localhost", "LOCALHOST.", "127.1", "0x7f000001", "a b", "a..b",
    ],
)  # fmt: skip
def test_it_names_every_entry_that_is_no_name(word: str) -> None:
    with pytest.raises(ValueError, match=r", -bad$") as error:
        allowed_hosts(f"good.example, {word}, -bad")
    assert str(error.value) == f"{word}, -bad"


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("staging.corp.example", "10.1.2.3"),
        ("STAGING.corp.example", "192.168.7.7"),
        ("wiki", "172.20.0.9"),
        ("nas.local", "fd12:3456::9"),
        ("db.internal", "100.64.3.3"),
    ],
)
def test_it_opens_what_the_operator_names_and_says_so(
    world: World, host: str, address: str
) -> None:
    result, faked = _probe(world, f"https://{host}/", [address], _allowed())
    assert isinstance(result, Answered), result
    assert (result.status, result.address, result.allowed) == (200, address, True)
    assert len(faked.looked_up) == 1


def test_it_does_not_say_so_of_a_public_address(world: World) -> None:
    result, _ = _probe(world, "https://staging.corp.example/", [PUBLIC], _allowed())
    assert isinstance(result, Answered)
    assert not result.allowed


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"], ["::1"], ["0.0.0.0"], ["169.254.169.254"], ["169.254.0.5"], ["fe80::1"],
        ["fd00:ec2::254"], ["100.100.100.200"], ["168.63.129.16"], ["224.0.0.1"],
        ["::ffff:10.0.0.1"], ["10.0.0.1", "127.0.0.1"], [PUBLIC, "169.254.169.254"],
    ],
)  # fmt: skip
def test_it_opens_neither_this_machine_nor_metadata(world: World, addresses: list[str]) -> None:
    result, faked = _probe(world, "https://staging.corp.example/", addresses, _allowed())
    assert (result, faked.connected) == (Refused("not_public"), [])


@pytest.mark.parametrize(
    "host",
    [
        "corp.example",
        "a.staging.corp.example",
        "xstaging.corp.example",
        "staging.corp.example.evil.example",
        "nas2.local",
        "wiki.local",
        "wik",
    ],
)
def test_it_opens_no_other_name(world: World, host: str) -> None:
    result, faked = _probe(world, f"https://{host}/", ["10.1.2.3"], _allowed())
    assert (result, faked.connected) == (Refused("not_public"), [])


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("https://10.1.2.3/", "not_public"),
        ("http://staging.corp.example/", "not_https"),
        ("https://staging.corp.example:8443/", "port"),
        ("https://a@staging.corp.example/", "userinfo"),
    ],
)
def test_it_lifts_no_other_rule(url: str, reason: str) -> None:
    assert target_of(url, _allowed()) == Refused(reason)


def _with_file(world: World, host: str, address: str) -> Result:
    server = world.server(None, host)
    faked = world.faked(server, {host: [address]})
    own_trust = Network(faked.network.lookup, faked.network.connect)
    allowed = _allowed(str(world.authority.file))
    return probe(f"https://{host}/", allowed=allowed, seconds=3.0, network=own_trust)


def test_it_believes_the_operators_authority_for_named_hosts_alone(world: World) -> None:
    assert isinstance(_with_file(world, "staging.corp.example", "10.1.2.3"), Answered)
    other = _with_file(world, "status.example.com", PUBLIC)
    assert isinstance(other, Unanswered)
    assert other.reason == "certificate"


def test_it_says_at_once_what_is_wrong_with_the_file(world: World) -> None:
    check_ca_file("")
    check_ca_file(str(world.authority.file))
    for path in ["/nowhere/ca.pem", __file__, "/"]:
        with pytest.raises(ValueError, match=r"[a-z ]+"):
            check_ca_file(path)


def test_it_says_of_a_named_host_that_failed_that_it_is_one(world: World) -> None:
    faked = Faked(world.authority.file, {}, {})
    result = faked.probe("https://wiki/", allowed=_allowed())
    assert isinstance(result, Unanswered)
    assert (result.reason, result.address, result.allowed) == ("no_such_name", "", True)
