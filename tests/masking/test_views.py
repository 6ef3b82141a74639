"""Other readings of a text: what it says in each, and which of its bytes a byte there stands for."""

import base64
from itertools import accumulate, combinations

import pytest

from stuckbot.lib.masking.spans import Span
from stuckbot.lib.masking.views import (
    Decoded,
    Inner,
    Plain,
    Reading,
    joined_view,
    readings_of,
    squeezed,
)

#: What a text says, with what stands there for each byte of that.
READINGS: list[tuple[str, dict[str, str]]] = [
    ("a%41%42b%43", {"aABbC": "a|%41|%42|b|%43"}),
    ("a%0Ab%0Dc%09d%7e", {"a\nb\rc\td~": "a|%0A|b|%0D|c|%09|d|%7e"}),
    ("%e9%0a", {"%e9\n": "%|e|9|%0a"}),
    ("a%3Db+c", {"a=b+c": "a|%3D|b|+|c", "a=b c": "a|%3D|b|+|c"}),
    ("a++b%3D", {"a++b=": "a|+|+|b|%3D", "a  b=": "a|+|+|b|%3D"}),
    ("a+b", {}),
    ("%zz", {}),
    ("plain", {}),
    ("\\u0041\\u0042b", {"ABb": "\\u0041|\\u0042|b"}),
    ("x\\x41\\x42y", {"xABy": "x|\\x41|\\x42|y"}),
    ("\\u{41}z", {"Az": "\\u{41}|z"}),
    ("&quot;a&#65;&#x42;&amp;b", {'"aAB&b': "&quot;|a|&#65;|&#x42;|&amp;|b"}),
    ('a\\nb\\"c\\\\d\\/e\\t\\r', {'a\nb"c\\d/e\t\r': 'a|\\n|b|\\"|c|\\\\|d|\\/|e|\\t|\\r'}),
    # Encoded once more.
    ("%2541", {"%41": "%25|4|1", "A": "%2541"}),
    ("%255Cn", {"%5Cn": "%25|5|C|n", "\\n": "%255C|n"}),
    ("&amp;quot;", {"&quot;": "&amp;|q|u|o|t|;", '"': "&amp;quot;"}),
    ("%25%32%35%34%31", {"%2541": "%25|%32|%35|%34|%31", "%41": "%25%32%35|%34|%31"}),
    ("\\\\u0041", {"\\A": "\\|\\u0041", "\\u0041": "\\\\|u|0|0|4|1", "A": "\\\\u0041"}),
]


@pytest.mark.parametrize(("text", "said"), READINGS)
def test_it_reads_each_way_of_writing(text: str, said: dict[str, str]) -> None:
    readings = [one for one in readings_of(text.encode()) if one.text]
    assert [one.text.decode() for one in readings] == list(said)
    for reading, pieces in zip(readings, said.values(), strict=True):
        _stands_for(reading, pieces.split("|"))


def _stands_for(reading: Reading, pieces: list[str]) -> None:
    """Each stretch of the reading for the pieces of the text that it is read from."""
    places = [0, *accumulate(map(len, pieces))]
    for start, end in combinations(range(len(places)), 2):
        behind = reading.back(Span(start, end, "kind", "name"))
        assert behind == Span(places[start], places[end], "kind", "name")


def test_a_text_as_it_is_stands_for_itself() -> None:
    assert Plain(b"abc").text == b"abc"
    assert Plain(b"abc").back(Span(1, 2, "kind")) == Span(1, 2, "kind")


@pytest.mark.parametrize(
    ("text", "joined", "breaks"),
    [
        ("ab\ncd", "abcd", 1),
        ("ab\r\n  cd\nef", "abcdef", 2),
        ("ab\\\ncd", "abcd", 1),
        ("ab \ncd", "ab \ncd", 0),
        ("\nab", "\nab", 0),
        ("ab\n\ncd", "ab\n\ncd", 0),
    ],
)
def test_halves_of_words_are_joined(text: str, joined: str, breaks: int) -> None:
    view = joined_view(text.encode())
    assert view.text.decode() == joined
    assert view.runs_inside(Span(0, len(joined), "kind")) == breaks
    assert view.back(Span(0, len(joined), "kind")) == Span(0, len(text), "kind")


def test_a_break_is_counted_where_it_parts_a_stretch() -> None:
    view = joined_view(b"ab\ncd\nef")
    parted = {(1, 2): 0, (1, 3): 1, (2, 4): 0, (0, 2): 0, (1, 5): 2, (3, 5): 1}
    assert {(start, end): view.runs_inside(Span(start, end, "")) for start, end in parted} == parted
    behind = {(1, 2): (1, 2), (1, 3): (1, 4), (2, 4): (3, 5), (3, 5): (4, 7), (5, 6): (7, 8)}
    assert {one: view.back(Span(*one, ""))[:2] for one in behind} == behind


def test_white_space_is_squeezed_out() -> None:
    assert squeezed(b"aX b\tc\r\nd\\e") == b"aXbcde"


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


TOKEN = encoded("the token abc")
OTHER = encoded("another text")
LONG = encoded("x" * 57)
DIGITS = b"the token abc".hex()

#: What its runs of base64 and of hexadecimal digits say, each with the run.
DECODED: list[tuple[str, list[tuple[str, str]]]] = [
    (TOKEN, [("the token abc", TOKEN)]),
    (f"x {TOKEN} y", [("the token abc", TOKEN)]),
    (TOKEN[:15], []),
    (f"é {TOKEN}. {OTHER} {LONG}!", [("the token abc", TOKEN), ("another text", OTHER), ("x" * 57, LONG)]),
    (f"{LONG}\n{TOKEN}", [("x" * 57 + "the token abc", f"{LONG}\n{TOKEN}")]),
    (f"{LONG}\\n{TOKEN}", [("x" * 57 + "the token abc", f"{LONG}\\n{TOKEN}")]),
    (f"{LONG}\\\\r\\\\n  {TOKEN}", [("x" * 57 + "the token abc", f"{LONG}\\\\r\\\\n  {TOKEN}")]),
    (DIGITS, [("the token abc", DIGITS)]),
    (f"{DIGITS.upper()} is", [("the token abc", DIGITS.upper())]),
    (DIGITS[:22], []),
    (base64.b64encode("the token".encode("utf-16-le")).decode(),
     [("the token", base64.b64encode("the token".encode("utf-16-le")).decode())]),
    (base64.urlsafe_b64encode(b"??>>??>>~~~ and").decode(), [("??>>??>>~~~ and", "Pz8-Pj8_Pj5-fn4gYW5k")]),
    ("cz1fd2cxbihxfjky A", []),
    ("abcdefghijklmnopqrstuvwx", []),
    (encoded("tab\tline\nand\r~"), [("tab\tline\nand\r~", encoded("tab\tline\nand\r~"))]),
    (base64.b64encode(b"\0\1\2\3\4\5\6abcdefg\7").decode(), []),
    (base64.b64encode(b"\0\1\2\3\4\5\6abcdefgh\7").decode(),
     [("abcdefgh", base64.b64encode(b"\0\1\2\3\4\5\6abcdefgh\7").decode())]),
    (f"ab{TOKEN}", []),
    (f"a/{TOKEN}", [("the token abc", f"a/{TOKEN}")]),
    (f"ab/{TOKEN}", [("the token abc", f"ab/{TOKEN}")]),
    (f"abc/{TOKEN}", [("?the token abc", f"abc/{TOKEN}")]),
    (f"abcd/{TOKEN}", [("the token abc", f"abcd/{TOKEN}")]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), DECODED)
def test_it_reads_what_runs_of_base64_say(text: str, said: list[tuple[str, str]]) -> None:
    raw = text.encode()
    decoded = Decoded(raw)
    found = []
    for piece in decoded.text.split(b"\0"):
        start = decoded.text.index(piece)
        behind = [decoded.back(Span(start + at, start + at + 1, "")) for at in range(len(piece))]
        found += [(piece.decode(), raw[one.start : one.end].decode()) for one in {*behind}]
    assert found == said


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ([], b"the token abc\0another text"),
        ([(2, 22)], b"another text"),
        ([(2, 21)], b"the token abc\0another text"),
        ([(3, 22)], b"the token abc\0another text"),
        ([(0, 40)], b"another text"),
        ([(23, 50), (0, 9), (5, 22)], b""),
    ],
)
def test_runs_that_are_known_are_not_read(known: list[tuple[int, int]], said: bytes) -> None:
    text = f"x {TOKEN} y {OTHER}".encode()
    assert Decoded(text, [Span(*one, "kind") for one in known]).text == said


def test_what_base64_says_is_read_too() -> None:
    run = encoded("password%3Dhunter2 it is")
    decoded = Decoded(f"see {run} there".encode())
    (inner,) = [Inner(decoded, one) for one in readings_of(decoded.text, 1) if one.text]
    assert inner.text == b"password=hunter2 it is"
    assert inner.back(Span(9, 16, "kind", bare=True)) == Span(4, 4 + len(run), "kind")
