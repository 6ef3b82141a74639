"""What people write shows as text and nothing else, wherever they may write."""

import re
from typing import Any

import pytest
from django.test import Client

from tests.pages.acting import done, page_of, send, signed_in
from tests.pages.test_acts_who import GOOD, scene_of
from tests.support import Api, Desk, file_ticket
from tests.tickets.test_findings import SECRET

HOSTILE = "</textarea></p><script>alert(1)</script><img src=x onerror=alert(1)>{{ 7 }}\"'&\u202e!"
LINKS = "javascript:alert(1) data:text/html,<b>x</b> vbscript:x https://good.example/a?b=1&c=2"
PLACE = "/tickets/SB-1"
#: The fields of each act that take free text.
FREE = {"body", "note", "reason", "outcome", "problem", "impact", "next_step", "command"}
FREE |= {"objective"}
TEXTS = {slug: [one for one in good[2] if one in FREE] for slug, good in GOOD.items()}
WRITING = [slug for slug, names in TEXTS.items() if names]


def assert_plain(page: str) -> None:
    lowered = page.lower()
    assert "<script" not in lowered.replace('<script src="/static/', "")
    for bad in ("<img src=x", "onerror=alert(1)>", 'href="javascript', 'href="data:'):
        assert bad not in lowered, bad
    # What is to be edited stands in its field as it is; everything else shows what it hides.
    assert "\u202e" not in re.sub(r"<textarea.*?</textarea>", "", page, flags=re.DOTALL)


def every_page(client: Client) -> str:
    pages = [page_of(client, PLACE), page_of(client, f"{PLACE}/proof/b1")]
    pages += [client.get(f"{PLACE}/{slug}").content.decode() for slug in GOOD]
    return "\n".join(pages)


@pytest.mark.parametrize("slug", WRITING)
def test_it_shows_what_was_written_as_text(slug: str, desk: Desk) -> None:
    state, as_, typed, _ = GOOD[slug]
    scene_of(desk, state, as_, "bob")
    client = signed_in(desk, "bob")
    texts = dict.fromkeys(TEXTS[slug], HOSTILE)
    texts |= {"command": "npm ci", "output_excerpt": HOSTILE} if slug == "evidence" else {}
    done(send(client, "SB-1", slug, **{**typed, **texts}))
    shown = every_page(client)
    assert_plain(shown)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown
    assert "U+202E" in shown


@pytest.mark.parametrize("slug", WRITING)
def test_it_shows_what_was_refused_as_text(slug: str, desk: Desk) -> None:
    """Typed into a ticket that takes none of it: kept, given back, and still text."""
    scene_of(desk, "handed_off", "", "bob")
    client = signed_in(desk, "bob")
    typed = {**GOOD[slug][2], **dict.fromkeys(TEXTS[slug], HOSTILE)}
    response = send(client, "SB-1", slug, **typed)
    # The ticket has no check that a person does, so none can be said to be met.
    assert response.status_code in ((404,) if slug == "met" else (303, 403, 409))
    assert_plain(response.content.decode())


@pytest.mark.parametrize("slug", ["comment", "explain", "update", "block", "close"])
def test_it_links_to_the_web_alone(slug: str, desk: Desk) -> None:
    state, as_, typed, _ = GOOD[slug]
    scene_of(desk, state, as_, "bob")
    client = signed_in(desk, "bob")
    done(send(client, "SB-1", slug, **{**typed, **dict.fromkeys(TEXTS[slug], LINKS)}))
    page = page_of(client, PLACE)
    assert_plain(page)
    link = 'href="https://good.example/a?b=1&amp;c=2" rel="noopener noreferrer nofollow"'
    assert slug == "block" or link in page


@pytest.mark.parametrize("address", ["javascript:alert(1)", "data:text/html,x", "ftp://a.example"])
def test_it_takes_no_address_but_of_the_web_as_proof(address: str, desk: Desk, stuck: Api) -> None:
    criteria = [{"description": "The image is there", "method": "artifact", "expected": "yes"}]
    file_ticket(stuck, blocker_criteria=criteria)
    client = signed_in(desk, "bob")
    done(send(client, "SB-1", "claim"))
    response = send(client, "SB-1", "evidence", criterion="b1", url=address, note="Look")
    assert response.status_code == 422
    assert "Give an address that begins with https:// or http://." in response.content.decode()
    assert "Look" in response.content.decode()


@pytest.mark.parametrize(
    ("slug", "typed", "told"),
    [
        ("comment", {"body": ""}, "This field is required."),
        ("comment", {"body": " \u200b\u2060 "}, "This field is required."),
        ("comment", {"body": "x" * 20_001}, "at most 20000 characters"),
        ("comment", {"body": "a\x00b"}, "Null characters are not allowed."),
        ("settings", {"urgency": "11", "labels": ""}, "Select a valid choice."),
        ("settings", {"urgency": "5", "labels": "two,words\u00e9"}, "mend words\u00e9"),
        ("settings", {"urgency": "5", "labels": " ".join(map(str, range(21)))}, "20 labels at"),
        ("settings", {"urgency": "5", "labels": SECRET[:50]}, "looks like a secret"),
        ("settings", {"urgency": "5", "labels": "", "assignee": "nobody"}, "Select a valid"),
        ("explain", {"problem": "P", "impact": "", "next_step": "N"}, "This field is required."),
    ],
)
def test_it_says_what_is_wrong_beside_what_was_typed(
    slug: str, typed: dict[str, Any], told: str, desk: Desk, stuck: Api
) -> None:
    file_ticket(stuck)
    response = send(signed_in(desk, "bob"), "SB-1", slug, **typed)
    assert response.status_code == 422
    page = response.content.decode()
    assert told in page
    assert 'aria-invalid="true"' in page
    assert f'value="{typed["labels"]}"' in page if typed.get("labels") else True


def test_it_takes_proof_for_every_way_to_check(desk: Desk, stuck: Api) -> None:
    ways: dict[str, tuple[dict[str, Any], dict[str, str], str]] = {
        "command": ({"command": "make"}, {"command": "make", "exit_code": "0"}, "Passed"),
        "test_suite": ({}, {"runner": "pytest", "passed": "3", "failed": "0"}, "Passed"),
        "log_match": ({"pattern": "ready"}, {"excerpt": "it is ready"}, "Passed"),
        "artifact": ({}, {"path": "/srv/a.png"}, "Passed"),
        "external_check": (
            {"url": "https://a.example/"},
            {"url": "https://a.example/", "status": "200"},
            "Waits for StuckBot",
        ),
        "manual": ({}, {"note": "It looks right"}, "Waits for a person"),
    }
    criteria = [
        {"description": f"By {method}", "method": method, "expected": "yes", "key": method, **more}
        for method, (more, _, _) in ways.items()
    ]
    file_ticket(stuck, blocker_criteria=criteria)
    client = signed_in(desk, "bob")
    done(send(client, "SB-1", "claim"))
    for method, (_, typed, shown) in ways.items():
        assert f"criterion={method}" in page_of(client, PLACE)
        done(send(client, "SB-1", "evidence", criterion=method, **typed))
        after = page_of(client, PLACE).split(f"By {method}")[1].split("</li>")[0]
        assert shown in after
    response = send(client, "SB-1", "evidence", criterion="command", command="x", exit_code="0")
    assert response.status_code == 422
    assert "make" in response.content.decode()
