"""The poll over the wire."""

from functools import partial
from typing import Any

from django.http import HttpResponse

from accounts.selectors import scope_require
from stuckbot.lib.content import json_bytes
from stuckbot.lib.errors import invalid_fields
from stuckbot.lib.idempotency import Answer
from stuckbot.site.api import render, shapes
from stuckbot.site.api.call import Call
from stuckbot.site.api.etag import matches
from stuckbot.site.api.operations import operation
from stuckbot.site.api.views import answer_response
from stuckbot.site.usecases import work
from tickets.cards import Card
from tickets.offer_board import work_of
from tickets.offers import WorkFilter
from tickets.states import Mode


@operation(
    "find_work",
    "GET",
    "/work",
    cost=0.1,
    scope="tickets:read_project",
    etag=True,
    query={
        "cursor": "The `next_cursor` of the answer before",
        "project_id": "Projects, separated by commas",
        "labels": "Labels that all must be there, separated by commas",
        "skills": "The caller's skills, separated by commas; left out: any",
        "mode": "Modes, separated by commas",
        "min_urgency": "1 to 10",
    },
    answer=shapes.record(
        {
            "claimable": shapes.listed(
                {
                    "allOf": [
                        shapes.ref("TicketSummary"),
                        shapes.record({"work": {"enum": ["claim", "continue"]}}),
                    ]
                }
            ),
            "updates": shapes.listed(
                {"allOf": [shapes.ref("Event"), shapes.record({"ticket_id": shapes.UUID})]}
            ),
            "next_cursor": shapes.PLAIN,
            "retry_after_seconds": shapes.NUMBER,
            "handoff_requested": shapes.REQUEST,
            "stop_requested": shapes.REQUEST,
        }
    ),
)
def find_work(call: Call) -> Any:
    """Tickets the caller could take now, and what happened on its own."""
    if call.actor.is_agent:
        scope_require(call.actor, "tickets:read_project")
    etag = call.header("If-None-Match")
    key = work.memo_key(call.actor.id, call.request.META.get("QUERY_STRING", ""))
    wait = work.unchanged(key, call.signed, etag, call.now)
    if wait is not None and etag is not None:
        return _not_modified(etag, wait)
    found = work.work_find(
        signed=call.signed,
        wish=_wish(call),
        cursor=call.query("cursor"),
        holds=partial(matches, etag),
        key=key,
        now=call.now,
    )
    if found.updates is None:
        return _not_modified(found.etag, found.retry_after)
    response = answer_response(Answer(200, _body(call, found)))
    response["ETag"] = found.etag
    return response


def _not_modified(etag: str, wait: int) -> HttpResponse:
    response = HttpResponse(status=304)
    response["ETag"] = etag
    response["Retry-After"] = str(wait)
    return response


def _body(call: Call, found: work.Found) -> bytes:
    """The answer as JSON. What is offered to many is made into it once: each ticket, and all."""
    offers = found.offers
    if not offers.whole:
        offers.whole.append(b",".join(_offered(card, found, call) for card in offers.cards))
    rest = json_bytes(
        {
            "updates": found.updates,
            "next_cursor": found.next_cursor,
            "retry_after_seconds": found.retry_after,
            "handoff_requested": call.signed.handoff_request,
            "stop_requested": call.signed.stop_request,
        }
    )
    return b'{"claimable":[' + offers.whole[0] + b"]," + rest[1:]


def _offered(card: Card, found: work.Found, call: Call) -> bytes:
    made = found.offers.rendered.get(card.facts.id)
    if made is None:
        shown = render.summary(card, call.now) | {"work": work_of(card.facts, call.now)}
        made = found.offers.rendered[card.facts.id] = json_bytes(shown)
    return made


def _wish(call: Call) -> WorkFilter:
    modes = call.query_parts("mode")
    known = [str(mode) for mode in Mode]
    faults = []
    if set(modes) - set(known):
        faults.append(("mode", f"mode must be among {', '.join(known)}."))
    least = call.query("min_urgency") or "1"
    if least not in [str(number) for number in range(1, 11)]:
        faults.append(("min_urgency", "min_urgency must be a whole number from 1 to 10."))
    if faults:
        raise invalid_fields(faults)
    return WorkFilter(
        project_ids=call.query_ids("project_id"),
        labels=call.query_list("labels"),
        skills=call.query_list("skills"),
        modes=modes,
        min_urgency=int(least),
    )
