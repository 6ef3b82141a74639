"""People in a real browser: inviting and joining, an account, by keyboard and without scripts."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.cache import cache
from django.db import connection
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from accounts.services.orgs import member_add
from accounts.states import Role
from stuckbot.lib import clock
from tests.accounts.letters import newest
from tests.browser.test_pages import WIDTHS, assert_fits, browser, page_at, sign_in
from tests.support import Desk

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PASSWORD = "several long words"


@pytest.fixture(autouse=True)
def _forgotten_tries(transactional_db: None) -> None:
    cache.clear()


def mailed(part: str = "link") -> str:
    """A part of the newest mail; asked for in a thread, for the browser's loop forbids it here."""

    def look() -> str:
        try:
            return str(getattr(newest(), part))
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(look).result()


def invite(page: Page, server: str, email: str, role: str = "Member") -> None:
    page.goto(f"{server}/people")
    page.get_by_label("Mail address").fill(email)
    page.get_by_role("radio", name=role).check()
    assert_fits(page)
    page.get_by_role("button", name="Send the invitation").click()
    page.get_by_text("The mail is on its way").wait_for()


def join(page: Page, address: str, name: str) -> None:
    page.goto(address)
    assert_fits(page)
    page.get_by_label("Your name").fill(name)
    page.get_by_label("A password").fill(PASSWORD)
    page.get_by_role("button", name="Make my account and join").click()
    page.get_by_text("Welcome to Acme.").wait_for()
    assert_fits(page)


@pytest.mark.parametrize("with_scripts", [True, False], ids=["scripts", "no scripts"])
@pytest.mark.parametrize("width", WIDTHS)
def test_somebody_is_invited_and_joins(
    live_server: LiveServer, desk: Desk, width: int, with_scripts: bool
) -> None:
    server = live_server.url
    options = {"java_script_enabled": with_scripts}
    email = "a.new.person.with.a.long.name@a-very-long-department.example.com"
    with browser() as chromium, page_at(chromium, width, **options) as alice:
        sign_in(alice, server, "alice@acme.example")
        invite(alice, server, email)
        link = mailed()
        with page_at(chromium, width, **options) as nina:
            join(nina, server + link, "Nina")
            nina.goto(f"{server}/people")
            assert nina.get_by_role("button", name="Send the invitation").count() == 0
            assert nina.get_by_text("Invite somebody").count() == 0
        alice.goto(f"{server}/people")
        assert_fits(alice)
        row = alice.locator(".person", has_text="Nina")
        row.locator("summary", has_text="Change role").click()
        row.get_by_label("Role").select_option("viewer")
        row.get_by_role("button", name="Save the role").click()
        alice.get_by_text("The role is changed.").wait_for()
        row.locator("summary", has_text="Remove").click()
        assert_fits(alice)
        row.get_by_role("button", name="Remove Nina").click()
        alice.get_by_text("no longer a member").wait_for()
        assert alice.locator(".person", has_text="Nina").count() == 0


def test_another_address_is_told_and_comes_back(
    live_server: LiveServer, desk: Desk, other: Desk
) -> None:
    server = live_server.url
    with browser() as chromium:
        with page_at(chromium, 360) as alice:
            sign_in(alice, server, "alice@acme.example")
            invite(alice, server, "mallory@other.example", "Viewer")
            link = mailed()
        with page_at(chromium, 360) as mallory:
            mallory.goto(server + link)
            mallory.get_by_role("link", name="Sign in").click()
            mallory.get_by_label("Mail address").fill("mallory@other.example")
            mallory.get_by_label("Password").fill("correct horse")
            mallory.get_by_role("button", name="Sign in").click()
            mallory.get_by_role("button", name="Join").click()
            mallory.get_by_text("Welcome to Acme.").wait_for()


@pytest.mark.parametrize("width", WIDTHS)
def test_a_token_is_made_copied_and_revoked(
    live_server: LiveServer, desk: Desk, width: int
) -> None:
    server = live_server.url
    options = {"permissions": ["clipboard-read", "clipboard-write"]}
    with browser() as chromium, page_at(chromium, width, **options) as page:
        sign_in(page, server, "bob@acme.example")
        page.goto(f"{server}/account")
        assert_fits(page)
        page.get_by_label("What is it for?").fill("my script")
        page.get_by_role("button", name="Make a token").click()
        page.wait_for_url(f"{server}/account/token")
        assert_fits(page)
        shown = page.locator("#token").inner_text()
        assert shown.startswith("sbp_")
        page.get_by_role("button", name="Copy").click()
        page.get_by_role("button", name="Copied").wait_for()
        assert page.evaluate("navigator.clipboard.readText()") == shown
        page.reload()
        expect(page.get_by_text("It was shown already")).to_be_visible()
        page.get_by_role("link", name="Go to your tokens").click()
        page.locator("summary", has_text="Revoke").click()
        page.get_by_role("button", name="Revoke the token").click()
        page.get_by_text("does not work any more").wait_for()
        assert page.get_by_text("my script").count() == 0


def test_it_signs_in_with_a_code_by_keyboard(live_server: LiveServer, desk: Desk) -> None:
    server = live_server.url
    with browser() as chromium, page_at(chromium, 360, java_script_enabled=False) as page:
        page.goto(f"{server}/people")
        reach(page, "Mail me a code instead")
        page.keyboard.press("Enter")
        page.wait_for_url("**/accounts/login/code/**")
        page.get_by_label("Mail address").focus()
        page.keyboard.type("alice@acme.example")
        page.keyboard.press("Enter")
        page.wait_for_url("**/code/confirm/**")
        code = mailed("text").split("\n    ")[1].split("\n")[0]
        page.get_by_label("Code").focus()
        page.keyboard.type(code)
        page.keyboard.press("Enter")
        page.wait_for_url(f"{server}/people")
        reach(page, "Change role: alice")
        page.keyboard.press("Enter")
        reach(page, "Save the role")


def reach(page: Page, words: str) -> None:
    """Goes by the Tab key to what says that."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.locator(":focus").inner_text().replace("\n", "").startswith(words):
            return
    raise AssertionError(f"the Tab key never came to {words!r}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_every_page_of_signing_in_fits(
    live_server: LiveServer, desk: Desk, width: int, scheme: str
) -> None:
    outside = ["login/", "login/code/", "password/reset/", "password/reset/done/", "inactive/"]
    outside += ["password/reset/key/abc-def/", "password/reset/key/done/", "confirm-email/x/"]
    inside = ["accounts/email/", "accounts/password/change/", "accounts/reauthenticate/"]
    inside += ["accounts/logout/", "account", "people"]
    with browser() as chromium, page_at(chromium, width, color_scheme=scheme) as page:
        for path in outside:
            page.goto(f"{live_server.url}/accounts/{path}")
            assert page.locator("h1").count() == 1
            assert_fits(page)
        sign_in(page, live_server.url, "alice@acme.example")
        for path in inside:
            page.goto(f"{live_server.url}/{path}")
            assert page.locator("h1").count() == 1
            assert_fits(page)


@pytest.mark.parametrize("width", WIDTHS)
def test_many_people_are_paged(live_server: LiveServer, desk: Desk, width: int) -> None:
    for number in range(60):
        user = User.objects.create_user(f"p{number}@acme.example", name=f"Person {number:02}")
        member_add(org=desk.org, user=user, role=Role.MEMBER, now=clock.now())
    with browser() as chromium, page_at(chromium, width) as page:
        sign_in(page, live_server.url, "alice@acme.example")
        page.goto(f"{live_server.url}/people")
        assert_fits(page)
        page.get_by_role("link", name="Invite somebody").click()
        expect(page.get_by_role("heading", name="Invite somebody")).to_be_in_viewport()
        page.get_by_role("navigation", name="Pages of people").get_by_role("link").click()
        expect(page.locator("li.person")).to_have_count(13)
        assert_fits(page)
        page.locator("summary", has_text="Remove: Person 59").click()
        page.get_by_role("button", name="Remove Person 59").click()
        page.get_by_text("They are no longer a member.").wait_for()
        expect(page.locator("li.person")).to_have_count(12)
