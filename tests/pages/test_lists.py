"""The board and the archive, by literal addresses, as a browser without scripts reads them."""

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from time_machine import travel

from accounts.models import Org, Project
from accounts.services.orgs import project_make
from stuckbot.lib import clock
from tests.pages.test_tickets_page import signed_in, text
from tests.support import TAKEOVER, Api, Desk, file_ticket, make_package, resolve
from tickets.models import Ticket


@pytest.fixture
def reader(desk: Desk) -> Client:
    return signed_in(desk, "alice")


def refs(client: Client, path: str) -> list[str]:
    return re.findall(r'<article class="[^"]*" id="(SB-\d+)"', text(client, path))


def link(client: Client, path: str, rel: str) -> str:
    found = re.search(rf'<a href="([^"]*)" rel="{rel}"', text(client, path))
    return unescape(found[1]) if found else ""


def at_urgencies(stuck: Api, *urgencies: int) -> None:
    """One ticket each, a minute apart."""
    with travel("2026-03-01T10:00:00Z", tick=False) as traveller:
        for urgency in urgencies:
            file_ticket(stuck, urgency=urgency)
            traveller.shift(timedelta(minutes=1))


def test_the_most_urgent_stand_first(reader: Client, stuck: Api) -> None:
    at_urgencies(stuck, 5, 9, 5, 10)
    assert refs(reader, "/") == ["SB-4", "SB-2", "SB-1", "SB-3"]
    assert refs(reader, "/?order=newest") == ["SB-4", "SB-3", "SB-2", "SB-1"]
    assert refs(reader, "/?order=oldest") == ["SB-1", "SB-2", "SB-3", "SB-4"]
    assert refs(reader, "/?order=nonsense") == ["SB-4", "SB-2", "SB-1", "SB-3"]


def test_closed_tickets_stand_in_the_archive(reader: Client, stuck: Api, solver: Api) -> None:
    file_ticket(stuck, title="The first", urgency=9)
    file_ticket(stuck, title="The second")
    resolve(solver, "SB-1")
    assert refs(reader, "/") == ["SB-2"]
    page = text(reader, "/archive")
    assert refs(reader, "/archive") == ["SB-1"]
    assert "9 Critical" in page
    assert '<span class="chip warned"' in page
    assert "Self-reported" in page
    assert "Approved automatically, on nothing but" in page


def test_the_archive_shows_how_it_ended(reader: Client, alice: Api, stuck: Api) -> None:
    for _ in range(2):
        file_ticket(stuck)
    alice.post("/api/v1/tickets/SB-1/close", {"outcome": "The cron job ran again."}).ok()
    stuck.post("/api/v1/tickets/SB-2/withdraw", {}).ok()
    page = text(reader, "/archive")
    assert "The cron job ran again." in page
    assert "Closed without proof" in page
    assert "Its creator took it back." in page
    assert refs(reader, "/archive?state=unproven") == ["SB-1"]
    assert refs(reader, "/archive?state=withdrawn") == ["SB-2"]
    assert refs(reader, "/archive?state=finished") == []


def test_it_pages_both_ways(reader: Client, stuck: Api) -> None:
    at_urgencies(stuck, *(1 + number % 10 for number in range(60)))
    first = refs(reader, "/")
    second_path = link(reader, "/", "next")
    second = refs(reader, second_path)
    third_path = link(reader, second_path, "next")
    third = refs(reader, third_path)
    assert [len(one) for one in (first, second, third)] == [25, 25, 10]
    assert len({*first, *second, *third}) == 60
    assert link(reader, "/", "prev") == ""
    assert link(reader, third_path, "next") == ""
    assert refs(reader, link(reader, third_path, "prev")) == second
    back = link(reader, second_path, "prev")
    assert refs(reader, back) == first
    assert link(reader, back, "prev") == ""


@pytest.mark.parametrize("order", ["newest", "oldest"])
def test_it_pages_in_any_order(order: str, reader: Client, stuck: Api) -> None:
    at_urgencies(stuck, *(1 + number % 10 for number in range(30)))
    path = link(reader, f"/?order={order}", "next")
    assert f"order={order}" in path
    found = refs(reader, f"/?order={order}") + refs(reader, path)
    numbers = [int(one[3:]) for one in found]
    assert numbers == sorted(range(1, 31), reverse=order == "newest")


def test_a_place_stays_when_its_ticket_goes(reader: Client, stuck: Api, alice: Api) -> None:
    at_urgencies(stuck, *([5] * 27))
    path = link(reader, "/", "next")
    last = refs(reader, "/")[-1]
    alice.post(f"/api/v1/tickets/{last}/close", {}).ok()
    assert refs(reader, path) == ["SB-26", "SB-27"]
    for number in (26, 27):
        alice.post(f"/api/v1/tickets/SB-{number}/close", {}).ok()
    assert "Nothing matches" in text(reader, path)


@pytest.mark.parametrize("path", ["/?after=nonsense", "/archive?before=nonsense", "/?after=NS4x"])
def test_it_refuses_a_cursor_that_is_none(path: str, reader: Client) -> None:
    assert "The list has no such page." in text(reader, path, 422)


def test_it_narrows_by_each_filter(
    reader: Client, desk: Desk, stuck: Api, solver: Api, alice: Api
) -> None:
    billing = project_make(org=desk.org, name="Billing", now=clock.now())
    file_ticket(stuck, urgency=3, labels=["ci", "node"])
    file_ticket(stuck, urgency=8, labels=["node"])
    package = {"package": make_package(urgency=10), "project_id": str(billing.id)}
    alice.post("/api/v1/tickets", package).ok(201)
    solver.post("/api/v1/tickets/SB-2/claim", {}).ok()
    alice.post("/api/v1/tickets/SB-3/claim", {}).ok()
    alice.post("/api/v1/tickets/SB-1/block", {"reason": "No key"}).ok()
    expected = {
        f"project={billing.id}": ["SB-3"],
        "color=red": ["SB-1"],
        "color=yellow": ["SB-3", "SB-2"],
        "color=orange": [],
        "urgency=7": ["SB-3", "SB-2"],
        "urgency=10": ["SB-3"],
        "label=node": ["SB-2", "SB-1"],
        "label=ci&color=red": ["SB-1"],
        "label=nod": [],
        "whose=created": ["SB-3"],
        "whose=held": ["SB-3"],
        "whose=mine": ["SB-3"],
        "whose=assigned": [],
        "state=working": ["SB-3", "SB-2"],
        "state=waiting": ["SB-1"],
        "state=blocked": ["SB-1"],
        "state=paused": [],
        "state=review": [],
        "state=decide": [],
        "state=unfinished": [],
    }
    assert {query: refs(reader, f"/?{query}") for query in expected} == expected


def test_it_says_what_it_is_narrowed_to(reader: Client, stuck: Api) -> None:
    file_ticket(stuck, labels=["ci"])
    page = text(reader, "/?label=ci&urgency=4&state=waiting&color=orange")
    narrowed = page.split('class="narrowed"')[1].split("</p>")[0]
    for one in ("<bdi>ci</bdi>", "4 Normal or more", "Waiting to be picked up"):
        assert one in narrowed
    assert 'href="/?color=orange&amp;urgency=4&amp;state=waiting"' in narrowed
    assert 'href="/?urgency=4&amp;label=ci&amp;state=waiting"' in page.split('class="counts"')[1]
    assert '<option value="waiting" selected>' in page
    assert '<option value="ci"></option>' in page


@pytest.mark.parametrize(
    "query",
    [
        "project=nonsense",
        "project=018f0000-0000-7000-8000-000000000000",
        "color=green",
        "urgency=5",
        "urgency=-1",
        "whose=theirs",
        "state=finished",
        "label=" + "x" * 51,
        "label=%00",
        "unknown=1",
    ],
)
def test_what_means_nothing_narrows_nothing(query: str, reader: Client, stuck: Api) -> None:
    file_ticket(stuck)
    assert refs(reader, f"/?{query}") == ["SB-1"]
    assert "Only:" not in text(reader, f"/?{query}")


def test_it_counts_each_colour_over_all_pages(reader: Client, stuck: Api, solver: Api) -> None:
    at_urgencies(stuck, *([5] * 28))
    solver.post("/api/v1/tickets/SB-1/claim", {}).ok()
    solver.post("/api/v1/tickets/SB-2/claim", {}).ok()
    solver.post("/api/v1/tickets/SB-2/escalate", {"reason": "Only a person may sign."}).ok()
    for path in ("/", "/?color=red"):
        shown = re.findall(r"([A-Z][a-z ]+) <b>(\d+)</b>", text(reader, path))
        assert shown == [
            ("All", "28"),
            ("Blocked on you", "1"),
            ("Being worked on", "1"),
            ("Waiting", "26"),
        ]


def test_a_paused_org_is_red(reader: Client, desk: Desk, stuck: Api) -> None:
    file_ticket(stuck)
    Org.objects.filter(id=desk.org.id).update(paused_at=clock.now())
    assert refs(reader, "/?color=red") == ["SB-1"]
    assert "Everything is paused." in text(reader, "/")


def test_an_empty_list_says_what_to_do(reader: Client, stuck: Api, solver: Api) -> None:
    assert "Connect your first agent" in text(reader, "/")
    assert "Nothing is closed yet" in text(reader, "/archive")
    file_ticket(stuck)
    assert "Nothing matches" in text(reader, "/?label=none")
    assert "Nothing matches" in text(reader, "/?color=red")
    resolve(solver, "SB-1")
    page = text(reader, "/")
    assert "Nothing is open" in page
    assert 'href="/archive"' in page


def test_a_list_is_of_one_org(reader: Client, desk: Desk, other: Desk) -> None:
    theirs = other.agent("theirs")
    file_ticket(theirs, labels=["their-label"], title="Their title")
    file_ticket(desk.agent("ours"))
    secret = Project.objects.of(other.org.id).get()
    for path in ("/", "/archive", f"/?project={secret.id}", "/?label=their-label"):
        page = text(reader, path)
        assert "Their title" not in page
        assert '<option value="their-label">' not in page
    assert refs(reader, "/?label=their-label") == []


def test_a_switch_leads_to_each_project(reader: Client, desk: Desk, stuck: Api) -> None:
    file_ticket(stuck)
    assert "Every project" not in text(reader, "/")
    project_make(org=desk.org, name="Billing", now=clock.now())
    page = text(reader, "/?urgency=4")
    assert "Every project" in page
    assert re.search(r'href="/\?project=[0-9a-f-]+&amp;urgency=4" ><bdi>Billing</bdi>', page)


def test_the_places_are_named(reader: Client, stuck: Api) -> None:
    file_ticket(stuck)
    assert re.search(r'<a href="/" aria-current="page">Board</a>', text(reader, "/"))
    assert re.search(
        r'<a href="/archive" aria-current="page">Archive</a>', text(reader, "/archive")
    )


def test_a_viewer_has_no_restore(desk: Desk, stuck: Api) -> None:
    file_ticket(stuck)
    stuck.post("/api/v1/tickets/SB-1/withdraw", {}).ok()
    assert 'href="/tickets/SB-1/reopen"' in text(signed_in(desk, "bob"), "/archive")
    assert 'href="/tickets/SB-1/reopen"' not in text(signed_in(desk, "carol"), "/archive")


HOSTILE: dict[str, Any] = {
    "title": "\u202e<script>alert(1)</script>",
    "human_summary": {
        "problem": "\u200b<img src=x onerror=alert(1)>",
        "impact": "x" * 200,
        "next_step": "javascript:alert(1)",
    },
}


def test_nothing_in_a_list_runs_or_hides(reader: Client, desk: Desk) -> None:
    stuck = desk.agent("<i>agent</i>")
    for _ in range(2):
        file_ticket(stuck, **HOSTILE)
    stuck.post("/api/v1/tickets/SB-2/withdraw", {}).ok()
    for path in ("/", "/archive", "/?label=%3Cscript%3E%E2%80%AE"):
        page = text(reader, path)
        assert not re.search(r"<(script(?! src=\"/static/)|img|b>&|i>)", page)
        assert "\u202e" not in page
        assert "\u200b" not in page
    assert "U+202E" in text(reader, "/")


# --- still what it was ----------------------------------------------------------------------


def tag(client: Client, path: str) -> str:
    """The page's tag once the browser has its cookies."""
    client.get(path)
    return client.get(path).headers["ETag"]


def again(client: Client, path: str, etag: str, **headers: str) -> HttpResponse:
    found: Any = client.get(path, headers={"If-None-Match": etag, **headers})
    return found  # type: ignore[no-any-return]


@pytest.mark.parametrize("path", ["/", "/archive"])
def test_an_unchanged_page_costs_two_statements(path: str, reader: Client, stuck: Api) -> None:
    with travel("2026-03-01T10:00:10Z", tick=False) as traveller:
        file_ticket(stuck)
        etag = tag(reader, path)
        with CaptureQueriesContext(connection) as captured:
            response = again(reader, path, etag)
        assert response.status_code == 304
        # The session and its person are the sign-in's; the memberships and the clock ours.
        assert len(captured) == 4
        traveller.shift(timedelta(minutes=1))
        assert again(reader, path, etag).status_code == 200


def test_a_page_is_new_after_any_write(reader: Client, stuck: Api, solver: Api) -> None:
    with travel("2026-03-01T10:00:10Z", tick=False):
        file_ticket(stuck, **TAKEOVER)
        etag = tag(reader, "/")
        for path, body in (
            ("/api/v1/tickets/SB-1/claim", {}),
            ("/api/v1/tickets/SB-1/updates", {"body": "On it"}),
            ("/api/v1/tickets/SB-1/release", {"note": "No luck"}),
        ):
            solver.post(path, body)
            response = again(reader, "/", etag)
            assert response.status_code == 200, path
            etag = response.headers["ETag"]
        assert again(reader, "/", etag).status_code == 304


def test_a_tag_is_one_reader_s_and_one_address_s(desk: Desk, stuck: Api) -> None:
    with travel("2026-03-01T10:00:10Z", tick=False):
        file_ticket(stuck)
        alice, bob = signed_in(desk, "alice"), signed_in(desk, "bob")
        etag = tag(alice, "/")
        assert again(bob, "/", etag).status_code == 200
        assert again(alice, "/?color=red", etag).status_code == 200
        assert again(alice, "/", etag).status_code == 304
        assert again(Client(), "/", etag).status_code == 302


def test_a_lease_that_runs_out_is_news(reader: Client, stuck: Api, solver: Api) -> None:
    with travel("2026-03-01T10:00:10Z", tick=False) as traveller:
        file_ticket(stuck)
        solver.post("/api/v1/tickets/SB-1/claim", {}).ok()
        etag = tag(reader, "/")
        traveller.shift(timedelta(minutes=61))
        response = again(reader, "/", etag)
        assert response.status_code == 200
        assert "Waiting for someone to pick it up." in response.content.decode()


# --- what it costs --------------------------------------------------------------------------


def statements(client: Client, path: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        text(client, path)
    return len(captured)


@pytest.mark.parametrize(
    "path", ["/", "/?color=red&urgency=4&whose=mine&label=ci&state=waiting", "/archive"]
)
def test_it_asks_as_much_for_three_as_for_thirty(path: str, reader: Client, stuck: Api) -> None:
    def some(count: int) -> None:
        for _ in range(count):
            ref = file_ticket(stuck, labels=["ci"])["ref"]
            if path == "/archive":
                stuck.post(f"/api/v1/tickets/{ref}/withdraw", {}).ok()

    some(3)
    three = statements(reader, path)
    some(27)
    Ticket.objects.of(Org.objects.get().id).update(urgency=9)
    assert statements(reader, path) <= max(three, 9) <= 12
