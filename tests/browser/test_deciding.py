"""Deciding on a fix in a real browser: by keyboard, without scripts, two people at once."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from policy.states import Approval
from tests.browser.house import WIDTHS, House, open_house
from tests.browser.test_axe import check
from tests.browser.test_hostile import assert_harmless
from tests.browser.test_journeys import tab_to
from tests.browser.test_pages import LONG, assert_fits
from tests.matrix.scene import LOOKS, approval
from tests.support import Api, Desk, file_ticket, prove
from tests.verification.reviewing import VERIFIER

pytestmark = [pytest.mark.browser]

COMMAND = {
    "description": "A clean install works",
    "method": "command",
    "command": "npm ci",
    "expected": "exits 0",
}
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>\"'\u202e\u200b\0" + "x" * 200
BOTH = pytest.mark.parametrize("script", [True, False], ids=["scripts", "no scripts"])


@pytest.fixture(scope="module")
def house(db: None) -> Iterator[House]:
    with open_house(fill) as opened:
        yield opened


def fill(desk: Desk) -> dict[str, Any]:
    """Tickets that wait for a person, one for each journey; and one of each other kind."""
    approval(desk, Approval.PERSON)
    stuck, solver = desk.agent("stuck"), desk.agent("ci-7")
    plain = [_waits(stuck, solver) for _ in range(9)]
    manual = [_waits(stuck, solver, LOOKS) for _ in range(4)]
    own = _waits(stuck, desk.person("alice"))
    hostile = _hostile(stuck, solver)
    approval(desk, Approval.AGENT)
    free, held = _waits(stuck, solver), _waits(stuck, solver)
    verifier = desk.agent("second-look", scopes=list(VERIFIER))
    job = verifier.get("/api/v1/verifications").ok()["verifications"][-1]
    verifier.post(f"/api/v1/verifications/{job['id']}/claim").ok()
    others = {"own": own, "hostile": hostile, "waits": free, "held": held}
    return {"plain": iter(plain), "manual": iter(manual), **others}


def _waits(stuck: Api, solver: Api, *more: Any) -> str:
    ref: str = file_ticket(stuck, blocker_criteria=[COMMAND, *more])["ref"]
    solver.post(f"/api/v1/tickets/{ref}/claim").ok()
    prove(solver, ref, output_excerpt=f"added 312 packages\n{LONG}").ok(201)
    said = {"stage": "blocker", "outcome": "It installs again."}
    solver.post(f"/api/v1/tickets/{ref}/submit", said).ok()
    return ref


def _hostile(stuck: Api, solver: Api) -> str:
    """Everything that somebody else wrote, and a package that the solver changed."""
    looks = {**LOOKS, "description": HOSTILE.replace("\0", "")}
    ref: str = file_ticket(stuck, blocker_criteria=[COMMAND, looks], next_steps=["Look"])["ref"]
    place = f"/api/v1/tickets/{ref}"
    solver.post(f"{place}/claim").ok()
    package = solver.get(place).ok()["ticket"]["content"]["package"]
    steps = [HOSTILE.replace("\0", ""), *(f"Step {number}" for number in range(90))]
    solver.post(f"{place}/package", {"package": {**package, "next_steps": steps}}).ok()
    prove(solver, ref, output_excerpt=HOSTILE).ok(201)
    said = {"stage": "blocker", "outcome": HOSTILE.replace("\0", "")}
    solver.post(f"{place}/submit", said).ok()
    return ref


def opened(house: House, page: Page, ref: str) -> str:
    place = f"/tickets/{ref}"
    house.go(page, place)
    return place


def unfold(page: Page) -> None:
    page.evaluate(
        "document.querySelectorAll('main details').forEach((one) => { one.open = true; })"
    )


def test_axe_finds_nothing(house: House) -> None:
    refs = [house.notes[name] for name in ("own", "hostile", "waits", "held")]
    refs += [next(house.notes["plain"]), next(house.notes["manual"])]
    with house.page("alice") as page:
        for ref in refs:
            place = opened(house, page, ref)
            unfold(page)
            check(page)
            for slug in ("approve", "reject"):
                page.goto(f"{house.url}{place}/{slug}")
                check(page)
        assert house.send(page, f"{place}/approve", {"reason": "Yes"}).status == 422
        check(page)
        house.go(page, f"{place}/met?criterion=b2")
        check(page)
    with house.page("carol") as page:
        opened(house, page, refs[-1])
        check(page)


def test_what_others_wrote_is_text(house: House) -> None:
    with house.page("bob") as page:
        place = opened(house, page, house.notes["hostile"])
        unfold(page)
        assert_harmless(page)
        expect(page.locator(".differs ins").first).to_contain_text("onerror")
        house.go(page, f"{place}/approve")
        assert_harmless(page)
        sent = {"reason": HOSTILE.replace("\0", ""), "looked": "<b>"}
        assert house.send(page, f"{place}/approve", sent).status == 422
        assert_harmless(page)


@pytest.mark.parametrize("width", WIDTHS)
def test_it_is_approved_by_keyboard_alone(house: House, width: int) -> None:
    ref = next(house.notes["manual"])
    with house.page("bob", width) as page:
        opened(house, page, ref)
        tab_to(page, "The pictures look right")
        page.keyboard.press("Space")
        tab_to(page, "A word on it")
        page.keyboard.type("All six are sharp.")
        tab_to(page, "Approve the fix")
        page.keyboard.press("Enter")
        expect(page.get_by_text("You approved the fix.")).to_be_visible()
        expect(page.locator(".past").get_by_text("All six are sharp.")).to_be_visible()
        assert_fits(page)


@BOTH
@pytest.mark.parametrize("width", WIDTHS)
def test_it_is_rejected_with_a_reason(house: House, width: int, script: bool) -> None:
    ref = next(house.notes["plain"])
    with house.page("bob", width, java_script_enabled=script) as page:
        opened(house, page, ref)
        box = page.locator("#decide")
        expect(box.get_by_text("added 312 packages")).to_be_visible()
        box.locator("summary", has_text="Reject it").click()
        box.get_by_label("What is wrong with it").fill("It fails on the older image.")
        box.get_by_role("button", name="Reject the fix").click()
        expect(page.get_by_text("You rejected the fix.")).to_be_visible()
        expect(page.get_by_text("Rejections so far: 1 of 3")).to_be_visible()
        if script:
            assert_fits(page)


@BOTH
def test_what_was_not_looked_at_is_not_approved(house: House, script: bool) -> None:
    """The tick is asked for, with what was typed kept; then it is done."""
    ref = next(house.notes["manual"]) if script else _last(house)
    with house.page("bob", 360, java_script_enabled=script) as page:
        opened(house, page, ref)
        page.get_by_label("A word on it").fill("Seen on phone 2.")
        page.get_by_role("button", name="Approve the fix").click()
        expect(page.get_by_text("Look at each of these yourself, then tick it.")).to_be_visible()
        expect(page.get_by_label("A word on it")).to_have_value("Seen on phone 2.")
        if not script:
            return
        page.get_by_label("The pictures look right").check()
        page.get_by_role("button", name="Approve the fix").click()
        expect(page.get_by_text("You approved the fix.")).to_be_visible()


def _last(house: House) -> str:
    return str(house.notes["hostile"])


def test_two_people_at_once_make_one_decision(house: House) -> None:
    ref = next(house.notes["plain"])
    with house.page("alice") as first, house.page("bob") as second:
        for page in (first, second):
            opened(house, page, ref)
        second.locator("#decide summary", has_text="Reject it").click()
        second.get_by_label("What is wrong with it").fill("It fails for me.")
        first.get_by_role("button", name="Approve the fix").click()
        expect(first.get_by_text("You approved the fix.")).to_be_visible()
        second.get_by_role("button", name="Reject the fix").click()
        expect(second.get_by_text("the ticket has moved on")).to_be_visible()
        expect(second.get_by_role("textbox")).to_have_value("It fails for me.")
        expect(second.get_by_text("approved the fix.").first).to_be_visible()


def test_a_double_click_decides_once(house: House) -> None:
    ref = next(house.notes["plain"])
    with house.page("bob", java_script_enabled=False) as page:
        opened(house, page, ref)
        page.get_by_role("button", name="Approve the fix").dblclick()
        expect(
            page.get_by_text("You approved the fix.").or_(page.get_by_text("done already"))
        ).to_be_visible()
        expect(page.get_by_text("Approved by bob")).to_have_count(1)


def test_a_link_of_a_mail_lands_on_the_decision(house: House) -> None:
    ref = next(house.notes["plain"])
    with house.page("bob", 360) as page:
        house.go(page, f"/tickets/{ref}#decide")
        expect(page.locator("#decide")).to_be_in_viewport()
