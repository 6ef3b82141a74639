"""The board in a real browser: fresh by itself, and still under the reader's hands."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.house import PEOPLE, WIDTHS, House, open_house
from tests.browser.test_pages import assert_fits, certificate
from tests.support import Api, Desk, file_ticket, make_desk, make_package, resolve

pytestmark = [pytest.mark.browser]

NEW = {"package": make_package(title="Just filed", urgency=10)}


@pytest.fixture(scope="module")
def house(db: None) -> Iterator[House]:
    with open_house(fill) as opened:
        yield opened


def one_more(stuck: Api, solver: Api) -> None:
    file_ticket(stuck, title="There before")


def a_page_full(stuck: Api, solver: Api) -> None:
    for number in range(25):
        file_ticket(stuck, title=f"Number {number:02}")


def two(stuck: Api, solver: Api) -> None:
    for _ in range(2):
        file_ticket(stuck)


def of_all_kinds(stuck: Api, solver: Api) -> None:
    file_ticket(stuck, urgency=9, labels=["dns"], **certificate())
    file_ticket(stuck, urgency=3, labels=["ci"])
    file_ticket(stuck, urgency=3, title="A long word " + "x" * 188)
    resolve(solver, "SB-2")


def withdrawn(stuck: Api, solver: Api) -> None:
    file_ticket(stuck)
    stuck.post("/api/v1/tickets/SB-1/withdraw", {}).ok()


LISTS: dict[str, Callable[[Api, Api], None]] = {
    "one": one_more,
    "full": a_page_full,
    "two": two,
    "kinds": of_all_kinds,
    "closed": withdrawn,
}


def fill(desk: Desk) -> dict[str, Any]:
    """An org for each list, of the same people; what a test changes, no other looks at."""
    notes: dict[str, Any] = {}
    for name, filled in LISTS.items():
        beside = make_desk(name.title(), PEOPLE, like=desk)
        agents = beside.agent("stuck"), beside.agent("solver")
        filled(*agents)
        notes[name] = (f"/?org={beside.org.id}", *agents)
    return notes


@contextmanager
def board_at(house: House, path: str, width: int = 1280) -> Iterator[Page]:
    """Alice at the board, with a clock in the page that the test turns."""
    with house.page("alice", width) as page:
        page.clock.install()
        house.go(page, path)
        page.wait_for_load_state("networkidle")
        yield page


def call(house: House, page: Page, api: Api, path: str, body: Any) -> None:
    """What an agent does meanwhile. Over the wire: this thread must not touch the database."""
    headers = {"Authorization": f"Bearer {api.token}", "Content-Type": "application/json"}
    answer = page.request.post(f"{house.url}/api/v1{path}", headers=headers, data=json.dumps(body))
    assert answer.ok, answer.text()


def after_a_while(page: Page) -> None:
    """The next look at what is new."""
    with page.expect_response(lambda one: "x-refresh" in one.request.headers):
        page.clock.fast_forward(16_000)
    page.clock.run_for(10)


def titles(page: Page) -> list[str]:
    return page.locator("article h2").all_inner_texts()


def test_a_new_ticket_comes_by_itself(house: House) -> None:
    path, stuck, _ = house.notes["one"]
    with board_at(house, path) as page:
        call(house, page, stuck, "/tickets", NEW)
        after_a_while(page)
        expect(page.locator("article")).to_have_count(2)
        assert titles(page) == ["Just filed", "There before"]
        expect(page.locator("#counts b").first).to_have_text("2")
        expect(page.locator("#fresh-said")).to_have_text("1 new ticket")


def test_nothing_moves_under_a_reader(house: House) -> None:
    path, stuck, solver = house.notes["full"]
    with board_at(house, path, 360) as page:
        card = page.locator("#SB-12")
        card.scroll_into_view_if_needed()
        before = card.bounding_box()
        call(house, page, stuck, "/tickets", NEW)
        call(house, page, solver, "/tickets/SB-12/claim", {})
        after_a_while(page)
        button = page.get_by_role("button", name="1 new ticket")
        expect(button).to_be_visible()
        expect(card).to_contain_text("On it: solver")
        assert card.bounding_box() == before
        assert "Just filed" not in titles(page)
        button.click()
        expect(page.locator("article").first).to_contain_text("Just filed")
        assert page.evaluate("window.scrollY") == 0
        expect(button).to_be_hidden()


def test_focus_and_typing_stay(house: House) -> None:
    path, _, solver = house.notes["two"]
    with board_at(house, path) as page:
        page.get_by_text("Filter and sort").click()
        page.get_by_label("Label").fill("half a wo")
        call(house, page, solver, "/tickets/SB-2/claim", {})
        after_a_while(page)
        expect(page.locator("#SB-2")).to_contain_text("On it: solver")
        expect(page.get_by_label("Label")).to_be_focused()
        expect(page.get_by_label("Label")).to_have_value("half a wo")
        page.locator("#SB-2 h2 a").focus()
        call(house, page, solver, "/tickets/SB-2/release", {"note": "No luck"})
        after_a_while(page)
        expect(page.locator("#SB-2")).to_contain_text("Waiting for someone")
        expect(page.locator("#SB-2 h2 a")).to_be_focused()


def test_it_rests_while_nobody_looks(house: House) -> None:
    with board_at(house, house.notes["two"][0]) as page:
        asked: list[str] = []
        page.on("request", lambda one: asked.append(one.url))
        hide = "Object.defineProperty(document, 'hidden', {value: %s, configurable: true});"
        tell = "document.dispatchEvent(new Event('visibilitychange'))"
        page.evaluate(hide % "true" + tell)
        page.clock.fast_forward(300_000)
        page.clock.run_for(100)
        assert asked == []
        with page.expect_response(lambda one: "x-refresh" in one.request.headers) as response:
            page.evaluate(hide % "false" + tell)
        assert response.value.status in (200, 304)


def test_it_says_that_the_reader_was_signed_out(house: House) -> None:
    with board_at(house, house.notes["two"][0]) as page:
        page.context.clear_cookies()
        page.clock.fast_forward(16_000)
        button = page.get_by_role("button", name="You were signed out.")
        expect(button).to_be_visible()
        expect(page.locator("article")).to_have_count(2)
        button.click()
        page.wait_for_url("**/accounts/login/**")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_it_is_narrowed_without_scripts(house: House, width: int, scheme: str) -> None:
    options: dict[str, Any] = {"java_script_enabled": False, "color_scheme": scheme}
    with house.page("alice", width, **options) as page:
        house.go(page, house.notes["kinds"][0])
        assert titles(page)[0].startswith("IPWalrus")
        page.get_by_text("Filter and sort").click()
        page.get_by_label("Urgency").select_option("9 Critical or more")
        page.get_by_label("Label").fill("dns")
        page.get_by_role("button", name="Show these").click()
        expect(page.locator("article")).to_have_count(1)
        expect(page).to_have_url(re.compile("urgency=9"))
        page.locator(".narrowed a").first.click()
        expect(page).not_to_have_url(re.compile("urgency"))
        house.go(page, "/?label=nothing")
        expect(page.get_by_role("heading", name="Nothing matches")).to_be_visible()
        page.get_by_role("link", name="See them all").click()
        expect(page.locator("article")).to_have_count(2)
        page.get_by_role("link", name="Archive").click()
        expect(page.locator("article")).to_have_count(1)
        assert_fits(page)


def test_a_closed_ticket_is_restored(house: House) -> None:
    with house.page("bob", 360) as page:
        house.go(page, house.notes["closed"][0])
        page.get_by_role("link", name="Archive").click()
        page.get_by_role("link", name="Restore SB-1").click()
        page.get_by_role("button", name="Open it again").click()
        expect(page.get_by_text("It is open again.")).to_be_visible()
        page.get_by_role("link", name="Board", exact=True).first.click()
        expect(page.locator("article")).to_have_count(1)


def test_menus_close_when_the_reader_goes_elsewhere(house: House) -> None:
    with house.page("alice", 360) as page:
        house.go(page, "/")
        menu = page.locator(".menus details.menu").last
        menu.locator("summary").click()
        expect(menu.get_by_role("button", name="Sign out")).to_be_visible()
        assert_fits(page)
        page.locator("h1").click()
        expect(menu.get_by_role("button", name="Sign out")).to_be_hidden()
        menu.locator("summary").focus()
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        page.keyboard.press("Escape")
        expect(menu.locator("summary")).to_be_focused()
        expect(menu.get_by_role("button", name="Sign out")).to_be_hidden()


@pytest.mark.parametrize("width", [320, 360, 1280])
def test_the_style_page_fits(house: House, settings: Any, width: int) -> None:
    settings.DEBUG = True
    with house.page(width=width) as page:
        house.go(page, "/style")
        for fold in page.locator("main summary").all():
            fold.click()
        assert_fits(page)
