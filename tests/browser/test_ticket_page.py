"""What a person does to a ticket, in a real browser, with a script or without."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.house import WIDTHS, House, open_house
from tests.browser.test_pages import assert_fits, certificate, whole, work_on
from tests.support import TAKEOVER, Api, Desk, file_ticket, resolve

pytestmark = [pytest.mark.browser]

SCRIPT = [True, False]
#: Tickets that wait for a person, and tickets nobody has: each test takes one of its own.
ASKS, FREE, MORE = 20, 4, 12


@pytest.fixture(scope="module")
def house(db: None) -> Iterator[House]:
    with open_house(fill) as opened:
        yield opened


def fill(desk: Desk) -> dict[str, Any]:
    """`ci-7` worked on all that wait for a person; `shown` are only looked at."""
    stuck, solver, other = desk.agent("deploy-3"), desk.agent("ci-7"), desk.agent("ci-8")
    asks = [needs_a_person(stuck, solver) for _ in range(ASKS + 1)]
    free = [file_ticket(stuck)["ref"] for _ in range(FREE + 1)]
    # However many are closed, the list beside a ticket is longer than a page.
    for _ in range(MORE):
        file_ticket(stuck)
    full = file_ticket(stuck, urgency=7, **{**TAKEOVER, **whole()})["ref"]
    work_on(other, full)
    solved = free.pop()
    resolve(other, solved)
    return {
        "shown": (asks.pop(), full, solved),
        "asks": iter(asks),
        "free": iter(free),
        "bob": desk.person("bob").token,
    }


def needs_a_person(stuck: Api, solver: Api) -> str:
    ref = str(file_ticket(stuck, urgency=9, labels=["tls"], **certificate())["ref"])
    solver.post(f"/api/v1/tickets/{ref}/claim", {}).ok()
    solver.post(f"/api/v1/tickets/{ref}/escalate", {"reason": "Only a person may sign."}).ok()
    return ref


def picture(page: Page, name: str) -> None:
    """Keeps a picture for whoever wants to look; the tests themselves look at none."""
    folder = os.environ.get("PICTURES")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=f"{folder}/{name}.png", full_page=True)


def opened(house: House, page: Page, place: str) -> None:
    house.go(page, place)
    assert_fits(page)


def call(house: House, page: Page, path: str, body: dict[str, str]) -> None:
    """Bob acts on a ticket meanwhile. Over the wire: this thread must not touch the database."""
    answer = page.request.post(
        f"{house.url}/api/v1/tickets/{path}",
        data=body,
        headers={"Authorization": f"Bearer {house.notes['bob']}"},
    )
    assert answer.ok, answer.text()


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def follow(page: Page, name: str) -> None:
    page.get_by_role("link", name=name, exact=True).click()


def told(page: Page, text: str) -> None:
    expect(page.locator(".messages")).to_contain_text(text)
    assert_fits(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_it_shows_a_ticket_and_each_act_at_any_width(house: House, width: int, scheme: str) -> None:
    asks, full, solved = house.notes["shown"]
    with house.page("alice", width, color_scheme=scheme) as page:
        opened(house, page, f"/tickets/{asks}")
        for fold in page.locator("main summary").all():
            fold.click()
        assert_fits(page)
        picture(page, f"ticket-{width}-{scheme}")
        for ref in (full, solved):
            opened(house, page, f"/tickets/{ref}")
            picture(page, f"{ref}-{width}-{scheme}")
        for slug in ("send-back", "take-over", "close", "settings", "explain", "block", "pause"):
            opened(house, page, f"/tickets/{asks}/{slug}")
            picture(page, f"act-{slug}-{width}-{scheme}")
        opened(house, page, f"/tickets/{full}/proof/b1")
        picture(page, f"proof-{width}-{scheme}")


@pytest.mark.parametrize("script", SCRIPT)
@pytest.mark.parametrize("width", WIDTHS)
def test_it_takes_a_comment_and_another_explanation(house: House, width: int, script: bool) -> None:
    ref = next(house.notes["asks"])
    with house.page("alice", width, java_script_enabled=script) as page:
        opened(house, page, f"/tickets/{ref}")
        page.get_by_label("Your comment").fill("I ask the provider.\nBack at noon.")
        press(page, "Post the comment")
        told(page, "Your comment is posted.")
        expect(page.locator(".notes li").last).to_contain_text("Back at noon.")
        page.locator("summary", has_text="Change the explanation").click()
        page.get_by_label("What is wrong").fill("The provider does not answer.")
        press(page, "Save the explanation")
        told(page, "The explanation is changed.")
        expect(page.locator(".plain-words")).to_contain_text("The provider does not answer.")
        expect(page.get_by_label("Your comment")).to_have_value("")


@pytest.mark.parametrize("script", SCRIPT)
@pytest.mark.parametrize("width", WIDTHS)
def test_it_takes_a_person_from_claim_to_submit(house: House, width: int, script: bool) -> None:
    ref = next(house.notes["free"])
    with house.page("alice", width, java_script_enabled=script) as page:
        opened(house, page, f"/tickets/{ref}")
        press(page, "Take it")
        told(page, "It is yours.")
        expect(page.locator("#ticket-needs")).to_contain_text(
            "it is free again, unless you keep it"
        )
        picture(page, f"holding-{width}")
        press(page, "Keep it")
        told(page, "You have the full time again.")
        page.locator("#ticket-needs").get_by_role("link", name="Send proof").click()
        expect(page.get_by_label("The command that was run")).to_have_value("npm ci")
        picture(page, f"act-evidence-{width}")
        page.get_by_label("Exit code").fill("1")
        press(page, "Send the proof")
        told(page, "Your proof is there.")
        expect(page.locator("#ticket-proof")).to_contain_text("Failed")
        page.locator("#ticket-needs").get_by_role("link", name="Send proof").click()
        page.get_by_label("Exit code").fill("0")
        page.get_by_label("The end of its output").fill("added 12 packages")
        press(page, "Send the proof")
        expect(page.locator("#ticket-proof")).to_contain_text("Whoever did the work says so.")
        follow(page, "Submit the fix")
        page.get_by_label("What happened").fill("Python was missing. It is there now.")
        press(page, "Submit")
        told(page, "It is submitted.")
        expect(page.locator("#ticket-head")).to_contain_text("The blocker is gone.")
        expect(page.locator(".plain-words")).to_contain_text("It is there now.")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("script", SCRIPT)
@pytest.mark.parametrize("to", ["Whoever looks for work next", "ci-7, who worked on it"])
def test_it_sends_back_from_needs_human(house: House, width: int, script: bool, to: str) -> None:
    ref = next(house.notes["asks"])
    with house.page("alice", width, java_script_enabled=script) as page:
        opened(house, page, f"/tickets/{ref}")
        follow(page, "Send it back")
        page.get_by_label("What they should do differently").fill("Use the other account.")
        page.get_by_label(re.compile(re.escape(to))).check()
        press(page, "Send it back")
        told(page, "It is sent back.")
        shown = "On it: ci-7" if "ci-7" in to else "Waiting for someone to pick it up."
        expect(page.locator("#ticket-head")).to_contain_text(shown)
        expect(page.locator(".timeline")).to_contain_text("Use the other account.")


@pytest.mark.parametrize("width", WIDTHS)
def test_it_is_taken_over_or_closed_from_needs_human(house: House, width: int) -> None:
    ref = next(house.notes["asks"])
    with house.page("alice", width) as page:
        opened(house, page, f"/tickets/{ref}")
        press(page, "Take it over")
        told(page, "It is yours.")
        expect(page.locator("#ticket-head")).to_contain_text("On it: alice")
        page.locator("summary", has_text="More you can do").click()
        follow(page, "Ask a person")
        page.get_by_label("What a person has to decide or do").fill("Bob, please sign.")
        press(page, "Ask a person")
        told(page, "It waits for a person now.")
        follow(page, "Close it")
        page.get_by_label("What happened").fill("It signs itself now.")
        press(page, "Close the ticket")
        told(page, "It is closed.")
        expect(page.locator("#ticket-head")).to_contain_text("Closed without proof.")
        press(page, "Open it again")
        told(page, "It is open again.")


@pytest.mark.parametrize("script", SCRIPT)
def test_a_wide_screen_has_the_list_beside_it(house: House, script: bool) -> None:
    asks, full, _ = house.notes["shown"]
    with house.page("alice", 1100, java_script_enabled=script) as page:
        opened(house, page, f"/tickets/{full}")
        rows = page.get_by_role("navigation", name="Open tickets").get_by_role("listitem")
        expect(rows).to_have_count(25)
        rows.filter(has_text=f"{asks} ").get_by_role("link").click()
        page.wait_for_url(f"{house.url}/tickets/{asks}")
        expect(page.locator(".beside [aria-current]")).to_contain_text(asks)
        if script:
            expect(page.locator(".beside [aria-current]")).to_be_in_viewport()
        assert_fits(page)
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        expect(page.locator("main :focus")).to_have_text("Board")
        page.set_viewport_size({"width": 1099, "height": 900})
        expect(rows.first).to_be_hidden()
        assert_fits(page)


def test_it_is_answered_by_keyboard_alone(house: House) -> None:
    ref = next(house.notes["asks"])
    with house.page("alice", java_script_enabled=False) as page:
        opened(house, page, f"/tickets/{ref}")
        _tab_to(page, "Send it back")
        page.keyboard.press("Enter")
        page.wait_for_url("**/send-back")
        _tab_to(page, "", name="note")
        page.keyboard.type("Use the other account.")
        page.keyboard.press("Tab")
        page.keyboard.press("ArrowDown")
        _tab_to(page, "Send it back")
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/tickets/{ref}")
        told(page, "It is sent back.")
        expect(page.locator("#ticket-head")).to_contain_text("On it: ci-7")


def _tab_to(page: Page, text: str, name: str = "") -> None:
    for _ in range(60):
        page.keyboard.press("Tab")
        focused = page.locator(":focus")
        if name and focused.get_attribute("name") == name:
            return
        if text and focused.inner_text().strip() == text:
            return
    raise AssertionError(f"never came to {text or name}")


@pytest.mark.parametrize("script", SCRIPT)
def test_it_keeps_what_was_typed_when_the_session_ended(house: House, script: bool) -> None:
    ref = next(house.notes["asks"])
    with house.page("alice", 360, java_script_enabled=script) as page:
        opened(house, page, f"/tickets/{ref}")
        page.get_by_label("Your comment").fill("Long thought about.")
        page.context.clear_cookies(name="sessionid")
        press(page, "Post the comment")
        page.wait_for_url("**/accounts/login/**")
        expect(page.locator(".messages")).to_contain_text("What you wrote is kept")
        assert "Long" not in page.url
        picture(page, f"signed-out-{script}")
        page.get_by_label("Mail address").fill("alice@acme.example")
        page.get_by_label("Password").fill("correct horse")
        press(page, "Sign in")
        page.wait_for_url(f"**/tickets/{ref}/comment")
        expect(page.get_by_label("Your comment")).to_have_value("Long thought about.")
        press(page, "Post the comment")
        told(page, "Your comment is posted.")


def test_it_shows_the_loser_of_two_tabs_what_happened(house: House) -> None:
    ref = next(house.notes["asks"])
    with house.page("alice", 360) as page:
        opened(house, page, f"/tickets/{ref}/close")
        page.get_by_label("What happened").fill("Nobody needs it.")
        call(house, page, f"{ref}/send-back", {"note": "Once more"})
        press(page, "Close the ticket")
        expect(page.get_by_role("alert")).to_contain_text("Something happened on the ticket")
        expect(page.locator(".timeline")).to_contain_text("sent it back")
        expect(page.get_by_role("textbox", name="What happened")).to_have_value("Nobody needs it.")
        assert_fits(page)
        picture(page, "meanwhile")


def test_it_refreshes_without_touching_what_is_typed(house: House) -> None:
    ref = next(house.notes["asks"])
    with house.page("alice") as page:
        page.clock.install()
        opened(house, page, f"/tickets/{ref}")
        page.get_by_label("Your comment").fill("Half a thou")
        call(house, page, f"{ref}/comments", {"body": "Seen."})
        call(house, page, f"{ref}/send-back", {"note": "Once more"})
        page.locator(".beside .row").first.focus()
        page.clock.run_for(16_000)
        expect(page.locator(".beside .row").first).to_be_focused()
        expect(page.locator("#ticket-talk")).to_contain_text("Seen.")
        expect(page.locator("#ticket-head")).to_contain_text("Waiting for someone to pick it up.")
        expect(page.get_by_label("Your comment")).to_have_value("Half a thou")
