"""The search box of board and archive, without scripts."""

from typing import Any
from urllib.parse import quote

import pytest

from tests.pages.acting import page_of, signed_in
from tests.search.indexed import read
from tests.support import Api, Desk, file_ticket, resolve


@pytest.fixture
def filed(desk: Desk, stuck: Api, solver: Api) -> None:
    for title in ("An open pangolin", "A closed pangolin", "Another thing"):
        file_ticket(stuck, title=title)
    resolve(solver, "SB-2")
    read(desk)


def test_board_and_archive_each_search_their_own(desk: Desk, filed: None) -> None:
    client = signed_in(desk, "carol")
    board = page_of(client, "/?q=pangolin")
    assert ("An open pangolin" in board, "A closed pangolin" in board) == (True, False)
    assert "Another thing" not in board
    assert 'name="q" value="pangolin"' in board
    assert "/archive?q=pangolin" in board
    archive = page_of(client, "/archive?q=pangolin")
    assert ("An open pangolin" in archive, "A closed pangolin" in archive) == (False, True)
    assert "/?q=pangolin" in archive


def test_it_keeps_what_else_the_list_is_narrowed_to(desk: Desk, filed: None) -> None:
    page = page_of(signed_in(desk, "carol"), "/?q=pangolin&urgency=9&order=newest")
    assert "Nothing matches" in page
    assert '<input type="hidden" name="urgency" value="9">' in page
    assert '<input type="hidden" name="q" value="pangolin">' in page


@pytest.mark.parametrize(
    "q",
    [
        *('"', "'; --", "<script>alert(1)</script>", "a" * 900, "\x00", "-x", "* ( ) NEAR", "%"),
        *("\u202e abc", "SB-1 SB-2", "{title} : x", "' | 'y' & !z", "\ud7a3\U0001f600"),
    ],
)
def test_hostile_words_break_nothing(desk: Desk, filed: None, q: str) -> None:
    page = page_of(signed_in(desk, "carol"), f"/?q={quote(q)}")
    assert "<script>alert" not in page


def test_it_pages_through_what_it_found(desk: Desk, stuck: Api) -> None:
    for _ in range(27):
        file_ticket(stuck, title="A pangolin")
    read(desk)
    client = signed_in(desk, "carol")
    first = page_of(client, "/?q=pangolin")
    assert ("SB-27" in first, 'rel="prev"' in first) == (True, False)
    following = first.split('rel="next"')[0].rsplit('href="', 1)[1].split('"')[0]
    second = page_of(client, following.replace("&amp;", "&"))
    assert ("SB-2<" in second, 'rel="prev"' in second, 'rel="next"' in second) == (
        *(True, True, False),
    )
    assert client.get("/?q=pangolin&after=nonsense").status_code in (400, 422)


def test_a_search_is_a_fixed_number_of_statements(
    desk: Desk, filed: None, django_assert_max_num_queries: Any
) -> None:
    client = signed_in(desk, "carol")
    page_of(client, "/?q=pangolin")
    with django_assert_max_num_queries(12):
        page_of(client, "/?q=pangolin")
