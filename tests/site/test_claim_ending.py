"""A holder hears once, five minutes before, that its lease ends."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext

from stuckbot.lib import clock
from stuckbot.lib.models import Event, Timer
from stuckbot.site import tasks
from tests.support import Api, Desk, file_ticket, prove, resolve
from tickets.models import Ticket


@contextmanager
def later(**span: float) -> Iterator[None]:
    with time_machine.travel(clock.now() + timedelta(**span), tick=False):
        yield


def sweep() -> int:
    """Sweeps, and says how many holders heard meanwhile; other work may be due as well."""
    before = Event.unscoped.filter(type="claim_ending").count()
    tasks.sweep()
    return Event.unscoped.filter(type="claim_ending").count() - before


def is_due() -> bool:
    found = tasks._ending(clock.now()).exists()
    assert not found or tasks.due_now()
    return found


def endings(desk: Desk) -> int:
    return Event.objects.of(desk.org.id).filter(type="claim_ending").count()


@pytest.fixture
def held(desk: Desk, stuck: Api, solver: Api) -> Iterator[str]:
    """A ticket under a lease of an hour, at a time that stands still."""
    with time_machine.travel(clock.now(), tick=False):
        file_ticket(stuck)
        solver.post("/api/v1/tickets/SB-1/claim", {}).ok()
        yield "/api/v1/tickets/SB-1"


def test_it_warns_the_holder_alone_and_once(desk: Desk, held: str, stuck: Api, solver: Api) -> None:
    etag = solver.get("/api/v1/work").header("ETag") or ""
    before = Ticket.objects.of(desk.org.id).get()
    with later(minutes=54, seconds=59):
        assert not is_due()
        assert sweep() == 0
    with later(minutes=55):
        assert is_due()
        assert sweep() == 1
        assert not is_due()
        assert sweep() == 0
        (told,) = solver.get("/api/v1/work", if_none_match=etag).ok()["updates"]
        expires = solver.get(held).ok()["ticket"]["claim"]["expires_at"]
    assert (told["type"], told["actor"]["kind"]) == ("claim_ending", "system")
    assert told["data"]["expires_at"] == expires
    assert [one["type"] for one in stuck.get("/api/v1/work").ok()["updates"]] == ["ticket_claimed"]
    after = Ticket.objects.of(desk.org.id).get()
    assert (after.state, after.version, after.lease_until) == (
        before.state,
        before.version,
        before.lease_until,
    )
    assert not Timer.objects.of(desk.org.id).filter(kind=tasks.LEASE_WARNING).exists()


def test_a_lease_renewed_in_time_says_nothing(desk: Desk, held: str, solver: Api) -> None:
    with later(minutes=50):
        solver.post(f"{held}/claim/renew").ok()
    with later(minutes=56):
        assert sweep() == 0
    assert endings(desk) == 0


@pytest.mark.parametrize("by", ["renew", "heartbeat", "claim"])
def test_a_renewal_after_the_warning_has_an_end_of_its_own(
    desk: Desk, held: str, solver: Api, by: str
) -> None:
    with later(minutes=56):
        assert sweep() == 1
        if by == "heartbeat":
            solver.post("/api/v1/agents/me/heartbeat", {"tickets": ["SB-1"]}).ok()
        else:
            solver.post(f"{held}/claim{'/renew' if by == 'renew' else ''}", {}).ok()
        assert sweep() == 0
    with later(minutes=56 + 54):
        assert sweep() == 0
    with later(minutes=56 + 55):
        assert sweep() == 1
    assert endings(desk) == 2


def test_a_renewal_that_wins_the_race_silences_it(
    desk: Desk, held: str, solver: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker has made its timer, the holder renews, then the timer runs."""
    ran = tasks.WORK[tasks.LEASE_WARNING]

    def renewed_first(*args: Any) -> None:
        solver.post(f"{held}/claim/renew").ok()
        ran(*args)

    monkeypatch.setitem(tasks.WORK, tasks.LEASE_WARNING, renewed_first)
    with later(minutes=55):
        tasks.sweep()
    assert endings(desk) == 0


@pytest.mark.parametrize(("minutes", "warned"), [(5, 2.5), (8, 4), (10, 5), (11, 6), (60, 55)])
def test_a_short_lease_warns_half_way(
    desk: Desk, stuck: Api, solver: Api, minutes: int, warned: float
) -> None:
    with time_machine.travel(clock.now(), tick=False):
        file_ticket(stuck)
        solver.post("/api/v1/tickets/SB-1/claim", {"lease_minutes": minutes}).ok()
        with later(minutes=warned, seconds=-1):
            assert sweep() == 0
        with later(minutes=warned):
            assert sweep() == 1
    assert endings(desk) == 1


def test_a_lease_that_is_over_is_ended_and_not_warned_of(desk: Desk, held: str) -> None:
    """The worker was away: what is past is no warning."""
    with later(minutes=61):
        assert sweep() == 0
        assert not is_due()
    assert endings(desk) == 0
    assert Ticket.objects.of(desk.org.id).get().state == "open"


def test_nothing_is_warned_of_that_ended(desk: Desk, stuck: Api, solver: Api) -> None:
    for _ in range(3):
        file_ticket(stuck)
    resolve(solver, "SB-1")
    for ref in ("SB-2", "SB-3"):
        solver.post(f"/api/v1/tickets/{ref}/claim", {}).ok()
    solver.post("/api/v1/tickets/SB-2/release", {}).ok()
    prove(solver, "SB-3").ok(201)
    solver.post("/api/v1/tickets/SB-3/escalate", {"reason": "Help"}).ok()
    assert not Ticket.objects.of(desk.org.id).filter(warn_at__isnull=False).exists()
    with later(minutes=56):
        tasks.sweep()
    assert endings(desk) == 0


def test_the_look_for_endings_goes_by_index(desk: Desk, held: str) -> None:
    with CaptureQueriesContext(connection) as captured:
        tasks._ending(clock.now()).exists()
    (query,) = (one["sql"] for one in captured.captured_queries)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # A table of one row is read whole whatever there is.
            cursor.execute("SET LOCAL enable_seqscan = off")
        explain = "EXPLAIN" if connection.vendor == "postgresql" else "EXPLAIN QUERY PLAN"
        cursor.execute(f"{explain} {query}")
        plan = "\n".join(str(row[-1]) for row in cursor.fetchall())
    by_another = connection.vendor == "postgresql" and "Seq Scan on tickets_ticket" not in plan
    assert "ticket_warn" in plan or by_another
