"""A page of a ticket with 10,000 events reads that page, wherever in them it stands."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from bench.bulk import insert_alike
from bench.finding import explain, plan_lines, rows_visited
from stuckbot.lib import clock, sql
from stuckbot.lib.models import Event, OrgClock
from tests.support import Api, Desk, file_ticket
from tickets import events
from tickets.models import Ticket

EVENTS = 10_000
#: Rows of tables and indexes that may be looked at for each event: itself, its actor, its texts.
VISITED_MOST = 5
PLACES = {
    "first": (events._OF_TICKET, 0),
    "middle": (events._OF_TICKET, EVENTS),
    "last": (events._OF_TICKET, 2 * EVENTS - 300),
    "newest": (events._NEWEST, 2**62),
    "older": (events._NEWEST, EVENTS),
}


@pytest.fixture
def crowded(desk: Desk, stuck: Api) -> Ticket:
    """The ticket SB-1, and another beside it with which its events take turns."""
    file_ticket(stuck)
    file_ticket(stuck)
    ids = list(Ticket.objects.of(desk.org.id).order_by("number").values_list("id", flat=True))
    alike = Event(
        org_id=desk.org.id,
        seq=0,
        ticket_id=ids[0],
        type="comment_added",
        actor_id=desk.people["bob"].actor_id,
        at=clock.now(),
    )
    first = OrgClock.objects.of(desk.org.id).get().seq + 1
    rows = [{"seq": first + n, "ticket_id": ids[n % 2]} for n in range(2 * EVENTS)]
    insert_alike(alike, rows)
    OrgClock.objects.of(desk.org.id).update(seq=first + 2 * EVENTS)
    with connection.cursor() as cursor:
        # What other tests left is no longer there: all that a page reads is counted anew.
        for table in ("core_event", "core_content", "accounts_actor"):
            cursor.execute(f"ANALYZE {table}")
    return Ticket.objects.of(desk.org.id).get(number=1)


def test_a_page_reads_no_more_than_it_shows(crowded: Ticket) -> None:
    for place, (query, mark) in PLACES.items():
        params: list[Any] = [sql.uuid(crowded.org_id), sql.uuid(crowded.id), mark, events.PAGE]
        if connection.vendor == "postgresql":
            plan = explain(query, params)["Plan"]
            assert plan["Actual Rows"] > 100, place
            assert rows_visited(plan) <= VISITED_MOST * plan["Actual Rows"], place
        else:
            lines = plan_lines(query, params)
            assert any("SEARCH e USING INDEX event_ticket_seq" in line for line in lines), place
            assert not any("TEMP B-TREE" in line or "SCAN" in line for line in lines), place


def test_a_reader_gets_all_of_them_page_by_page(crowded: Ticket, stuck: Api) -> None:
    path, after, found, statements = "/api/v1/tickets/SB-1/events", 0, [], set()
    while True:
        with CaptureQueriesContext(connection) as captured:
            page = stuck.get(f"{path}?after={after}").ok()["events"]
        statements.add(len(captured))
        found += [one["id"] for one in page]
        if len(page) < events.PAGE:
            break
        after = page[-1]["id"]
    assert len(found) == EVENTS + 1
    assert found == sorted(set(found))
    assert len(statements) == 1
