"""What waits for a person: submitted stages that a person must judge, and tickets that need one."""

from collections.abc import Collection, Iterable
from typing import Final, NamedTuple
from uuid import UUID

from accounts.models import Notice
from stuckbot.lib.models import Event
from tickets.models import Ticket
from tickets.states import State
from verification.models import Verification
from verification.states import VerificationState

NEEDS_HUMAN: Final = "needs_human"


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
    asks = _asks(org_id, {one.ticket_id for one in read if one.type == NEEDS_HUMAN})
    found = [(seq, jobs[job_id]) for seq, job_id in named.items() if job_id in jobs]
    begun = {one.seq for one in read if one.type == NEEDS_HUMAN}
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
    tickets = Ticket.objects.of(org_id).filter(id__in=chosen, state=State.NEEDS_HUMAN)
    assigned = dict(tickets.values_list("id", "assignee_id"))
    events = Event.objects.of(org_id).filter(ticket_id__in=assigned, type=NEEDS_HUMAN)
    newest: dict[UUID, Wait] = {}
    for ticket_id, seq, by_id in events.order_by("seq").values_list("ticket_id", "seq", "actor_id"):
        if ticket_id is not None:
            newest[ticket_id] = Wait(ticket_id, None, seq, by_id, assigned[ticket_id])
    return newest
