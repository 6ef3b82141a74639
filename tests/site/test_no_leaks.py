"""No secret that is sent to the desk is kept or told by it, whatever door it came by.

A desk of its own is started; each writing operation, form and command gets secrets wherever text
can stand, accepted and refused alike, and some things fail over them. Then it is stopped, and
everything it left (database, logs, mails, files) and every answer is searched for them.
"""

import base64
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.leaks import browsing, calls, search
from tests.leaks.desk import Cast, Server
from tests.leaks.planted import PLANTED

WORDS = " and ".join(one.text for one in PLANTED)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    made = Server(tmp_path, WORDS)
    yield made
    made.stop()


def test_it_keeps_and_tells_no_secret(server: Server) -> None:
    made = json.loads(
        server.run(
            "manage.py", "bootstrap", "--org", "Acme", "--email", "ana@example.com", "--json"
        )
    )
    server.run("manage.py", "policy", "--org", made["org_id"], "--task=agent")
    token = server.run("manage.py", "person_token", "--email", "ana@example.com").strip()
    server.start()
    server.run("-m", "tests.leaks.queue")
    commands = server.begin("-m", "tests.leaks.commands")
    cast = Cast(server, made, token)
    _send_calls(cast)
    browser = browsing.Browser(server.url, cast.heard)
    browser.sign_in(made["email"], made["password"])
    browsing.send_headers(browsing.Browser(server.url, cast.heard))
    taken = browsing.send_forms(browser, cast.project, cast.incomplete(3))
    assert taken["/admin/accounts/org/"] == 1
    assert taken["/accounts/password/reset/"] == 1
    assert taken["/people/invite"] == 1
    assert taken["/account/tokens"] == 1
    assert taken["/agents/key/new"] == 1
    assert taken["/agents/connectors/new"] == 1
    assert taken["agent 0"] == 1
    assert taken["connector 0"] == 1
    assert (taken["pause of all"], taken["pause of a project"]) == (3, 3)
    assert taken["complete 0"] >= 5
    assert cast.completed() >= 1
    assert taken["/tickets/SB-1/comment"] == 1
    assert taken["/tickets/SB-1/explain"] >= 3
    cast.heard.append(("commands", commands.communicate()[0].encode()))
    _fail(cast, browser)
    calls.read_everything(cast)
    for page in ("/", "/tickets/SB-1", "/tickets/SB-2", "/admin/", *browsing.addresses()):
        browser.look(page)
    server.wait_for("Failed 'tests.leaks.sweep.fail'")
    server.wait_for("timer leak failed")
    server.stop()
    leaks = _leaks(server, cast)
    assert leaks == [], "\n".join(map(str, leaks))


def _send_calls(cast: Cast) -> None:
    for turn, (operation, way) in enumerate(calls.ways()):
        assert calls.send_accepted(cast, operation, way, turn) == {way.status}, operation.id
        calls.send_refused(cast, operation, way, turn)


def _fail(cast: Cast, browser: browsing.Browser) -> None:
    assert cast.bearers["person"].call("POST", "/api/v1/fail", {}).status_code == 500
    assert browser.get("/fail").status_code == 500


def _leaks(server: Server, cast: Cast) -> list[tuple[str, str, list[str]]]:
    kept = [
        *search.files(server.folder),
        *search.rows(server.database),
        *[(f"answer to {name}", body) for name, body in cast.heard],
    ]
    assert len(kept) > 1000
    found = {
        (planted.kind, name, tuple(forms))
        for planted in PLANTED
        for name, blob in kept
        if (forms := search.found_in(planted.secret, blob))
    }
    return sorted((kind, name, list(forms)) for kind, name, forms in found)


def test_the_search_finds_what_it_must(tmp_path: Path) -> None:
    secret = 'S3cr/et+"one"&more'
    for form in search.forms(secret):
        assert search.found_in(secret, b"xx" + form + b"yy")
    for before in range(7):
        blob = base64.b64encode(b"." * before + secret.encode() + b"after")
        assert search.found_in(secret, blob)
        assert search.found_in(secret, blob.replace(b"+", b"-").replace(b"/", b"_"))
