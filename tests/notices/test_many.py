"""Many submits at once, while several workers read and send."""

import contextlib
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import pytest
from django.db import OperationalError, connection

from accounts.models import Notice
from policy.states import Approval
from stuckbot.lib.models import Mail
from stuckbot.site import tasks
from tests.lib.smtp import MailServer
from tests.matrix.scene import approval
from tests.notices.house import SOON, later, told, work
from tests.support import Api, Desk, file_ticket, prove
from verification.models import Verification

SUBMITTERS = 4


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("count", [100, pytest.param(1000, marks=pytest.mark.deep)])
def test_many_submits_at_once_are_one_mail_a_member(
    desk: Desk, stuck: Api, solver: Api, server: MailServer, settings: Any, count: int
) -> None:
    settings.RATE_LIMIT = None
    refs = [_ready(stuck, solver) for _ in range(count)]
    approval(desk, Approval.PERSON)
    over = threading.Event()
    readers = [_thread(lambda: _reads(over)) for _ in range(2)]
    submitters = [
        _thread(partial(_submits, solver, refs[n::SUBMITTERS])) for n in range(SUBMITTERS)
    ]
    for one in submitters:
        one.join()
    over.set()
    for one in readers:
        one.join()
    work()  # what is read only later than this is told in a mail that leaves after the next two
    with later(SOON):
        senders = [_thread(_sweeps) for _ in range(3)]
        for one in senders:
            one.join()
        work()
    assert Verification.objects.of(desk.org.id).filter(state="waiting_person").count() == count
    heard = Notice.objects.of(desk.org.id).values_list("membership_id", "verification_id")
    assert len(heard) == len(set(heard)) == 2 * count
    assert Notice.objects.of(desk.org.id).filter(mail_id=None).count() == 0
    assert not Mail.objects.filter(sent_at=None).exists()
    assert told(server) == ["alice", "bob"] or _is_slow(server, count)
    for mail in server.mails:
        assert f"{count} decisions wait in Acme" in mail["Subject"] or _is_slow(server, count)


def _is_slow(server: MailServer, count: int) -> bool:
    """Whether the machine took longer than the mails wait for more: then all still tell each."""
    totals: Counter[str] = Counter()
    for [to], mail in server.taken:
        totals[to] += int(mail["Subject"].split(": ")[1].split()[0])
    return len(server.mails) > 2 and set(totals.values()) == {count}


def _ready(stuck: Api, solver: Api) -> str:
    ref = str(file_ticket(stuck)["ref"])
    solver.post(f"/api/v1/tickets/{ref}/claim", {}).ok()
    prove(solver, ref).ok(201)
    return ref


def _submits(solver: Api, refs: Iterable[str]) -> None:
    api = Api(solver.token)
    for ref in refs:
        api.post(f"/api/v1/tickets/{ref}/submit", {"stage": "blocker"}).ok()


def _reads(over: threading.Event) -> None:
    while not over.is_set():
        _sweeps()
        over.wait(0.05)


def _sweeps() -> None:
    # One that meets a busy database is run again within a second.
    with contextlib.suppress(OperationalError):
        tasks.sweep()


def _thread(work: Callable[[], None]) -> threading.Thread:
    def run() -> None:
        try:
            work()
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread
