"""Nothing in the environment changes where a request goes, what it says or whom it believes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from stuckbot.lib.outgoing import Answered, Network, Request, Unanswered, exchange, probe, trust
from stuckbot.lib.outgoing.allowed import NOBODY
from tests.outgoing.faked import PUBLIC
from tests.outgoing.server import Server
from tests.outgoing.world import NAME, World

URL = f"https://{NAME}/"


@pytest.fixture
def hostile(world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Server:
    """Every variable that programs in general heed; returns the proxy that must stay unasked."""
    proxy = world.plain(lambda talk: talk.hold())
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"]:
        for spelled in [name, name.lower()]:
            monkeypatch.setenv(spelled, f"http://127.0.0.1:{proxy.port}")
    netrc = tmp_path / "netrc"
    netrc.write_text(f"machine {NAME} login me password secret\ndefault login me password secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".netrc").write_text(netrc.read_text())
    for name in ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"]:
        monkeypatch.setenv(name, str(world.authority.file))
    monkeypatch.setenv("SSL_CERT_DIR", str(world.authority.file.parent))
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys"))
    monkeypatch.setattr(trust, "_made", {})
    return proxy


def test_it_goes_straight_there_and_says_no_password(
    world: World, hostile: Server, tmp_path: Path
) -> None:
    server = world.server()
    assert isinstance(world.faked(server).probe(URL), Answered)
    assert (hostile.connections, server.connections) == (0, 1)
    assert b"authorization" not in server.requests[0].lower()
    assert not (tmp_path / "keys").exists()


def test_it_believes_no_authority_of_the_environment(world: World, hostile: Server) -> None:
    faked = world.faked(world.server())
    own_trust = Network(faked.network.lookup, faked.network.connect)
    result = probe(URL, allowed=NOBODY, seconds=3.0, network=own_trust)
    assert isinstance(result, Unanswered)
    assert (result.reason, result.address) == ("certificate", PUBLIC)


def test_no_setting_leads_to_another_network(world: World, tmp_path: Path) -> None:
    """What tests put in the network's place is an argument, and the desk's own code gives none."""
    program = (
        "from django.conf import settings; "
        "from stuckbot.lib.outgoing import INTERNET, Network; assert INTERNET == Network(); "
        "print(sorted(settings.OUTGOING_ALLOWED.hosts), settings.OUTGOING_ALLOWED.ca_file)"
    )
    variables = {
        "DJANGO_SETTINGS_MODULE": "stuckbot.settings",
        "DATA_DIR": str(tmp_path),
        "OUTGOING_ALLOW_HOSTS": "wiki,staging.corp.example",
        "OUTGOING_CA_FILE": str(world.authority.file),
    }
    done = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | variables, capture_output=True, text=True
    )
    said = done.stdout.strip()
    assert said == f"['staging.corp.example', 'wiki'] {world.authority.file}", done.stderr


def test_it_posts_by_the_same_door(world: World) -> None:
    server = world.server()
    request = Request("POST", [("Content-Type", "application/json")], b"{}")
    network = world.faked(server).network
    result = exchange(URL, request, allowed=NOBODY, seconds=3.0, network=network)
    assert isinstance(result, Answered)
    assert server.requests[0].startswith(b"POST / HTTP/1.1\r\nHost: status.example.com\r\n")
    assert b"\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n" in server.requests[0]


@pytest.mark.parametrize(
    ("method", "header"),
    [
        ("GET\r\n", ("A", "b")),
        ("get", ("A", "b")),
        ("GET", ("A\r\nB", "c")),
        ("GET", ("A", "b\r\nC: d")),
        ("GET", ("A", "b\n")),
        ("GET", ("A", "")),
        ("GET", ("A:", "b")),
        ("GET", ("A", "caf\u00e9")),
        ("GET", ("Host", "other.example.com")),
        ("GET", ("content-length", "5")),
        ("GET", ("Transfer-Encoding", "chunked")),
    ],
)
def test_it_lets_no_header_say_more_than_one_thing(method: str, header: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match=r"header|method"):
        Request(method, [header])
