"""Tickets over the wire: file, list, read, change the package, comment, leave."""

from typing import Any

from accounts.selectors import scope_require
from stuckbot.lib import paging
from stuckbot.lib.errors import invalid_fields
from stuckbot.lib.idempotency import Answer
from stuckbot.site.api import render, shapes
from stuckbot.site.api.call import Call, done, plain
from stuckbot.site.api.etag import with_etag
from stuckbot.site.api.operations import operation
from stuckbot.site.api.shown import answer_summary, detail_of
from stuckbot.site.usecases.close import ticket_close
from stuckbot.site.usecases.detail import ticket_detail, ticket_detail_fresh, ticket_detail_of
from stuckbot.site.usecases.similar import similar_find
from tickets import events as ticket_events
from tickets.cards import Card, cards_of
from tickets.facts import Facts
from tickets.search.find import mark_make, mark_read, search
from tickets.search.query import query_check, query_read
from tickets.selectors import Narrowing, card_get, facts_get, tickets_list
from tickets.services import closing, create, notes, packages
from tickets.services.intake import package_try
from tickets.states import State


@operation(
    "create_ticket",
    "POST",
    "/tickets",
    body=shapes.CREATE,
    status=201,
    scope="tickets:create",
    answer=shapes.record(
        {
            "ticket": shapes.ref("TicketDetail"),
            "similar": shapes.WORDS,
            "similar_solved": shapes.listed(shapes.ref("SimilarSolved")),
            "warnings": shapes.listed(shapes.ref("Warning")),
        }
    ),
)
def create_ticket(call: Call) -> Answer:
    """Post a ticket with a handoff package."""
    if call.body.get("depends_on"):
        message = "This server does not link tickets yet. Leave depends_on out."
        raise invalid_fields([("depends_on", message)])

    scope_require(call.actor, "tickets:create")
    prepared = create.ticket_prepare(
        actor=call.actor,
        package=call.body["package"],
        project_id=call.uuid("project_id"),
        blocked_reason=call.text("blocked_reason"),
        assignee_id=call.uuid("assignee"),
        for_agent=call.uuid("for_agent"),
        now=call.now,
    )
    similar = render.similar(similar_find(actor=call.actor, package=prepared.intake.package))

    def shown(filed: create.Filed) -> dict[str, Any]:
        ticket = detail_of(call, ticket_detail_fresh(filed))
        return {"ticket": ticket, **similar, "warnings": ticket["warnings"]}

    keep = call.keep(shown, status=201)
    create.ticket_file(actor=call.actor, prepared=prepared, now=call.now, keep=keep)
    return done(keep)


@operation(
    "check_package",
    "POST",
    "/packages/check",
    body=shapes.PACKAGE_TRIED,
    scope="tickets:create",
    keyed=False,
    answer=shapes.record(
        {
            "accepted": shapes.FLAG,
            "complete": shapes.FLAG,
            "missing_fields": shapes.WORDS,
            "fields": shapes.listed(shapes.FAULT),
            "warnings": shapes.listed(shapes.ref("Warning")),
            "masked": shapes.listed(shapes.MASKED),
            "similar": shapes.WORDS,
            "similar_solved": shapes.listed(shapes.ref("SimilarSolved")),
        }
    ),
)
def check_package(call: Call) -> Answer:
    """Say what a package would be told, and file nothing.

    `missing_fields` is what a ticket would lack that a signal files of it; `complete`: nothing.
    """
    scope_require(call.actor, "tickets:create")
    tried = package_try(call.body["package"])
    found = similar_find(actor=call.actor, package=tried.package) if tried.package else []
    return plain(
        {
            "accepted": not tried.faults,
            "complete": not tried.missing,
            "missing_fields": list(tried.missing),
            "fields": [{"path": path, "message": message} for path, message in tried.faults],
            "warnings": [render.warning(one) for one in tried.warnings],
            "masked": [
                {"where": one.where, "kind": one.kind, "preview": one.preview}
                for one in tried.masked
            ],
            **render.similar(found),
        }
    )


@operation(
    "list_tickets",
    "GET",
    "/tickets",
    query={
        "mine": "1: created, held or solved by the caller",
        "state": "States, separated by commas",
        "project_id": "Projects, separated by commas",
        "color": "RED, YELLOW, ORANGE or GREEN, several separated by commas",
        "archived": "1: closed ones alone; 0: open ones alone",
        "q": 'Words that must be there; "a phrase"; -not; the last word may be a beginning',
        "limit": "1 to 100, 50 when left out",
        "cursor": "The `next_cursor` of the page before",
    },
    scope="tickets:read_project",
    answer=shapes.record(
        {
            "tickets": shapes.listed(shapes.ref("TicketSummary")),
            "next_cursor": shapes.nullable(shapes.PLAIN),
        }
    ),
)
def list_tickets(call: Call) -> Answer:
    """One page of the tickets the caller can read, newest first; with `q` those that match best
    first, and a page may have fewer than `limit` while `next_cursor` says that there is more."""
    narrowing = Narrowing(
        mine=bool(call.query_flag("mine")),
        states=_states(call),
        project_ids=call.query_ids("project_id"),
        colors=_colors(call),
        archived=call.query_flag("archived"),
    )
    asked = query_check(call.query("q") or "")
    cards, following = (_search if asked else _list)(call, narrowing, asked)
    paused = call.actor.org_paused
    return plain(
        {
            "tickets": [render.summary(card, call.now, org_paused=paused) for card in cards],
            "next_cursor": following,
        }
    )


def _list(call: Call, narrowing: Narrowing, _asked: str) -> tuple[list[Card], str | None]:
    """A page of tickets, and the cursor of the next."""
    limit = paging.limit_parse(call.query("limit"))
    cursor = call.query("cursor")
    cards = tickets_list(
        actor=call.actor,
        now=call.now,
        narrowing=narrowing,
        after=paging.cursor_read(cursor) if cursor else None,
        limit=limit,
    )
    last = cards[limit - 1].facts if len(cards) > limit else None
    return cards[:limit], paging.cursor_make(last.created_at, last.id) if last else None


def _search(call: Call, narrowing: Narrowing, asked: str) -> tuple[list[Card], str | None]:
    """A page of what matches, and the cursor of the next."""
    cursor = call.query("cursor")
    page = search(
        actor=call.actor,
        query=query_read(asked),
        narrow=lambda tickets: narrowing.of(tickets, call.actor, call.now),
        after=mark_read(cursor) if cursor else None,
        limit=paging.limit_parse(call.query("limit")),
    )
    cards = cards_of(page.ticket_ids, call.actor.org_id)
    return cards, mark_make(page.next) if page.next else None


def _colors(call: Call) -> frozenset[str]:
    colors = {color.upper() for color in call.query_parts("color")}
    if colors - {"RED", "YELLOW", "ORANGE", "GREEN"}:
        message = "color must be among RED, YELLOW, ORANGE and GREEN."
        raise invalid_fields([("color", message)])
    return frozenset(colors)


def _states(call: Call) -> frozenset[str]:
    states = call.query_parts("state")
    known = {str(one) for one in State}
    if set(states) - known:
        message = f"state must be among {', '.join(sorted(known))}."
        raise invalid_fields([("state", message)])
    return frozenset(states)


@operation("get_ticket", "GET", "/tickets/{id}", answer=shapes.TICKET_WHOLE, etag=True)
def get_ticket(call: Call) -> Any:
    """One ticket with its package, criteria, evidence, notes and what the caller may do."""
    card = card_get(actor=call.actor, ref=call.ref)
    return with_etag(call, plain({"ticket": detail_of(call, ticket_detail(card))}))


@operation(
    "list_ticket_events",
    "GET",
    "/tickets/{id}/events",
    query={"after": "Events with an id above this one"},
    answer=shapes.record({"events": shapes.listed(shapes.ref("Event"))}),
)
def list_ticket_events(call: Call) -> Answer:
    """Up to 200 events of a ticket, oldest first."""
    after = call.query("after") or "0"
    if not after.isascii() or not after.isdigit() or len(after) > 18:
        raise invalid_fields([("after", "after must be the id of an event, or 0.")])
    facts = facts_get(actor=call.actor, ref=call.ref)
    found = ticket_events.ticket_events(org_id=facts.org_id, ticket_id=facts.id, after=int(after))
    return plain({"events": found})


@operation(
    "withdraw_ticket",
    "POST",
    "/tickets/{id}/withdraw",
    body=shapes.REASON_MAYBE,
    scope="tickets:create",
    answer=shapes.TICKET,
)
def withdraw_ticket(call: Call) -> Answer:
    """Take back an open ticket that the caller filed."""
    keep = call.keep(lambda facts: answer_summary(call, facts))
    closing.ticket_withdraw(
        actor=call.actor, ref=call.ref, reason=call.text("reason"), now=call.now, keep=keep
    )
    return done(keep)


@operation(
    "add_comment",
    "POST",
    "/tickets/{id}/comments",
    body=shapes.COMMENT,
    status=201,
    scope="tickets:read_project",
    answer=shapes.record({"comment": shapes.ref("Note")}),
)
def add_comment(call: Call) -> Answer:
    """Comment on a ticket the caller can read, in any state."""
    keep = call.keep(lambda note: {"comment": render.note(note)}, status=201)
    notes.comment_add(
        actor=call.actor, ref=call.ref, body=call.body["body"], now=call.now, keep=keep
    )
    return done(keep)


@operation(
    "update_package",
    "POST",
    "/tickets/{id}/package",
    body=shapes.PACKAGE,
    scope="tickets:update",
    answer=shapes.TICKET_WHOLE,
)
def update_package(call: Call) -> Answer:
    """Replace the handoff package: the creator while open, the holder while working.

    An incomplete ticket is completed so, by both and by any member, in any state that is not
    closed; the package may still lack fields then.
    """

    def shown(facts: Facts) -> dict[str, Any]:
        return {"ticket": detail_of(call, ticket_detail_of(facts.id, facts.org_id))}

    keep = call.keep(shown)
    packages.package_update(
        actor=call.actor, ref=call.ref, package=call.body["package"], now=call.now, keep=keep
    )
    return done(keep)


@operation(
    "close_ticket",
    "POST",
    "/tickets/{id}/close",
    body=shapes.OUTCOME,
    scope="tickets:update",
    answer=shapes.TICKET,
)
def close_ticket(call: Call) -> Answer:
    """Close a ticket: a member any, an agent its own that nobody holds."""
    keep = call.keep(lambda facts: answer_summary(call, facts))
    ticket_close(
        actor=call.actor, ref=call.ref, outcome=call.text("outcome"), now=call.now, keep=keep
    )
    return done(keep)
