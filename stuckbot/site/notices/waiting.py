"""What waits for a person: submitted stages that a person must judge, and tickets that need one,
because somebody said so or because agents go round in circles on them."""

from collections.abc import Collection, Iterable
from typing import Final, NamedTuple
from uuid import UUID

from django.db.models import Q

from accounts.models import Notice
from stuckbot.lib.models import Event
from tickets.models import Ticket
from tickets.services.looping import SUSPECTED
from tickets.states import State
from verification.models import Verification
from verification.states import VerificationState

NEEDS_HUMAN: Final = "needs_human"
#: The events that ask for a person on a ticket that has no job: an agent does, or the desk, which
#: noticed that agents go round in circles on it.
ASKING: Final = frozenset({NEEDS_HUMAN, SUSPECTED})


class Wait(NamedTuple):
    """A decision that waits now. `by_id` asks for it; `job_id` is null where a ticket needs a
    person, and then `seq` is the event that says so."""

    ticket_id: UUID
    job_id: UUID | None
    seq: int
    by_id: UUID
    assignee_id: UUID | None


def waits_of_events(org_id: UUID, events: Iterable[Event]) -> list[tuple[int, Wait]]:
    """What still waits of that which these events began, each with its event's id."""
    read = list(events)
    # Where a job has come to by now is what its row says, whichever event speaks of it.
    named = {
        one.seq: UUID(one.data["verification_id"]) for one in read if "verification_id" in one.data
    }
    jobs = _jobs(org_id, set(named.values()))
    asks = _asks(org_id, {one.ticket_id for one in read if one.type in ASKING})
    found = [(seq, jobs[job_id]) for seq, job_id in named.items() if job_id in jobs]
    begun = {one.seq for one in read if one.type in ASKING}
    found += [(one.seq, one) for one in asks.values() if one.seq in begun]
    return sorted(found, key=lambda one: one[0])


def waits_of_notices(org_id: UUID, notices: Iterable[Notice]) -> list[tuple[Notice, Wait]]:
    """Those of the notices whose decision still waits, in the same order."""
    told = list(notices)
    jobs = _jobs(org_id, {one.verification_id for one in told})
    asks = _asks(org_id, {one.ticket_id for one in told if one.verification_id is None})
    found = []
    for one in told:
        if one.verification_id is not None:
            wait = jobs.get(one.verification_id)
        else:
            wait = asks.get(one.ticket_id)
            wait = wait if wait is not None and wait.seq == one.seq else None
        if wait is not None:
            found.append((one, wait))
    return found


def waits_now(org_id: UUID) -> list[Wait]:
    """All that waits for a person now, the most urgent first."""
    red = Ticket.objects.of(org_id).filter(own_red__isnull=False)
    tickets = list(red.order_by("-urgency", "created_at", "id").values_list("id", flat=True))
    waiting = Verification.objects.of(org_id).filter(
        ticket__in=red, state=VerificationState.WAITING_PERSON
    )
    jobs = _jobs(org_id, set(waiting.values_list("id", flat=True)))
    found = {one.ticket_id: one for one in jobs.values()} | _asks(org_id, tickets)
    return [found[one] for one in tickets if one in found]


def _jobs(org_id: UUID, job_ids: Collection[UUID | None]) -> dict[UUID, Wait]:
    rows = Verification.objects.of(org_id).filter(
        id__in=[one for one in job_ids if one is not None],
        state=VerificationState.WAITING_PERSON,
    )
    columns = ("id", "ticket_id", "submitted_by_id", "ticket__assignee_id")
    return {
        job_id: Wait(ticket_id, job_id, 0, by_id, assignee_id)
        for job_id, ticket_id, by_id, assignee_id in rows.values_list(*columns)
    }


def _asks(org_id: UUID, ticket_ids: Collection[UUID | None]) -> dict[UUID, Wait]:
    """By ticket, with the newest event that asked for a person."""
    if not ticket_ids:
        return {}
    chosen = [one for one in ticket_ids if one is not None]
    asking = Q(state=State.NEEDS_HUMAN) | Q(loop_since__isnull=False, closed_at=None)
    tickets = Ticket.objects.of(org_id).filter(asking, id__in=chosen)
    rows = tickets.values_list("id", "assignee_id", "state")
    found = {ticket_id: (assignee_id, state) for ticket_id, assignee_id, state in rows}
    events = Event.objects.of(org_id).filter(ticket_id__in=found, type__in=ASKING)
    newest: dict[UUID, Wait] = {}
    for event in events.order_by("seq"):
        if event.ticket_id is None or event.data.get("what") == "files":
            continue
        assignee_id, state = found[event.ticket_id]
        # Who asked for a person by name is told of before what the desk noticed.
        if event.type == (NEEDS_HUMAN if state == State.NEEDS_HUMAN else SUSPECTED):
            newest[event.ticket_id] = Wait(
                event.ticket_id, None, event.seq, event.actor_id, assignee_id
            )
    return newest
