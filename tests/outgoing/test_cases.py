"""URLs of tickets, what their names resolve to, and whether anything is sent to anybody."""

import pytest

from stuckbot.lib.outgoing import Answered, Refused, Result, Unanswered
from tests.outgoing.watched import Watched
from tests.outgoing.world import World

A = "93.184.216.34"
V6 = "2606:2800:220:1:248:1893:25c8:1946"

#: url, what its name resolves to.
FETCHED = [
    ("https://status.example.com/healthz", A),
    ("https://status.example.com:443/healthz", A),
    ("https://STATUS.example.com/a?b=c", A),
    ("HTTPS://Status.Example.COM", A),
    ("https://status.example.com./", A),
    ("https://status.example.com#part", A),
    ("https://status.example.com?a@b:c", A),
    ("https://status.example.com/@127.0.0.1", A),
    ("https://status.example.com/?url=http://127.0.0.1/", A),
    ("https://v6.example.com/", V6),
    ("https://both.example.com/", f"{V6},{A}"),
    ("https://b\u00fccher.example/", A),
    ("https://B\u00dcCHER.example/", A),
    ("https://xn--bcher-kva.example/", A),
    ("https://1.example.com/", A),
    ("https://my_host.example.com/", A),
    ("https://127.0.0.1.example.com/", A),
    ("https://a-b--c.example.com/", A),
]
#: url, the only answer or a list of them, and the reason.
REFUSED = [
    ("http://status.example.com/", A, "not_https"),
    ("https://status.example.com:8443/", A, "port"),
    ("https://status.example.com:80/", A, "port"),
    ("https://status.example.com:0443/", A, "port"),
    ("https://status.example.com:65979/", A, "port"),
    ("https://status.example.com:443:80/", A, "bad_url"),
    ("https://status.example.com:+443/", A, "bad_url"),
    ("https://status.example.com:\uff14\uff14\uff13/", A, "bad_url"),
    ("https://localhost/", "127.0.0.1", "not_public"),
    ("https://localhost./", "127.0.0.1", "not_public"),
    ("https://LOCALHOST/", A, "not_public"),
    ("https://a.localhost/", A, "not_public"),
    ("https://printer.local/", A, "not_public"),
    ("https://metadata.google.internal/", A, "not_public"),
    ("https://router/", A, "not_public"),
    ("https://internal.example.com/", "10.1.2.3", "not_public"),
    ("https://mixed.example.com/", f"{A},10.0.0.1", "not_public"),
    ("https://mixed.example.com/", f"10.0.0.1,{A}", "not_public"),
    ("https://mixed6.example.com/", f"{A},::1", "not_public"),
    ("https://mapped.example.com/", "::ffff:127.0.0.1", "not_public"),
    ("https://compat.example.com/", "::127.0.0.1", "not_public"),
    ("https://nat64.example.com/", "64:ff9b::7f00:1", "not_public"),
    ("https://zone.example.com/", f"{V6}%2", "not_public"),
    ("https://127.0.0.1.nip.example/", "127.0.0.1", "not_public"),
    ("https://zero.example.com/", "0.0.0.0", "not_public"),
    ("https://wire.example.com/", "168.63.129.16", "not_public"),
    ("https://meta.example.com/", "169.254.169.254", "not_public"),
    ("https://site.example.com/", "fec0::1", "not_public"),
    ("https://user:pw@status.example.com/", A, "userinfo"),
    ("https://@status.example.com/", A, "userinfo"),
    ("https://:@status.example.com/", A, "userinfo"),
    ("https://status.example.com@127.0.0.1/", "", "userinfo"),
    ("https://status.example.com:443@127.0.0.1/", "", "userinfo"),
    ("https://status.example.com%40127.0.0.1/", A, "bad_url"),
    ("https://u:[REDACTED]@status.example.com/", A, "masked"),
    ("https://status.example.com/?key=[REDACTED]", A, "masked"),
    ("https://[REDACTED]/", "", "masked"),
    ("https://status.example.com\\@127.0.0.1/", "", "bad_url"),
    ("https://status.example.com\\.evil.example/", A, "bad_url"),
    ("https:\\\\status.example.com/", A, "bad_url"),
    ("https:///healthz", "", "bad_url"),
    ("https://", "", "bad_url"),
    ("https:status.example.com/", A, "bad_url"),
    ("https:/status.example.com/", A, "bad_url"),
    ("https://?a", "", "bad_url"),
    ("//status.example.com/", A, "bad_url"),
    ("status.example.com", A, "bad_url"),
    ("", "", "bad_url"),
    ("ftp://status.example.com/", A, "not_https"),
    ("file:///etc/passwd", "", "not_https"),
    ("gopher://status.example.com/", A, "not_https"),
    ("javascript:alert(1)", "", "not_https"),
    ("https+unix://status.example.com/", A, "not_https"),
    ("https://status.example.com/\r\nX-A: b", A, "bad_url"),
    ("https://status.example.com\t/", A, "bad_url"),
    ("https://sta\ntus.example.com/", A, "bad_url"),
    ("ht\ttps://status.example.com/", A, "bad_url"),
    (" https://status.example.com/", A, "bad_url"),
    ("https://status.example.com/ ", A, "bad_url"),
    ("https://status.example.com/a b", A, "bad_url"),
    ("https://status.example.com/\x00", A, "bad_url"),
    ("https://status.example.com/\x7f", A, "bad_url"),
    ("https://status.example.com/\x85", A, "bad_url"),
    ("https://status.example.com/\u2028", A, "bad_url"),
    ("https://status.example.com/\ud800", A, "bad_url"),
    ("https://status..example.com/", A, "bad_url"),
    ("https://.status.example.com/", A, "bad_url"),
    ("https://status.example.com../", A, "bad_url"),
    ("https://-status.example.com/", A, "bad_url"),
    ("https://status-.example.com/", A, "bad_url"),
    ("https://sta%74us.example.com/", A, "bad_url"),
    ("https://%31%32%37.0.0.1/", "", "bad_url"),
    ("https://status.example.com%00.evil.example/", A, "bad_url"),
    ("https://status.example.com;a/", A, "bad_url"),
    ("https://status.example.com,b/", A, "bad_url"),
    ("https://*.example.com/", A, "bad_url"),
    (f"https://{'a' * 64}.example.com/", A, "bad_url"),
    (f"https://{'a.' * 126}com/", A, "bad_url"),
    ("https://" + ("\u00fc" * 40 + ".") * 6 + "com/", A, "bad_url"),
    (f"https://status.example.com/{'a' * 9000}", A, "bad_url"),
]


def _watched(
    world: World,
    patch: pytest.MonkeyPatch,
    *hosts: str,
    names: dict[str, list[str]] | None = None,
    other: str = "",
) -> Watched:
    server = world.server(None, *hosts)
    return Watched(patch, world.authority.file, server.port, names or {}, other)


def _seen(watched: Watched, result: Result) -> None:
    """However it ended: one look-up at most, and nobody connected to whom the result hides."""
    assert len(watched.looked_up) <= 1
    addresses = [address[0] for address in watched.connected]
    if isinstance(result, Refused):
        assert addresses == []
    else:
        assert addresses in ([], [result.address])


@pytest.mark.parametrize(("url", "resolves"), FETCHED)
def test_it_asks_a_public_address(
    world: World, monkeypatch: pytest.MonkeyPatch, url: str, resolves: str
) -> None:
    hosts = [
        "*.example.com",
        "xn--bcher-kva.example",
        "127.0.0.1.example.com",
        "my_host.example.com",
    ]
    watched = _watched(world, monkeypatch, *hosts, other=resolves)
    result = watched.probe(url)
    assert isinstance(result, Answered), result
    assert result.status == 200
    assert len(watched.looked_up) == 1
    assert watched.connected == [(resolves.split(",")[0], 443)]


@pytest.mark.parametrize(("url", "resolves", "reason"), REFUSED)
def test_it_sends_nothing_to_anybody_else(
    world: World, monkeypatch: pytest.MonkeyPatch, url: str, resolves: str, reason: str
) -> None:
    watched = _watched(world, monkeypatch, other=resolves)
    result = watched.probe(url)
    _seen(watched, result)
    assert result == Refused(reason)


@pytest.mark.parametrize(
    ("host", "reason"),
    [
        ("127.0.0.1", "not_public"),
        ("127.255.255.254", "not_public"),
        ("127.1", "bad_url"),
        ("127.0.1", "bad_url"),
        ("127.0.0.1.", "bad_url"),
        ("127.0.0.01", "bad_url"),
        ("2130706433", "bad_url"),
        ("1572395042", "bad_url"),
        ("0x7f000001", "bad_url"),
        ("0X7F000001", "bad_url"),
        ("0x7f.0.0.1", "bad_url"),
        ("127.0.0.0x1", "bad_url"),
        ("0x", "bad_url"),
        ("0177.0.0.1", "bad_url"),
        ("017700000001", "bad_url"),
        ("1.2.3.4.5", "bad_url"),
        ("256.1.1.1", "bad_url"),
        ("a.1", "bad_url"),
        ("0.0.0.0", "not_public"),
        ("0", "bad_url"),
        ("[::1]", "not_public"),
        ("[::]", "not_public"),
        ("[0:0:0:0:0:0:0:1]", "not_public"),
        ("[::ffff:127.0.0.1]", "not_public"),
        ("[::ffff:7f00:1]", "not_public"),
        ("[::ffff:93.184.216.34]", "not_public"),
        ("[::127.0.0.1]", "not_public"),
        ("[::ffff:0:127.0.0.1]", "not_public"),
        ("[64:ff9b::7f00:1]", "not_public"),
        ("[64:ff9b::5db8:d822]", "not_public"),
        ("[64:ff9b:1::1]", "not_public"),
        ("[2002:7f00:1::]", "not_public"),
        ("[2001:0:5db8:d822::1]", "not_public"),
        ("[2001:db8::1]", "not_public"),
        ("[3fff::1]", "not_public"),
        ("[4000::1]", "not_public"),
        ("[fe80::1%25eth0]", "bad_url"),
        ("[fe80::1%eth0]", "bad_url"),
        ("[2606:4700::1111%251]", "bad_url"),
        ("[fe80::1]", "not_public"),
        ("[fc00::1]", "not_public"),
        ("[fd00:ec2::254]", "not_public"),
        ("[fec0::1]", "not_public"),
        ("[ff02::1]", "not_public"),
        ("[100::1]", "not_public"),
        ("[v1.fe80::1]", "bad_url"),
        ("[127.0.0.1]", "bad_url"),
        ("[::1", "bad_url"),
        ("::1", "bad_url"),
        ("[::1]]", "bad_url"),
        ("[::1].example.com", "bad_url"),
        ("[]", "bad_url"),
        ("10.0.0.8", "not_public"),
        ("172.16.0.1", "not_public"),
        ("172.31.255.255", "not_public"),
        ("192.168.1.1", "not_public"),
        ("169.254.169.254", "not_public"),
        ("168.63.129.16", "not_public"),
        ("100.64.0.1", "not_public"),
        ("100.100.100.200", "not_public"),
        ("192.0.0.192", "not_public"),
        ("192.0.2.1", "not_public"),
        ("198.18.0.1", "not_public"),
        ("224.0.0.1", "not_public"),
        ("255.255.255.255", "not_public"),
        ("127\u30020\u30020\u30021", "bad_url"),
        ("127\uff0e0\uff0e0\uff0e1", "bad_url"),
        ("127\uff610\uff610\uff611", "bad_url"),
        ("\uff11\uff12\uff17.0.0.1", "bad_url"),
        ("\u2460\u2461\u2466.0.0.1", "bad_url"),
        ("\u0661\u0662\u0667.0.0.1", "bad_url"),
        ("status\u3002example.com", "bad_url"),
        ("\u24c1ocalhost", "bad_url"),
        ("\uff4cocalhost", "bad_url"),
        ("\u017ftatus.example.com", "bad_url"),
        ("\u212aa.example.com", "bad_url"),
        ("sta\u00adtus.example.com", "bad_url"),
        ("sta\u200dtus.example.com", "bad_url"),
        ("a\u2100b.example.com", "bad_url"),
        ("xn--.example.com", "bad_url"),
        ("xn--a.example.com", "bad_url"),
        ("xn--status-.example.com", "bad_url"),
        ("xn--i-7iq.example.com", "bad_url"),
    ],
)
def test_it_reads_no_host_in_a_second_way(
    world: World, monkeypatch: pytest.MonkeyPatch, host: str, reason: str
) -> None:
    watched = _watched(world, monkeypatch)
    result = watched.probe(f"https://{host}/")
    assert (watched.looked_up, watched.connected) == ([], [])
    assert result == Refused(reason)


def test_it_connects_to_the_address_that_was_judged(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {"rebind.example.com": [A, "127.0.0.1"]}
    watched = _watched(world, monkeypatch, "rebind.example.com", names=names)
    first = watched.probe("https://rebind.example.com/")
    assert isinstance(first, Answered)
    assert (watched.looked_up, watched.connected) == (["rebind.example.com"], [(A, 443)])
    assert watched.probe("https://rebind.example.com/") == Refused("not_public")
    assert watched.connected == [(A, 443)]


def test_it_asks_an_address_written_as_numbers_without_a_look_up(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = _watched(world, monkeypatch, "2606:4700::1111", A)
    six = watched.probe("https://[2606:4700:0:0::1111]/")
    four = watched.probe(f"https://{A}/")
    assert isinstance(six, Answered)
    assert isinstance(four, Answered)
    assert (watched.looked_up, watched.connected) == ([], [("2606:4700::1111", 443), (A, 443)])


def test_it_tells_a_name_that_nobody_knows(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    watched = _watched(world, monkeypatch)
    result = watched.probe("https://gone.example.com/")
    _seen(watched, result)
    assert isinstance(result, Unanswered)
    assert (result.reason, result.address) == ("no_such_name", "")
