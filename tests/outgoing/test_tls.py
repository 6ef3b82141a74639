"""Who is believed to be the host that was asked for."""

import ssl
import threading

import pytest

from stuckbot.lib.outgoing import Answered, Result, Unanswered, trust
from stuckbot.lib.outgoing.trust import trusted
from tests.outgoing.authority import Authority, Made
from tests.outgoing.faked import PUBLIC, PUBLIC_V6, Faked
from tests.outgoing.server import OK, Server, Talk, says
from tests.outgoing.world import NAME, World


def _probe(world: World, made: Made, url: str = f"https://{NAME}/") -> tuple[Result, Server]:
    with Server(says(OK), made.context()) as server:
        ports = dict.fromkeys([PUBLIC, PUBLIC_V6], server.port)
        faked = Faked(world.authority.file, {NAME: [PUBLIC]}, ports)
        return faked.probe(url), server


@pytest.mark.parametrize(
    ("hosts", "url"),
    [
        ([NAME], f"https://{NAME}/"),
        (["*.example.com"], f"https://{NAME}/"),
        ([NAME], f"https://{NAME}./"),
        ([PUBLIC], f"https://{PUBLIC}/"),
        ([PUBLIC_V6], f"https://[{PUBLIC_V6}]/"),
    ],
)
def test_it_believes_a_certificate_for_the_host(world: World, hosts: list[str], url: str) -> None:
    result, server = _probe(world, world.authority.made(*hosts), url)
    assert isinstance(result, Answered), result
    assert server.names == [NAME if NAME in url else None]


@pytest.mark.parametrize(
    ("hosts", "url"),
    [
        (["other.example.com"], f"https://{NAME}/"),
        (["*.com"], f"https://{NAME}/"),
        (["*.status.example.com"], f"https://{NAME}/"),
        (["example.com"], f"https://{NAME}/"),
        ([PUBLIC], f"https://{NAME}/"),
        ([NAME], f"https://{PUBLIC}/"),
        (["93.184.216.35"], f"https://{PUBLIC}/"),
        (["*.184.216.34"], f"https://{PUBLIC}/"),
    ],
)
def test_it_believes_no_certificate_for_another(world: World, hosts: list[str], url: str) -> None:
    result, server = _probe(world, world.authority.made(*hosts), url)
    assert isinstance(result, Unanswered)
    assert (result.reason, result.address) == ("certificate", PUBLIC)
    assert server.requests == []


def test_it_believes_none_that_ran_out_or_is_not_valid_yet(world: World) -> None:
    for days in [(-30, -1), (1, 30)]:
        result, server = _probe(world, world.authority.made(NAME, days=days))
        assert isinstance(result, Unanswered)
        assert (result.reason, server.requests) == ("certificate", [])


def test_it_believes_none_that_nobody_known_signed(
    world: World, tmp_path_factory: pytest.TempPathFactory
) -> None:
    stranger = Authority(tmp_path_factory.mktemp("stranger"), "Stranger")
    for made in [world.authority.self_signed(NAME), stranger.made(NAME)]:
        result, server = _probe(world, made)
        assert isinstance(result, Unanswered)
        assert (result.reason, server.requests) == ("certificate", [])


def test_it_reads_the_host_from_the_list_of_names_alone(world: World) -> None:
    result, _ = _probe(world, world.authority.made(common_name=NAME, days=(-1, 30)))
    assert isinstance(result, Unanswered)


def _with(world: World, context: ssl.SSLContext) -> Result:
    with Server(says(OK), context) as server:
        return world.faked(server).probe(f"https://{NAME}/")


def test_it_speaks_tls_from_1_2_on(world: World) -> None:
    context = world.authority.made(NAME).context()
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    assert isinstance(_with(world, context), Answered)
    old = world.authority.made(NAME).context()
    old.set_ciphers("ALL:@SECLEVEL=0")
    old.options &= ~ssl.OP_NO_TLSv1_1
    with pytest.warns(DeprecationWarning, match="TLSv1"):
        old.maximum_version = ssl.TLSVersion.TLSv1_1
    result = _with(world, old)
    assert isinstance(result, Unanswered)
    assert result.reason == "tls"


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_it_shows_no_certificate_of_its_own(world: World, version: ssl.TLSVersion) -> None:
    context = world.authority.made(NAME).context()
    context.maximum_version = version
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(world.authority.file)
    result = _with(world, context)
    assert isinstance(result, Unanswered)
    # With 1.3 the server says no only when the request is under way, and may have left by then.
    assert result.reason in {"tls", "bad_answer"}


@pytest.mark.parametrize(
    "said",
    [b"", b"HTTP/1.1 200 OK\r\n\r\n", b"\x15\x03\x03\x00\x02\x02\x28", b"\x16\x03\x03\xff\xff"],
)
def test_it_asks_nothing_of_what_speaks_no_tls(world: World, said: bytes) -> None:
    def act(talk: Talk) -> None:
        talk.opened.recv(4096)
        talk.send(said)

    result = world.faked(world.plain(act)).probe(f"https://{NAME}/")
    assert isinstance(result, Unanswered)
    assert (result.reason, result.address) == ("tls", PUBLIC)


def test_it_checks_names_and_chains_always() -> None:
    context = trusted("")
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname
    assert context.minimum_version is ssl.TLSVersion.TLSv1_2
    assert len(context.get_ca_certs()) > 50
    assert not [cipher for cipher in context.get_ciphers() if cipher["name"].startswith("DHE")]
    assert context.options & ssl.OP_NO_RENEGOTIATION
    assert context.options & ssl.OP_NO_COMPRESSION


def test_it_reads_the_authorities_once_however_many_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trust, "_made", {})
    found: list[ssl.SSLContext] = []
    threads = [threading.Thread(target=lambda: found.append(trusted(""))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(context) for context in found}) == 1
