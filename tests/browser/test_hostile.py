"""Whatever an agent or a person writes, wherever they may write: it stays text on every page."""

import re
from collections.abc import Iterator
from shlex import quote
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from accounts.models import Org, User
from accounts.selectors import caller_of_membership
from accounts.services.invitations import invitation_send
from accounts.services.orgs import person_token_make, project_make
from accounts.states import Role
from stuckbot.lib import clock
from stuckbot.site.pages.acts_table import ACTS
from tests.accounts.letters import waiting
from tests.browser.house import House, open_house
from tests.browser.test_pages import assert_fits
from tests.support import Api, Desk, make_package
from tickets.models import Ticket

pytestmark = [pytest.mark.browser]

RUN = "window.ran=1;alert(1)"
TEXTS = {
    "tags": f"<script>{RUN}</script></title></textarea></style><script>{RUN}</script><!--",
    "attributes": f"\"'><img src=x onerror=\"{RUN}\"><svg onload={RUN}>' autofocus onfocus='{RUN}",
    "templates": "{{ 7|add:7 }}{% debug %}{# c #}${alert(1)}`${window.ran=1}`\\u003cscript\\u003e"
    "${{7*7}}<%= 7*7 %>#{7*7}*{7*7}",
    "links": "javascript:alert(1) JaVaScRiPt:alert(1) data:text/html,<script>alert(1)</script> "
    '//evil.example [x](javascript:alert(1)) vbscript:x https://a.example/"onmouseover="alert(1)'
    " https://good.example@evil.example/ https://good.example/ok",
    "directions": "pay\u202egpj.exe\u2066a\u2069 in\u200bvi\u2060si\ufeffble \u200f\u061c \u00ad.",
    "words": "w" * 200,
    "right to left": "לא ניתן לבנות את השירות، تعذر بناء الخدمة 123 (abc)",
    "pictures": "👩‍👩‍👧‍👦🏳️‍🌈👍🏿 e" + "\u0301" * 60 + " 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 ＡＢＣ ﷽",
    "entities": "&lt;script&gt;alert(1)&lt;/script&gt; &amp;amp; &#60;b&#62; &nbsp;&#x202e;",
    "nothing": "null",
    "long": "An end is not in sight. " + "x<y&z " * 3_300,
}
#: What may stand in a name: no control characters, and none that turn the text.
NAMES = [
    f"<script>{RUN}</script>",
    f"\"'><img src=x onerror={RUN}>",
    "n" * 80,
    "لا أحد 👩‍👩‍👧‍👦",
    "{{ 7|add:7 }}{% debug %}",
    "undefined",
]

#: Each control that is shown: what lies over its middle is itself, and it is within the page.
_CONTROLS = """() => {
    const faults = [];
    const names = "a[href], button, summary, input:not([type=hidden]), select, textarea";
    for (const one of document.querySelectorAll(names)) {
        if (!one.checkVisibility() || one.closest(".skip, .visually-hidden")) continue;
        (one.closest("h2") || one).scrollIntoView({block: "center", inline: "nearest", behavior: "instant"});
        const boxes = [...one.getClientRects()].filter((box) => box.width && box.height);
        if (!boxes.length) continue;
        const box = boxes[0];
        const over = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
        const fits = box.left >= 0 && box.right <= document.documentElement.clientWidth + 0.5;
        const same = over && (one.contains(over) || one.labels && [...one.labels].includes(over)
            || over.closest("label") && over.closest("label").control === one);
        if (!fits || !same) faults.push([one.outerHTML.slice(0, 120), fits,
            over && over.outerHTML.slice(0, 120)]);
    }
    return faults;
}"""


@pytest.fixture(scope="module")
def house(db: None) -> Iterator[House]:
    with open_house(fill) as opened:
        yield opened


def fill(desk: Desk) -> dict[str, Any]:
    now = clock.now()
    Org.objects.filter(id=desk.org.id).update(name=NAMES[0][:80])
    for name, place in zip(("alice", "bob", "carol"), range(1, 4), strict=True):
        User.objects.filter(email=f"{name}@acme.example").update(name=NAMES[place])
        desk.people[name].actor.name = NAMES[place]
        desk.people[name].actor.save()
    User.objects.filter(email="alice@acme.example").update(is_staff=True, is_superuser=True)
    for name in NAMES:
        project_make(org=desk.org, name=name, now=now)
        person_token_make(membership=desk.people["alice"], name=name, now=now)
    refs = {kind: _filed(desk, text, place) for place, (kind, text) in enumerate(TEXTS.items())}
    alice = caller_of_membership(desk.people["alice"])
    invitation_send(actor=alice, email="dora@else.example", role=Role.MEMBER, now=now)
    first = Ticket.objects.of(desk.org.id).get(number=1)
    return {"refs": refs, "link": waiting()[0].link, "id": first.id}


def _filed(desk: Desk, text: str, place: int) -> str:
    """A ticket with the text in every field; others work on it and say it too."""
    stuck = desk.agent(NAMES[place % len(NAMES)], provider=NAMES[0], model=NAMES[1])
    solver = desk.agent(NAMES[(place + 1) % len(NAMES)])
    ref: str = stuck.post("/api/v1/tickets", {"package": _package(text)}).ok(201)["ticket"]["ref"]
    said = text[:5_000]
    at = f"/api/v1/tickets/{ref}"
    solver.post(f"{at}/claim", {}).ok()
    solver.post(f"{at}/updates", {"body": said}).ok(201)
    solver.post(f"{at}/comments", {"body": text}).ok(201)
    for key, kind, payload in _payloads(text[:4_000]):
        sent = {"criterion": key, "type": kind, "payload": payload}
        solver.post(f"{at}/evidence", sent).ok(201)
    _end(solver, at, said, place)
    return ref


def _end(solver: Api, at: str, said: str, place: int) -> None:
    """A third waits for a person, a third is blocked, a third was given back."""
    match place % 3:
        case 0:
            solver.post(f"{at}/escalate", {"reason": said}).ok()
        case 1:
            solver.post(f"{at}/block", {"reason": said[:2_000]}).ok()
        case _:
            solver.post(f"{at}/release", {"note": said}).ok()


def _package(text: str) -> dict[str, Any]:
    summary = dict.fromkeys(("problem", "impact", "next_step"), text[:1_200])
    long = text[:3_900]
    return make_package(
        title=text[:200],
        human_summary=summary,
        objective=text,
        stuck_reason=text,
        completed=[text],
        remaining=[long],
        next_steps=[long],
        attempts=[{"what": long, "result": long}],
        repro=long,
        constraints=[long],
        labels=["a-label-of-fifty-characters-" + "x" * 22, "javascript:1", "null"],
        required_skills=["x" * 50],
        context={
            "errors": [long],
            "logs": long,
            "environment": {long[:60]: long},
            "snippets": [{"path": long, "text": long}],
            "workspace": dict.fromkeys(("repo", "branch", "commit", "path", "url"), long),
        },
        blocker_criteria=[
            {"description": text, "method": "command", "command": quote(long), "expected": text},
            {"description": long, "method": "manual", "expected": long},
            {"description": long, "method": "artifact", "expected": long},
            {"description": long, "method": "test_suite", "expected": long},
        ],
    )


def _payloads(text: str) -> list[tuple[str, str, dict[str, Any]]]:
    command = {"command": quote(text[:3_900]), "exit_code": 1, "output_excerpt": text, "cwd": text}
    return [
        ("b1", "command_run", command),
        ("b2", "manual_note", {"note": text}),
        ("b3", "artifact", {"url": text, "path": text, "note": text}),
        ("b4", "test_report", {"runner": text, "passed": 1, "failed": 0, "summary": text}),
    ]


def assert_harmless(page: Page) -> None:
    assert page.evaluate("window.ran") is None, page.url
    assert_fits(page)
    assert page.evaluate(_CONTROLS) == [], page.url
    for link in page.locator("a[href]").all():
        address = link.get_attribute("href") or ""
        assert re.match(r"(https?://|/|\?|#)", address), (page.url, address)


@pytest.mark.parametrize("kind", TEXTS)
def test_a_ticket_is_text(house: House, kind: str) -> None:
    place = f"/tickets/{house.notes['refs'][kind]}"
    with house.page("alice", 360) as page:
        house.go(page, place)
        for fold in page.locator("main summary").all():
            fold.click()
        assert_harmless(page)
        for slug in ("proof/b1", "explain", "close"):
            page.goto(f"{house.url}{place}/{slug}")
            assert_harmless(page)


def test_links_lead_where_they_say(house: House) -> None:
    with house.page("alice", 360) as page:
        house.go(page, f"/tickets/{house.notes['refs']['links']}")
        found = page.locator("article a[href^=http]")
        addresses = {one.get_attribute("href") for one in found.all()}
        assert addresses == {"https://a.example/", "https://good.example/ok"}
        assert found.first.get_attribute("rel") == "noopener noreferrer nofollow"


def test_what_is_hidden_is_shown(house: House) -> None:
    with house.page("alice", 360) as page:
        house.go(page, f"/tickets/{house.notes['refs']['directions']}")
        text = page.locator("main").inner_text()
        for mark in ("U+202E", "U+200B", "U+2066", "U+FEFF", "U+00AD"):
            assert mark in text
        assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\ufeff\u00ad]", text + page.title())


@pytest.mark.parametrize("person", ["alice", "carol"])
def test_lists_and_the_rest_are_text(house: House, person: str) -> None:
    asked = "%3Cscript%3Ewindow.ran%3D1%3C%2Fscript%3E%22%27%3E%E2%80%AE"
    with house.page(person, 360) as page:
        for path in (
            "/",
            "/archive",
            f"/?label={asked}&project={asked}&holder={asked}&urgency={asked}",
            f"/?label={'w' * 50}",
            f"/?after={asked}",
            f"/tickets/{asked}",
            f"/{asked}",
            "/people",
            "/account",
            "/connect",
        ):
            page.goto(f"{house.url}{path}")
            assert_harmless(page)
        house.go(page, "/")
        page.get_by_text("Filter and sort").click()
        assert_harmless(page)


def test_act_pages_are_text(house: House) -> None:
    place = f"/tickets/{house.notes['refs']['attributes']}"
    with house.page("alice", 360) as page:
        for slug in ACTS:
            page.goto(f"{house.url}{place}/{slug}")
            assert page.evaluate("window.ran") is None
            assert_fits(page)


def test_what_is_typed_and_refused_is_text(house: House) -> None:
    text = TEXTS["tags"] + TEXTS["attributes"] + TEXTS["directions"] + TEXTS["words"]
    place = f"/tickets/{house.notes['refs']['tags']}"
    with house.page("alice", 360) as page:
        house.go(page, place)
        for path, fields in (
            (f"{place}/close", {"outcome": text, "seen": "0"}),
            (f"{place}/claim", {"key": text, "seen": text}),
            (f"{place}/settings", {"urgency": text, "labels": text, "assignee": text}),
            (f"{place}/send-back", {"note": text * 30, "to": text}),
            ("/people/invite", {"email": text, "role": text}),
            ("/account/details", {"name": text, "time_zone": text}),
            ("/account/tokens", {"name": text, "org": text, "expires": text}),
            ("/accounts/password/change/", {"oldpassword": text, "password1": text}),
        ):
            house.send(page, path, fields)
            assert_harmless(page)
        house.send(page, f"{place}/comment", {"body": text}, safe=False)
        assert_harmless(page)
        expect(page.locator("textarea")).to_have_value(text.replace("\r", ""))


def test_pages_of_whoever_is_signed_out_are_text(house: House) -> None:
    asked = "%22%3E%3Cscript%3Ewindow.ran%3D1%3C%2Fscript%3E"
    with house.page("", 360) as page:
        for path in (
            house.notes["link"],
            f"/join/{asked}",
            f"/accounts/login/?next=javascript:alert(1){asked}",
            "/accounts/login/?next=//evil.example/",
            f"/accounts/password/reset/key/1-{asked}/",
        ):
            page.goto(f"{house.url}{path}")
            assert_harmless(page)
        house.go(page, "/accounts/login/?next=//evil.example/")
        for path in ("/accounts/login/", "/accounts/password/reset/", "/accounts/login/code/"):
            fields = dict.fromkeys(("login", "email", "password"), TEXTS["attributes"])
            house.send(page, path, fields)
            assert_harmless(page)
        house.go(page, "/accounts/login/?next=javascript:alert(1)")
        page.get_by_label("Mail address").fill("bob@acme.example")
        page.get_by_label("Password").fill("correct horse")
        page.get_by_role("button", name="Sign in", exact=True).click()
        page.wait_for_url(f"{house.url}/")


def test_the_admin_is_text(house: House) -> None:
    with house.page("alice") as page:
        for path in (
            "",
            "tickets/ticket/",
            "tickets/ticket/?q=%3Cscript%3Ewindow.ran%3D1%3C/script%3E",
            f"tickets/ticket/{house.notes['id']}/change/",
            "accounts/agent/",
            "accounts/org/",
            f"accounts/org/{house.desk.org.id}/change/",
            f"accounts/connector/{house.desk.connector.id}/change/",
            "accounts/user/",
            "accounts/token/",
        ):
            house.go(page, f"/admin/{path}")
            assert page.evaluate("window.ran") is None
