"""How a URL is read: in one way, whatever is written, and in the way others read it."""

import re
from urllib.parse import urlsplit

import idna
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from urllib3.util import parse_url

from stuckbot.lib.outgoing import NOBODY, REFUSALS, Refused, Target, target_of

HOST = re.compile(r"[a-z0-9_.-]{1,253}|[0-9a-f:]{2,39}")
SENT = re.compile(r"/[!-~]*")
PIECES = [
    "https", "HTTPS", "http", ":", "/", "//", "\\", "@", "#", "?", "%", "[", "]", ".", ",", ";",
    "&", "=", "_", "-", "a", "status.example.com", "93.184.216.34", "127.0.0.1", "127.1", "0x7f",
    "2606:4700::1111", "::1", "443", "8443", ":443", "%40", "%2f", "%00", "xn--", "xn--bcher-kva",
    "b\u00fccher", "\u3002", "\uff0e", "\uff0f", "\uff20", "\uff1a", "\u2044", "\u2100", "\u00df",
    "\u00a0", "\u200b", "\u202e", "\ufeff", "\t", "\n", "\r", " ", "\x00", "\x1f", "\x7f", "\ud83d",
]  # fmt: skip


@pytest.mark.parametrize(
    ("rest", "path"),
    [
        ("", "/"),
        ("/", "/"),
        ("?a=b", "/?a=b"),
        ("#part", "/"),
        ("/a#part?no", "/a"),
        ("/a?b#c", "/a?b"),
        ("/a?b?c/d:e@f", "/a?b?c/d:e@f"),
        ("/caf\u00e9?\u00fc=\u4e16", "/caf%C3%A9?%C3%BC=%E4%B8%96"),
        ("/a%2Fb%20c%zz", "/a%2Fb%20c%zz"),
        ("/<a>|{b}^`\"", "/%3Ca%3E%7C%7Bb%7D%5E%60%22"),
        ("/a/../b/./c//d", "/a/../b/./c//d"),
        ("//evil.example/", "//evil.example/"),
        ("/;a=b,c!d$e'(f)*+~", "/;a=b,c!d$e'(f)*+~"),
    ],
)  # fmt: skip
def test_it_sends_path_and_query_as_they_stand(rest: str, path: str) -> None:
    target = target_of(f"https://status.example.com{rest}", NOBODY)
    assert isinstance(target, Target)
    assert (target.host, target.port, target.path) == ("status.example.com", 443, path)
    assert not target.allowed


@given(st.lists(st.sampled_from(PIECES), max_size=9).map("".join), st.booleans())
@example("https://status.example.com\\@127.0.0.1", False)
@example("status.example.com#@127.0.0.1", True)
@example("status.example.com?@127.0.0.1", True)
def test_it_reads_a_host_as_other_readers_do(text: str, prefixed: bool) -> None:
    """Refusing is always right here; reading a host out of it that another reader does not is
    how checks are got around."""
    url = f"https://{text}" if prefixed else text
    target = target_of(url, NOBODY)
    if isinstance(target, Refused):
        assert target.reason in REFUSALS
        return
    assert HOST.fullmatch(target.host)
    assert SENT.fullmatch(target.path)
    assert target.host == _as_python_reads(url) == _as_urllib3_reads(url)


def _as_python_reads(url: str) -> str:
    return _coded(urlsplit(url).hostname or "")


def _as_urllib3_reads(url: str) -> str:
    return _coded((parse_url(url).host or "").strip("[]"))


def _coded(host: str) -> str:
    plain = host.removesuffix(".")
    if plain.isascii():
        return plain.lower()
    return idna.encode(plain, uts46=True).decode("ascii")


@given(st.text())
def test_it_never_fails_whatever_is_written(text: str) -> None:
    for url in [text, f"https://{text}", f"https://{text}.example.com/", f"https://a.com/{text}"]:
        assert isinstance(target_of(url, NOBODY), Target | Refused)


@given(st.text(min_size=1, max_size=9), st.text(min_size=1, max_size=9))
def test_it_never_makes_an_address_out_of_other_letters(first: str, last: str) -> None:
    target = target_of(f"https://{first}.{last}", NOBODY)
    if isinstance(target, Target) and re.fullmatch(r"[0-9.]+", target.host):
        assert f"{first}.{last}".isascii()
