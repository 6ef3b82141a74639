"""Filling in what an incomplete ticket lacks, in a real browser: on a phone, without scripts."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.house import WIDTHS, House, open_house
from tests.browser.test_axe import check
from tests.browser.test_pages import assert_fits
from tests.support import Desk, make_package

pytestmark = [pytest.mark.browser]
BOTH = pytest.mark.parametrize("script", [True, False], ids=["scripts", "no scripts"])


@pytest.fixture(scope="module")
def house(db: None) -> Iterator[House]:
    with open_house(fill) as opened:
        yield opened


def fill(desk: Desk) -> dict[str, Any]:
    """Tickets that a signal filed: one for each way of filling them in, one that lacks little."""
    stuck = desk.agent("night-build")

    def signal(package: dict[str, Any]) -> str:
        reply = stuck.post("/api/v1/signals", {"type": "budget", "package": package})
        return str(reply.ok(201)["ticket"]["ref"])

    said = {"stuck_reason": "npm ci fails: gyp ERR! find Python", "labels": ["ci"]}
    return {
        "True": signal(said),
        "False": signal(said),
        "little": signal(make_package(objective=None, next_steps=None)),
    }


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_and_anybody_can_use_it(house: House, width: int, theme: Any) -> None:
    with house.page("bob", width=width, color_scheme=theme) as page:
        for place in ("/", f"/tickets/{house.notes['little']}"):
            page.goto(f"{house.url}{place}")
            assert_fits(page)
        page.goto(f"{house.url}/tickets/{house.notes['little']}/complete")
        assert_fits(page)
        check(page)
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_text("Fill in at least one of these.")).to_be_visible()
        assert_fits(page)
        check(page)


@BOTH
def test_a_person_fills_it_in_on_a_phone(house: House, script: bool) -> None:
    ref = house.notes[str(script)]
    with house.page("bob", width=WIDTHS[0], java_script_enabled=script) as page:
        page.goto(f"{house.url}/tickets/{ref}")
        page.get_by_role("link", name="Fill in what is missing").first.click()
        _type(page)
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_text("Choose how it is checked.")).to_be_visible()
        expect(page.get_by_label("What it is called")).to_have_value("The build lacks Python")
        page.get_by_label("How it is checked").first.select_option("command")
        page.get_by_label("What exactly").first.fill("npm ci")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_text("Saved.")).to_be_visible()
        expect(page.get_by_text("Waiting for someone to pick it up.").first).to_be_visible()
        expect(page.get_by_role("link", name="Fill in what is missing")).to_have_count(0)
        assert_fits(page)


def _type(page: Page) -> None:
    """All but how the check is made."""
    page.get_by_label("What it is called").fill("The build lacks Python")
    page.get_by_label("What is to be reached in the end").fill("Ship the service")
    page.get_by_label("What it shows").first.fill("A clean install works")
    page.get_by_label("What it must show to pass").first.fill("it ends with 0")
