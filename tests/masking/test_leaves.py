"""A JSON value as one text of its texts: what keeps its name and place, and floods of texts."""

from typing import Any

import pytest

from stuckbot.lib.masking import REDACTED, mask_value
from tests.masking.test_beside import VALUE

#: Forty places where a secret could be, and none is there.
NOISE = "key: " * 40
#: More of them than any text may hold.
FLOOD = NOISE * 20
TOKENS = [f"ghp_{first}B3dE5fG7hI9jK1mN2pQ4rS6tU8vW0xY1zA3" for first in "abcd"]


def test_names_that_become_the_same_are_numbered() -> None:
    value = {token: number for number, token in enumerate(TOKENS)}
    names = [REDACTED, f"{REDACTED} 2", f"{REDACTED} 3", f"{REDACTED} 4"]
    assert mask_value(value).value == {name: number for number, name in enumerate(names)}
    assert mask_value({TOKENS[0]: 1, REDACTED: 2}).value == {REDACTED: 1, f"{REDACTED} 2": 2}


@pytest.mark.parametrize(
    ("value", "masked"),
    [
        ({"access_key": 12345678}, {"access_key": REDACTED}),
        ({"password": [12345678, 0.5]}, {"password": [REDACTED, REDACTED]}),
        ({"session": 12345678}, {"session": 12345678}),
        ({"password": {"a": 12345678}, "z": "kept"}, {"password": {"a": REDACTED}, "z": "kept"}),
        ({"password": {"type": "string", "a": 12345678}, "z": "kept"},) * 2,
    ],
)
def test_a_number_goes_where_its_name_says_so(value: Any, masked: Any) -> None:
    assert mask_value(value).value == masked


@pytest.mark.parametrize("text", ["two words", "two\nlines", "os.environ", "true"])
def test_a_text_goes_whole_where_its_name_says_so(text: str) -> None:
    assert mask_value({"password": text}).value == {"password": REDACTED}


def test_the_first_telling_name_above_a_text_tells_of_it() -> None:
    assert mask_value({"session": {"a": "aB3dE5fG7hI9jK1mN2pQ"}}).value == {
        "session": {"a": REDACTED}
    }
    (found,) = mask_value({"access_key": {"token": "hunter2"}}).findings
    assert found.preview == "access_key=…"


def test_a_value_tells_of_so_many() -> None:
    assert len(mask_value([TOKENS[0]] * 502).findings) == 500


@pytest.mark.parametrize(
    ("value", "masked"),
    [
        ([FLOOD, "kept"], [REDACTED, "kept"]),
        ([FLOOD, "kept"] * 16, [REDACTED, "kept"] * 16),
        ([NOISE] * 40, [NOISE] * 40),
        (
            [*[NOISE] * 30, {"password": "two words"}, *[NOISE] * 30, {"secret": "three of them"}],
            [*[NOISE] * 30, {"password": REDACTED}, *[NOISE] * 30, {"secret": REDACTED}],
        ),
    ],
)
def test_only_what_is_a_flood_by_itself_is_masked_whole(value: Any, masked: Any) -> None:
    assert mask_value(value).value == masked


@pytest.mark.parametrize("before", [[], ["one"], ["one", "two"], ["one", "two", "three"]])
def test_a_flood_is_not_parted_between_what_tells_and_what_is_told(before: list[str]) -> None:
    pairs = [["DB_PASSWORD", f"{VALUE}{number}"] for number in range(40)]
    value = [*before, *(one for pair in pairs for one in (NOISE, pair))]
    masked = [*before, *(one for _ in pairs for one in (NOISE, ["DB_PASSWORD", REDACTED]))]
    assert mask_value(value).value == masked
