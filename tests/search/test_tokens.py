"""How text is cut into words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tickets.search.query import Query, Term, query_read
from tickets.search.tokens import folded, humps, tokens


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("npm ci fails: find Python", "npm ci fails find python"),
        ("src/app/main.py:12", "src app main py 12"),
        ("snake_case_name", "snake case name"),
        ("ModuleNotFoundError", "modulenotfounderror"),
        ("ECONNREFUSED 10.0.0.1:5432", "econnrefused 10 0 0 1 5432"),
        ("Größe überschritten", "grosse uberschritten"),
        ("CAFÉ naïve Ångström", "cafe naive angstrom"),
        ("deadbeef" * 20, "deadbeef" * 8),
        ("ビルドが失敗", "ヒ ル ト か 失 敗"),
        ("ошибка Сборки", "ошибка сборки"),
        ("¶ ''\" \\ \x00 …", ""),
    ],
)
def test_it_cuts_text_into_words(text: str, words: str) -> None:
    assert " ".join(tokens(text)) == folded(words)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a ModuleNotFoundError here", [["module", "not", "found", "error"]]),
        ("HTTPServer2 getUserID", [["http", "server", "2"], ["get", "user", "id"]]),
        ("plain Words OOMKilled", [["oom", "killed"]]),
        ("ERROR Error error", []),
    ],
)
def test_it_parts_names_with_humps(text: str, parts: list[list[str]]) -> None:
    assert list(humps(text)) == parts


@given(st.text())
def test_words_hold_letters_and_digits_alone(text: str) -> None:
    for word in tokens(text):
        assert 0 < len(word) <= 64
        assert all(one.isalnum() for one in word), word
        assert tokens(word) == [word]


def _terms(*said: str) -> tuple[Term, ...]:
    """`word` or `word*`, phrases with spaces."""
    return tuple(Term(tuple(one.rstrip("*").split()), beginning=one.endswith("*")) for one in said)


@pytest.mark.parametrize(
    ("text", "wanted", "unwanted"),
    [
        ("npm pyth", ["npm", "pyth*"], []),
        ("npm python ", ["npm", "python"], []),
        ('"no such file"', ["no such file"], []),
        ('find "no such', ["find", "no such*"], []),
        ("src/app.py", ["src app py*"], []),
        ('build -docker -"out of memory"', ["build"], ["docker", "out of memory"]),
        ("--no-cache x", ["no cache", "x"], []),
        ("a-b x y", ["a b", "x", "y"], []),
        ("-only", [], ["only"]),
        ("- \" ' ; -- /* */ () *", [], []),
        ("NEAR(a b) AND OR NOT ab", ["near a", "b", "and", "or", "not", "ab*"], []),
        ("title:x {a} : b:* <-> |", ["title x", "a", "b"], []),
        ("SB-12", ["sb 12*"], []),
        ("", [], []),
    ],
)
def test_it_reads_what_somebody_typed(text: str, wanted: list[str], unwanted: list[str]) -> None:
    query = query_read(text)
    assert (query.wanted, query.unwanted) == (_terms(*wanted), _terms(*unwanted))


def test_it_sees_a_ticket_that_is_named() -> None:
    assert [query_read(one).number for one in ("SB-12", " sb-3 ", "SB-0", "SB-12 x", "12")] == [
        *(12, 3, None, None, None)
    ]


def test_it_bounds_a_query() -> None:
    query = query_read(" ".join(f"w{n} -u{n}" for n in range(100)))
    assert (len(query.wanted), len(query.unwanted)) == (16, 16)
    assert len(query_read("/".join("abc" for _ in range(100))).wanted[0].tokens) == 16


@given(st.text(max_size=400))
def test_any_text_can_be_read(text: str) -> None:
    assert isinstance(query_read(text), Query)
