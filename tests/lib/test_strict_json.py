"""The JSON door: what two parsers could read differently is refused."""

import contextlib
import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stuckbot.lib.strict_json import BadJSON, dumps, loads, text_faults

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    # Half of a pair cannot be written as UTF-8, so it is tried apart.
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner)
    ),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"", "valid JSON"),
        (b"{", "valid JSON"),
        (b"{'a': 1}", "valid JSON"),
        (b'{"a": 1} x', "line 1, column 10"),
        (b'{"a": 1,}', "valid JSON"),
        (b'"a\nb"', "valid JSON"),
        (b"01", "valid JSON"),
        (b"\xa0 1", "UTF-8"),
        (b'"\xff"', "UTF-8"),
        (b'"\xed\xa0\x80"', "UTF-8"),
        (b"\xef\xbb\xbf{}", "byte order mark"),
        ("{}".encode("utf-16"), "UTF-8"),
        (b'{"a": NaN}', "NaN"),
        (b"[-Infinity]", "-Infinity"),
        (b"[1e999]", "too large"),
        (b"[-1e999]", "too large"),
        (b'{"a": 1, "a": 2}', '"a" is there more than once'),
        (b'{"a": 1, "\\u0061": 2}', '"a" is there more than once'),
        (b'[{"b": {"a": 1, "c": 3, "a": 1}}]', '"a" is there more than once'),
        (b"9" * 4301, "4,300 digits"),
        (b"-" + b"9" * 4301, "4,300 digits"),
    ],
)
def test_it_refuses(raw: bytes, says: str) -> None:
    with pytest.raises(BadJSON) as caught:
        loads(raw)
    assert says in caught.value.message
    assert (caught.value.status, caught.value.code) == (400, "invalid_json")


def test_it_takes_depth_64_and_not_65() -> None:
    assert loads(b"[" * 64 + b"]" * 64)
    assert loads(b'{"a":' * 64 + b"1" + b"}" * 64)
    for raw in (b"[" * 65 + b"]" * 65, b'{"a":' * 65 + b"1" + b"}" * 65, b"[" * 100_000):
        with pytest.raises(BadJSON, match="64 levels"):
            loads(raw)


def test_it_counts_no_bracket_inside_a_string() -> None:
    value = {"a": "[" * 200, 'q"[': '\\"[{' * 80, "wide": [[] for _ in range(200)]}
    assert loads(dumps(value)) == value
    with pytest.raises(BadJSON, match="64 levels"):
        loads(json.dumps(["\\", '"'] * 40).encode()[:-1] + b"," + b"[" * 65)


def test_it_takes_numbers_to_the_limit() -> None:
    assert loads(b"9" * 4300) == int("9" * 4300)
    assert loads(b"[1e308, 1e-999, -0.5]") == [1e308, 0.0, -0.5]


@given(JSON)
def test_it_gives_back_what_was_written(value: Any) -> None:
    assert loads(dumps(value)) == value


@given(st.binary(max_size=60))
def test_it_raises_nothing_but_bad_json(raw: bytes) -> None:
    with contextlib.suppress(BadJSON):
        loads(raw)


def test_it_is_linear_in_quotes_and_brackets() -> None:
    hostile = [b'"' + b'\\"' * 100_000, b'"' * 200_001, b"[]" * 100_000 + b"\\" * 9]
    started = time.thread_time()
    for raw in hostile:
        with pytest.raises(BadJSON):
            loads(b"[" * 65 + raw if raw[:1] == b"[" else raw + b"[" * 65)
    assert time.thread_time() - started < 2


def test_it_writes_compact_utf8() -> None:
    assert dumps({"é": [1, None, "日"]}) == '{"é":[1,null,"日"]}'.encode()
    with pytest.raises(ValueError, match="JSON compliant"):
        dumps(float("nan"))
    with pytest.raises(ValueError, match="surrogates"):
        dumps("\ud800")


def test_it_names_each_text_that_cannot_be_stored() -> None:
    package = loads(
        rb'{"stuck_reason": "a\u0000b", "list": ["ok", "\ud800"], "deep": {"k\udc00": 1},'
        rb' "pair": "\ud83e\uddf1", "word": "\u05e9\u05dc"}'
    )
    assert dict(text_faults(package, "package")) == {
        "package.stuck_reason": "Remove the NUL character from package.stuck_reason.",
        "package.list[1]": "Remove the unpaired surrogate from package.list[1].",
        "package.deep.k?": "Remove the unpaired surrogate from the name of the field package.deep.k?.",
    }
    assert text_faults("\x00") == [("", "Remove the NUL character from the text.")]
    assert text_faults(package["word"]) == []


def test_it_walks_any_depth() -> None:
    deep: Any = "\x00"
    for _ in range(5_000):
        deep = [deep]
    assert len(text_faults(deep)) == 1
