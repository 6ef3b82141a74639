"""All rules on all readings of a text, and what was found, wherever it stands again."""

import base64
import re
from itertools import islice, product

import pytest

from stuckbot.lib.masking.engine import find
from stuckbot.lib.masking.repeats import FEW
from stuckbot.lib.masking.spans import Span
from tests.masking.rules import plain

VALUE = "Xk29dQz81mNbaZ"
TOKEN = "ghp_aB3dE5fG7hI9jK1mN2pQ4rS6tU8vW0xY1zA3"
START, REST = TOKEN[:20], TOKEN[20:]


def percent(text: str) -> str:
    return "".join(f"%{ord(char):02x}" for char in text)


def base64_of(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def marked_in(text: str, known: list[Span]) -> str:
    raw = text.encode()
    for span in reversed(find(raw, known)):
        found = raw[span.start : span.end]
        raw = b"".join((raw[: span.start], "‹".encode(), found, "›".encode(), raw[span.end :]))
    return raw.decode()


#: What goes is marked: ‹so›.
MARKED = [
    "nothing at all here",
    # What is found once goes in every reading, if it has twelve characters and is no words.
    f"password=‹{VALUE}› then ‹{VALUE}› and ‹{base64_of(f'x {VALUE} y')}›",
    f"{percent('password=')}‹{percent(VALUE)}› then ‹{VALUE}›",
    f"‹{base64_of(f'password={VALUE} is it')}› then ‹{VALUE}›",
    f"‹{base64_of(f'password%3D{VALUE} is it')}› then ‹{VALUE}›",
    f"password=‹{VALUE}› [REDACTED]‹{VALUE}›",
    "password=‹hunter2hunt2› then ‹hunter2hunt2›",
    "password=‹hunter2hunt› then hunter2hunt",
    "password=‹correct-horse-battery› then correct-horse-battery",
    # Base64 under a telling name is the secret itself, and not read.
    f"token=‹{base64_of(f'password={VALUE}')}› {VALUE}",
    # One line break may go through a token, no more.
    f"a ‹{START}\n{REST}› b\n‹{TOKEN}›\n‹{TOKEN[:9]}\n{TOKEN[9:]}›",
    f"%41 ‹{START}%0A{REST}› b",
    f"a {TOKEN[:10]}\n{TOKEN[10:20]}\n{REST} b",
]


@pytest.mark.parametrize("marked", MARKED)
def test_what_is_marked_is_found_and_nothing_else(marked: str) -> None:
    assert marked_in(plain(marked), []) == marked


@pytest.mark.parametrize("marked", [f"x ‹{VALUE}› y", f"x ‹{VALUE}› y ‹{VALUE}› and ‹{VALUE}›"])
def test_what_the_caller_knows_of_is_found_again(marked: str) -> None:
    known = Span(2, 2 + len(VALUE), "named_secret", "pw", bare=True)
    assert marked_in(plain(marked), [known]) == marked
    first, *others = find(plain(marked).encode(), [known])
    assert first._replace(bare=True) == known
    assert {one[2:] for one in others} <= {("named_secret", "pw", False)}


def test_a_number_found_again_in_a_text_is_no_number_there() -> None:
    text = b'{"password": 123456789012, "log": "see 123456789012"}'
    named = ("named_secret", "password")
    assert find(text) == [Span(13, 25, *named, bare=True), Span(39, 51, *named)]


@pytest.mark.parametrize(("count", "again"), [(FEW - 1, True), (FEW, False)])
def test_many_tokens_are_not_looked_for_again(count: int, again: bool) -> None:
    """Beside the one password; where they stand alone, they are found in any case."""
    ends = map("".join, product("ABCDEFGHIJKLMNOP", repeat=2))
    tokens = [f"AKIAQ3EGRXZ5WKT2VY{end}" for end in islice(ends, count)]
    text = " ".join([*tokens, f"password={VALUE}", f"x{tokens[0]}", f"x{VALUE}"]) + " " * 20_000
    left = marked_in(text, [])
    assert (f"x‹{tokens[0]}›" in left) is again
    assert f"x‹{VALUE}›" in left
    assert len(re.findall("‹", left)) == count + 2 + again
