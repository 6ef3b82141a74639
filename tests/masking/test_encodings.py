"""Other ways in which the same text is written."""

import base64
import html
import json
from collections.abc import Callable
from urllib.parse import quote_plus

import pytest

from stuckbot.lib.masking import REDACTED, mask_text

TOKEN = "ghp" + "_" + "aB3dE5gH7jK9mN2pQ4rS6tU8vW1xY0zCbD4f"
VALUE = "Xk29dQz81mNbaZ"


def numbered(text: str) -> str:
    return "".join(f"&#{ord(char)};" for char in text)


def numbered_in_hexadecimal(text: str) -> str:
    return "".join(f"&#x{ord(char):X};" for char in text)


def braced(text: str) -> str:
    return "".join(f"\\u{{{ord(char):x}}}" for char in text)


def as_hexadecimal(text: str) -> str:
    return text.encode().hex()


def as_utf16(text: str) -> str:
    return base64.b64encode(text.encode("utf-16-le")).decode()


def twice(text: str) -> str:
    return base64.b64encode(base64.b64encode(text.encode())).decode()


WAYS = [
    html.escape,
    numbered,
    numbered_in_hexadecimal,
    braced,
    quote_plus,
    as_hexadecimal,
    as_utf16,
    twice,
]


@pytest.mark.parametrize("write", WAYS)
@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"the token {TOKEN} was refused", TOKEN),
        (f"run: --password {VALUE} now", VALUE),
        (json.dumps({"user": "ci", "password": VALUE}), VALUE),
        (f"dial postgres://app:{VALUE}@db:5432/app", VALUE),
    ],
)
def test_it_reads_them_all(write: Callable[[str], str], text: str, secret: str) -> None:
    masked = mask_text(f"before {write(text)} after").text
    assert REDACTED in masked
    assert write(secret) not in masked
    assert masked.startswith("before ")
    assert masked.endswith(" after")
    assert mask_text(masked).text == masked


@pytest.mark.parametrize("write", WAYS)
def test_it_leaves_what_holds_no_secret(write: Callable[[str], str]) -> None:
    text = f"before {write('the quick brown fox & friends <jumped> over 5 lazy dogs')} after"
    assert mask_text(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "CREATE USER app IDENTIFIED BY '{}';",
        "sqlplus scott/{}@db",
        "net use x /p:{}",
        "db.internal:5432:app:app:{}",
        "postgres:\\/\\/app:{}@db\\/app",
    ],
)
def test_it_looks_at_texts_with_no_telling_word(text: str) -> None:
    value = "t1ger$-9"
    assert mask_text(text.format(value)).text == text.format(REDACTED)


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("char", "nrt")
def test_a_line_break_that_is_written_out_is_no_part_of_a_token(depth: int, char: str) -> None:
    public = "pk" + "_live_" + "zgUFdcTjTNF1LJypiAxVqy6M"
    token = "acme" + "_" + "zgUFdcTjTNF1LJypiAxVqy6MzgUF4c"
    line = {"n": "\n", "r": "\r", "t": "\t"}[char]
    text: object = f"one{line}{public}{line}{token}{line}two"
    masked: object = f"one{line}{public}{line}{REDACTED}{line}two"
    for _ in range(depth):
        text, masked = json.dumps({"a": text}), json.dumps({"a": masked})
    assert mask_text(str(text)).text == masked
