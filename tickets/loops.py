"""Agents that go round in circles on a ticket: what counts as that, and what ends it.

An agent is woken by what others do and never by what it does itself, so it takes two to wake each
other without end (or an agent and its child), and one to take a ticket and give it back for ever.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

from django.db import connection

from stuckbot.lib import sql

#: Messages between agents, each by another than the one before, with nothing done in between.
TURNS_MOST: Final = 20
#: Takings in a row by one agent that ended by release or by themselves, with nothing done.
FRUITLESS_MOST: Final = 5
WINDOW: Final = timedelta(hours=1)
FRUITLESS_WINDOW: Final = timedelta(days=1)
#: How long those who are suspected wait between one message, or taking, and the next.
PAUSE: Final = timedelta(minutes=10)
#: Tickets with one fingerprint that an agent files within the window, each time so many.
REPEATS_MOST: Final = 20

#: What agents say to each other, whichever way they say it.
TALK: Final = frozenset(
    {
        "comment_added",
        "signal_raised",
        "ticket_blocked",
        "ticket_reopened",
        "ticket_unblocked",
        "update_posted",
    }
)
#: What gets a ticket on, whoever did it.
PROGRESS: Final = frozenset(
    {
        "checks_finished",
        "criterion_met",
        "evidence_added",
        "needs_human",
        "package_completed",
        "package_updated",
        "stage_approved",
        "stage_rejected",
        "stage_submitted",
        "ticket_handed_off",
        "ticket_sent_back",
        "verification_claimed",
        "verification_passed_on",
    }
)
#: Enough to see all turns, with what else agents do in between.
_LOOK: Final = 4 * TURNS_MOST
_NEWEST: Final = """
SELECT e.type, e.actor_id, a.kind, e.at FROM core_event e
JOIN accounts_actor a ON a.id = e.actor_id
WHERE e.org_id = %s AND e.ticket_id = %s ORDER BY e.seq DESC LIMIT %s
"""


class Seen(NamedTuple):
    """An event, as far as it matters here."""

    type: str
    actor_id: UUID | None
    kind: str
    at: datetime | None


def events_seen(org_id: UUID, ticket_id: UUID) -> list[Seen]:
    """The newest events of the ticket, newest first."""
    with connection.cursor() as cursor:
        cursor.execute(_NEWEST, [sql.uuid(org_id), sql.uuid(ticket_id), _LOOK])
        return [
            Seen(type_, sql.to_uuid(actor_id), kind, sql.to_time(at))
            for type_, actor_id, kind, at in cursor.fetchall()
        ]


def turns_of(seen: Iterable[Seen], speaker: UUID, now: datetime) -> tuple[int, set[UUID]]:
    """How often agents took turns up to and with what `speaker` says now, and who they are.

    Counted back to the last word of a person, the last thing done, or an hour ago.
    """
    turns, before, agents = 0, speaker, {speaker}
    for one in seen:
        if one.kind == "person" or one.type in PROGRESS:
            break
        if one.at is None or one.at < now - WINDOW:
            break
        if one.type in TALK and one.kind == "agent" and one.actor_id is not None:
            turns += one.actor_id != before
            before = one.actor_id
            agents.add(before)
    return turns, agents


def last_word(seen: Iterable[Seen], speaker: UUID) -> datetime | None:
    """When `speaker` last said something on the ticket."""
    return next((one.at for one in seen if one.actor_id == speaker and one.type in TALK), None)
