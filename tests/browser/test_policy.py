"""The policy in a real browser: read, changed by keyboard and without scripts, refused, kept."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from accounts.selectors import caller_of_membership
from accounts.services.orgs import project_make
from policy.services.policies import Reach, policy_set
from stuckbot.lib import clock
from tests.browser.house import WIDTHS, House, open_house
from tests.browser.test_axe import check
from tests.browser.test_pages import assert_fits
from tests.support import Desk
from tests.verification.signed import Signer
from verification.services.keys import key_add, key_revoke

pytestmark = [pytest.mark.browser]

LONG = "A_project_whose_name_is_one_word_that_does_not_end_" + "x" * 29


@pytest.fixture(scope="module")
def house(db: None) -> Iterator[House]:
    with open_house(_fill) as opened:
        yield opened


def _fill(desk: Desk) -> dict[str, Any]:
    """A project like the org, one of its own in everything, and a connector's own rules."""
    alice, now = caller_of_membership(desk.people["alice"]), clock.now()
    plain, whole = (project_make(org=desk.org, name=name, now=now) for name in ("Web", LONG))
    changes = {
        "blocker": "agent",
        "task": "agent_then_person",
        "verifier_wait_minutes": 90,
        "different_connector": True,
        "different_provider": True,
        "max_rejections": 1,
    }
    policy_set(actor=alice, changes=changes, now=now, reach=Reach(whole.id))
    narrow = Reach(plain.id, desk.connector.id)
    policy_set(actor=alice, changes={"task": "person"}, now=now, reach=narrow)
    for name in ("CI runner", LONG):
        key = key_add(actor=alice, name=name, pem=Signer().pem, now=now)
    key_revoke(actor=alice, fingerprint=key.fingerprint, now=now)
    key_add(actor=alice, name=f"{LONG[:-6]} again", pem=Signer().pem, now=now)
    return {"plain": f"/policy/projects/{plain.id}", "whole": f"/policy/projects/{whole.id}"}


def test_axe_finds_nothing(house: House) -> None:
    for person in ("alice", "carol"):
        with house.page(person) as page:
            for path in ("/policy", house.notes["plain"], house.notes["whole"]):
                house.go(page, path)
                check(page)
    with house.page("alice") as page:
        house.go(page, "/policy")
        for fold in page.locator("main summary").all():
            fold.click()
        check(page)
        assert house.send(page, "/policy/save", {"max_rejections": "0"}).status == 422
        check(page)
        private = {"name": "CI", "pem": Signer().private_pem()}
        assert house.send(page, "/policy/verifiers/add", private).status == 422
        check(page)
        sent = {
            **{"blocker": "agent", "task": "person", "verifier_wait_minutes": "30"},
            **{"different_connector": "yes", "different_provider": "no"},
            **{"max_rejections": "3", "seen": "0"},
        }
        assert house.send(page, "/policy/save", sent).status == 409
        check(page)


@pytest.mark.parametrize("with_scripts", [True, False], ids=["scripts", "no scripts"])
@pytest.mark.parametrize("width", WIDTHS)
def test_an_owner_changes_the_policy(house: House, width: int, with_scripts: bool) -> None:
    with house.page("alice", width, java_script_enabled=with_scripts) as page:
        house.go(page, "/")
        page.get_by_role("link", name="Policy").click()
        _choose(page, "When a task is finished", "Another agent checks")
        page.get_by_text("More options").click()
        page.get_by_label("Ask a person instead of a verifier").select_option("After 2 hours")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_text("The policy is saved.")).to_be_visible()
        expect(page.get_by_label("Ask a person instead of a verifier")).to_have_value("120")
        page.get_by_role("link", name=re.compile("Change.*Web")).click()
        expect(page.get_by_text("Now: Another agent checks")).to_be_visible()
        _choose(page, "When a blocker is fixed", "I check it")
        if with_scripts:
            assert_fits(page)
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_text("The policy of Web is saved.")).to_be_visible()
        expect(page.get_by_text("When a blocker is fixed: I check it")).to_be_visible()
        _put_back(house, page)


def _choose(page: Page, question: str, answer: str) -> None:
    group = page.get_by_role("group", name=question)
    group.get_by_role("radio", name=answer).first.check()


def _put_back(house: House, page: Page) -> None:
    """As it was, for the next test."""
    for path, way in ((house.notes["plain"], "Same as the org"), ("/policy", "Automatically")):
        house.go(page, path)
        for question in ("When a blocker is fixed", "When a task is finished"):
            _choose(page, question, way)
        if path == "/policy":
            page.get_by_label("Ask a person instead of a verifier").select_option("0")
        page.get_by_role("button", name="Save").click()
        page.wait_for_url(f"{house.url}/policy")


def test_it_is_saved_by_keyboard_alone(house: House) -> None:
    with house.page("alice") as page:
        house.go(page, house.notes["plain"])
        group = page.get_by_role("group", name="When a task is finished")
        group.get_by_role("radio", name="Same as the org").focus()
        page.keyboard.press("ArrowDown")
        expect(group.locator("[value=automatic]")).to_be_checked()
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.get_by_label("Rejected fixes before a person is asked")).to_be_visible()
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Enter")
        page.wait_for_url(f"{house.url}/policy")


@pytest.mark.parametrize("with_scripts", [True, False], ids=["scripts", "no scripts"])
@pytest.mark.parametrize("width", WIDTHS)
def test_an_owner_adds_a_verifier_and_revokes_it(
    house: House, width: int, with_scripts: bool
) -> None:
    name, signer = f"Verifier {width} {with_scripts}", Signer()
    with house.page("alice", width, java_script_enabled=with_scripts) as page:
        house.go(page, "/policy")
        part = page.locator("#verifiers")
        part.get_by_label("Name").fill(name)
        part.get_by_label("Public key").fill(signer.private_pem())
        part.get_by_role("button", name="Add the key").click()
        expect(part.get_by_text("This is a private key. Treat it as leaked")).to_be_visible()
        expect(part.get_by_label("Name")).to_have_value(name)
        expect(part.get_by_label("Public key")).to_have_value("")
        part.get_by_label("Public key").fill(signer.pem)
        part.get_by_role("button", name="Add the key").click()
        expect(page.get_by_text(f"{name} is one of your verifiers now.")).to_be_visible()
        row = part.locator(".person", has_text=signer.fingerprint)
        row.locator("summary").click()
        if with_scripts:
            assert_fits(page)
        row.get_by_role("button", name="Revoke the key").click()
        expect(page.get_by_text("The key is revoked.")).to_be_visible()
        part.get_by_text("revoked keys").click()
        expect(part.get_by_text(signer.fingerprint)).to_be_visible()
