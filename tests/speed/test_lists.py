"""The pages at ten thousand tickets: lists by index and page for page, all within their time."""

from uuid import UUID

import pytest
from django.db import connection
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Membership, Org, User
from accounts.selectors import caller_of_membership
from accounts.services.invitations import invitation_send
from accounts.services.orgs import (
    connector_make,
    enrollment_secret_make,
    member_add,
    person_token_make,
    system_caller,
)
from accounts.states import SCOPES, Role
from bench.finding import explain, plan_lines, rows_visited
from bench.seed import seed
from stuckbot.lib import clock
from stuckbot.lib.paging import Place, place_make
from tests.accounts.letters import newest
from tests.speed.page_times import TIME_MOST, took
from tests.support import Desk, file_ticket, resolve
from tickets.lists import ORDERS, Wish, tickets_page
from tickets.models import Ticket

TICKETS = 10_000
PAGE = 25
READER = "reader@bench.example"
#: Members, and invitations: more than a page.
MANY = 70
#: Rows of tables and indexes that may be looked at for each card of a page.
VISITED_MOST = 6


@pytest.fixture
def reader(db: None) -> Membership:
    """A member of an org with ten thousand tickets, three in four of them open."""
    seeded = seed("leased", TICKETS)
    now = clock.now()
    closed = {"state": "closed", "closed_at": F("created_at"), "claim": None, "lease_until": None}
    done = Ticket.objects.of(seeded.org.id).filter(number__gt=TICKETS * 3 // 4)
    done.update(offer_at=None, lease_seconds=0, **closed)
    user = User.objects.create_user(READER, "correct horse")
    return member_add(org=seeded.org, user=user, role=Role.OWNER, now=now)


def middle(org: Org, order: str) -> Place:
    """A place half way down the list."""
    tickets = Ticket.objects.of(org.id).filter(closed_at__isnull=order != "closed")
    keys = [f"-{name}" if down else name for name, down in ORDERS[order]]
    row = tickets.order_by(*keys)[tickets.count() // 2]
    return Place(row.urgency, row.closed_at or row.created_at, row.id)


#: The index that each order is read from.
INDEXES = {
    "urgent": "ticket_board",
    "newest": "ticket_open",
    "oldest": "ticket_open",
    "closed": "ticket_archive",
}


def test_pages_are_found_by_index_and_whole(reader: Membership) -> None:
    for order, index in INDEXES.items():
        _found_by(order, index, reader)
    _on_one_page_each(reader)


def _found_by(order: str, index: str, reader: Membership) -> None:
    org, actor = reader.org, caller_of_membership(reader)
    wish = Wish(closed=order == "closed", order="urgent" if order == "closed" else order)
    place = middle(org, order)
    for bounds in ({}, {"after": place}, {"before": place}):
        with CaptureQueriesContext(connection) as captured:
            page = tickets_page(actor=actor, wish=wish, now=clock.now(), limit=PAGE, **bounds)
        assert len(page.cards) == PAGE
        # The last is that for the cards; before it the rest of a level, and what lies beyond.
        for query in captured.captured_queries[:-1]:
            _judge(query["sql"], index)


def _on_one_page_each(reader: Membership) -> None:
    """Paging through a shuffled ten thousand misses none and shows none twice."""
    actor, seen, after = caller_of_membership(reader), list[UUID](), None
    while True:
        page = tickets_page(actor=actor, wish=Wish(), now=clock.now(), after=after, limit=500)
        seen += [card.facts.id for card in page.cards]
        if page.is_last:
            break
        facts = page.cards[-1].facts
        after = Place(facts.urgency, facts.created_at, facts.id)
    assert len(seen) == len(set(seen)) == TICKETS * 3 // 4


def _judge(query: str, index: str) -> None:
    if connection.vendor == "postgresql":
        plan = explain(query.replace("%", "%%"), [])["Plan"]
        assert rows_visited(plan) <= VISITED_MOST * plan["Actual Rows"]
        return
    lines = plan_lines(query, [])
    assert [line for line in lines if "TEMP B-TREE" in line] == []
    assert any(index in line for line in lines), lines


def pages(org: Org) -> dict[str, str]:
    return {
        "board": "/",
        "deep in the board": f"/?after={place_make(middle(org, 'urgent'))}",
        "newest first": "/?order=newest",
        "one colour": "/?color=red",
        "mine": "/?whose=mine",
        "everything at once": "/?color=yellow&urgency=4&state=working",
        "archive": "/archive",
        "deep in the archive": f"/archive?after={place_make(middle(org, 'closed'))}",
        "a ticket": f"/tickets/SB-{TICKETS + 1}",
        "a closed ticket": f"/tickets/SB-{TICKETS + 2}",
        "people": "/people",
        "account": "/account",
        "connect": "/connect",
    }


def people(org: Org) -> None:
    """Members and as many who are invited; the reader has thirty tokens."""
    now = clock.now()
    for number in range(MANY):
        user = User.objects.create_user(f"m{number}@bench.example", None, name=f"Member {number}")
        member_add(org=org, user=user, role=Role.MEMBER, now=now)
    me = Membership.objects.of(org.id).select_related("org", "actor").get(user__email=READER)
    sender = caller_of_membership(me)
    for number in range(MANY):
        email = f"i{number}@bench.example"
        invitation_send(actor=sender, email=email, role=Role.VIEWER, now=now)
    for number in range(30):
        person_token_make(membership=me, name=f"Script {number}", now=now)


def whole_tickets(org: Org) -> None:
    """Two more tickets that are as agents file them, one of them solved."""
    now = clock.now()
    connector = connector_make(org=org, name="More", scopes=SCOPES, set_up_by=None, now=now)
    secret = enrollment_secret_make(actor=system_caller(org.id), connector=connector, now=now)
    desk = Desk(org, connector, secret.text, {})
    stuck, solver = desk.agent("stuck"), desk.agent("solver")
    file_ticket(stuck)
    resolve(solver, file_ticket(stuck)["ref"])


def test_pages_keep_within_theirtook(reader: Membership) -> None:
    people(reader.org)
    whole_tickets(reader.org)
    client = Client()
    client.force_login(reader.user, "django.contrib.auth.backends.ModelBackend")
    spent = {name: took(client, path) for name, path in pages(reader.org).items()}
    spent["join"] = took(Client(), newest().link)
    print({name: round(time) for name, time in spent.items()})
    assert {name: time for name, time in spent.items() if time > TIME_MOST} == {}
