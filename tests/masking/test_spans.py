"""Spans, and what is written in their place."""

import pytest

from stuckbot.lib.masking.meter import Flood, Meter
from stuckbot.lib.masking.pem import private_keys
from stuckbot.lib.masking.repeats import again
from stuckbot.lib.masking.spans import Span, merged, settled
from stuckbot.lib.masking.tokens import pattern
from stuckbot.lib.masking.writing import finding, findings, masked, preview, whole


def span(start: int, end: int, kind: str = "token", *, bare: bool = False) -> Span:
    return Span(start, end, kind, bare=bare)


@pytest.mark.parametrize(
    ("spans", "apart"),
    [
        ([], []),
        ([(3, 5), (0, 2)], [(0, 2), (3, 5)]),
        ([(0, 2), (2, 4)], [(0, 2), (2, 4)]),
        ([(0, 3), (2, 4)], [(0, 4)]),
        ([(0, 9), (2, 4)], [(0, 9)]),
        ([(0, 2), (0, 9)], [(0, 9)]),
        ([(0, 3), (2, 5), (4, 7)], [(0, 7)]),
        ([(0, 3), (0, 3)], [(0, 3)]),
    ],
)
def test_what_overlaps_is_one(spans: list[tuple[int, int]], apart: list[tuple[int, int]]) -> None:
    assert [found[:2] for found in merged(span(*one) for one in spans)] == apart


def test_the_first_and_longest_part_says_the_kind() -> None:
    one = [span(0, 2, "short"), span(0, 5, "long", bare=True), span(3, 8, "late")]
    assert merged(one) == [span(0, 8, "long")]
    bare = span(0, 5, "long", bare=True)
    assert merged([bare]) == merged([bare, span(2, 5)]) == [bare]


@pytest.mark.parametrize(
    ("text", "given", "wanted"),
    [
        ("aéb", (2, 3), (1, 3)),
        ("aéb", (1, 2), (1, 3)),
        ("🔑", (1, 2), (0, 4)),
        ("é", (0, 1), (0, 2)),
        ("\\nab", (1, 4), (2, 4)),
        ("\\\\nab", (2, 5), (2, 5)),
        ("\\\\\\nab", (3, 6), (4, 6)),
        ("\\tab", (1, 4), (2, 4)),
        ("\\qab", (1, 4), (1, 4)),
        ("\\u00e9ab", (1, 8), (6, 8)),
        ("\\u00xab", (1, 7), (1, 7)),
        ("\\n", (1, 2), None),
        ("nab", (0, 3), (0, 3)),
        ("x[REDACTED]y", (0, 12), (0, 12)),
        ("x[REDACTED]y", (1, 11), None),
        ("x[REDACTED]y", (2, 10), None),
        ("x[REDACTED]y", (0, 2), (0, 11)),
        ("x[REDACTED]y", (10, 12), (1, 12)),
        ("x[REDACTED]y [REDACTED]", (0, 2), (0, 11)),
        ("nab\\", (0, 3), (0, 3)),
        ("x[REDACTED]y", (0, 1), (0, 1)),
        ("x[REDACTED]y", (11, 12), (11, 12)),
        ("[REDACTED][REDACTED]", (9, 11), (0, 20)),
        ("[REDACTED]abc", (10, 13), (10, 13)),
    ],
)
def test_a_span_settles(text: str, given: tuple[int, int], wanted: tuple[int, int] | None) -> None:
    found = [one[:2] for one in settled(text.encode(), [span(*given)])]
    assert [one for one in found if one[0] < one[1]] == ([wanted] if wanted else [])


@pytest.mark.parametrize(
    ("text", "spans", "written"),
    [
        (b"a secret b", [span(2, 8)], b"a [REDACTED] b"),
        (b"abc", [span(0, 1), span(2, 3)], b"[REDACTED]b[REDACTED]"),
        (b"ab", [span(0, 1), span(1, 2)], b"[REDACTED][REDACTED]"),
        (b"a\nb", [span(0, 3)], b"[REDACTED]\n[REDACTED]"),
        (b"a\r\n  b\r\n\tc", [span(0, 10)], b"[REDACTED]\r\n  \r\n\t[REDACTED]"),
        (b"a\nb\n", [span(0, 4)], b"[REDACTED]\n\n"),
        (b"\nb", [span(0, 2)], b"\n[REDACTED]"),
        (b"a\nb\nc\nd", [span(0, 7)], b"[REDACTED]\n\n\n[REDACTED]"),
        (b'{"a": 1}', [span(6, 7, bare=True)], b'{"a": "[REDACTED]"}'),
        (rb'{\"a\": 1}', [span(8, 9, bare=True)], rb'{\"a\": \"[REDACTED]\"}'),
        (rb'{\"a\": [1, 2]}', [span(9, 10, bare=True), span(12, 13, bare=True)],
         rb'{\"a\": [\"[REDACTED]\", \"[REDACTED]\"]}'),
        (rb'"{\u0022a\u0022:1}"', [span(16, 17, bare=True)],
         rb'"{\u0022a\u0022:\u0022[REDACTED]\u0022}"'),
        (b"%7B%22a%22:1", [span(11, 12, bare=True)], b"%7B%22a%22:%22[REDACTED]%22"),
        (b"1", [span(0, 1, bare=True)], b'"[REDACTED]"'),
        (b"%22:1", [span(4, 5, bare=True)], b"%22:%22[REDACTED]%22"),
        (rb'"{\"a\":1}"', [span(8, 9, bare=True)], rb'"{\"a\":\"[REDACTED]\"}"'),
        (rb'{"a":"{\"b\"}", "c": 1}', [span(21, 22, bare=True)],
         rb'{"a":"{\"b\"}", "c": "[REDACTED]"}'),
        (rb'a\"1', [span(0, 2), span(3, 4, bare=True)], b'[REDACTED]""[REDACTED]"'),
    ],
)  # fmt: skip
def test_it_writes_over_them(text: bytes, spans: list[Span], written: bytes) -> None:
    assert masked(text, spans) == written


TOKEN = b"ghp_" + b"aB3dE5fG7hI9jK1mN2pQ4rS6tU8vW0xY1zA3"


@pytest.mark.parametrize(
    ("secret", "kind", "name", "told"),
    [
        (TOKEN, "token", "", "ghp_…1zA3"),
        (TOKEN[:24], "token", "", "ghp_…2pQ4"[:5] + TOKEN[20:24].decode()),
        (TOKEN[:23], "token", "", "ghp_…"),
        (b"AKIAQ3EGRXZ5WKT2VYLM", "token", "", "AKIA…"),
        (b"sk_live_abcdefghijklmnopqrst", "token", "", "sk_live_…qrst"),
        (b"dop_v1_0123456789abcdef01234567", "token", "", "dop_v1_…4567"),
        (b"nothing", "token", "", "…"),
        (TOKEN + b"\n" + TOKEN, "token", "", "…"),
        (TOKEN + "é".encode(), "token", "", "…"),
        (b"hunter2", "named_secret", "DB_PASSWORD", "DB_PASSWORD=…"),
        (TOKEN, "named_secret", "DB_PASSWORD", "DB_PASSWORD=…"),
        (TOKEN, "named_secret", "", "…"),
        (TOKEN, "cookie", "sid", "sid=…"),
        (TOKEN, "url_password", "", "…"),
        (TOKEN, "named_secret", "a" * 40, "a" * 40 + "=…"),
        (TOKEN, "named_secret", "a" * 41, "…"),
        (TOKEN, "named_secret", TOKEN.decode(), "…"),
    ],
)
def test_a_preview_does_not_give_it_away(secret: bytes, kind: str, name: str, told: str) -> None:
    assert preview(secret, Span(0, len(secret), kind, name)) == told


def test_a_finding_says_where_and_of_what_kind() -> None:
    text = b"see " + TOKEN
    found = finding(text, Span(4, len(text), "token"), "w.log[0]")
    assert (found.where, found.kind, found.preview) == ("w.log[0]", "github_token", "ghp_…1zA3")
    named = finding(b"x hunter2", Span(2, 9, "named_secret", "PW"), "")
    assert (named.where, named.kind, named.preview) == ("", "named_secret", "PW=…")


def test_a_text_tells_of_so_many() -> None:
    text = b"ab" * 600
    spans = [span(2 * n, 2 * n + 1) for n in range(600)]
    assert len(findings(text, spans, "w")) == 500
    assert len(findings(text, spans[:3], "w")) == 3


def test_a_flood_is_masked_whole() -> None:
    assert masked(b"abc", [whole(b"abc")]) == b"[REDACTED]"
    assert whole(b"abc").kind == "flood"


@pytest.mark.parametrize(("size", "most"), [(0, 500), (39, 500), (40, 501), (8_000, 700)])
def test_a_text_holds_so_many_places(size: int, most: int) -> None:
    shape = pattern("a")
    assert len(list(Meter(size).each(shape, b"a" * most))) == most
    with pytest.raises(Flood):
        list(Meter(size).each(shape, b"a" * (most + 1)))


def test_places_of_all_rules_count_together() -> None:
    meter = Meter(0)
    list(meter.each(pattern("a"), b"a" * 300))
    with pytest.raises(Flood):
        list(meter.each(pattern("b"), b"b" * 201))


def test_places_may_be_counted_alone() -> None:
    meter = Meter(0)
    meter.count(500)
    meter.count(0)
    with pytest.raises(Flood):
        meter.count(1)


def test_places_are_looked_for_in_a_stretch() -> None:
    found = Meter(0).each(pattern("a."), b"a1a2a3a4", 2, 6)
    assert [one.group() for one in found] == [b"a2", b"a3"]


SECRET = b"aB3dE5fG7hI9"


@pytest.mark.parametrize("extra", [0, 300])
def test_secrets_are_found_again(extra: int) -> None:
    others = {b"%012d" % n for n in range(extra)}
    longer = SECRET + b"xyz"
    text = b"<" + SECRET + b"> " + SECRET + longer + b" " + SECRET
    found = sorted(set(again(text, {SECRET, longer} | others)))
    assert found == [(1, 13), (15, 27), (27, 39), (27, 42), (43, 55)]
    assert list(again(b"", {SECRET} | others)) == []
    assert list(again(SECRET[:-1], {SECRET} | others)) == []


BEGIN, END = b"-----BEGIN PRIVATE KEY-----", b"-----END PRIVATE KEY-----"
LINE = b"aB3dE5fG7hI9jK1mN2pQ4rS6tU8vW0xY1zA3aB3dE5fG7hI9jK1mN2pQ4rS6tU8v"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (BEGIN + b"\n" + LINE + b"\n" + END, [BEGIN + b"\n" + LINE + b"\n" + END]),
        (b"x " + BEGIN + LINE + END + b" y", [BEGIN + LINE + END]),
        (BEGIN + b"\n" + LINE + b"\nand then words", [BEGIN + b"\n" + LINE + b"\n"]),
        (BEGIN + b"\nProc-Type: 4,ENCRYPTED\n\n" + LINE, None),
        (BEGIN + b"\n" + LINE + b"\nabc==", None),
        (BEGIN + b"\n" + LINE + b"\nabcde", None),
        (BEGIN + b'", "' + LINE + b'", "' + LINE, None),
        (BEGIN + b"\\n" + LINE, None),
        (BEGIN + LINE + BEGIN + LINE + END, [BEGIN + LINE, BEGIN + LINE + END]),
        (BEGIN + LINE + END + b" " + BEGIN + LINE, [BEGIN + LINE + END, BEGIN + LINE]),
        (BEGIN + b" " + LINE + b"\0" + END, [BEGIN + b" " + LINE]),
        (BEGIN + b" short " + END, []),
        (b"a\0" + BEGIN + LINE + END + b"b", [BEGIN + LINE + END]),
        (BEGIN + b" " + LINE + b"\0x\0" + END, [BEGIN + b" " + LINE]),
        (BEGIN + b"\n" + b"x" * 70_000 + b"\0", [BEGIN + b"\n" + b"x" * 63_999]),
        (BEGIN + b"\n" + b"x" * 66_000 + END + BEGIN, [BEGIN + b"\n" + b"x" * 63_999]),
        (BEGIN + b"\n" + b"x" * 63_974 + END, None),
        (BEGIN + b"\n" + b"x" * 63_975 + END, [BEGIN + b"\n" + b"x" * 63_975]),
        (BEGIN + LINE[:16] + END, None),
        (BEGIN + LINE[:15] + END, []),
        (BEGIN + b" short " + END + b" " + LINE, []),
        (BEGIN + LINE + b"PuTTY-User-Key-File-2: " + LINE + END + b" " + BEGIN + LINE,
         [BEGIN + LINE + b"PuTTY-User-Key-File-2: " + LINE + END, BEGIN + LINE]),
        (BEGIN + LINE + b" Comment: " + BEGIN + LINE + END,
         [BEGIN + LINE + b" Comment: ", BEGIN + LINE + END]),
        (LINE + b"\0" + END + BEGIN + LINE + b"\0" + LINE + b"\0" + BEGIN, [BEGIN + LINE]),
        (BEGIN, []),
        (b"-----BEGIN CERTIFICATE-----" + LINE, []),
        (b"PuTTY-User-Key-File-2: x\n" + LINE + b"\nPrivate-MAC: 00ff\nz",
         [b"PuTTY-User-Key-File-2: x\n" + LINE + b"\nPrivate-MAC: 00ff"]),
        (BEGIN + b"\n" + b"x" * 70_000 + END, [BEGIN + b"\n" + b"x" * 63_999]),
    ],
)  # fmt: skip
def test_private_keys_end_at_their_end_or_where_the_key_does(
    text: bytes, found: list[bytes] | None
) -> None:
    spans = list(private_keys(text, Meter(len(text))))
    assert [text[one.start : one.end] for one in spans] == ([text] if found is None else found)
    assert {one.kind for one in spans} <= {"private_key"}
