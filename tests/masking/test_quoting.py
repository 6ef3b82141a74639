"""Where a value ends: bare, in quotes at any depth of escaping, a number, in an object or list."""

import pytest

from stuckbot.lib.masking import mask_text
from stuckbot.lib.masking.quoting import Value, texts_inside, to_its_end, value_at

LONGEST = 65_536


def held(text: bytes, **how: bool) -> bytes | None:
    value = value_at(text, 1, **how)
    return None if value is None else text[value.start : value.end]


@pytest.mark.parametrize(
    "quote", [b'"', b"'", b"`", b'\\"', b"\\\\\\'", b'"""', b"'''", b'b"', b"Rb'"]
)
def test_it_reads_what_quotes_hold(quote: bytes) -> None:
    closing = quote.lstrip(b"bR")
    for inside in (b"hunter2", b"", b"two words", b"a, b: {c}", b"\xc3\xa9"):
        text = b"=" + quote + inside + closing + b" after " + closing
        value = value_at(text, 1)
        assert value == Value(1 + len(quote), 1 + len(quote) + len(inside))
        assert value.quoted
        assert not value.number


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        (rb'="a\"b"c', rb"a\"b"),
        (rb'="a\\"c', rb"a\\"),
        (rb'="a\\\"b"', rb"a\\\"b"),
        (rb"=`a\`b`c", rb"a\`b"),
        (rb"=\"a\\\"b\"c", rb"a\\\"b"),
        (rb"=\"a\\\\\"c", rb"a\\\\"),
        (rb"=\\\"a\\\\\\\"b\\\"c", rb"a\\\\\\\"b"),
        (b'="never closed, to the end\nof the line"', b"never closed, to the end"),
        (b'="never closed\0x"', b"never closed"),
        (b'="never closed', b"never closed"),
        (rb'=\"never closed" x', b"never closed"),
        (b'=" and then\n"', b""),
        (b"='d say nothing, nor\n'", b"d"),
        (b"='\n'", b""),
        (b"='''never\nclosed", b"never"),
        (b'="""a\nb"""c', b"a\nb"),
        (b'="""a"b"""c', b'a"b'),
        (b'=""', b""),
    ],
)
def test_it_ends_where_the_quotes_close(text: bytes, inside: bytes) -> None:
    assert held(text) == inside


@pytest.mark.parametrize("stop", [bytes([one]) for one in b" \t\r\n\"'`,;<>|(){}[]\\\0"])
def test_a_bare_value_ends_at_what_separates(stop: bytes) -> None:
    assert held(b"=hunter2" + stop + b"x") == b"hunter2"
    assert value_at(b"=hunter2" + stop, 1) == Value(1, 8, quoted=False)


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        (b"=a&b", b"a&b"),
        (b"=a&b=c", b"a"),
        (b"=a&&b", b"a&&b"),
        (b"=a&b&c.d[e]=f", b"a&b"),
        (b"=bare", b"bare"),
        (b"=uri", b"uri"),
        (b"= a", None),
        (b"=,a", None),
        (b"=", None),
        (b"=\\n", None),
    ],
)
def test_a_bare_value_may_hold_an_ampersand(text: bytes, inside: bytes | None) -> None:
    assert held(text) == inside


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (b"=12,", b"12"), (b"=-1.5e+3}", b"-1.5e+3"), (b"=7 ]", b"7"), (b"=7\n", b"7"),
        (b"=7", b"7"), (b"=7 \\}", b"7"), (b"=1E9 ", b"1E9"), (b"=7 \n x", b"7"),
    ],
)  # fmt: skip
def test_it_reads_numbers_where_it_is_asked_to(text: bytes, number: bytes) -> None:
    value = value_at(text, 1, numbers=True)
    assert value == Value(1, 1 + len(number), quoted=False, number=True)
    assert value_at(text, 1) == Value(1, 1 + len(number), quoted=False)


@pytest.mark.parametrize("text", [b"=12ab,", b"=12 ab", b"=x12", b'="12"'])
def test_what_is_no_number_is_read_as_it_stands(text: bytes) -> None:
    value = value_at(text, 1, numbers=True)
    assert value is not None
    assert not value.number


def test_a_long_bare_value_is_read_whole_where_it_matters() -> None:
    text = b"=" + b"a" * 100_000
    assert value_at(text, 1) == Value(1, 1 + LONGEST, quoted=False)
    judged = value_at(text, 1, whole=False)
    assert judged == Value(1, 301, quoted=False)
    assert to_its_end(text, judged) == Value(1, 1 + LONGEST, quoted=False)
    assert value_at(b"=" + b"a" * 300, 1) == Value(1, 301, quoted=False)
    assert value_at(b"=" + b"a" * 299, 1) == Value(1, 300, quoted=False)


def test_a_quoted_value_stays_as_it_is() -> None:
    quoted = Value(1, 3)
    assert to_its_end(b'"aabbbb', quoted) is quoted


@pytest.mark.parametrize("quote", [b'"', b'"""'])
def test_quotes_close_within_reason(quote: bytes) -> None:
    near = b"=" + quote + b"a" * (LONGEST - 3) + quote
    far = b"=" + quote + b"a" * (LONGEST + 1) + quote
    start = 1 + len(quote)
    assert value_at(near, 1) == Value(start, len(near) - len(quote))
    value = value_at(far, 1)
    assert value is not None
    assert value.end == start + LONGEST


def inside(text: bytes, depth: int = 0) -> tuple[list[bytes], bytes]:
    values, end = texts_inside(text, 0, depth)
    assert {(value.quoted, value.number) for value in values} <= {(True, False), (False, True)}
    return [text[value.start : value.end] for value in values], text[end:]


@pytest.mark.parametrize(
    ("text", "texts", "rest"),
    [
        (
            b'{"a": "b", "c": ["d", 1, {"e": -2.5}], "f": true} x',
            [b"b", b"d", b"1", b"-2.5"],
            b" x",
        ),
        (b'["a", "b"], "c"', [b"a", b"b"], b', "c"'),
        (b'["a]", "{b"] x', [b"a]", b"{b"], b" x"),
        (b'["a 1 b"] x', [b"a 1 b"], b" x"),
        (b'["a\\"b"] x', [b'a\\"b'], b" x"),
        (b'{"a" : "b"} x', [b"b"], b" x"),
        (b'[[["a"]], "b"] x', [b"a", b"b"], b" x"),
        (b'["a", "b', [b"a"], b"b"),
        (b'["a"\0, "b"]', [b"a"], b', "b"]'),
        (b'["a\0", "b"]', [], b'", "b"]'),
        (b"[]x", [], b"x"),
        (b"{}x", [], b"x"),
        (b"[", [], b""),
        (b"[ab", [], b"ab"),
    ],
)
def test_it_reads_the_texts_inside_an_object(text: bytes, texts: list[bytes], rest: bytes) -> None:
    found, left = inside(text)
    assert found == texts
    assert left == rest


@pytest.mark.parametrize("depth", [1, 3])
def test_it_reads_them_behind_backslashes(depth: int) -> None:
    quote = b"\\" * depth + b'"'
    deeper = b"\\" * (2 * depth + 1) + b'"'
    text = b'{%sa%s: %sb%sx%s, "c": 5} y' % (quote, quote, quote, deeper, quote)
    assert inside(text, depth)[0][0] == b"b" + deeper + b"x"


def test_it_reads_no_further_than_anything_reasonable() -> None:
    text = b'["' + b"a" * LONGEST + b'", "b"]'
    assert texts_inside(text, 0, 0)[0] == []


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        # Base64 ends in an equals sign, and so does the type of what is declared.
        ('"DB_PASSWORD: MjJVQlljSVMhd1N0OF81TQ4="}', '"DB_PASSWORD: [REDACTED]"}'),
        ('password: str="hunter22"', 'password: str="[REDACTED]"'),
        ('token: &\'static str = "q7r8s9t0"', 'token: &\'static str = "[REDACTED]"'),
    ],
)
def test_a_type_stands_before_what_is_declared_with_it(text: str, masked: str) -> None:
    assert mask_text(text).text == masked


def test_what_does_not_open_ends_where_it_begins() -> None:
    assert texts_inside(b"= x", 2, 0) == ([], 2)
