"""Which events make a decision wait, and what looking for them costs."""

from datetime import timedelta

import pytest
from django.db import connection

from accounts.services.orgs import system_caller
from policy.models import Policy
from policy.states import Approval
from stuckbot.lib import clock, ids, outbox
from stuckbot.lib.models import DECISION_EVENTS, Event, OrgClock
from stuckbot.lib.outbox import outbox_decisions, outbox_done
from stuckbot.lib.unit import unit_of_work
from stuckbot.site import tasks
from stuckbot.site.notices.reading import CONSUMER
from tests.lib.smtp import MailServer
from tests.matrix.scene import Scene, approval
from tests.notices.house import SOON, later, refs, submitted, swept, text_to, told, work
from tests.support import Api, Desk, file_ticket, prove
from verification.models import Verification
from verification.states import VerificationState


def passed_on(desk: Desk, kind: str, state: VerificationState) -> None:
    """The desk says where the job goes on, as it does after a wait or its own checks."""
    job = Verification.objects.of(desk.org.id).get()
    Verification.objects.of(desk.org.id).filter(id=job.id).update(state=state)
    data = {"verification_id": str(job.id), "verification_state": str(state)}
    with unit_of_work(system_caller(desk.org.id), clock.now()) as unit:
        unit.event(kind, ticket_id=job.ticket_id, data=data)


@pytest.mark.parametrize("kind", ["verification_passed_on", "checks_finished"])
def test_it_tells_of_what_is_passed_on_to_a_person(
    desk: Desk, stuck: Api, solver: Api, server: MailServer, kind: str
) -> None:
    Scene(desk, stuck, solver, "blocker").reach("blocker_review.agent")
    swept()
    assert server.mails == []
    for _ in range(2):
        passed_on(desk, kind, VerificationState.WAITING_PERSON)
        swept()
    assert told(server) == ["alice", "bob"]
    assert refs(server, "bob") == ["SB-1"]


def test_it_tells_of_a_job_that_no_verifier_took_in_time(
    desk: Desk, stuck: Api, solver: Api, server: MailServer
) -> None:
    ref = str(file_ticket(stuck)["ref"])
    solver.post(f"/api/v1/tickets/{ref}/claim", {}).ok()
    prove(solver, ref).ok(201)
    approval(desk, Approval.AGENT)
    Policy.objects.of(desk.org.id).update(verifier_wait_minutes=30)
    solver.post(f"/api/v1/tickets/{ref}/submit", {"stage": "blocker"}).ok()
    swept(timedelta(minutes=29))
    assert server.mails == []
    with later(timedelta(minutes=31)):
        swept()
    assert told(server) == ["alice", "bob"]
    assert "No other agent checked it in time, so a person is asked." in text_to(server, "bob")


def test_it_does_not_tell_of_what_a_colleague_approved_meanwhile(
    desk: Desk, stuck: Api, solver: Api, alice: Api, server: MailServer
) -> None:
    submitted(desk, stuck, solver)
    work()
    job = Verification.objects.of(desk.org.id).get()
    sent = {"decision": "approve", "reason": "The log says so."}
    alice.post(f"/api/v1/verifications/{job.id}/decision", sent).ok()
    with later(SOON):
        work()
    assert server.mails == []


@pytest.mark.parametrize("state", [VerificationState.WAITING_AGENT, VerificationState.APPROVED])
def test_it_tells_of_nothing_that_no_person_must_decide(
    desk: Desk, stuck: Api, solver: Api, server: MailServer, state: VerificationState
) -> None:
    Scene(desk, stuck, solver, "blocker").reach("blocker_review.agent")
    passed_on(desk, "checks_finished", state)
    swept()
    assert server.mails == []


def test_other_events_wake_nobody(desk: Desk, stuck: Api, solver: Api) -> None:
    approval(desk, Approval.PERSON)
    Scene(desk, stuck, solver, "blocker").reach("working")
    tasks.sweep()  # what was filed is in the index
    assert outbox_decisions(consumer=CONSUMER) == []
    assert not tasks.due_now()


def test_a_desk_where_much_happened_is_looked_at_by_index(desk: Desk) -> None:
    now, org_id = clock.now(), desk.org.id
    rows = [
        Event(org_id=org_id, seq=number, type=kind, actor_id=org_id, at=now)
        for number in range(1, 5001)
        for kind in (DECISION_EVENTS[number % 4] if number % 500 == 0 else "evidence_added",)
    ]
    Event.unscoped.bulk_create(rows, batch_size=500)
    OrgClock.objects.of(org_id).update(seq=5000)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE core_event")
    assert outbox_decisions(consumer=CONSUMER) == [org_id]
    outbox_done(consumer=CONSUMER, org_id=org_id, seq=4999)
    assert outbox_decisions(consumer=CONSUMER) == [org_id]
    assert "event_decision" in _plan()
    outbox_done(consumer=CONSUMER, org_id=org_id, seq=5000)
    assert outbox_decisions(consumer=CONSUMER) == []
    assert outbox_decisions(consumer=f"other-{ids.base62(4)}") == [org_id]


def _plan() -> str:
    """How the database looks for what is unread."""
    explain = "EXPLAIN " if connection.vendor == "postgresql" else "EXPLAIN QUERY PLAN "
    with connection.cursor() as cursor:
        cursor.execute(explain + outbox._DECISIONS, [CONSUMER])
        return str(cursor.fetchall())
