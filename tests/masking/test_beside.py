"""What one text of a JSON value tells of the one beside it."""

import time
from typing import Any

import pytest

from stuckbot.lib.masking import REDACTED, mask_value

VALUE = "Xk29dQz81mNbaZ"
LONG = VALUE * 3


@pytest.mark.parametrize(
    ("value", "masked"),
    [
        ({"Name": "DB_PASSWORD", "Value": VALUE}, {"Name": "DB_PASSWORD", "Value": REDACTED}),
        ({"key": "API_TOKEN", "val": VALUE}, {"key": "API_TOKEN", "val": REDACTED}),
        ({"field": "X-Api-Key", "content": VALUE}, {"field": "X-Api-Key", "content": REDACTED}),
        ({"Username": "ci", "pw": "hunter2"}, {"Username": "ci", "pw": REDACTED}),
        ([["DB_PASSWORD", VALUE]], [["DB_PASSWORD", REDACTED]]),
        ([["X-Api-Key", LONG]], [["X-Api-Key", REDACTED]]),
        (["Authorization", f"Bearer {LONG}"], ["Authorization", f"Bearer {REDACTED}"]),
        (["Authorization: Bearer", LONG], ["Authorization: Bearer", REDACTED]),
        (["then", "password:", VALUE], ["then", "password:", REDACTED]),
        (["mysql", "--password", VALUE], ["mysql", "--password", REDACTED]),
        (["mysql", "-uroot", f"-p{VALUE}", "a"], ["mysql", "-uroot", f"-p{REDACTED}", "a"]),
        (["curl", "-u", f"ci:{VALUE}", "x"], ["curl", "-u", f"ci:{REDACTED}", "x"]),
        (["docker", "login", "-p", VALUE], ["docker", "login", "-p", REDACTED]),
    ],
)
def test_what_stands_beside_tells(value: Any, masked: Any) -> None:
    assert mask_value(value).value == masked
    assert mask_value({"context": [value]}).value == {"context": [masked]}
    assert mask_value(masked).value == masked


@pytest.mark.parametrize(
    "value",
    [
        ["password", "email"],
        ["Password", "Username", "Email"],
        ["token", "oauth2"],
        ["password", "must be 8 characters"],
        ["password:", "Login incorrect"],
        ["key", "value10000"],
        ["--verbose", "--token-file", "/etc/token"],
        ["- item one", "- item two"],
        ["a", 5, None, "-b", {"c": []}],
        {"name": "DB_HOST", "value": "db.example.com", "user": "ci", "pass": 3},
        {"name": "secret", "data": {"a": "b1"}},
    ],
)
def test_and_lists_of_words_stay(value: Any) -> None:
    assert mask_value(value).value == value


@pytest.mark.parametrize("shape", ["pairs", "list", "names", "long"])
def test_a_flood_of_texts_is_read_in_parts(shape: str) -> None:
    values = [f"{VALUE}{number}" for number in range(4_000)]
    made: dict[str, Any] = {
        "pairs": [["DB_PASSWORD", value] for value in values],
        "list": [f"password={value} ok" for value in values],
        "names": [{"name": "API_TOKEN", "value": value} for value in values],
        "long": [" ".join(f"token={value}" for value in values[:1000]), "password=" + values[0]],
    }
    masked = mask_value({"log": made[shape], "after": "kept"})
    assert VALUE not in str(masked.value)
    assert masked.value["after"] == "kept"
    assert len(masked.value["log"]) == len(made[shape])


def test_a_flood_of_texts_costs_no_more_than_a_few_floods() -> None:
    """Each was read alone once: 16,000 texts took six seconds, and less than one now."""
    flood = [["password", f"v{number}" * 3] for number in range(8_000)]
    before = time.process_time()
    mask_value(flood)
    assert time.process_time() - before < 4
