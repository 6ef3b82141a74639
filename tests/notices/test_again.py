"""Reminders, the daily list, and a mail server that is away."""

import re
from datetime import UTC, timedelta
from typing import Any

import pytest
import time_machine

from accounts.models import Membership, Notice
from accounts.services.notices import notices_choose
from accounts.states import Notices, Role
from stuckbot.lib import clock
from stuckbot.lib.models import Mail, Timer
from stuckbot.site import tasks
from stuckbot.site.notices.due import KEPT, WORK, digest_next
from stuckbot.site.notices.letters import notices_letter
from tests.lib.smtp import MailServer, mail_server
from tests.notices.conftest import use
from tests.notices.house import (
    SOON,
    escalated,
    later,
    mail_to,
    refs,
    submitted,
    swept,
    text_to,
    told,
    work,
)
from tests.support import Api, Desk, make_desk

DAY = timedelta(days=1, minutes=5)


def test_it_reminds_once_after_a_day(
    desk: Desk, stuck: Api, solver: Api, server: MailServer
) -> None:
    submitted(desk, stuck, solver)
    swept()
    with later(timedelta(hours=23)):
        work()
    assert told(server) == ["alice", "bob"]
    for days in (1, 2, 3):
        with later(DAY * days):
            work()
    assert told(server) == ["alice", "alice", "bob", "bob"]
    subject = "StuckBot: Still waiting: SB-1, The image service cannot be built"
    assert mail_to(server, "bob")["Subject"] == subject
    assert "We will not write about it again." in text_to(server, "bob")


def test_it_reminds_of_what_still_waits_alone(
    desk: Desk, stuck: Api, solver: Api, alice: Api, server: MailServer
) -> None:
    decided, waits = submitted(desk, stuck, solver), escalated(stuck, solver)
    swept()
    alice.post(f"/api/v1/tickets/{decided}/close", {}).ok()
    with later(DAY):
        work()
    assert f"{waits}: “" in text_to(server, "bob")
    assert f"{decided}: “" not in text_to(server, "bob")
    assert told(server) == ["alice", "alice", "bob", "bob"]


def test_it_reminds_nobody_of_what_was_decided(
    desk: Desk, stuck: Api, solver: Api, alice: Api, server: MailServer
) -> None:
    ref = submitted(desk, stuck, solver)
    swept()
    alice.post(f"/api/v1/tickets/{ref}/close", {}).ok()
    with later(DAY):
        work()
        assert not tasks.due_now()
    assert told(server) == ["alice", "bob"]


def test_a_reminder_and_what_is_new_are_one_mail(
    desk: Desk, stuck: Api, solver: Api, server: MailServer
) -> None:
    submitted(desk, stuck, solver)
    swept()
    with later(DAY - timedelta(minutes=1)):
        escalated(desk.agent("another"), desk.agent("third"))
        work()
    with later(DAY + SOON):
        work()
    assert told(server) == ["alice", "alice", "bob", "bob"]
    text = text_to(server, "bob")
    assert text.index("1. SB-2:") < text.index("2. SB-1:")
    assert "It still waits, a day after we told you of it." in text


def test_its_timers_are_safe_to_run_twice(
    desk: Desk, stuck: Api, solver: Api, server: MailServer
) -> None:
    notices_choose(membership=desk.people["bob"], choice=Notices.DAILY)
    submitted(desk, stuck, solver)
    work()
    org_id, now = desk.org.id, clock.now()
    with later(SOON):
        work()
    with later(DAY) as then:
        for kind, member in (("notices_remind", "alice"), ("notices_daily", "bob")):
            for _ in range(2):
                WORK[kind](org_id, desk.people[member].id, then)
        WORK["notices_read"](org_id, org_id, now)
        assert Mail.objects.filter(sent_at=None).count() == 2
        work()
    assert told(server) == ["alice", "alice", "bob"]


def test_a_daily_list_tells_what_waits_then(
    desk: Desk, stuck: Api, solver: Api, alice: Api, server: MailServer
) -> None:
    for name in ("alice", "bob"):
        choice = Notices.DAILY if name == "bob" else Notices.NONE
        notices_choose(membership=desk.people[name], choice=choice)
    ref = submitted(desk, stuck, solver, urgency=3)
    escalated(stuck, solver, urgency=9)
    work()
    assert server.mails == []
    first = digest_next(clock.now())
    with time_machine.travel(first - timedelta(seconds=1), tick=False):
        work()
    assert server.mails == []
    with time_machine.travel(first, tick=False):
        work()
        work()
    assert told(server) == ["bob"]
    assert mail_to(server, "bob")["Subject"] == "StuckBot: Today in Acme: 2 decisions wait"
    assert re.findall(r"^\d\. (SB-\d)", text_to(server, "bob"), re.MULTILINE) == ["SB-2", "SB-1"]
    with time_machine.travel(first + timedelta(minutes=1), tick=False):
        for one in (ref, "SB-2"):
            alice.post(f"/api/v1/tickets/{one}/close", {}).ok()
    with time_machine.travel(first + timedelta(days=1), tick=False):
        work()
        assert not tasks.due_now()
    assert told(server) == ["bob"], "nothing waits, so there is no list"


@pytest.mark.parametrize("lost", ["viewer", "choice"])
def test_a_daily_list_goes_to_nobody_who_may_not_decide(
    desk: Desk, stuck: Api, solver: Api, server: MailServer, lost: str
) -> None:
    rows = Membership.objects.of(desk.org.id)
    rows.update(notices=Notices.NONE)
    notices_choose(membership=desk.people["bob"], choice=Notices.DAILY)
    submitted(desk, stuck, solver)
    work()
    changed = {"role": Role.VIEWER} if lost == "viewer" else {"notices": Notices.NONE}
    rows.filter(id=desk.people["bob"].id).update(**changed)
    with time_machine.travel(digest_next(clock.now()), tick=False):
        work()
    assert server.mails == []


def test_a_daily_list_is_of_its_org_alone(
    desk: Desk, other: Desk, server: MailServer, stuck: Api, solver: Api
) -> None:
    for one in (desk, other):
        Membership.objects.of(one.org.id).update(notices=Notices.DAILY)
    submitted(desk, stuck, solver)
    work()
    with time_machine.travel(digest_next(clock.now()), tick=False):
        work()
    assert told(server) == ["alice", "bob"]


@pytest.mark.parametrize(("hour", "at"), [(0, 0), (7, 7), (23, 23)])
def test_the_daily_list_has_its_hour(settings: Any, hour: int, at: int) -> None:
    settings.DIGEST_HOUR = hour
    now = clock.now()
    following = digest_next(now)
    assert (following.astimezone(UTC).hour, following.minute) == (at, 0)
    assert now < following <= now + timedelta(days=1)
    assert digest_next(following) == following + timedelta(days=1)


def test_an_hour_without_a_mail_server_loses_and_doubles_nothing(
    desk: Desk, stuck: Api, solver: Api, alice: Api, settings: Any
) -> None:
    with mail_server() as first:
        port = first.port
    use(settings, port)
    began, made = clock.now(), []
    for minutes in range(0, 60, 2):
        with time_machine.travel(began + timedelta(minutes=minutes), tick=False):
            if minutes % 10 == 0:
                made.append(submitted(desk, stuck, solver))
            work()
    with time_machine.travel(began + timedelta(minutes=59), tick=False):
        alice.post(f"/api/v1/tickets/{made[2]}/close", {}).ok()
        work()
    with mail_server(port) as server:
        for minutes in range(60, 90):
            with time_machine.travel(began + timedelta(minutes=minutes), tick=False):
                work()
        wanted = sorted({*made} - {made[2]})
        assert refs(server, "alice") == refs(server, "bob") == wanted
        assert len(server.mails) <= 4, "what gathered meanwhile is one mail"
    assert not Mail.objects.filter(sent_at=None).exists()


def test_a_mail_that_cannot_be_written_waits_and_keeps_no_other(
    desk: Desk, stuck: Api, solver: Api, server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    twin = make_desk("Twin", {"ann": Role.OWNER})
    submitted(desk, stuck, solver)
    submitted(twin, twin.agent("stuck"), twin.agent("solver"))
    with monkeypatch.context() as patch:
        patch.setattr("stuckbot.site.notices.mailing.notices_letter", _fails_for(desk))
        swept()
    assert told(server) == ["ann"]
    with later(timedelta(minutes=30)):
        work()
    assert told(server) == ["alice", "ann", "bob"]


def _fails_for(desk: Desk) -> Any:
    def letter(member: Membership, *rest: Any) -> Any:
        if member.org_id == desk.org.id:
            raise RuntimeError("broken")
        return notices_letter(member, *rest)

    return letter


def test_a_reader_that_fails_is_set_aside_and_keeps_no_other(
    desk: Desk, stuck: Api, solver: Api, server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    submitted(desk, stuck, solver)
    monkeypatch.setitem(tasks.WORK, "notices_read", _breaks)
    began = clock.now()
    for minutes in range(10):
        with time_machine.travel(began + timedelta(minutes=minutes), tick=False):
            tasks.sweep()
            assert tasks.due_now() is False
    assert Timer.objects.of(desk.org.id).get().quarantined_at is not None


def _breaks(*_: Any) -> None:
    raise RuntimeError("broken")


def test_it_forgets_notices_of_long_ago(
    desk: Desk, stuck: Api, solver: Api, server: MailServer
) -> None:
    submitted(desk, stuck, solver)
    swept()
    with later(DAY):
        work()
    with later(KEPT - timedelta(days=1)):
        tasks.sweep()
    assert Notice.objects.of(desk.org.id).exists()
    with later(KEPT + DAY):
        tasks.sweep()
    assert not Notice.objects.of(desk.org.id).exists()
