"""Whole journeys of a person: by keyboard, in two tabs, backwards, twice, and on a slow line."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.house import WIDTHS, House, open_house
from tests.browser.test_pages import assert_fits, certificate, sign_in
from tests.browser.test_ticket_page import follow, press, told
from tests.support import Desk, file_ticket

pytestmark = [pytest.mark.browser]

FIRST_VISIT_MOST = 150_000  # bytes as they come over the wire

_FOCUS = """() => {
    const one = document.activeElement;
    const rule = getComputedStyle(one);
    const after = getComputedStyle(one, "::after");
    const box = one.getBoundingClientRect();
    const seen = (each) => each.outlineStyle !== "none" && parseFloat(each.outlineWidth) >= 2;
    return {
        is_body: one === document.body,
        text: (one.labels && one.labels[0] || one).innerText.trim(),
        href: one.getAttribute("href") || "",
        seen: seen(rule) || seen(after),
        inside: box.bottom > 0 && box.top < innerHeight && box.width > 0,
    };
}"""


@pytest.fixture(scope="module")
def house(db: None) -> Iterator[House]:
    with open_house(fill) as opened:
        yield opened


def fill(desk: Desk) -> dict[str, Any]:
    """Each journey has tickets of its own: those of an even number wait for a person."""
    stuck, solver = desk.agent("deploy-3"), desk.agent("ci-7")
    refs = [file_ticket(stuck, **certificate())["ref"] for _ in range(14)]
    for ref in refs[1::2]:
        solver.post(f"/api/v1/tickets/{ref}/claim", {}).ok()
        solver.post(f"/api/v1/tickets/{ref}/escalate", {"reason": "Only you may sign."}).ok()
    return {"free": iter(refs[::2]), "asks": iter(refs[1::2])}


def tab_to(page: Page, text: str, href: str = "") -> None:
    """By the Tab key alone; every stop on the way can be seen."""
    for _ in range(80):
        page.keyboard.press("Tab")
        stop = page.evaluate(_FOCUS)
        if stop["is_body"]:
            continue
        assert stop["inside"], stop
        assert stop["seen"], stop
        if (href and stop["href"].endswith(href)) or (text and stop["text"].startswith(text)):
            return
    raise AssertionError(f"never came to {text or href}")


@pytest.mark.parametrize("width", WIDTHS)
def test_everything_is_done_by_keyboard(house: House, width: int) -> None:
    ref = next(house.notes["free"])
    with house.page(width=width) as page:
        house.go(page, f"/accounts/login/?next=/tickets/{ref}")
        tab_to(page, "Mail address")
        page.keyboard.type("bob@acme.example")
        tab_to(page, "Password")
        page.keyboard.type("correct horse")
        page.keyboard.press("Enter")
        page.wait_for_url(f"{house.url}/tickets/{ref}")
        tab_to(page, "Take it")
        page.keyboard.press("Enter")
        told(page, "It is yours.")
        tab_to(page, "Send proof")
        page.keyboard.press("Enter")
        page.wait_for_url("**/evidence*")
        tab_to(page, "Exit code")
        page.keyboard.type("0")
        tab_to(page, "Send the proof")
        page.keyboard.press("Space")
        told(page, "Your proof is there.")
        tab_to(page, "Submit the fix")
        page.keyboard.press("Enter")
        page.wait_for_url("**/submit")
        tab_to(page, "What happened")
        page.keyboard.type("Signed by hand.")
        tab_to(page, "Submit")
        page.keyboard.press("Enter")
        told(page, "It is submitted.")


@pytest.mark.parametrize("width", WIDTHS)
def test_the_essentials_need_no_script(house: House, width: int) -> None:
    ref = next(house.notes["asks"])
    with house.page(width=width, java_script_enabled=False) as page:
        page.goto(f"{house.url}/")
        page.get_by_label("Mail address").fill("bob@acme.example")
        page.get_by_label("Password").fill("correct horse")
        press(page, "Sign in")
        page.locator(f"#{ref} h2 a").click()
        page.get_by_label("Your comment").fill("I look at it.")
        press(page, "Post the comment")
        expect(page.locator(".messages")).to_contain_text("Your comment is posted.")
        follow(page, "Close it")
        page.get_by_label("What happened").fill("Nobody needs it any more.")
        press(page, "Close the ticket")
        expect(page.locator("#ticket-head")).to_contain_text("Closed without proof.")
        page.get_by_role("navigation", name="Desk").get_by_role("link", name="Archive").click()
        follow(page, f"Restore {ref}")
        press(page, "Open it again")
        expect(page.locator(".messages")).to_contain_text("It is open again.")


def test_of_two_people_who_decide_at_once_one_does(house: House) -> None:
    ref = next(house.notes["asks"])
    with house.page("alice", 360) as one, house.page("bob") as two:
        house.go(one, f"/tickets/{ref}/send-back")
        house.go(two, f"/tickets/{ref}/close")
        one.get_by_label("What they should do differently").fill("Ask again.")
        two.get_by_role("textbox", name="What happened").fill("It is of no use.")
        press(one, "Send it back")
        told(one, "It is sent back.")
        press(two, "Close the ticket")
        expect(two.get_by_role("alert")).to_contain_text("Something happened on the ticket")
        expect(two.locator(".timeline")).to_contain_text("sent it back")
        expect(two.get_by_role("textbox", name="What happened")).to_have_value("It is of no use.")
        one.reload()
        expect(one.locator("#ticket-head")).to_contain_text("Waiting for someone")


def test_going_back_does_nothing_twice(house: House) -> None:
    ref = next(house.notes["asks"])
    with house.page("bob", 360) as page:
        house.go(page, f"/tickets/{ref}")
        page.get_by_label("Your comment").fill("Once is enough.")
        press(page, "Post the comment")
        told(page, "Your comment is posted.")
        page.go_back()
        expect(page.get_by_label("Your comment")).to_have_value("")
        follow(page, "Close it")
        page.get_by_label("What happened").fill("It is of no use.")
        press(page, "Close the ticket")
        told(page, "It is closed.")
        page.go_back()
        expect(page.get_by_role("alert")).to_contain_text("That cannot be done")
        follow(page, "Go to the ticket")
        expect(page.locator(".notes li")).to_have_count(1)
        assert page.locator(".timeline").inner_text().count("closed it") == 1


@pytest.mark.parametrize("script", [True, False])
def test_a_double_click_posts_once(house: House, script: bool) -> None:
    ref = next(house.notes["free"])
    with house.page("bob", java_script_enabled=script) as page:
        house.go(page, f"/tickets/{ref}")
        page.get_by_label("Your comment").fill("Clicked twice.")
        page.get_by_role("button", name="Post the comment").dblclick()
        expect(page.locator(".messages")).to_be_visible()
        house.go(page, f"/tickets/{ref}")
        expect(page.locator(".notes li")).to_have_count(1)


def test_a_first_visit_is_small_and_from_here(house: House) -> None:
    """Signing in, the board and a ticket, with nothing kept from before: what comes by wire."""
    with house.page() as page:
        sizes: dict[str, float] = {}
        wire = page.context.new_cdp_session(page)
        wire.send("Network.enable")
        wire.on(
            "Network.loadingFinished",
            lambda event: sizes.update({event["requestId"]: event["encodedDataLength"]}),
        )
        sign_in(page, house.url, "carol@acme.example")
        assert_fits(page)
        page.locator("article h2 a").first.click()
        page.wait_for_url("**/tickets/SB-*")
        page.wait_for_load_state("networkidle")
        assert len(sizes) >= 6
        assert sum(sizes.values()) <= FIRST_VISIT_MOST, sizes
