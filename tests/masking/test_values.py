"""JSON values, JSON inside texts, other ways of writing, and what is found once and stands again."""

import base64
import json
import random
from typing import Any
from urllib.parse import quote

import pytest

from stuckbot.lib.masking import REDACTED, looks_secret, mask_text, mask_value
from tests.masking.corpus.making import fill

VALUE = fill(random.Random(5), "⟨b62:32⟩")
TOKEN = fill(random.Random(6), "ghp_⟨b62:36⟩")


@pytest.mark.parametrize(
    ("value", "masked", "places"),
    [
        ({"password": VALUE}, {"password": REDACTED}, ["w.password"]),
        ({"a": {"apiKey": VALUE}}, {"a": {"apiKey": REDACTED}}, ["w.a.apiKey"]),
        ({"token": [VALUE, "no"]}, None, ["w.token[0]"]),
        ({"password": {"old": VALUE}}, {"password": {"old": REDACTED}}, ["w.password.old"]),
        ({"password": 123456}, {"password": REDACTED}, ["w.password"]),
        ({"password": True, "token": None}, {"password": True, "token": None}, []),
        ({"max_tokens": 4096, "n": 1.5}, {"max_tokens": 4096, "n": 1.5}, []),
        ({"name": "DB_PASSWORD", "value": VALUE}, {"name": "DB_PASSWORD", "value": REDACTED}, ["w.value"]),
        ({"key": "API_TOKEN", "value": VALUE}, {"key": "API_TOKEN", "value": REDACTED}, ["w.value"]),
        ({"name": "DB_HOST", "value": "db.example.com"}, {"name": "DB_HOST", "value": "db.example.com"}, []),
        ({"password": {"type": "string", "minLength": 8}}, {"password": {"type": "string", "minLength": 8}}, []),
        ({"password": {"$ref": "#/p"}}, {"password": {"$ref": "#/p"}}, []),
        ([f"see {TOKEN}"], [f"see {REDACTED}"], ["w[0]"]),
        ({TOKEN: 1}, {REDACTED: 1}, ["w"]),
        (TOKEN, REDACTED, ["w"]),
        ("plain", "plain", []),
        ({}, {}, []),
        ([1, None, True, "x", {"a": []}], [1, None, True, "x", {"a": []}], []),
        ({"password": VALUE, "log": [f"tried {VALUE} twice"]}, {"password": REDACTED, "log": [f"tried {REDACTED} twice"]}, ["w.password", "w.log[0]"]),
        ({"log": [f"tried {VALUE}", f"password={VALUE}"]}, {"log": [f"tried {REDACTED}", f"password={REDACTED}"]}, ["w.log[0]", "w.log[1]"]),
    ],
)  # fmt: skip
def test_it_masks_json_values(value: Any, masked: Any, places: list[str]) -> None:
    before = json.dumps(value)
    found = mask_value(value, "w")
    if masked is not None:
        assert found.value == masked
    assert VALUE not in json.dumps(found.value)
    assert [each.where for each in found.findings if each.where in places] == places
    assert bool(found.findings) is bool(places)
    assert json.dumps(value) == before
    assert mask_value(found.value, "w").value == found.value


def test_names_that_become_the_same_stay_apart() -> None:
    other = fill(random.Random(8), "ghp_⟨b62:36⟩")
    found = mask_value({TOKEN: 1, other: 2})
    assert sorted(found.value.values()) == [1, 2]
    assert all(name.startswith(REDACTED) for name in found.value)


def test_it_masks_what_goes_over_the_lines_of_a_list() -> None:
    lines = ["-----BEGIN PRIVATE KEY-----", *[fill(random.Random(n), "⟨b64:64⟩") for n in range(4)], "-----END PRIVATE KEY-----", "done"]  # fmt: skip
    found = mask_value({"log": lines})
    assert len(found.value["log"]) == len(lines)
    assert found.value["log"][-1] == "done"
    assert not any(line in found.value["log"] for line in lines[1:5])


@pytest.mark.parametrize("depth", [0, 1, 2])
@pytest.mark.parametrize("name", ["password", "api_key", "client_secret"])
def test_it_masks_json_inside_texts_and_leaves_it_json(name: str, depth: int) -> None:
    value: Any = {"a": [1, {"b": "x"}], name: VALUE, "z": {"deep": [True, None]}}
    text = json.dumps(value)
    for _ in range(depth):
        text = json.dumps({"body": text})
    read: Any = json.loads(mask_text(text).text)
    for _ in range(depth):
        read = json.loads(read["body"])
    assert read == {**value, name: REDACTED}


@pytest.mark.parametrize(
    "held", [[VALUE], {"a": VALUE}, [{"a": [VALUE]}], 12345678, {"a": 12345678, "b": [VALUE]}]
)
def test_it_masks_all_that_stands_under_a_telling_name(held: Any) -> None:
    text = json.dumps({"secrets": 1, "password": held, "after": "kept"})
    masked = mask_text(text).text
    assert VALUE not in masked
    assert "12345678" not in masked
    assert json.loads(masked)["after"] == "kept"


def unicode_escaped(text: str) -> str:
    return "".join(f"\\u{ord(char):04x}" for char in text)


def hex_escaped(text: str) -> str:
    return "".join(f"\\x{ord(char):02x}" for char in text)


def percent_encoded(text: str) -> str:
    return "".join(f"%{ord(char):02X}" for char in text)


@pytest.mark.parametrize("write", [unicode_escaped, hex_escaped, percent_encoded, quote])
@pytest.mark.parametrize("text", [f"password={VALUE}", TOKEN, f"https://ci:{VALUE}@h.example.com/"])
def test_it_reads_what_is_written_in_escapes(write: Any, text: str) -> None:
    masked = mask_text(f"before {write(text)} after").text
    assert write(VALUE) not in masked
    assert write(TOKEN) not in masked
    assert REDACTED in masked
    assert masked.startswith("before ")
    assert masked.endswith(" after")


@pytest.mark.parametrize("text", [f"password={VALUE}", TOKEN, f'{{"client_secret": "{VALUE}"}}'])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_it_reads_base64_once(text: str, encode: Any) -> None:
    run = encode(text.encode()).decode()
    masked = mask_text(f"before {run} after").text
    assert masked == f"before {REDACTED} after"


def test_it_leaves_base64_of_what_is_no_secret() -> None:
    run = base64.b64encode(b"the quick brown fox jumps over the lazy dog, twice").decode()
    assert mask_text(f"before {run} after").text == f"before {run} after"


@pytest.mark.parametrize("count", [1, 3, 60])
def test_what_was_found_is_masked_wherever_it_stands(count: int) -> None:
    rng = random.Random(9)
    values = [fill(rng, "⟨b62:24⟩") for _ in range(count)]
    text = "\n".join(f"password={value}" for value in values)
    text += "\n" + "\n".join(f"then <{value}> and {quote(value + '/')}" for value in values)
    masked = mask_text(text).text
    assert not any(value in masked for value in values)
    assert masked.count("\n") == text.count("\n")


@pytest.mark.parametrize("word", [TOKEN, f"password={VALUE}", "AKIA" + "Q3EGRXZ5WKT2VYLM"])
def test_it_knows_words_that_look_secret(word: str) -> None:
    assert looks_secret(word)


@pytest.mark.parametrize(
    "word", ["ci", "node", "team:a/b.c_1", "docker", "b1", "auth", "password-reset"]
)
def test_it_knows_words_that_do_not(word: str) -> None:
    assert not looks_secret(word)
