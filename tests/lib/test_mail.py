"""Mail that waits: sent once when the server takes it, kept while it does not, in safe headers."""

import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import connection as database
from django.db import transaction

from stuckbot.lib import clock, ids
from stuckbot.lib.errors import Conflict
from stuckbot.lib.mail import (
    BATCH,
    KEPT,
    Delivery,
    Letter,
    mail_hurry,
    mail_queue,
    mails_delivery,
    mails_purge,
    mails_send,
)
from stuckbot.lib.models import Mail
from stuckbot.lib.sealing import text_open
from stuckbot.site import tasks
from tests.lib.smtp import MailServer, mail_server


@pytest.fixture
def server(settings: Any) -> Iterator[MailServer]:
    with mail_server() as running:
        use(settings, running.port)
        yield running


def use(settings: Any, port: int) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
    settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
    settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False


def queue(to: str = "ana@example.com", subject: str = "Hello", text: str = "Hi.\n") -> Mail:
    return mail_queue(Letter(to, subject, text), now=clock.now())


def test_it_sends_once_by_the_worker(db: None, server: MailServer) -> None:
    mail = queue(text="Hi Ana,\n\n.a line that begins with a dot\n")
    assert tasks.due_now()
    assert tasks.sweep() == 1
    assert tasks.sweep() == 0
    assert not tasks.due_now()
    (to, sent), *others = server.taken
    assert (others, to, sent["To"], sent["Subject"]) == (
        [],
        ["ana@example.com"],
        "ana@example.com",
        "Hello",
    )
    assert sent.get_content().splitlines()[2] == ".a line that begins with a dot"
    assert str(mail.id) in sent["Message-ID"]
    mail.refresh_from_db()
    assert mail.sent_at is not None
    assert mail.letter == ""


def test_it_tells_how_far_a_mail_has_come(db: None, server: MailServer, settings: Any) -> None:
    sent, lost = queue(), queue()
    assert mails_delivery([sent.id, lost.id, ids.uuid7()]) == {
        sent.id: Delivery.WAITING,
        lost.id: Delivery.WAITING,
    }
    Mail.objects.filter(id=lost.id).update(letter="nothing that opens")
    settings.EMAIL_PORT = 1
    mails_send(clock.now())
    assert mails_delivery([sent.id]) == {sent.id: Delivery.LATE}
    settings.EMAIL_PORT = server.port
    with time_machine.travel(clock.now() + timedelta(minutes=1)):
        mails_send(clock.now())
    assert mails_delivery([sent.id, lost.id]) == {
        sent.id: Delivery.SENT,
        lost.id: Delivery.FAILED,
    }


def test_it_tries_what_would_wait_for_long_at_once(db: None, server: MailServer) -> None:
    mail, now = queue(), clock.now()
    Mail.objects.filter(id=mail.id).update(due_at=now + timedelta(minutes=15), attempts=8)
    assert not tasks.due_now()
    mail_hurry(mail.id, now=now)
    assert tasks.sweep() == 1
    with pytest.raises(Conflict):
        mail_hurry(mail.id, now=now)


def test_it_hurries_nothing_that_may_be_on_its_way(db: None) -> None:
    mail, now = queue(), clock.now()
    Mail.objects.filter(id=mail.id).update(due_at=now + timedelta(minutes=5))
    with pytest.raises(Conflict, match="within five minutes"):
        mail_hurry(mail.id, now=now)


def test_it_keeps_what_waits_from_the_readers_of_the_database(db: None) -> None:
    mail = queue(text="https://desk.example/join/abcdef")
    assert "abcdef" not in mail.letter
    assert "abcdef" in text_open(mail.letter)


@pytest.mark.django_db(transaction=True)
def test_it_never_sends_what_was_rolled_back(server: MailServer) -> None:
    with transaction.atomic():
        queue()
        transaction.set_rollback(True)
    assert tasks.sweep() == 0
    assert server.mails == []


def test_an_hour_without_a_mail_server_loses_nothing(db: None, settings: Any) -> None:
    with mail_server() as first:
        port = first.port
    use(settings, port)
    began = clock.now()
    wanted = [f"p{number}@example.com" for number in range(BATCH + 5)]
    for to in wanted:
        queue(to)
    looks = 0
    for seconds in range(0, 3600, 5):
        with time_machine.travel(began + timedelta(seconds=seconds), tick=False):
            looks += 1 if tasks.due_now() else 0
            tasks.sweep()
    assert looks < 200
    assert Mail.objects.filter(sent_at=None, quarantined_at=None).count() == len(wanted)
    with mail_server(port) as server:
        for minutes in range(60, 80):
            with time_machine.travel(began + timedelta(minutes=minutes), tick=False):
                tasks.sweep()
        assert sorted(to for recipients, _ in server.taken for to in recipients) == sorted(wanted)
    assert not Mail.objects.exclude(letter="").exists()


@pytest.mark.parametrize("verb", ["RCPT", "DATA", "END", "MAIL"])
def test_it_waits_where_the_server_says_later(
    db: None, server: MailServer, settings: Any, verb: str
) -> None:
    server.refuses = {verb: "451 later"}
    mail = queue()
    assert mails_send(clock.now()) == 0
    mail.refresh_from_db()
    assert (mail.attempts, mail.quarantined_at) == (1, None)
    assert "451" in mail.last_error
    server.refuses = {}
    assert mails_send(clock.now() + timedelta(minutes=1)) == 1
    assert len(server.mails) == 1


def test_one_refused_address_keeps_no_other_mail(db: None, server: MailServer) -> None:
    server.refuses = {"RCPT": "550 nobody here"}
    bad = queue("bad@example.com")
    mails_send(clock.now())
    server.refuses = {}
    Mail.objects.filter(id=bad.id).update(attempts=2, due_at=clock.now())
    server.refuses = {"RCPT": "550 nobody here"}
    mails_send(clock.now())
    bad.refresh_from_db()
    assert bad.quarantined_at is not None
    assert bad.letter == ""
    server.refuses = {}
    queue("good@example.com")
    assert mails_send(clock.now()) == 1
    assert not tasks.due_now()


def test_a_worker_that_dies_in_the_middle_leaves_the_mail_to_another(
    db: None, server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    mail = queue()
    with monkeypatch.context() as patch:
        patch.setattr("stuckbot.lib.mail._message", _dies)
        with pytest.raises(KeyboardInterrupt):
            mails_send(clock.now())
    mail.refresh_from_db()
    assert mail.attempts == 1
    assert mails_send(clock.now()) == 0
    assert mails_send(clock.now() + timedelta(minutes=6)) == 1


def _dies(*_: Any) -> None:
    raise KeyboardInterrupt


@pytest.mark.django_db(transaction=True)
def test_two_workers_send_each_mail_once(server: MailServer) -> None:
    for number in range(BATCH):
        queue(f"p{number}@example.com")
    now = clock.now()

    def work() -> None:
        try:
            mails_send(now)
        finally:
            database.close()

    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    mails_send(now)
    told = [to for recipients, _ in server.taken for to in recipients]
    assert len(told) == len(set(told)) == BATCH


@pytest.mark.parametrize(
    "subject",
    [
        "A\r\nBcc: eve@example.com",
        "A\nContent-Type: text/html\n\n<b>x</b>",
        "A\x00B\x0bC\u2028Bcc: eve@example.com",
        "\u202eA\u2066B",
        "名前" * 40,
    ],
)
def test_a_header_takes_one_line(db: None, server: MailServer, subject: str) -> None:
    queue(subject=subject)
    assert mails_send(clock.now()) == 1
    ((to, sent),) = server.taken
    assert to == ["ana@example.com"]
    assert sent["Bcc"] is None
    assert sent.get_content_type() == "text/plain"
    assert "\u202e" not in sent["Subject"]
    assert sent.get_content().split() == ["Hi."]


def test_it_forgets_old_mails(db: None, server: MailServer) -> None:
    queue()
    mails_send(clock.now())
    waiting = queue()
    Mail.objects.filter(id=waiting.id).update(due_at=clock.now() - KEPT * 2)
    assert mails_purge(clock.now()) == 0
    assert mails_purge(clock.now() + KEPT * 2) == 1
    assert Mail.objects.get().id == waiting.id


def test_a_mail_of_another_key_is_set_aside(db: None, server: MailServer) -> None:
    mail = queue()
    Mail.objects.filter(id=mail.id).update(letter="gAAAAA")
    assert mails_send(clock.now()) == 0
    mail.refresh_from_db()
    assert mail.quarantined_at is not None
