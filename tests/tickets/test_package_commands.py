"""The commands, urls and patterns of criteria."""

import pytest

from tickets.packages.commands import compile_pattern, is_absolute_url, is_runnable, split_words


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("npm ci", ["npm", "ci"]),
        ("  npm \t ci\n", ["npm", "ci"]),
        ("echo 'a b' \"c d\" e\\ f", ["echo", "a b", "c d", "e f"]),
        ("", []),
        ("' ", None),
        ("a\\", None),
    ],
)
def test_it_splits_as_a_shell_does(command: str, words: list[str] | None) -> None:
    assert split_words(command) == words


def test_a_command_needs_a_program() -> None:
    assert is_runnable("true")
    assert not any(map(is_runnable, ["", " \n", '""', "'' x", '"']))


@pytest.mark.parametrize(
    ("url", "absolute"),
    [
        ("https://status.example.com/healthz", True),
        ("HTTP://h:8080?q#f", True),
        ("https://[2001:db8::1]/", True),
        ("//h/", False),
        ("/healthz", False),
        ("ftp://h/", False),
        ("https:h", False),
        ("https://:443/", False),
        ("https://user@/", False),
        ("https://h/\x7f", False),
        ("https://h/\u0085", False),
        (" https://h/", False),
        ("", False),
    ],
)
def test_it_knows_an_absolute_url(url: str, absolute: bool) -> None:
    assert is_absolute_url(url) is absolute


def test_it_compiles_on_re2_within_bounds() -> None:
    assert compile_pattern("ok \\d+").search("is ok 12")  # type: ignore[union-attr]
    for refused in ("(", "(?=a)", "(a)\\1", "\ud800", "((a{100}){100}){100}"):
        assert compile_pattern(refused) is None
