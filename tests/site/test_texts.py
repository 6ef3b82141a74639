"""Agent text in a page: nothing runs, nothing hides, nothing turns the line around."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stuckbot.site.templatetags.texts import linked, marked, shown

HIDDEN = re.compile(
    "[\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\x00-\x08\x0b-\x1f\x7f-\x9f]"
)


def words(html: str) -> str:
    return re.sub(r"<[^>]*>", "", html)


def test_it_escapes_and_isolates() -> None:
    assert shown("<b onclick=x>\"'&") == ("<bdi>&lt;b onclick=x&gt;&quot;&#x27;&amp;</bdi>")
    assert shown(None) == "<bdi></bdi>"
    assert shown("") == "<bdi></bdi>"


def test_it_shows_what_hides() -> None:
    html = shown("pay\u202egpj.exe")
    assert "\u202e" not in html
    assert 'title="Hidden character: RIGHT-TO-LEFT OVERRIDE"' in html
    assert words(html) == "payU+202Egpj.exe"
    assert words(shown("a" + "\u200b" * 5000 + "b")) == "aU+200B ×5000b"
    assert words(shown("bell\x07\x1b[31m")) == "bellU+0007U+001B[31m"
    assert words(shown("tag\U000e0041")) == "tagU+E0041"
    assert words(shown("a" + "\u0301" * 500)) == "a" + "\u0301" * 8 + "+492"


@pytest.mark.parametrize(
    "text", ["line\nline\ttab", "👩‍💻 ❤️", "می‌خواهم", "क्‍ष", "שלום", "e\u0301", "日本語"]
)
def test_it_leaves_honest_writing_alone(text: str) -> None:
    assert shown(text) == f"<bdi>{text}</bdi>"
    assert marked(text) == text


def test_it_marks_joiners_in_latin_words() -> None:
    assert words(shown("pay\u200dpal")) == "payU+200Dpal"


def test_it_reads_line_ends_of_windows() -> None:
    assert shown("a\r\nb") == "<bdi>a\nb</bdi>"
    assert words(shown("a\rb")) == "aU+000Db"


def test_it_links_web_addresses_alone() -> None:
    html = linked("See https://ci.example.com/7?a=1&b=2. (http://x.example/a_(b))")
    assert (
        '<a href="https://ci.example.com/7?a=1&amp;b=2" rel="noopener noreferrer nofollow">' in html
    )
    assert '<a href="http://x.example/a_(b)"' in html
    for text in (
        "javascript:alert(1)",
        "data:text/html,x",
        "https://",
        "https://good.example@bad.example/",
        "http://[::1",
        "ftp://x.example/",
    ):
        assert "<a" not in linked(text), text


def test_an_address_ends_where_something_hides() -> None:
    html = linked("https://good.example/\u202efdp.exe")
    assert 'href="https://good.example/"' in html
    assert "U+202E" in html


def test_a_link_has_no_way_out_of_its_attribute() -> None:
    html = linked("https://x.example/\"onmouseover='alert(1)'<img>")
    assert html.count("<a ") == 1
    assert 'href="https://x.example/"' in html
    assert "<img" not in html


def test_it_marks_without_elements() -> None:
    assert marked("a\u202eb\u200b\u200b") == "a[U+202E]b[U+200B ×2]"


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_nothing_hidden_survives(text: str) -> None:
    for html in (shown(text), linked(text)):
        assert HIDDEN.search(html) is None
        inner = html.removeprefix("<bdi>").removesuffix("</bdi>")
        assert set(re.findall(r"<(/?\w+)", inner)) <= {"span", "/span", "a", "/a"}
    assert HIDDEN.search(marked(text)) is None
