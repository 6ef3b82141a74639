"""The desk's own checks in a real browser: under way, failed, impossible, and decided on."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connections
from playwright.sync_api import Page, expect
from pytest_django.plugin import DjangoDbBlocker

from policy.states import Approval
from stuckbot.lib import clock
from stuckbot.lib.outgoing import Answered, Refused, Result, Unanswered
from stuckbot.site.usecases.url_check import url_checked
from tests.browser.house import WIDTHS, House, open_house
from tests.browser.test_axe import check
from tests.browser.test_hostile import assert_harmless
from tests.browser.test_journeys import tab_to
from tests.browser.test_pages import assert_fits
from tests.browser.test_ticket_page import picture
from tests.matrix.scene import approval
from tests.support import Api, Desk, file_ticket
from verification.models import UrlCheck
from verification.services.url_queue import checks_take

pytestmark = [pytest.mark.browser]

URL = "https://status.example.com/healthz"
FINE = Answered(200, "93.184.216.34", 412, False)
BROKEN = Answered(500, "93.184.216.34", 1_260, False)
SILENT = Unanswered("timeout", "93.184.216.34", 10_000, False)
PRIVATE = Refused("not_public")
HOSTILE = "https://a.example/<img/src=x/onerror=alert(1)>?\u202e" + "x" * 300
DOWN = {
    "title": "The status page is down",
    "human_summary": {
        "problem": "Visitors of the status page see an error.",
        "impact": "Nobody outside can tell whether we are up.",
        "next_step": "Somebody with access to its server starts it again.",
    },
    "stuck_reason": "The page answers 502, and I may not log in to its server.",
}
BOTH = pytest.mark.parametrize("script", [True, False], ids=["scripts", "no scripts"])


@pytest.fixture(scope="module")
def db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The database, for the whole module instead of one test."""
    with django_db_blocker.unblock():
        yield


@pytest.fixture(scope="module")
def house(db: None) -> Iterator[House]:
    with open_house(fill) as opened:
        yield opened


def fill(desk: Desk) -> dict[str, Any]:
    """A ticket for each thing that a check can come to, and some to be decided on."""
    approval(desk, Approval.AUTOMATIC)
    stuck, solver = desk.agent("deploy-3"), desk.agent("ci-7")

    def made(*seen: Result, **options: Any) -> str:
        return _reported(stuck, solver, seen, **options)

    shown = {
        "failed": made(BROKEN),
        "unchecked": made(PRIVATE),
        "passed": made(Answered(200, "10.1.2.3", 38, True)),
        "waits": made(SILENT, SILENT, SILENT, submits=True),
        "hostile": made(SILENT, SILENT, SILENT, submits=True, url=HOSTILE),
        "running": made(SILENT, submits=True),
    }
    decided = [made(PRIVATE, submits=True) for _ in range(4)]
    return {"shown": shown, "decided": iter(decided), "moving": made(submits=True)}


def _reported(
    stuck: Api, solver: Api, seen: tuple[Result, ...], *, submits: bool = False, url: str = URL
) -> str:
    opened = {
        "description": "The status page answers",
        "method": "external_check",
        "url": url,
        "expected": "200 OK",
    }
    ref: str = file_ticket(stuck, **DOWN, blocker_criteria=[opened])["ref"]
    place = f"/api/v1/tickets/{ref}"
    solver.post(f"{place}/claim", {}).ok()
    sent = {"criterion": "b1", "type": "external_check", "payload": {"url": url}}
    solver.post(f"{place}/evidence", sent).ok(201)
    if submits:
        said = {"stage": "blocker", "outcome": "The page answers again."}
        solver.post(f"{place}/submit", said).ok()
    for one in seen:
        _tried(ref, one)
    return ref


def _tried(ref: str, seen: Result) -> None:
    """A checker takes it and writes down what came of it."""
    rows = UrlCheck.unscoped.filter(ticket__number=int(ref[3:]), status="waiting")
    rows.update(due_at=clock.now())
    [taken] = [one for one in checks_take(clock.now(), 500) if one.ticket_id == rows[0].ticket_id]
    url_checked(taken, seen)


def beside(act: Callable[[], None]) -> None:
    """In a thread, since this one must not touch the database."""

    def acting() -> None:
        act()
        connections.close_all()

    thread = threading.Thread(target=acting)
    thread.start()
    thread.join()


def unfold(page: Page) -> None:
    page.evaluate(
        "document.querySelectorAll('main details').forEach((one) => { one.open = true; })"
    )


def test_axe_finds_nothing(house: House) -> None:
    with house.page("bob") as page:
        for name, ref in house.notes["shown"].items():
            house.go(page, f"/tickets/{ref}")
            picture(page, f"checks-{name}")
            unfold(page)
            check(page)
        house.go(page, f"/tickets/{house.notes['shown']['waits']}/proof/b1")
        check(page)
        house.go(page, "/?color=red")
        check(page)


@pytest.mark.parametrize("width", WIDTHS)
def test_each_says_what_it_came_to(house: House, width: int) -> None:
    says = {
        "failed": "It answered 500 after 1.3 s. Wanted: 200 OK.",
        "unchecked": "It leads into a private network",
        "passed": "It is a private address that whoever runs StuckBot allows.",
        "waits": "It gave no answer within 10 seconds. Tried 3 times.",
        "running": "came to nothing: no answer within 10 seconds.",
    }
    with house.page("bob", width) as page:
        for name, text in says.items():
            house.go(page, f"/tickets/{house.notes['shown'][name]}")
            picture(page, f"checks-{name}-{width}")
            expect(page.get_by_text(text)).to_be_visible()
            assert_fits(page)


def test_what_others_wrote_is_text(house: House) -> None:
    with house.page("bob") as page:
        for place in (f"/tickets/{house.notes['shown']['hostile']}", "/?color=red"):
            house.go(page, place)
            unfold(page)
            assert_harmless(page)
            assert_fits(page)


def test_the_address_is_a_link_that_tells_nobody_where_it_was_opened(house: House) -> None:
    with house.page("bob") as page:
        house.go(page, f"/tickets/{house.notes['shown']['waits']}")
        link = page.locator(".opening a")
        expect(link).to_have_text(URL)
        expect(link).to_have_attribute("rel", "noopener noreferrer nofollow")


@BOTH
@pytest.mark.parametrize("width", WIDTHS)
def test_a_person_decides_on_what_nobody_could_check(
    house: House, width: int, script: bool
) -> None:
    ref = next(house.notes["decided"])
    with house.page("bob", width, java_script_enabled=script) as page:
        house.go(page, "/?color=red")
        card = page.locator(f"#{ref}")
        told = "StuckBot could not open “status.example.com”: not public."
        expect(card.get_by_text(told)).to_be_visible()
        card.get_by_role("link").first.click()
        box = page.locator("#decide")
        expect(
            box.get_by_text("StuckBot can allow hosts of your own network by their names")
        ).to_be_visible()
        tab_to(page, "The status page answers (could not be checked: not public)")
        page.keyboard.press("Space")
        tab_to(page, "A word on it")
        page.keyboard.type("It answers from the office.")
        tab_to(page, "Approve the fix")
        page.keyboard.press("Enter")
        expect(page.get_by_text("You approved the fix.")).to_be_visible()
        expect(page.get_by_text("it was approved all the same")).to_be_visible()


def test_the_page_says_by_itself_how_it_went(house: House) -> None:
    ref = house.notes["moving"]
    with house.page("bob", 360) as page:
        page.clock.install()
        house.go(page, f"/tickets/{ref}")
        expect(page.get_by_text(f"StuckBot opens {URL} as soon as it can.")).to_be_visible()
        beside(lambda: _tried(ref, SILENT))
        _looks_again(page)
        expect(page.get_by_text("Try 1 of 3")).to_be_visible()
        beside(lambda: _tried(ref, FINE))
        _looks_again(page)
        expect(page.get_by_text("It answered 200 after 412 ms.").first).to_be_visible()
        expect(page.locator("#ticket-head")).to_contain_text("Done")
        assert_fits(page)


def _looks_again(page: Page) -> None:
    with page.expect_response(lambda one: "x-refresh" in one.request.headers):
        page.clock.fast_forward(16_000)
    page.clock.run_for(10)
