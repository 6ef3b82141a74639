"""A chain, what the last one left, a ticket that is kept, and pauses, in a real browser."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.house import WIDTHS, House, open_house
from tests.browser.test_axe import check
from tests.browser.test_pages import assert_fits
from tests.chains.house import agent_id, claim, hand_on
from tests.support import Desk, file_ticket, make_package

pytestmark = [pytest.mark.browser]
LONG = "A_title_that_is_one_word_and_does_not_end_" + "x" * 60


@pytest.fixture(scope="module")
def house(db: None) -> Iterator[House]:
    with open_house(_fill) as opened:
        yield opened


def _fill(desk: Desk) -> dict[str, Any]:
    stuck, solver, racer = (desk.agent(name) for name in ("stuck", "solver", "racer"))
    file_ticket(stuck)
    claim(solver, "SB-1")
    hand_on(solver, "SB-1", reason="My context is full: " + "w" * 200).ok(201)
    claim(racer, "SB-2")
    racer.post("/api/v1/tickets/SB-2/release", {"note": "Look at the proxy first"}).ok()
    claim(racer, "SB-2")
    words = make_package(title=LONG)
    hand_on(racer, "SB-2", package=words, for_agent=agent_id(stuck)).ok(201)
    project = desk.org.default_project_id
    desk.person("bob").post(f"/api/v1/projects/{project}/pause", {"reason": "Freeze"}).ok()
    return {"project": f"/policy/projects/{project}"}


@pytest.mark.parametrize("width", WIDTHS)
def test_it_fits_and_is_plain_to_all(house: House, width: int) -> None:
    paths = ("/tickets/SB-1", "/tickets/SB-2", "/tickets/SB-3", "/policy", house.notes["project"])
    with house.page("alice", width) as page:
        for path in paths:
            page.set_viewport_size({"width": width, "height": 900})
            house.go(page, path)
            assert_fits(page)
            check(page)


def test_one_walks_the_chain_and_lets_anyone_take_it(house: House) -> None:
    with house.page("alice", 360) as page:
        house.go(page, "/tickets/SB-1")
        page.get_by_role("link", name="Go to SB-3, where it goes on").click()
        expect(page.get_by_role("heading", name="How it got here")).to_be_visible()
        page.get_by_role("link", name="Go to where it is paused").click()
        page.get_by_role("button", name="Let it go on").click()
        house.go(page, "/tickets/SB-3")
        expect(page.get_by_text("Kept for stuck.").first).to_be_visible()
        page.get_by_role("button", name="Let anyone take it").click()
        expect(page.get_by_text("Anyone may take it now.")).to_be_visible()
        expect(page.get_by_text("Kept for stuck.")).to_have_count(0)
