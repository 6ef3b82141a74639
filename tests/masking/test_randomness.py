"""What looks drawn at random, at the borders of each condition."""

import base64

import pytest

from stuckbot.lib.masking.randomness import (
    has_letters_and_digits,
    is_drawn,
    is_hex,
    is_mixed,
    names_a_user,
)


def coded(text: str) -> bytes:
    return base64.b64encode(text.encode())


@pytest.mark.parametrize(
    ("run", "mixed"),
    [
        (b"aB3dE5fG7h", True),
        (b"abcdefgh1234ABCDEFG", False),
        (b"ab3de5fg7h", False),
        (b"AB3DE5FG7H", False),
        (b"aBdEfGhI", False),
        (b"", False),
        (b"---", False),
        (b"a-B-3", True),
        # 13 words in 50 are just enough, and 12 are not.
        (b"a1B2" * 3 + b"c" * 38, True),
        (b"a1B2" * 3 + b"2" * 38, False),
        (b"CamelCaseNamesOfSomethings2", False),
    ],
)
def test_mixed_is_all_three_in_turns(run: bytes, mixed: bool) -> None:
    assert is_mixed(run) is mixed


@pytest.mark.parametrize(
    ("run", "drawn"),
    [
        (b"ab3de5fg7hi9jk1m", True),
        (b"ab3de5fg7hi9jk1", False),
        (b"aBcDeFgHiJkLmNoP", True),
        (b"abcdefghijklmnop", False),
        (b"1234567890123456", False),
        # Four words in 16 are just enough, and three are not.
        (b"aaaa1111bbbb2222", True),
        (b"aaaaaa111111bbbb", False),
        # Signs do not count.
        (b"aaaa-1111-bbbb-2222----", True),
        (b"", False),
    ],
)
def test_drawn_is_two_of_them_in_turns(run: bytes, drawn: bool) -> None:
    assert is_drawn(run) is drawn


@pytest.mark.parametrize(("least", "drawn"), [(8, True), (9, False)])
def test_drawn_is_as_long_as_it_is_asked_to_be(least: int, drawn: bool) -> None:
    assert is_drawn(b"a1b2c3d4", least) is drawn


@pytest.mark.parametrize(
    ("run", "hexadecimal"),
    [(b"0123456789abcdef", True), (b"ABCDEF0", True), (b"aB", False), (b"g", False), (b"", False)],
)
def test_hexadecimal_is_of_one_case(run: bytes, hexadecimal: bool) -> None:
    assert is_hex(run) is hexadecimal


@pytest.mark.parametrize(
    ("run", "both"),
    [
        (b"a1", True),
        (b"1-A", True),
        (b"Z..9", True),
        (b"abc", False),
        (b"123", False),
        (b"", False),
    ],
)
def test_letters_and_digits(run: bytes, both: bool) -> None:
    assert has_letters_and_digits(run) is both


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (coded("ci:hunter2"), True),
        (coded("ci:hunter2").rstrip(b"="), True),
        (coded("a:b"), True),
        (coded("ci:hunter22"), True),
        (coded("ci:hunter22").rstrip(b"="), True),
        (coded("ci:hunter222"), True),
        (coded("ci hunter2"), False),
        (coded("ci:\x01\x02"), False),
        (coded("ci:ü"), False),
        (coded("ci:hunter2")[:4] + b"*" + coded("ci:hunter2")[4:], False),
        (b"Y2k6aHVudGVyM" + b"!!!!", False),
        (b"a", False),
        (b"", False),
    ],
)
def test_base64_of_a_user_and_a_password(value: bytes, named: bool) -> None:
    assert names_a_user(value) is named
