"""Who is mailed about a decision that waits, and that each is mailed once."""

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from accounts.models import Membership, Notice, User
from accounts.services.notices import notices_choose
from accounts.services.orgs import member_add
from accounts.states import Notices, Role
from stuckbot.lib import clock
from stuckbot.lib.models import Mail, OutboxCursor
from stuckbot.site import tasks
from stuckbot.site.notices import reading
from stuckbot.site.notices.due import notices_due
from tests.lib.smtp import MailServer
from tests.notices.house import (
    SOON,
    escalate,
    escalated,
    later,
    refs,
    submitted,
    swept,
    text_to,
    told,
    work,
)
from tests.support import Api, Desk, file_ticket, make_desk, resolve
from tickets.models import Ticket


def test_it_tells_each_who_may_decide_once(
    desk: Desk, other: Desk, stuck: Api, solver: Api, server: MailServer
) -> None:
    submitted(desk, stuck, solver)
    assert tasks.due_now()
    work()
    assert not tasks.due_now(), "the mail waits for more to tell"
    assert server.mails == []
    with later(SOON):
        work()
        work()
    assert told(server) == ["alice", "bob"]
    assert not Notice.objects.of(other.org.id).exists()


def test_it_tells_of_a_ticket_that_needs_a_person(
    desk: Desk, stuck: Api, solver: Api, server: MailServer
) -> None:
    escalated(stuck, solver)
    swept()
    assert told(server) == ["alice", "bob"]
    assert "> The account has no access to the registry." in text_to(server, "bob")


def test_it_tells_anew_when_a_ticket_needs_a_person_again(
    desk: Desk, stuck: Api, solver: Api, alice: Api, server: MailServer
) -> None:
    ref = escalated(stuck, solver)
    swept()
    sent = {"note": "Ask for the token", "to_solver": True}
    alice.post(f"/api/v1/tickets/{ref}/send-back", sent).ok()
    escalate(solver, ref)
    swept()
    assert told(server) == ["alice", "alice", "bob", "bob"]


def test_it_tells_nobody_of_what_nobody_must_decide(
    desk: Desk, stuck: Api, solver: Api, server: MailServer
) -> None:
    file_ticket(stuck)
    resolve(solver, "SB-1")
    swept()
    assert server.mails == []
    assert not Mail.objects.exclude(maker="").exists()


def test_it_leaves_out_what_was_decided_before_the_mail_left(
    desk: Desk, stuck: Api, solver: Api, alice: Api, server: MailServer
) -> None:
    first, second = submitted(desk, stuck, solver), escalated(stuck, solver)
    work()
    alice.post(f"/api/v1/tickets/{first}/close", {}).ok()
    with later(SOON):
        work()
    assert told(server) == ["alice", "bob"]
    assert f"{second}:" in text_to(server, "bob")
    assert f"{first}:" not in text_to(server, "bob")


def test_it_sends_no_empty_mail(
    desk: Desk, stuck: Api, solver: Api, alice: Api, server: MailServer
) -> None:
    ref = submitted(desk, stuck, solver)
    work()
    alice.post(f"/api/v1/tickets/{ref}/close", {}).ok()
    with later(SOON):
        work()
        assert not tasks.due_now()
    assert server.mails == []
    assert not Mail.objects.exclude(maker="").exists()


def _removed(desk: Desk) -> None:
    desk.people["bob"].delete()


def _viewer(desk: Desk) -> None:
    Membership.objects.of(desk.org.id).filter(id=desk.people["bob"].id).update(role=Role.VIEWER)


def _inactive(desk: Desk) -> None:
    User.objects.filter(id=desk.people["bob"].user_id).update(is_active=False)


def _silent(desk: Desk) -> None:
    notices_choose(membership=desk.people["bob"], choice=Notices.NONE)


def _daily(desk: Desk) -> None:
    notices_choose(membership=desk.people["bob"], choice=Notices.DAILY)


def _assigned(desk: Desk) -> None:
    notices_choose(membership=desk.people["bob"], choice=Notices.ASSIGNED)


LEFT = [_removed, _viewer, _inactive, _silent, _daily, _assigned]


@pytest.mark.parametrize("changed", LEFT, ids=lambda one: one.__name__)
@pytest.mark.parametrize("when", ["before", "between"])
def test_it_tells_nobody_who_may_or_will_not_hear(
    desk: Desk, stuck: Api, solver: Api, server: MailServer, changed: Any, when: str
) -> None:
    if when == "before":
        changed(desk)
    submitted(desk, stuck, solver)
    if when == "between":
        work()
        changed(desk)
    swept()
    assert told(server) == ["alice"]


def test_it_tells_whom_the_ticket_is_assigned_to(
    desk: Desk, stuck: Api, solver: Api, server: MailServer
) -> None:
    for member in desk.people.values():
        notices_choose(membership=member, choice=Notices.ASSIGNED)
    ref = submitted(desk, stuck, solver)
    number = int(ref.removeprefix("SB-"))
    tickets = Ticket.objects.of(desk.org.id).filter(number=number)
    tickets.update(assignee=desk.people["bob"].actor)
    submitted(desk, stuck, solver)
    swept()
    assert told(server) == ["bob"]
    assert "assigned to you" in text_to(server, "bob")


def test_it_does_not_tell_who_submitted_it_themself(
    desk: Desk, stuck: Api, bob: Api, server: MailServer
) -> None:
    submitted(desk, stuck, bob)
    swept()
    assert told(server) == ["alice"]


def test_it_tells_who_submitted_it_when_nobody_else_may_decide(
    server: MailServer, db: None
) -> None:
    alone = make_desk("Solo", {"ann": Role.OWNER, "vic": Role.VIEWER})
    submitted(alone, alone.agent("stuck"), alone.person("ann"))
    swept()
    assert told(server) == ["ann"]


def test_a_person_of_two_orgs_hears_of_each_by_itself(
    desk: Desk, stuck: Api, solver: Api, server: MailServer
) -> None:
    twin = make_desk("Twin", {"bob": Role.OWNER}, like=desk)
    submitted(desk, stuck, solver)
    submitted(twin, twin.agent("stuck"), twin.agent("solver"))
    swept()
    texts = [str(mail.get_content()) for [to], mail in server.taken if to.startswith("bob@")]
    assert len(texts) == 2
    for one in (desk, twin):
        assert sum(f"/tickets/SB-1?org={one.org.id}#decide" in text for text in texts) == 1


def test_who_joins_later_hears_of_what_comes_later(
    desk: Desk, stuck: Api, solver: Api, server: MailServer
) -> None:
    submitted(desk, stuck, solver)
    work()
    user = User.objects.create_user("dora@acme.example", "correct horse")
    member_add(org=desk.org, user=user, role=Role.ADMIN, now=clock.now())
    swept()
    assert told(server) == ["alice", "bob"]


@pytest.mark.django_db(transaction=True)
def test_a_reader_that_dies_has_done_nothing(
    desk: Desk, stuck: Api, solver: Api, server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    submitted(desk, stuck, solver)
    with monkeypatch.context() as patch:
        patch.setattr(reading, "outbox_done", _dies)
        with pytest.raises(KeyboardInterrupt):
            reading.notices_read(desk.org.id, desk.org.id, clock.now())
    assert not Notice.objects.of(desk.org.id).exists()
    assert not Mail.objects.exists()
    swept()
    assert told(server) == ["alice", "bob"]


def test_a_lost_cursor_makes_no_second_mail(
    desk: Desk, stuck: Api, solver: Api, server: MailServer
) -> None:
    submitted(desk, stuck, solver)
    escalated(stuck, solver)
    swept()
    OutboxCursor.objects.of(desk.org.id).delete()
    swept()
    assert told(server) == ["alice", "bob"]


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_dies_after_the_servers_yes_sends_the_same_mail_again(
    desk: Desk, stuck: Api, solver: Api, server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    submitted(desk, stuck, solver)
    work()
    with later(SOON), monkeypatch.context() as patch:
        patch.setattr("stuckbot.lib.mail._sent", _dies)
        with pytest.raises(KeyboardInterrupt):
            tasks.sweep()
    escalated(stuck, solver)
    work()
    with later(SOON + timedelta(minutes=6)):
        work()
    first, *others = server.mails
    again = [one for one in others if one["Message-ID"] == first["Message-ID"]]
    assert [one.get_content() for one in again] == [first.get_content()]
    assert refs(server, "alice", "bob") == ["SB-1"] * 3 + ["SB-2"] * 2


def _dies(*_: Any, **__: Any) -> None:
    raise KeyboardInterrupt


@pytest.mark.django_db(transaction=True)
def test_two_readers_at_once_write_it_down_once(desk: Desk, stuck: Api, solver: Api) -> None:
    for _ in range(3):
        submitted(desk, stuck, solver)
    now = clock.now()
    failed: list[BaseException] = []

    def read() -> None:
        try:
            reading.notices_read(desk.org.id, desk.org.id, now)
        except BaseException as error:
            failed.append(error)
        finally:
            connection.close()

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    assert failed == []
    assert Notice.objects.of(desk.org.id).count() == 3 * 2
    assert Mail.objects.filter(maker=reading.MAIL).count() == 2
    assert not notices_due(clock.now())
