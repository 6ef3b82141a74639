"""The commands, urls and patterns of criteria."""

import pytest

from tickets.packages.commands import (
    PROPERTY_CLASSES,
    compile_pattern,
    is_absolute_url,
    is_runnable,
    plain_patterns,
    split_words,
)


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
    assert is_runnable("'#' x")
    assert is_runnable("true # and a comment")
    none = ["", " \n", '""', "'' x", '"', "#", " # npm test", "\u200b", "\u00a0 x"]
    assert not any(map(is_runnable, none))


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
        ("ftp://h:21/", False),
        ("https://h:21/", True),
        ("https://h:", True),
        ("https://h:99999/", True),
        ("https://h:x/", False),
        ("https://h:1:2/", False),
        ("https://h:\uff11/", False),
        ("https://[::1]:1/", True),
        ("https://[::1]x", False),
        ("https://[::1", False),
        ("https://user:pass:word@h/", True),
        ("https://x@[::1]", True),
        ("https://h/:x", True),
    ],
)
def test_it_knows_an_absolute_url(url: str, absolute: bool) -> None:
    assert is_absolute_url(url) is absolute


def test_it_compiles_on_re2_within_bounds() -> None:
    assert compile_pattern("ok \\d+").search("is ok 12")  # type: ignore[union-attr]
    for refused in ("(", "(?=a)", "(a)\\1", "\ud800", "((a{100}){100}){100}"):
        assert compile_pattern(refused) is None


def test_it_bounds_classes_by_property() -> None:
    assert compile_pattern("(?:\\p{Lu}|\\P{L}){0}" * (PROPERTY_CLASSES // 2) + "a") is not None
    assert compile_pattern("(?:\\p{Lu}){0}" * (PROPERTY_CLASSES + 1)) is None
    assert compile_pattern("(?:\\P{Lu}){0}" * (PROPERTY_CLASSES + 1)) is None


def test_it_keeps_no_groups_and_is_silent(capfd: pytest.CaptureFixture[str]) -> None:
    assert compile_pattern("(") is None
    assert capfd.readouterr().err == ""
    compiled = compile_pattern("(a)(b)")
    assert compiled is not None
    assert compiled.options.never_capture


def test_it_tells_which_patterns_are_plain_text() -> None:
    patterns = ["ok", "(", "a|b", "x{0,1000}" * 40, "\ud800", "\\d+"]
    assert list(plain_patterns(patterns)) == [False, True, False, True, True, False]
    assert list(plain_patterns([])) == []


def test_the_patterns_of_a_package_share_a_budget() -> None:
    dear = [f"x{{0,{n}}}" for n in range(900, 1_000)]
    tried = [plain for plain in plain_patterns(dear) if plain is not None]
    assert 4 <= len(tried) <= 6
    assert list(plain_patterns([*dear, "ok"]))[-1] is None
    refused = [f"x{{0,1000}}y{{0,1000}}{n}" for n in range(100)]
    assert list(plain_patterns(refused)) == [True] * 4 + [None] * 96
    cheap = [f"test {n} of \\d+ passed" for n in range(100)]
    assert list(plain_patterns(cheap)) == [False] * 100
    long = ["x" * 1_900 + str(n) for n in range(100)]
    assert list(plain_patterns(long)).count(None) == 97
    properties = [f"(?:\\p{{L}}){{0}}{n}" * 10 for n in range(100)]
    assert list(plain_patterns(properties)).count(None) > 90
