"""A desk where decisions wait, a mail server, and a clock that the tests move."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from email.message import EmailMessage
from typing import Any

import time_machine

from policy.states import Approval
from stuckbot.lib import clock
from stuckbot.site import tasks
from tests.lib.smtp import MailServer
from tests.matrix.scene import approval
from tests.support import Api, Desk, file_ticket, prove

#: Over the time that a mail waits for more to tell.
SOON = timedelta(minutes=3)


def submitted(desk: Desk, stuck: Api, solver: Api, **changes: Any) -> str:
    """A ticket whose fix waits for a person; its reference."""
    ref = str(file_ticket(stuck, **changes)["ref"])
    path = f"/api/v1/tickets/{ref}"
    solver.post(f"{path}/claim", {}).ok()
    prove(solver, ref).ok(201)
    approval(desk, Approval.PERSON)
    said = {"stage": "blocker", "outcome": "Installed python3.\nThen npm ci went through."}
    solver.post(f"{path}/submit", said).ok()
    return ref


def escalated(stuck: Api, solver: Api, **changes: Any) -> str:
    ref = str(file_ticket(stuck, **changes)["ref"])
    solver.post(f"/api/v1/tickets/{ref}/claim", {}).ok()
    escalate(solver, ref)
    return ref


def escalate(solver: Api, ref: str) -> None:
    sent = {"reason": "The account has no access to the registry."}
    solver.post(f"/api/v1/tickets/{ref}/escalate", sent).ok()


@contextmanager
def later(after: timedelta) -> Iterator[datetime]:
    """Work as it is that long from now."""
    with time_machine.travel(clock.now() + after, tick=False):
        yield clock.now()


def swept(after: timedelta = SOON) -> None:
    """The worker reads what happened now, and sends what is due after a while."""
    work()
    with later(after):
        work()


def work() -> None:
    """The worker as it runs: one look a second while something is due."""
    for _ in range(50):
        if not tasks.due_now():
            return
        tasks.sweep()
    raise AssertionError("The worker never rests.")


def told(server: MailServer) -> list[str]:
    """Who was mailed, by the first part of their address."""
    return sorted(to.split("@")[0] for recipients, _ in server.taken for to in recipients)


def mail_to(server: MailServer, name: str) -> EmailMessage:
    """The newest mail of somebody."""
    return [mail for [to], mail in server.taken if to.startswith(f"{name}@")][-1]


def text_to(server: MailServer, name: str) -> str:
    return str(mail_to(server, name).get_content())


def refs(server: MailServer, *names: str) -> list[str]:
    """All tickets that these people were told of, in all of their mails."""
    addressed = [mail for [to], mail in server.taken if to.split("@")[0] in names]
    texts = [str(mail.get_content()) for mail in addressed]
    return sorted(one for text in texts for one in _ITEM.findall(text))


_ITEM = re.compile(r"^(?:\d+\. )?(SB-\d+): “", re.MULTILINE)
