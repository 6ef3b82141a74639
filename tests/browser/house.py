"""One server, one filled desk and one browser for all tests of a module.

Rows are made before the browser opens, for its loop forbids the database to this thread; what
happens later goes over the wire.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.test import Client, override_settings
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, Response
from pytest_django.live_server_helper import LiveServer

from accounts.states import Role
from tests.browser.test_pages import browser
from tests.pages.acting import SIGNED_IN_BY
from tests.support import Desk, make_desk

WIDTHS = (360, 1280)
#: How long a busy machine may take to load a page or to show a button, in ms.
PATIENCE = 90_000.0
PEOPLE = {"alice": Role.OWNER, "bob": Role.MEMBER, "carol": Role.VIEWER}

#: What a plain form of no page of ours sends: to see what the desk answers to it.
_SEND = """([path, fields]) => {
    const form = document.createElement("form");
    form.method = "post";
    form.action = path;
    for (const [name, value] of Object.entries(fields)) {
        const field = document.createElement("textarea");
        field.name = name;
        field.value = value;
        form.append(field);
    }
    document.body.append(form);
    form.submit();
}"""

#: Tells of each thing that the content policy kept from being done.
_WATCH = """addEventListener("securitypolicyviolation", (event) =>
    console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`));"""
#: What Chromium says of the page itself when it is an answer such as 404.
_STATUS = "Failed to load resource: the server responded with a status of"


@dataclass
class House:
    """The desk with its server; `notes` are what the filling wants to hand to the tests."""

    url: str
    desk: Desk
    chromium: Browser
    sessions: dict[str, str]
    notes: dict[str, Any] = field(default_factory=dict)

    @contextmanager
    def page(self, person: str = "", width: int = 1280, **options: Any) -> Iterator[Page]:
        """A page of somebody who is signed in already, or of nobody.

        At its end no script broke, nothing was refused by the content policy, nothing asked the
        reader anything, nothing was loaded from elsewhere, and every page had strict headers.
        """
        context = self.chromium.new_context(viewport={"width": width, "height": 900}, **options)
        context.set_default_timeout(PATIENCE)
        context.add_init_script(_WATCH)
        page = context.new_page()
        if person:
            self.enter(page, person)
        faults = self._watch(page)
        yield page
        assert faults == []
        context.close()

    def _watch(self, page: Page) -> list[str]:
        faults: list[str] = []

        def dialog(one: Dialog) -> None:
            faults.append(f"dialog: {one.message}")
            one.dismiss()

        def console(line: ConsoleMessage) -> None:
            if line.type == "error" and not line.text.startswith(_STATUS):
                faults.append(f"{line.text} {page.url}")

        def elsewhere(address: str) -> None:
            if not address.startswith((self.url + "/", "data:", "about:")):
                faults.append(f"elsewhere: {address}")

        page.on("dialog", dialog)
        page.on("console", console)
        page.on("pageerror", lambda error: faults.append(f"{error} {page.url}"))
        page.on("request", lambda request: elsewhere(request.url))
        page.on("response", lambda response: faults.extend(_loose(response)))
        return faults

    def enter(self, page: Page, person: str) -> None:
        cookie = {"name": "sessionid", "value": self.sessions[person], "url": self.url}
        page.context.add_cookies([cookie])  # type: ignore[list-item]

    def go(self, page: Page, path: str, status: int = 200) -> Response:
        response = page.goto(f"{self.url}{path}")
        assert response is not None
        assert response.status == status, (path, response.status)
        return response

    def send(self, page: Page, path: str, fields: dict[str, str], *, safe: bool = True) -> Response:
        """Sends a form by POST from the page that is open; unsafe: without what proves it ours."""
        cookies = {one.get("name"): one.get("value") for one in page.context.cookies()}
        token = {"csrfmiddlewaretoken": str(cookies.get("csrftoken"))} if safe else {}
        with page.expect_navigation() as navigation:
            page.evaluate(_SEND, [path, fields | token])
        return navigation.value


def _loose(response: Response) -> list[str]:
    """What the headers of a page allow that they must not."""
    if response.request.resource_type != "document" or 300 <= response.status < 400:
        return []
    headers = response.headers
    policy = headers.get("content-security-policy", "")
    asked = (
        "default-src 'none'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'self'",
    )
    faults = [f"policy without {one}: {response.url}" for one in asked if one not in policy]
    faults += [f"unsafe: {response.url}" for one in ("unsafe-", "*", "http:") if one in policy]
    for name, value in {"x-frame-options": "DENY", "x-content-type-options": "nosniff"}.items():
        if headers.get(name) != value:
            faults.append(f"{name} is not {value}: {response.url}")
    return faults


@contextmanager
def open_house(fill: Callable[[Desk], dict[str, Any]], **changes: Any) -> Iterator[House]:
    """Fills the desk, opens it, and empties the database again at the end."""
    name = str(connection.settings_dict["NAME"])
    assert "test" in name, f"{name} is no database of a test"
    with override_settings(TOKEN_USED_SECONDS=0, **changes):
        desk = make_desk("Acme", PEOPLE)
        server = LiveServer("localhost")
        notes = fill(desk) | {"server": server.url}
        sessions = {name: _session(desk, name) for name in PEOPLE}
        try:
            with browser() as chromium:
                yield House(server.url, desk, chromium, sessions, notes)
        finally:
            server.stop()
            call_command("flush", verbosity=0, interactive=False)


def _session(desk: Desk, person: str) -> str:
    client = Client()
    client.force_login(desk.people[person].user, SIGNED_IN_BY)
    return client.cookies[settings.SESSION_COOKIE_NAME].value
