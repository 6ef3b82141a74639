"""The sweep: leases that ran out, attempts counted before the work, rows set aside."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session

from stuckbot.lib import clock, ids
from stuckbot.lib.models import Event, Timer
from stuckbot.site import tasks
from tests.support import TAKEOVER, Api, Desk, file_ticket, prove, resolve
from tickets.models import Claim, Ticket


def events(desk: Desk) -> list[str]:
    return list(Event.objects.of(desk.org.id).order_by("seq").values_list("type", flat=True))


def test_it_ends_a_lease_that_ran_out(desk: Desk, stuck: Api, solver: Api) -> None:
    file_ticket(stuck)
    solver.post("/api/v1/tickets/SB-1/claim", {}).ok()
    tasks.sweep()  # what was filed is in the index
    assert not tasks.due_now()
    with time_machine.travel(clock.now() + timedelta(minutes=61)):
        assert tasks.due_now()
        assert tasks.sweep() == 1
        tasks.sweep()  # what that told is read
        assert not tasks.due_now()
        assert tasks.sweep() == 0
    ticket = Ticket.objects.of(desk.org.id).get()
    assert (ticket.state, ticket.claim_id, ticket.lease_until) == ("open", None, None)
    assert Claim.objects.of(desk.org.id).get().end_reason == "expired"
    assert events(desk) == ["ticket_created", "ticket_claimed", "claim_expired"]
    assert not Timer.objects.of(desk.org.id).exists()


def test_it_frees_a_continued_task_for_another(desk: Desk, stuck: Api, solver: Api) -> None:
    file_ticket(stuck, **TAKEOVER)
    resolve(solver, "SB-1")
    solver.post("/api/v1/tickets/SB-1/continue").ok()
    with time_machine.travel(clock.now() + timedelta(minutes=61)):
        tasks.sweep()
    assert Ticket.objects.of(desk.org.id).get().state == "blocker_resolved"


def test_it_leaves_a_renewed_lease_alone(desk: Desk, stuck: Api, solver: Api) -> None:
    file_ticket(stuck)
    solver.post("/api/v1/tickets/SB-1/claim", {}).ok()
    tasks.sweep()  # what was filed is in the index
    with time_machine.travel(clock.now() + timedelta(minutes=59)):
        solver.post("/api/v1/tickets/SB-1/claim/renew").ok()
    with time_machine.travel(clock.now() + timedelta(minutes=61)):
        assert tasks.sweep() == 0
        prove(solver, "SB-1").ok(201)


def test_the_next_mover_writes_the_end_down(
    desk: Desk, stuck: Api, solver: Api, racer: Api
) -> None:
    file_ticket(stuck)
    solver.post("/api/v1/tickets/SB-1/claim", {}).ok()
    tasks.sweep()  # what was filed is in the index
    with time_machine.travel(clock.now() + timedelta(minutes=61)):
        racer.post("/api/v1/tickets/SB-1/claim", {}).ok()
        tasks.sweep()  # what that told is read
        assert tasks.sweep() == 0
    assert events(desk) == ["ticket_created", "ticket_claimed", "claim_expired", "ticket_claimed"]
    assert Claim.objects.of(desk.org.id).filter(ended_at=None).count() == 1


def test_it_counts_before_the_work_and_sets_aside(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []

    def fails(*_: Any) -> None:
        seen.append(Timer.objects.of(desk.org.id).get().attempts)
        raise RuntimeError("broken")

    monkeypatch.setitem(tasks.WORK, "test", fails)
    now = clock.now()
    Timer.unscoped.create(
        id=ids.uuid7(), org_id=desk.org.id, kind="test", subject=ids.uuid7(), due_at=now
    )
    for round_ in range(tasks.ATTEMPTS_MOST + 2):
        with time_machine.travel(now + timedelta(minutes=5 * (round_ + 1))):
            tasks.sweep()
    timer = Timer.objects.of(desk.org.id).get()
    assert seen == [1, 2, 3, 4, 5]
    assert timer.quarantined_at is not None
    assert timer.last_error == "RuntimeError: broken"


def test_it_deletes_sessions_that_ended(db: None) -> None:
    for hours in (12, 24):
        session = SessionStore()
        session["draft"] = {"place": "/tickets/SB-1/comment", "texts": {"body": "Half a thought"}}
        session.set_expiry(hours * 3600)
        session.save()
    now = clock.now()
    with time_machine.travel(now + timedelta(hours=12, minutes=59)):
        assert not tasks.due_now()
    with time_machine.travel(now + timedelta(hours=13, minutes=1)):
        assert tasks.due_now()
        tasks.sweep()
        assert not tasks.due_now()
        tasks.sweep()
        assert Session.objects.get().session_key == session.session_key
        assert SessionStore(session.session_key)["draft"]
