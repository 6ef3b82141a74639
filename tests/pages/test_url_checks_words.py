"""How a check of an address is told, from its row alone."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any
from uuid import uuid4

import pytest

from stuckbot.lib.outgoing import REFUSALS
from stuckbot.site.pages.url_checks import Opening, opening_shown, unchecked_said
from verification.models import UrlCheck
from verification.states import CheckStatus

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
URL = "https://status.example.com/healthz"


def told(status: str, expected: str = "200 OK", **columns: Any) -> Opening:
    ended = {} if status == "waiting" else {"found_id": uuid4()}
    row = UrlCheck(**{"url": URL, "due_at": NOW, "status": CheckStatus(status), **ended, **columns})
    return opening_shown(row, expected, NOW)


def text(opening: Opening) -> str:
    return unescape(re.sub("<[^>]+>", "", " ".join(opening.said)))


RUNNING: list[tuple[dict[str, Any], str]] = [
    ({}, f"StuckBot opens {URL} as soon as it can."),
    ({"under_way": True}, f"StuckBot is opening {URL}, try 1 of 3."),
    ({"under_way": True, "tries": 2, "reason": "timeout"}, "try 3 of 3."),
    ({"under_way": True, "tries": 3}, "try 3 of 3."),
    (
        {"tries": 1, "reason": "timeout", "due_at": NOW + timedelta(seconds=18)},
        f"Try 1 of 3 to open {URL} came to nothing: no answer within 10 seconds. "
        "The next is in about 20 s.",
    ),
    ({"tries": 2, "reason": "no_such_name"}, "no such name. The next begins now."),
    ({"tries": 2, "reason": "tls", "due_at": NOW - timedelta(seconds=9)}, "The next begins now."),
]


@pytest.mark.parametrize(("columns", "says"), RUNNING)
def test_while_it_runs_it_says_how_far_it_is(columns: dict[str, Any], says: str) -> None:
    opening = told("waiting", **columns)
    assert opening.is_running
    assert text(opening).endswith(says)
    assert (opening.now, opening.again, opening.address) == ("", "", "")


@pytest.mark.parametrize(
    ("status", "expected", "columns", "says"),
    [
        ("passed", "200 OK", {"http_status": 200, "took_ms": 412}, "It answered 200 after 412 ms."),
        ("passed", "", {"http_status": 204}, "It answered 204."),
        (
            "passed",
            "200",
            {"http_status": 200, "took_ms": 40, "allowed": True},
            "It answered 200 after 40 ms. It is a private address that whoever runs StuckBot "
            "allows.",
        ),
        (
            "failed",
            "200 OK",
            {"http_status": 500, "took_ms": 1260},
            "It answered 500 after 1.3 s. Wanted: 200 OK.",
        ),
        (
            "failed",
            "it works",
            {"http_status": 404},
            "It answered 404. Wanted: any from 200 to 399.",
        ),
        (
            "failed",
            "200",
            {"http_status": 302},
            "It answered 302. Wanted: 200. It sends elsewhere, and StuckBot does not follow.",
        ),
        ("superseded", "200", {}, "Reported anew before it was opened."),
    ],
)
def test_an_answer_is_told_with_what_was_wanted(
    status: str, expected: str, columns: dict[str, Any], says: str
) -> None:
    opening = told(status, expected, **columns)
    assert not opening.is_running
    assert text(opening) == says
    assert opening.now == ""


@pytest.mark.parametrize(
    ("reason", "columns", "says", "openable"),
    [
        ("not_public", {}, "private network, and StuckBot opens only public addresses.", True),
        ("not_https", {"url": "http://a.example/"}, "Nothing was sent there.", True),
        ("port", {"url": "https://a.example:8443/"}, "only the usual one, 443.", True),
        ("userinfo", {"url": "https://u:p@a.example/"}, "signs in nowhere.", False),
        ("masked", {"url": "https://u:[REDACTED]@a.example/"}, "was masked", False),
        ("bad_url", {"url": "https://[::1/"}, "no web address", False),
        ("no_such_name", {"tries": 3}, "Nobody knows a machine of this name.", True),
        ("timeout", {"tries": 3}, "It gave no answer within 10 seconds. Tried 3 times.", True),
        ("certificate", {"tries": 3}, "Tried 3 times.", True),
        ("desk_failed", {}, "StuckBot itself failed at it, again and again.", True),
        ("timeout", {"url": "https://a.example/<b>"}, "no answer within 10 seconds.", False),
        ("timeout", {"url": "https://a.example/\u202e"}, "no answer within 10 seconds.", False),
        ("unheard_of", {"url": "javascript:alert(1)"}, "StuckBot could not open it.", False),
        ("unheard_of", {"url": "https://a.example/?t=[REDACTED]"}, "could not open it.", False),
    ],
)
def test_what_could_not_be_checked_says_why_and_what_to_do(
    reason: str, columns: dict[str, Any], says: str, openable: bool
) -> None:
    opening = told("unchecked", reason=reason, **columns)
    assert says in text(opening)
    assert text(opening).startswith("StuckBot could not check it. ")
    assert str(opening.now).endswith(".")
    assert ("send proof again" in str(opening.again)) == (reason not in REFUSALS)
    assert bool(opening.address) == openable
    if openable:
        assert opening.address == columns.get("url", URL)


def test_a_host_that_is_allowed_says_so_when_it_gave_no_answer() -> None:
    opening = told("unchecked", reason="timeout", tries=3, allowed=True)
    assert text(opening).endswith("It is a private address that whoever runs StuckBot allows.")


@pytest.mark.parametrize("columns", [{"http_status": 200}, {"reason": "not_public"}])
def test_what_came_too_late_says_that_it_counts_for_nothing(columns: dict[str, Any]) -> None:
    opening = told("passed", found_id=None, **columns)
    assert text(opening).endswith("so that counts for nothing.")
    assert (opening.now, opening.is_running) == ("", False)


@pytest.mark.parametrize(
    ("looks", "says"),
    [
        ([], ""),
        ([(URL, "timeout")], "open “status.example.com”: no answer within 10 seconds."),
        (
            [("https://[::1/", "bad_url")],
            "StuckBot could not open “https://[::1/”: no web address.",
        ),
        (
            [("https://me:[REDACTED]@status.example.com/x", "masked")],
            "StuckBot could not open “status.example.com”: a part of it is masked.",
        ),
        (
            [("https://[REDACTED].example.com/x", "masked")],
            "StuckBot could not open “[REDACTED].example.com”: a part of it is masked.",
        ),
        ([(URL, "tls"), (URL, "tls")], "could not open 2 addresses: no secure connection."),
        (
            [(URL, "tls"), (URL, "port")],
            "2 addresses: no secure connection; a port other than 443.",
        ),
    ],
)
def test_a_list_names_it_in_one_sentence(looks: list[tuple[str, str]], says: str) -> None:
    rows = [UrlCheck(url=url, reason=reason) for url, reason in looks]
    assert unchecked_said(rows).endswith(says)


def test_what_others_wrote_is_text_and_short() -> None:
    opening = told("waiting", url="https://a.example/<b>\u202e" + "x" * 4_000, under_way=True)
    assert "<b>" not in opening.said[0]
    assert "U+202E" in opening.said[0]
    assert len(text(opening)) < 200
    failed = told("failed", "200 <script>", http_status=500)
    assert "<script>" not in " ".join(failed.said)
