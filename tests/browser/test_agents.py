"""The fleet in a real browser: read, asked and stopped by keyboard and without scripts, kept."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from accounts.models import Agent, Connector
from accounts.services.agents import heartbeat_note
from accounts.services.orgs import connector_disable, connector_make, system_caller
from accounts.states import SCOPES
from stuckbot.lib import clock
from stuckbot.lib.caller import Caller
from stuckbot.site.demo.week import demo_fill
from tests.browser.house import WIDTHS, House, open_house
from tests.browser.test_axe import check
from tests.browser.test_pages import assert_fits
from tests.support import Desk

pytestmark = [pytest.mark.browser]

LONG = "An_agent_whose_name_is_one_word_that_does_not_end_" + "x" * 29


@pytest.fixture(scope="module")
def house(db: None) -> Iterator[House]:
    with open_house(_fill) as opened:
        yield opened


def _fill(desk: Desk) -> dict[str, Any]:
    """The demo's fleet, an agent with everything long, one that retired, a fleet that is stopped."""
    now, org = clock.now(), desk.org
    demo_fill(org=org, seed=1, now=now)
    labels = {"a_label_that_goes_on_" * 4: "v" * 300, "team": ["payments", "shop"]}
    long = desk.agent(LONG, labels=labels, provider="p" * 80, model="m" * 80, runtime="r" * 80)
    agent_id = long.get("/api/v1/agents/me").ok()["agent"]["id"]
    caller = Caller(agent_id, org.id, "agent", LONG)
    usage = {"tokens": 1e15, "a_use_of_its_own": 3.25}
    heartbeat_note(actor=caller, usage=usage, status=f"\u202e{'w' * 400}", now=now)
    desk.agent("gone").post("/api/v1/agents/me/retire").ok()
    stopped = connector_make(org=org, name="Stopped", scopes=SCOPES, set_up_by=None, now=now)
    connector_disable(actor=system_caller(org.id), connector=stopped, now=now)
    named = dict(Agent.objects.of(org.id).values_list("name", "id"))
    demo = Connector.objects.of(org.id).get(name="Demo agents")
    return {
        **{name: f"/agents/{one}" for name, one in named.items()},
        "long": f"/agents/{agent_id}",
        "demo": f"/agents/connectors/{demo.id}",
        "stopped": f"/agents/connectors/{stopped.id}",
    }


def test_axe_finds_nothing(house: House) -> None:
    named = house.notes
    lists = ("/agents", "/agents?show=all", "/agents?name=nobody", "/agents/connectors")
    ones = (named["ci-7"], named["long"], named["gone"], named["demo"], named["stopped"])
    for person in ("alice", "carol"):
        with house.page(person) as page:
            for path in (*lists, *ones):
                house.go(page, path)
                check(page)
    with house.page("alice") as page:
        for path in ("/agents", "/agents/connectors", named["ci-7"], named["demo"], "/agents/key"):
            house.go(page, path)
            for fold in page.locator("main summary").all():
                fold.click()
            check(page)
        assert house.send(page, f"{named['ci-7']}/ask", {"kind": "handoff"}).status == 409
        check(page)
        assert house.send(page, "/agents/key/new", {"name": ""}).status == 422
        check(page)


@pytest.mark.parametrize("width", WIDTHS)
def test_an_agent_is_stopped_and_let_go_on_by_keyboard(house: House, width: int) -> None:
    with house.page("bob", width) as page:
        house.go(page, house.notes["deploy-3"])
        page.locator("summary", has_text="Stop this agent").focus()
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        page.keyboard.type("We deploy at noon.")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.get_by_text("Told to stop just now, not answered yet.")).to_be_visible()
        expect(page.locator("#agent-asked").get_by_text("We deploy at noon.")).to_be_visible()
        assert_fits(page)
        page.get_by_role("button", name="Withdraw the request").focus()
        page.keyboard.press("Enter")
        expect(page.get_by_text("The agent is offered work again.")).to_be_visible()


def test_it_works_without_scripts(house: House) -> None:
    with house.page("alice", 360, java_script_enabled=False) as page:
        house.go(page, "/agents")
        page.get_by_role("link", name="shop-dev").click()
        page.locator("summary", has_text="Ask it to hand off").click()
        page.get_by_label("What it should know").first.fill("Leave the checkout to ana.")
        page.get_by_role("button", name="Ask it to hand off").click()
        expect(page.get_by_text("Asked to hand off just now, not answered yet.")).to_be_visible()
        page.get_by_role("link", name="Agents").first.click()
        page.get_by_role("link", name="Asked").click()
        expect(page.get_by_role("link", name="shop-dev")).to_be_visible()


def test_the_bar_of_pages_fits_the_narrowest_screen(house: House) -> None:
    with house.page("alice", 320) as page:
        house.go(page, "/agents")
        assert_fits(page)
        for name in ("Board", "Archive", "Agents", "Policy", "People"):
            expect(page.locator(".places").get_by_text(name, exact=True)).to_be_in_viewport()
