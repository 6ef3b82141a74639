"""The way from an empty desk to the first ticket, in a real browser."""

import pytest
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.test_pages import WIDTHS, assert_fits, browser, page_at, sign_in
from tests.support import Desk, make_package

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("width", WIDTHS)
def test_it_shows_the_first_agent_and_ticket_by_itself(
    live_server: LiveServer, desk: Desk, width: int
) -> None:
    secret = desk.enrollment_secret
    with browser() as chromium, page_at(chromium, width) as page:
        sign_in(page, live_server.url, "bob@acme.example")
        expect(page.get_by_text("No agent has registered yet")).to_be_visible()
        expect(page.get_by_role("button", name="Copy").first).to_be_visible()
        assert_fits(page)
        page.evaluate("window.here = true")
        api = page.context.request
        reply = api.post(
            f"{live_server.url}/api/v1/agents/register",
            headers={"Authorization": f"Bearer {secret}"},
            data={"name": "deploy-3"},
        )
        page.locator("li.there").get_by_text("deploy-3").wait_for()
        assert page.evaluate("window.here")  # no reload
        api.post(
            f"{live_server.url}/api/v1/tickets",
            headers={"Authorization": f"Bearer {reply.json()['token']}"},
            data={"package": make_package()},
        )
        page.locator("article").get_by_text("The image service").wait_for()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scripts", [True, False])
def test_an_owner_makes_a_secret_and_sees_it_once(
    live_server: LiveServer, desk: Desk, width: int, scripts: bool
) -> None:
    with browser() as chromium, page_at(chromium, width, java_script_enabled=scripts) as page:
        sign_in(page, live_server.url, "alice@acme.example")
        page.get_by_text("Make another", exact=True).click()
        page.get_by_role("button", name="Make another secret").click()
        assert "export STUCKBOT_ENROLL=sbe_" in page.locator("#secret").inner_text()
        expect(page.get_by_role("button", name="Copy")).to_be_visible(visible=scripts)
        if scripts:
            assert_fits(page)
        page.get_by_role("link", name="I have kept it").click()
        expect(page.get_by_role("heading", name="Connect an agent")).to_be_visible()
