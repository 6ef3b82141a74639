"""However much hangs on a ticket, its page stays short, quick and whole."""

import re
import time
from datetime import datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from stuckbot.lib import clock, ids
from stuckbot.lib.content import prepare
from stuckbot.lib.masking import mask_value
from stuckbot.lib.models import Content, Event, OrgClock
from tests.pages.acting import done, page_of, send, signed_in
from tests.support import TAKEOVER, Api, Desk, file_ticket, prove
from tickets.models import Note, Ticket
from verification.models import Evidence

STATEMENTS_MOST = 12
#: Of a page's time in this process, in seconds; 150 ms is promised with 10,000 events.
SECONDS_MOST = 0.15


@pytest.fixture
def reader(desk: Desk) -> Client:
    return signed_in(desk, "bob")


def statements(client: Client, path: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        page_of(client, path)
    return len(captured)


def crowd(desk: Desk, solver: Api, count: int) -> None:
    """Writes that many updates and as much evidence on SB-1, with their events, by the row."""
    ticket = Ticket.objects.of(desk.org.id).get(number=1)
    prove(solver, "SB-1").ok(201)
    base = OrgClock.objects.of(desk.org.id).get().seq
    start, seqs = clock.now(), range(base + 1, base + 1 + count)
    at = [start + timedelta(milliseconds=number) for number in range(count)]
    said = [_content(ticket, "update", {"body": f"Step {number}."}) for number in range(count)]
    sent = [_content(ticket, "evidence", {"command": "npm ci"}) for _ in range(count)]
    Content.unscoped.bulk_create([*said, *sent])
    Note.unscoped.bulk_create(
        Note(id=ids.uuid7(), kind="update", by=ticket.solver, content=one, at=when, **_of(ticket))
        for one, when in zip(said, at, strict=True)
    )
    Evidence.unscoped.bulk_create(
        _evidence(ticket, one, seq, when) for one, seq, when in zip(sent, seqs, at, strict=True)
    )
    Event.unscoped.bulk_create(
        _event(ticket, one, seq, when) for one, seq, when in zip(said, seqs, at, strict=True)
    )
    OrgClock.objects.of(desk.org.id).update(seq=base + count)


def _of(ticket: Ticket) -> dict[str, Any]:
    return {"org_id": ticket.org_id, "ticket_id": ticket.id}


def _content(ticket: Ticket, kind: str, value: dict[str, str]) -> Content:
    body = mask_value(value)
    return prepare(org_id=ticket.org_id, kind=kind, body=body, root_id=ticket.id)


def _evidence(ticket: Ticket, content: Content, seq: int, at: datetime) -> Evidence:
    assert ticket.solver is not None
    return Evidence(
        id=ids.uuid7(),
        attempt=ticket.attempt,
        criterion="b1",
        stage="blocker",
        type="command_run",
        result="pass",
        by=ticket.solver,
        content=content,
        seq=seq,
        created_at=at,
        **_of(ticket),
    )


def _event(ticket: Ticket, content: Content, seq: int, at: datetime) -> Event:
    assert ticket.solver_id is not None
    return Event(
        seq=seq,
        type="update_posted",
        actor_id=ticket.solver_id,
        at=at,
        content_id=content.id,
        **_of(ticket),
    )


def test_it_asks_as_much_for_everything_as_for_nothing(
    reader: Client, stuck: Api, solver: Api, desk: Desk
) -> None:
    file_ticket(stuck, **TAKEOVER)
    short = statements(reader, "/tickets/SB-1")
    solver.post("/api/v1/tickets/SB-1/claim").ok()
    crowd(desk, solver, 120)
    assert statements(reader, "/tickets/SB-1") == short <= STATEMENTS_MOST
    assert statements(reader, "/tickets/SB-1/proof/b1") <= STATEMENTS_MOST
    for slug in ("comment", "settings", "close", "send-back", "evidence", "explain"):
        with CaptureQueriesContext(connection) as captured:
            assert reader.get(f"/tickets/SB-1/{slug}").status_code in (200, 409)
        assert len(captured) <= STATEMENTS_MOST, slug


def test_it_shows_fifty_and_the_way_to_what_came_before(
    reader: Client, stuck: Api, solver: Api, desk: Desk
) -> None:
    file_ticket(stuck)
    solver.post("/api/v1/tickets/SB-1/claim").ok()
    crowd(desk, solver, 120)
    page = page_of(reader, "/tickets/SB-1")
    assert re.findall(r"<bdi>Step (\d+)\.", page) == [str(number) for number in range(70, 120)]
    assert page.count('<li title="update_posted">') == 50
    assert "120 earlier results no longer count" in page
    earlier = re.findall(r'<a href="([^"]*said=[^"]*)">Show earlier', page)[0]
    second = page_of(reader, earlier.split("#")[0])
    assert re.findall(r"<bdi>Step (\d+)\.", second) == [str(number) for number in range(20, 70)]
    assert "Back to the newest" in second
    assert "refresh.js" not in second
    earlier = re.findall(r'<a href="([^"]*events=[^"]*)">Show earlier', page)[0]
    seen = page_of(reader, earlier.split("#")[0])
    assert seen.count('<li title="update_posted">') == 50


def test_it_pages_through_all_that_was_sent(
    reader: Client, stuck: Api, solver: Api, desk: Desk
) -> None:
    file_ticket(stuck)
    solver.post("/api/v1/tickets/SB-1/claim").ok()
    crowd(desk, solver, 60)
    path, seen = "/tickets/SB-1/proof/b1", 0
    for _ in range(2):
        page = page_of(reader, path)
        seen += page.count('class="result passed"')
        more = re.findall(r'<a href="(\?before=\d+)">', page)
        path = f"/tickets/SB-1/proof/b1{more[0]}" if more else ""
    assert (seen, path) == (61, "")
    page_of(reader, "/tickets/SB-1/proof/nothing", 404)


def test_it_is_quick_with_ten_thousand_events(
    reader: Client, stuck: Api, solver: Api, desk: Desk
) -> None:
    file_ticket(stuck, **TAKEOVER)
    solver.post("/api/v1/tickets/SB-1/claim").ok()
    crowd(desk, solver, 10_000)
    page_of(reader, "/tickets/SB-1")
    for _ in range(4):  # a busy neighbour must not decide
        taken = []
        for _ in range(20):
            start = time.process_time()
            page_of(reader, "/tickets/SB-1")
            taken.append(time.process_time() - start)
        if sorted(taken)[18] < SECONDS_MOST:
            return
    pytest.fail(f"{taken}")


def test_an_unchanged_page_is_not_sent_again(reader: Client, stuck: Api, bob: Api) -> None:
    file_ticket(stuck)
    with time_machine.travel(clock.now(), tick=False):
        page_of(reader, "/tickets/SB-1")
        etag = reader.get("/tickets/SB-1").headers["ETag"]
        with CaptureQueriesContext(connection) as captured:
            same = reader.get("/tickets/SB-1", headers={"if-none-match": etag})
        assert (same.status_code, same.content) == (304, b"")
        assert len(captured) <= 4
    bob.post("/api/v1/tickets/SB-1/comments", {"body": "Seen"}).ok(201)
    assert reader.get("/tickets/SB-1", headers={"if-none-match": etag}).status_code == 200


def test_it_shows_a_person_only_what_is_theirs_to_do(
    reader: Client, stuck: Api, solver: Api, desk: Desk
) -> None:
    """At most three buttons, one filled; a sentence alone where nobody is needed."""
    file_ticket(stuck)

    def buttons() -> tuple[list[str], int]:
        box = page_of(reader, "/tickets/SB-1").split('id="ticket-needs"')[1].split("</section>")[0]
        box = box.split("<details")[0]
        found = re.findall(r'class="(button[^"]*)"[^>]*>([^<]+)<', box)
        return [label for _, label in found], sum(kind == "button" for kind, _ in found)

    assert buttons() == (["Take it"], 0)
    solver.post("/api/v1/tickets/SB-1/claim").ok()
    assert buttons() == ([], 0)
    assert "Let it go" not in page_of(reader, "/tickets/SB-1")
    assert "<h1>End their time on it</h1>" in page_of(reader, "/tickets/SB-1/release")
    solver.post("/api/v1/tickets/SB-1/escalate", {"reason": "Help"}).ok()
    assert buttons() == (["Send it back", "Take it over", "Close it"], 1)
    asked = page_of(reader, "/tickets/SB-1").split('class="asked"')[1].split("</figure>")[0]
    assert "<bdi>solver</bdi>" in asked
    assert "<bdi>Help</bdi>" in asked
    done(send(reader, "SB-1", "take-over"))
    assert buttons() == (["Send proof", "Keep it", "Let it go"], 1)
    done(send(reader, "SB-1", "evidence", criterion="b1", command="npm ci", exit_code="0"))
    assert buttons() == (["Submit the fix", "Keep it", "Let it go"], 1)
    done(send(reader, "SB-1", "block", reason="Wait"))
    done(send(reader, "SB-1", "release", note=""))
    assert buttons() == (["It is not blocked any more", "Close it"], 1)
    done(send(reader, "SB-1", "unblock"))
    done(send(reader, "SB-1", "pause", reason=""))
    assert buttons() == (["Resume it"], 1)
    done(send(reader, "SB-1", "close", outcome=""))
    assert buttons() == (["Open it again"], 0)
