"""The pages in a real browser: nothing refused by the content policy, nothing sticks out."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from tests.support import TAKEOVER, Api, Desk, file_ticket, prove, resolve
from tests.tickets.test_findings import SECRET, token

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LONG = "https://ci.example.com/" + "a-very-long-address-without-a-single-space/" * 6
WIDTHS = [360, 1280]


@contextmanager
def browser() -> Iterator[Browser]:
    """Chromium; opened once the rows are there, for its loop forbids the database to this thread."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--headless"]
        )
        yield chromium
        chromium.close()


@contextmanager
def page_at(chromium: Browser, width: int, **options: Any) -> Iterator[Page]:
    """A page whose console has no error at the end; violations of the content policy are such."""
    context = chromium.new_context(viewport={"width": width, "height": 900}, **options)
    context.set_default_timeout(90_000)
    page = context.new_page()
    errors: list[str] = []
    page.on("console", lambda line: _note(errors, line))
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    assert errors == []
    context.close()


def _note(errors: list[str], line: ConsoleMessage) -> None:
    if line.type == "error":
        errors.append(f"{line.text} {line.location['url']}")


def sign_in(page: Page, server: str, email: str) -> None:
    page.goto(f"{server}/")
    page.get_by_label("Mail address").fill(email)
    page.get_by_label("Password").fill("correct horse")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{server}/")


def assert_fits(page: Page) -> None:
    inner = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert inner[0] <= inner[1], (page.url, inner)


def seed(desk: Desk) -> None:
    """One ticket of each colour, and one with everything on it."""
    stuck, solver = desk.agent("deploy-3"), desk.agent("ci-7")
    file_ticket(stuck)
    resolve(solver, "SB-1")
    file_ticket(stuck, urgency=2, title=f"Nightly report is late {LONG[:150]}", human_summary=None)
    file_ticket(stuck, urgency=9, **certificate())
    solver.post("/api/v1/tickets/SB-3/claim", {}).ok()
    solver.post("/api/v1/tickets/SB-3/escalate", {"reason": "Only a person may sign."}).ok()
    file_ticket(stuck, urgency=7, **{**TAKEOVER, **whole()})
    work_on(solver, "SB-4")


def certificate() -> dict[str, Any]:
    return {
        "title": "IPWalrus could not renew its certificate",
        "human_summary": {
            "problem": "The renewal job cannot reach the DNS provider, which answers nothing.",
            "impact": "The site shows a warning from Friday on.",
            "next_step": "Somebody with access to the DNS account must approve the new licence.",
        },
    }


def whole() -> dict[str, Any]:
    command = {
        "description": "A clean install works",
        "method": "command",
        "command": "npm ci",
        "expected": "exits 0",
    }
    address = {
        "description": "The staging site answers",
        "method": "external_check",
        "url": LONG,
        "expected": "200 OK",
    }
    looks = {"description": "The pictures look right", "method": "manual", "expected": "yes"}
    return {
        "blocker_criteria": [command, address, looks],
        "context": {
            "errors": ["gyp ERR! find Python"],
            "workspace": {"repo": "github.com/acme/resize", "commit": "4f2a9c1"},
        },
        "labels": ["ci", "node"],
    }


def work_on(solver: Api, ref: str) -> None:
    solver.post(f"/api/v1/tickets/{ref}/claim", {}).ok()
    update = "The image lacks python3. I am adding it and building again."
    solver.post(f"/api/v1/tickets/{ref}/updates", {"body": update}).ok(201)
    prove(solver, ref, exit_code=1, output_excerpt="gyp ERR! find Python").ok(201)
    sent = {"output_excerpt": f"added 312 packages\n{LONG}", "output_sha256": "ab" * 32}
    prove(solver, ref, **sent).ok(201)
    solver.post(f"/api/v1/tickets/{ref}/comments", {"body": LONG}).ok(201)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_it_reads_well_at_any_width(
    live_server: LiveServer, desk: Desk, width: int, scheme: str
) -> None:
    seed(desk)
    with browser() as chromium, page_at(chromium, width, color_scheme=scheme) as page:
        page.goto(f"{live_server.url}/accounts/login/")
        assert_fits(page)
        sign_in(page, live_server.url, "alice@acme.example")
        assert_fits(page)
        expect(page.locator("article.card")).to_have_count(3)
        page.goto(f"{live_server.url}/?show=all")
        page.get_by_role("link", name="The image service").first.click()
        expect(page.locator("h1")).to_have_text("The image service cannot be built")
        for fold in page.locator("summary").all():
            fold.click()
        assert_fits(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_it_shows_what_was_masked(
    live_server: LiveServer, desk: Desk, width: int, scheme: str
) -> None:
    stuck = desk.agent("deploy-3")
    named = {"a_name_that_goes_on_" * 12: f"https://app:{SECRET}@db.example/"}
    errors = [f"{number}: token {token(number)} was rejected" for number in range(6)]
    file_ticket(stuck, context={"environment": named, "errors": errors}, **certificate())
    with browser() as chromium, page_at(chromium, width, color_scheme=scheme) as page:
        sign_in(page, live_server.url, "alice@acme.example")
        page.goto(f"{live_server.url}/tickets/SB-1")
        assert_fits(page)
        page.get_by_role("link", name="What to do").click()
        expect(page.get_by_role("heading", name="Rotate these secrets")).to_be_visible()
        page.get_by_text("Show 2 more").click()
        expect(page.locator(".secrets li")).to_have_count(7)
        assert_fits(page)


def test_it_works_from_the_keyboard(live_server: LiveServer, desk: Desk) -> None:
    seed(desk)
    with browser() as chromium, page_at(chromium, 1280, java_script_enabled=False) as page:
        sign_in(page, live_server.url, "carol@acme.example")
        page.keyboard.press("Tab")
        assert page.locator(":focus").inner_text() == "Skip to the content"
        page.keyboard.press("Enter")
        while "SB-" not in (page.locator(":focus").get_attribute("href") or ""):
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_url("**/tickets/SB-3")


def test_it_runs_the_admin_under_the_policy(live_server: LiveServer, desk: Desk) -> None:
    User.objects.filter(email="alice@acme.example").update(is_staff=True, is_superuser=True)
    file_ticket(desk.agent("stuck"))
    with browser() as chromium, page_at(chromium, 1280) as page:
        sign_in(page, live_server.url, "alice@acme.example")
        for path in ("", "accounts/user/add/", "tickets/ticket/?q=SB-1", "accounts/token/add/"):
            page.goto(f"{live_server.url}/admin/{path}")
            expect(page.locator("#content")).to_be_visible()
        page.goto(f"{live_server.url}/admin/accounts/connector/{desk.connector.id}/change/")
        page.get_by_role("button", name="Make a new enrollment secret").click()
        assert page.locator("#secret").inner_text().startswith("sbe_")
