"""Every page, in every state and theme, before the checks of axe for WCAG 2.2 AA."""

import itertools
import os
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, expect

from accounts.models import User
from accounts.selectors import caller_of_membership
from accounts.services.invitations import invitation_send
from accounts.services.notices import unsubscribe_token
from accounts.services.sign_up import sign_up_begin
from accounts.states import Role
from stuckbot.lib import clock
from stuckbot.site.demo.week import demo_fill
from stuckbot.site.pages import lists
from tests.accounts.letters import waiting
from tests.browser.house import House, open_house
from tests.browser.test_pages import LONG, assert_fits, certificate, sign_in, whole, work_on
from tests.support import TAKEOVER, Desk, file_ticket
from tests.tickets.test_findings import SECRET
from tickets.models import Ticket

pytestmark = [pytest.mark.browser]

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OPTIONS: dict[str, Any] = {
    "resultTypes": ["violations"],
    "runOnly": {"type": "tag", "values": TAGS},
    "rules": {"target-size": {"enabled": True}},
}
#: Width and theme; every page is looked at in one of the pairs, which take turns.
LOOKS = (((360, "light"), (1280, "dark")), ((360, "dark"), (1280, "light")))
_turns = itertools.cycle(LOOKS)
#: Colours that glide from one theme to the other are neither.
_SETTLED = "Promise.allSettled(document.getAnimations().map((one) => one.finished))"
_RUN = """async (options) => (await axe.run(document, options)).violations
    .map((one) => [one.id, one.nodes.map((node) => node.html.slice(0, 200)
        + " " + (node.any[0] || node.all[0] || node.none[0]).message)])"""


@pytest.fixture(scope="module")
def house(db: None) -> Iterator[House]:
    with open_house(fill) as opened:
        yield opened


#: What is advice alone, and no stylesheet of ours mends in Django's own admin: its pages leave out
#: levels of heading, name several parts alike, and label the search by a picture's name.
NOT_OURS = (
    *("heading-order", "landmark-unique", "region", "empty-table-header"),
    "label-title-only",
)


def fill(desk: Desk) -> dict[str, Any]:
    """The demo's week, two tickets with everything on them, people who are invited."""
    now = clock.now()
    demo_fill(org=desk.org, seed=1, now=now)
    shown = _one_of_each(desk)
    stuck, solver = desk.agent("stuck-1"), desk.agent("solver-1")
    filed = file_ticket(stuck, urgency=7, **{**TAKEOVER, **_everything()})
    work_on(solver, filed["ref"])
    named = {"a_name_that_goes_on_" * 12: f"https://app:{SECRET}@db.example/"}
    masked = file_ticket(stuck, context={"environment": named}, **certificate())
    solver.post(f"/api/v1/tickets/{masked['ref']}/claim", {}).ok()
    solver.post(f"/api/v1/tickets/{masked['ref']}/escalate", {"reason": "Sign it."}).ok()
    held = file_ticket(stuck, **{**TAKEOVER, **whole()})
    desk.person("alice").post(f"/api/v1/tickets/{held['ref']}/claim", {}).ok()
    alice = caller_of_membership(desk.people["alice"])
    invited = [_invited(alice, f"{name}@else.example", now) for name in ("dora", "erik")]
    User.objects.create_user("erik@else.example", "correct horse")
    invited.append(_invited(alice, "frank@else.example", now - timedelta(days=8)))
    sign_up_begin(email="hugo@else.example", now=now)
    sign_up = next(one.link for one in waiting() if one.to == "hugo@else.example")
    operator = desk.people["alice"].user
    operator.time_zone = "Europe/Berlin"
    operator.is_staff = operator.is_superuser = True
    operator.save()
    refs = {"all": filed["ref"], "asks": masked["ref"], "held": held["ref"]}
    notes = {"unsubscribe": f"/unsubscribe/{unsubscribe_token(desk.people['bob'])}", **refs}
    return {"shown": shown, "invited": invited, "sign_up": sign_up, **notes}


def _everything() -> dict[str, Any]:
    """What an agent may tell at most in a short test, with a word that does not end."""
    return {**whole(), "title": f"A long word {'x' * 180}", "objective": LONG}


def _invited(alice: Any, email: str, now: Any) -> str:
    invitation_send(actor=alice, email=email, role=Role.MEMBER, now=now)
    return next(one.link for one in waiting() if one.to == email)


def _one_of_each(desk: Desk) -> list[str]:
    """The last ticket of every state, held up or not."""
    kinds: dict[tuple[Any, ...], str] = {}
    for ticket in Ticket.objects.of(desk.org.id).order_by("number"):
        kind = (ticket.state, bool(ticket.paused_at or ticket.blocked_since))
        kinds[kind] = f"SB-{ticket.number}"
    return list(kinds.values())


def check(page: Page, without: tuple[str, ...] = ()) -> None:
    """At both widths and in both themes: nothing found, and nothing sticks out."""
    assert faults(page, without) == [], page.url


def faults(page: Page, without: tuple[str, ...] = ()) -> list[Any]:
    rules = OPTIONS["rules"] | {rule: {"enabled": False} for rule in without}
    found: list[Any] = []
    page.evaluate(AXE_SCRIPT)
    for width, scheme in next(_turns):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.evaluate(_SETTLED)
        _picture(page, f"{width}-{scheme}")
        found += [(width, scheme, *one) for one in page.evaluate(_RUN, OPTIONS | {"rules": rules})]
        assert_fits(page)
    return found


def _picture(page: Page, kind: str) -> None:
    """Keeps a picture for whoever wants to look; the tests themselves look at none."""
    folder = os.environ.get("PICTURES")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        count = len(list(Path(folder).glob(f"*-{kind}.png")))
        name = re.sub(r"[^a-z0-9]+", "-", page.url.split("/", 3)[3].lower())[:60]
        page.screenshot(path=f"{folder}/{count:03}-{name}-{kind}.png", full_page=True)


def test_axe_finds_nothing_for_whoever_is_signed_out(house: House) -> None:
    open_one, for_account, over = house.notes["invited"]
    with house.page() as page:
        for path, status in {
            "/accounts/login/": 200,
            "/accounts/password/reset/": 200,
            "/accounts/password/reset/done/": 200,
            "/accounts/password/reset/key/1-nonsense/": 200,
            "/accounts/password/reset/key/done/": 200,
            "/accounts/login/code/": 200,
            "/accounts/inactive/": 200,
            "/accounts/signup/": 403,
            open_one: 200,
            for_account: 200,
            over: 410,
            "/join/nonsense": 404,
            house.notes["unsubscribe"]: 200,
            "/unsubscribe/nonsense": 404,
            "/nothing": 404,
        }.items():
            house.go(page, path, status)
            check(page)
        house.go(page, "/accounts/login/")
        house.send(page, "/accounts/login/", {"login": "alice@acme.example", "password": "no"})
        check(page)
        house.send(page, open_one, {"name": "", "password1": "short", "password2": "other"})
        check(page)
        house.send(page, "/accounts/login/code/", {"email": "alice@acme.example"})
        check(page)


def test_axe_finds_nothing_on_the_lists(house: House) -> None:
    with house.page("alice") as page:
        for path in ("/", "/?label=nothing", "/archive", "/archive?label=nothing"):
            house.go(page, path)
            check(page)
        house.go(page, "/")
        page.get_by_text("Filter and sort").click()
        page.locator(".menus summary").last.click()
        check(page)


def test_axe_finds_nothing_on_tickets_of_every_state(house: House) -> None:
    with house.page("alice") as page:
        for ref in house.notes["shown"]:
            house.go(page, f"/tickets/{ref}")
            check(page)
        for ref in (house.notes["all"], house.notes["asks"], house.notes["held"]):
            house.go(page, f"/tickets/{ref}")
            for fold in page.locator("main summary").all():
                fold.click()
            check(page)
        house.go(page, f"/tickets/{house.notes['all']}/proof/b1")
        check(page)


def test_axe_finds_nothing_on_every_act(house: House) -> None:
    """Each act's page on a ticket that waits for a person: as a form, or as a refusal."""
    place = f"/tickets/{house.notes['asks']}"
    with house.page("alice") as page:
        for slug in ("settings", "evidence", "release", "send-back", "take-over", "close"):
            page.goto(f"{house.url}{place}/{slug}")
            check(page)
        for key in ("b1", "b2", "b3", "t1"):
            house.go(page, f"/tickets/{house.notes['held']}/evidence?criterion={key}")
            check(page)
        assert house.send(page, f"{place}/send-back", {"note": "", "to": "all"}).status == 422
        check(page)
        told = {"note": "Again, please.", "to": "all", "seen": "0"}
        assert house.send(page, f"{place}/send-back", told).status == 409
        check(page)
        assert house.send(page, f"{place}/claim", {}).status == 409
        check(page)


def test_axe_finds_nothing_on_people_and_accounts(house: House) -> None:
    with house.page() as page:
        sign_in(page, house.url, "alice@acme.example")
        for path in (
            "/people",
            "/account",
            "/connect",
            "/connect/secret/shown",
            "/account/token",
            "/accounts/email/",
            "/accounts/password/change/",
            "/accounts/reauthenticate/",
            "/accounts/logout/",
        ):
            page.goto(f"{house.url}{path}")
            check(page)
        house.go(page, "/people")
        assert house.send(page, "/people/invite", {"email": "no", "role": "owner"}).status == 422
        check(page)
        house.go(page, "/account")
        page.locator("#tokens").get_by_label("What is it for?").fill("A script")
        page.get_by_role("button", name="Make a token").click()
        expect(page.locator("#token, .token").first).to_be_visible()
        check(page)


def test_axe_finds_nothing_where_anybody_may_sign_up(house: House, settings: Any) -> None:
    settings.OPEN_SIGNUP = True
    with house.page() as page:
        for path in ("/accounts/login/", "/accounts/signup/"):
            house.go(page, path)
            check(page)
        house.send(page, "/accounts/signup/", {"email": "no"})
        check(page)
        house.go(page, "/accounts/signup/")
        house.send(page, "/accounts/signup/", {"email": "greta@else.example"})
        check(page)
        for path, status in ((house.notes["sign_up"], 200), ("/sign-up/nonsense", 404)):
            house.go(page, path, status)
            check(page)


def test_axe_finds_nothing_in_the_admin(house: House) -> None:
    with house.page("alice") as page:
        house.go(page, "/admin/")
        lists = page.locator("#content-main th a").evaluate_all("all => all.map((a) => a.pathname)")
        forms: list[str] = []
        found: dict[str, list[Any]] = {}
        for path in ("/admin/", *lists):
            house.go(page, path)
            found[path] = faults(page, NOT_OURS)
            first = page.locator("#result_list th a").first
            if first.count():
                forms.append(str(first.get_attribute("href")))
        assert len(forms) > 10
        for path in forms:
            house.go(page, path)
            found[path] = faults(page, NOT_OURS)
        assert {path: each for path, each in found.items() if each} == {}


def test_axe_finds_nothing_where_something_went_wrong(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    with house.page("carol") as page:
        house.go(page, "/")
        place = f"/tickets/{house.notes['asks']}/comment"
        assert house.send(page, place, {"body": "Well"}).status == 403
        check(page)
        house.go(page, "/")
        assert house.send(page, place, {"body": "Well"}, safe=False).status == 403
        check(page)
        house.go(page, "/?after=nonsense", 422)
        check(page)
        monkeypatch.setattr(lists, "labels_offered", _broken)
        house.go(page, "/archive", 500)
        check(page)
    with house.page() as page:
        house.go(page, "/accounts/password/reset/")
        for _ in range(8):
            answer = house.send(page, "/accounts/password/reset/", {"email": "a@acme.example"})
            if answer.status == 429:
                break
        assert answer.status == 429
        check(page)


def _broken(**_given: Any) -> Any:
    raise RuntimeError("as a fault of ours would")


def test_axe_finds_nothing_where_nothing_is_yet(house: House, settings: Any) -> None:
    with house.page("bob") as page:
        house.go(page, "/connect")
        check(page)
        settings.DEBUG = True
        house.go(page, "/style")
        check(page, without=("landmark-unique",))  # it shows each part once a theme
