"""The list beside a ticket: the one it is on, in that list's order."""

import re

from django.test import Client

from tests.pages.acting import page_of, signed_in
from tests.support import Api, Desk, file_ticket, resolve

_ROW = re.compile(r'<a class="row (\w+)" href="(/tickets/SB-\d+)" (aria-current="page")?')
_CARD = re.compile(r'<article class="card linked \w+" id="(SB-\d+)">')


def beside(client: Client, ref: str) -> list[str]:
    return [href.rpartition("/")[2] for _, href, _ in _ROW.findall(_page(client, ref))]


def _page(client: Client, ref: str) -> str:
    return page_of(client, f"/tickets/{ref}")


def cards(client: Client, path: str) -> list[str]:
    return _CARD.findall(page_of(client, path))


def test_an_open_ticket_stands_beside_the_board(desk: Desk, stuck: Api, solver: Api) -> None:
    for urgency in (3, 9, 3, 5):
        file_ticket(stuck, urgency=urgency)
    file_ticket(stuck)
    resolve(solver, "SB-5")
    client = signed_in(desk, "carol")
    assert beside(client, "SB-3") == cards(client, "/") == ["SB-2", "SB-4", "SB-1", "SB-3"]
    chosen = [href for _, href, current in _ROW.findall(_page(client, "SB-3")) if current]
    assert chosen == ["/tickets/SB-3"]


def test_a_closed_ticket_stands_beside_the_archive(desk: Desk, stuck: Api, solver: Api) -> None:
    for _ in range(4):
        file_ticket(stuck)
    for ref in ("SB-3", "SB-1", "SB-2"):
        resolve(solver, ref)
    client = signed_in(desk, "alice")
    assert beside(client, "SB-1") == cards(client, "/archive") == ["SB-2", "SB-1", "SB-3"]
    assert "The whole archive" in _page(client, "SB-1")


def test_it_is_the_first_page_of_a_long_list(desk: Desk, stuck: Api) -> None:
    for _ in range(27):
        file_ticket(stuck)
    client = signed_in(desk, "alice")
    assert beside(client, "SB-27") == [f"SB-{number}" for number in range(1, 26)]


def test_it_holds_nothing_of_another_org(desk: Desk, stuck: Api, mallory: Api) -> None:
    file_ticket(stuck)
    file_ticket(mallory, title="Not for Acme")
    assert "Not for Acme" not in _page(signed_in(desk, "alice"), "SB-1")
