"""Every form of the pages and the admin, filled in with secrets, one field at a time."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import quote

import requests
from django.contrib import admin

from tests.leaks.planted import PLANTED, Planted, some

PAGES = (
    "/accounts/login/",
    "/accounts/logout/",
    "/accounts/signup/",
    "/accounts/email/",
    "/accounts/password/reset/",
    "/accounts/password/change/",
    "/accounts/password/set/",
    "/accounts/reauthenticate/",
)
#: Pages with forms that are sent elsewhere.
SENT_TO = (
    ("/people", "/people/invite"),
    ("/policy", "/policy/save"),
    ("/policy", "/policy/verifiers/add"),
    ("/agents/key", "/agents/key/new"),
    ("/agents/connectors", "/agents/connectors/new"),
    ("/account", "/account/details"),
    ("/account", "/account/tokens"),
)
#: What a person writes on a ticket, in an order in which each can be done.
ACTS = (
    *("comment", "explain", "settings", "block", "unblock", "pause", "resume"),
    *("claim", "update", "evidence", "submit", "escalate", "send-back", "close"),
)
KEPT = ("csrfmiddlewaretoken", "_save", "next")


class Fields(HTMLParser):
    """The fields of a page's forms with what they hold, by name; texts apart."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.values: dict[str, str] = {}
        self.texts: dict[str, str] = {}
        self._choice: str | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        name, value = found.get("name"), found.get("value") or ""
        if tag == "select":
            self._choice = name
        elif tag == "option" and self._choice and value:
            if "selected" in found or self._choice not in self.values:
                self.values[self._choice] = value
        elif tag == "textarea" and name:
            self.texts[name] = "text"
        elif tag == "input" and name:
            self._input(name, value, found.get("type") or "text", "checked" in found)

    def _input(self, name: str, value: str, kind: str, checked: bool) -> None:
        if kind in ("text", "email", "search", "url", "tel"):
            self.texts[name] = kind
            self.values[name] = value
        elif kind == "password":
            self.values[name] = "a long enough one"
        elif kind in ("checkbox", "radio"):
            self.values |= {name: value or "on"} if checked else {}
        elif kind not in ("submit", "button", "file", "image", "reset"):
            self.values[name] = value


class Browser:
    """A person at the desk. What pages show on a plain look is kept in `heard`."""

    def __init__(self, url: str, heard: list[tuple[str, bytes]]) -> None:
        self.url = url
        self.heard = heard
        self.session = requests.Session()

    def get(self, path: str) -> requests.Response:
        return self.session.get(self.url + path, timeout=90)

    def look(self, path: str) -> None:
        self.heard.append((f"page {path}", self.get(path).content))

    def post(self, path: str, values: dict[str, str], **headers: str) -> requests.Response:
        sent = {**values, "csrfmiddlewaretoken": self.session.cookies.get("csrftoken", "")}
        return self.session.post(self.url + path, data=sent, headers=headers, timeout=90)

    def sign_in(self, email: str, password: str) -> None:
        self.get("/accounts/login/")
        page = self.post("/accounts/login/", {"login": email, "password": password})
        assert page.status_code == 200
        assert "sign out" in page.text.lower() or "/accounts/logout/" in page.text

    def fill(self, path: str, turn: int = 0, to: str | None = None) -> int:
        """Posts the form twice for each of its texts, the others filled in plainly."""
        page = self.get(path)
        if page.status_code != 200:
            return 0
        fields = Fields(page.text)
        for place, name in enumerate(fields.texts):
            for planted in some(turn + place, 2):
                self.post(to or path, _filled(fields, name, planted))
        return len(fields.texts)

    def act(self, path: str, turn: int) -> int:
        """Writes secrets on a ticket: signed in, with what ended, and with a token that ended."""
        page = self.get(path)
        fields = Fields(page.text)
        for planted in some(turn, 3 if fields.texts else 1):
            self.post(path, {**fields.values, **dict.fromkeys(fields.texts, planted.text)})
            stranger = Browser(self.url, self.heard)
            stranger.get("/accounts/login/")
            stranger.post(path, dict.fromkeys(fields.texts, planted.text))
            stranger.look("/accounts/login/")
            self.session.post(self.url + path, dict.fromkeys(fields.texts, planted.text))
        return len(fields.texts)

    def pause(self, page: str, to: str, turn: int) -> int:
        """Pauses and lets go on three times, each time for another secret reason, with one too long
        besides; how often the page then said why."""
        said = 0
        for planted in some(turn, 3):
            fields = Fields(self.get(page).text)
            for reason in (planted.text * 500, planted.text):
                self.post(to, {"key": fields.values["key"], "act": "pause", "reason": reason})
            self.look(page)
            said += self.heard[-1][1].count(b"<blockquote")
            self.look("/tickets/SB-1")
            self.post(to, {"act": "resume"})
        return said


def _filled(fields: Fields, chosen: str, planted: Planted) -> dict[str, str]:
    values = dict(fields.values)
    for place, (name, kind) in enumerate(fields.texts.items()):
        plain = f"p{place}@example.com" if kind == "email" or "email" in name else f"Plain {place}"
        values[name] = values.get(name) or ("" if "expires" in name else plain)
    secret = planted.text.replace("\n", " ")
    is_address = fields.texts[chosen] == "email" or "email" in chosen
    values[chosen] = f"{planted.secret[:60]}@example.com" if is_address else secret
    return values


def addresses() -> Iterator[str]:
    """The list and the form of everything in the operators' admin."""
    for model in admin.site._registry:
        yield f"/admin/{model._meta.app_label}/{model._meta.model_name}/"


def send_forms(browser: Browser, project: str, incomplete: list[str]) -> dict[str, int]:
    """Fills in every form there is; how many texts each of them takes. `incomplete` are refs of
    tickets with fields missing."""
    count: dict[str, int] = {}
    for turn, path in enumerate((*PAGES, "/", "/tickets/SB-1")):
        word = quote(some(turn, 1)[0].text, safe="")
        count[path] = browser.fill(path, turn)
        browser.get(f"{path}?q={word}&next=/{word}&org={word}")
        browser.get(f"{path}{word[:200]}")
    for turn, (path, to) in enumerate(SENT_TO):
        count[to] = browser.fill(path, turn, to)
    for turn, agent in enumerate(_agents(browser)[:2]):
        count[f"agent {turn}"] = browser.fill(agent, turn, f"{agent}/ask")
    for turn, connector in enumerate(_connectors(browser)[:2]):
        count[f"connector {turn}"] = browser.fill(connector, turn, f"{connector}/save")
    count["pause of all"] = browser.pause("/policy", "/policy/pause", 0)
    place = f"/policy/projects/{project}"
    count["pause of a project"] = browser.pause(place, f"{place}/pause", 1)
    for turn, ref in enumerate(incomplete):
        count[f"complete {turn}"] = browser.act(f"/tickets/{ref}/complete", turn)
    for turn, act in enumerate(ACTS):
        count[f"/tickets/SB-1/{act}"] = browser.act(f"/tickets/SB-1/{act}", turn)
    for turn, place in enumerate(addresses()):
        planted = some(turn, 1)[0]
        word = quote(planted.text, safe="")
        count[place] = browser.fill(f"{place}add/", turn)
        for row in _rows(browser, place)[:1]:
            browser.fill(row, turn)
        browser.get(f"{place}?q={word}&o={word}&{word}=1")
        browser.post(f"{place}{word[:200]}/change/", {"name": planted.text})
        browser.post(place, {"action": planted.text, "_selected_action": planted.text})
    return count


def _agents(browser: Browser) -> list[str]:
    """The pages of agents that can be asked for something."""
    return re.findall(r'<h3><a href="(/agents/[0-9a-f-]{36})"', browser.get("/agents").text)


def _connectors(browser: Browser) -> list[str]:
    page = browser.get("/agents/connectors").text
    return re.findall(r'<h2><a href="(/agents/connectors/[0-9a-f-]{36})', page)


def _rows(browser: Browser, place: str) -> list[str]:
    page = browser.get(place).text
    found = [part.split('"')[0] for part in page.split('href="')[1:]]
    return sorted({one for one in found if one.startswith(place) and one.endswith("/change/")})


def send_headers(browser: Browser) -> None:
    """A stranger's tries to sign in, whose headers hold secrets."""
    names = ("User-Agent", "Referer", "Accept-Language", "Host", "X-Forwarded-Host")
    for place, planted in enumerate(PLANTED):
        line = planted.text.replace("\n", " ")
        word = quote(planted.text, safe="")
        header: dict[str, str] = {names[place % len(names)]: line}
        browser.post("/accounts/login/", {"login": line, "password": line}, **header)
        browser.post(f"/{word}", {"a": planted.text}, Cookie=f"sessionid={word}; csrftoken={word}")
        browser.post("/accounts/login/", {}, Cookie="csrftoken=x", Origin=f"http://{word[:60]}")
