"""Noticing agents that go round in circles, asking people, and slowing those agents down.

The ticket is red for it until a person says something or somebody gets it on. Whoever is
suspected may still do what gets it on; its messages, or its takings, are let through one by one
with a pause in between.
"""

import math
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import connection

from stuckbot.lib import sql
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import TooMany
from stuckbot.lib.models import Event
from stuckbot.lib.unit import Unit
from tickets.facts import Facts
from tickets.loops import (
    FRUITLESS_MOST,
    FRUITLESS_WINDOW,
    PAUSE,
    PROGRESS,
    REPEATS_MOST,
    TURNS_MOST,
    events_seen,
    last_word,
    turns_of,
)
from tickets.models import Claim, Ticket

SUSPECTED: Final = "loop_suspected"
#: What follows from it: red if nothing else makes it red already, and then not offered.
_MARK: Final = """
UPDATE tickets_ticket SET loop_since = %s, version = version + 1, updated_at = %s,
  offer_at = CASE WHEN closed_at IS NULL THEN NULL ELSE offer_at END,
  own_red = CASE WHEN closed_at IS NULL AND own_red IS NULL THEN 'loop_suspected' ELSE own_red END
WHERE org_id = %s AND id = %s AND loop_since IS NULL
"""
_CLEAR: Final = """
UPDATE tickets_ticket SET loop_since = NULL, version = version + 1, updated_at = %s,
  offer_at = CASE WHEN own_red <> 'loop_suspected' OR closed_at IS NOT NULL THEN offer_at
    WHEN lease_until IS NOT NULL THEN lease_until
    WHEN state IN ('open', 'blocker_resolved') THEN %s END,
  own_red = CASE WHEN own_red = 'loop_suspected' THEN NULL ELSE own_red END
WHERE org_id = %s AND id = %s AND loop_since IS NOT NULL
"""


def talk_look(actor: Caller, facts: Facts, now: datetime) -> set[UUID]:
    """The agents that go round in circles once `actor` has said what it wants to say; empty as
    long as that is not so. 429 for one of them that is known for it and does not wait."""
    if not actor.is_agent:
        return set()
    seen = events_seen(facts.org_id, facts.id)
    if facts.loop_since is not None:
        since = max(facts.loop_since, last_word(seen, actor.id) or facts.loop_since)
        _wait_check(actor, facts, "talk", since, now)
        return set()
    turns, agents = turns_of(seen, actor.id, now)
    return agents if turns > TURNS_MOST else set()


def take_check(actor: Caller, facts: Facts, now: datetime) -> None:
    """429 for an agent that takes the ticket again and again and gets nothing done."""
    if not actor.is_agent or facts.loop_since is None:
        return
    theirs = Claim.objects.of(facts.org_id).filter(ticket_id=facts.id, actor_id=actor.id)
    ended = theirs.order_by("-seq").values_list("ended_at", flat=True).first()
    since = max(facts.loop_since, ended or facts.loop_since)
    _wait_check(actor, facts, "takes", since, now)


def _wait_check(actor: Caller, facts: Facts, what: str, since: datetime, now: datetime) -> None:
    suspected = Event.objects.of(facts.org_id).filter(ticket_id=facts.id, type=SUSPECTED)
    data = suspected.order_by("-seq").values_list("data", flat=True).first() or {}
    wait = math.ceil((since + PAUSE - now).total_seconds())
    if data.get("what") != what or str(actor.id) not in data.get("agents", ()) or wait <= 0:
        return
    when = (since + PAUSE).strftime("%H:%M:%S")
    raise TooMany(
        f"{_WORDS[what].format(ref=facts.ref)} A person is asked to look at it. Get it on, or wait"
        f" {wait} s, until {when} UTC.",
        retry_after=wait,
    )


_WORDS: Final = {
    "talk": "Agents answer each other on {ref} and nothing gets done.",
    "takes": "You took {ref} again and again and got nothing done.",
}


def talk_mark(unit: Unit, facts: Facts, agents: set[UUID]) -> None:
    """Says that these agents go round in circles, if it was found so."""
    if agents:
        _mark(unit, facts, {"what": "talk", "turns": TURNS_MOST, "agents": _sorted(agents)})


def takes_look(unit: Unit, facts: Facts) -> None:
    """Says that the solver goes round in circles when this was one fruitless taking too many.

    After the claim that ends was written.
    """
    newest = Claim.objects.of(facts.org_id).filter(ticket_id=facts.id).order_by("-seq")
    rows = list(newest.values_list("actor_id", "end_reason", "started_at")[:FRUITLESS_MOST])
    oldest = unit.now - FRUITLESS_WINDOW
    fruitless = [
        (actor_id, end) for actor_id, end, at in rows if at >= oldest and end in _FRUITLESS
    ]
    if len(fruitless) < FRUITLESS_MOST or {one for one, _ in fruitless} != {facts.solver_id}:
        return
    done = Event.objects.of(facts.org_id).filter(
        ticket_id=facts.id, type__in=PROGRESS, at__gte=rows[-1][2]
    )
    if facts.solver_id is not None and not done.exists():
        agents = _sorted({facts.solver_id})
        _mark(unit, facts, {"what": "takes", "times": FRUITLESS_MOST, "agents": agents})


_FRUITLESS: Final = frozenset({"released", "expired"})


def repeats_look(unit: Unit, ticket: Ticket, before: int) -> None:
    """Says so on every twentieth ticket that an agent files of one and the same problem within an
    hour, `before` of them before this one. It is filed and offered all the same: perhaps there
    are so many."""
    times = before + 1
    if ticket.fingerprint and times % REPEATS_MOST == 0:
        data = {"what": "files", "times": times, "agents": [str(unit.actor.id)]}
        unit.event(SUSPECTED, ticket_id=ticket.id, data=data, by=ticket.org_id)


def _mark(unit: Unit, facts: Facts, data: dict[str, Any]) -> None:
    now = sql.at(unit.now)
    row = [sql.uuid(facts.org_id), sql.uuid(facts.id)]
    with connection.cursor() as cursor:
        cursor.execute(_MARK, [now, now, *row])
        if cursor.rowcount != 1:
            return
    # Nobody's inbox: it is for people, and to wake these agents for it would go on with it.
    unit.event(SUSPECTED, ticket_id=facts.id, data=data, by=facts.org_id)
    unit.offer_changed()
    unit.colour_changed()


def loop_end(unit: Unit, facts: Facts) -> None:
    """A person said something, or somebody got the ticket on."""
    if facts.loop_since is None:
        return
    now = sql.at(unit.now)
    with connection.cursor() as cursor:
        cursor.execute(_CLEAR, [now, now, sql.uuid(facts.org_id), sql.uuid(facts.id)])
    unit.offer_changed()
    unit.colour_changed()


def _sorted(agents: set[UUID]) -> list[str]:
    return sorted(str(one) for one in agents)
