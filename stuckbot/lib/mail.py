"""Mail that waits to be sent: rows of the transaction that wants it, sent by the worker.

A mail whose transaction rolls back never was; one whose server is down waits for it. Attempts are
raised before the server is asked, and each mail keeps one Message-ID, so that a receiver who hears
of it twice (a worker that died between the server's yes and our note of it) shows it once.

Most mails are written when they are queued. What tells of something that may be over before it is
read is planned instead: its `Maker` writes it when it leaves, or finds that there is no need.
"""

import logging
import smtplib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models import F, QuerySet

from stuckbot.lib import ids
from stuckbot.lib.cutting import masked_cut
from stuckbot.lib.errors import Conflict
from stuckbot.lib.models import Mail
from stuckbot.lib.sealing import Unreadable, text_open, text_seal

log = logging.getLogger("stuckbot.mail")

#: How many one look sends at most: the worker has other things to do.
BATCH: Final = 20
#: A mail that is being sent is nobody else's for this long; over any time limit of a task.
TAKEN: Final = timedelta(minutes=5)
#: After a failure a mail waits 10 s, 20, 40… up to a quarter of an hour, for three days.
WAIT_FIRST: Final = timedelta(seconds=10)
WAIT_MOST: Final = timedelta(minutes=15)
LIFETIME: Final = timedelta(days=3)
#: What the server refuses for good is tried this often, in case it did not mean it.
REFUSALS_MOST: Final = 3
#: Rows of mails that were sent or given up go after this.
KEPT: Final = timedelta(days=14)


@dataclass(frozen=True, slots=True)
class Letter:
    """A mail in plain text.

    `unsubscribe` is the address that ends mails of its kind when something is posted there; only
    a mail that is made when it leaves has one.
    """

    to: str
    subject: str
    text: str
    unsubscribe: str = ""


@dataclass(frozen=True, slots=True)
class Maker:
    """Writes planned mails.

    `make(about, mail_id, now)` runs before each try to send, and must give the same mail again as
    far as that still holds; None when nothing is left to say. `sent(mail_id, now)` runs in the
    transaction that notes the server's yes.
    """

    make: Callable[[UUID, UUID, datetime], Letter | None]
    sent: Callable[[UUID, datetime], None]


Makers = Mapping[str, Maker]


class Delivery(StrEnum):
    """How far a mail has come."""

    WAITING = "waiting"
    #: The server did not take it, or was away; it is tried again.
    LATE = "late"
    SENT = "sent"
    FAILED = "failed"


def mail_queue(
    letter: Letter, *, now: datetime, to_nobody: bool = False, mail_id: UUID | None = None
) -> Mail:
    """Puts a mail down to be sent, in the transaction in hand if there is one.

    One `to_nobody` is never sent: the work alone is done, where how long an answer takes would
    tell whether somebody has an account. A `mail_id` of one's own finds it again.
    """
    sealed = text_seal("\n".join((one_line(letter.to), one_line(letter.subject), letter.text)))
    mail = Mail(id=mail_id or ids.uuid7(), letter=sealed, created_at=now, due_at=now)
    if to_nobody:
        mail.letter, mail.sent_at = "", now
    Mail.objects.bulk_create([mail])
    return mail


def mail_plan(*, maker: str, about: UUID, due_at: datetime, now: datetime) -> None:
    """Plans a mail that its maker writes when it leaves; one that nobody tried to send yet serves.

    In a transaction: until it ends the mail cannot leave, so what is written with it is told.
    """
    untried = Mail.objects.filter(
        maker=maker, about=about, attempts=0, sent_at=None, quarantined_at=None
    )
    # The update locks the mail; none to lock, or one that left meanwhile, and there is another.
    while not untried.update(maker=maker):
        mail = Mail(id=ids.uuid7(), maker=maker, about=about, created_at=now, due_at=due_at)
        Mail.objects.bulk_create([mail], ignore_conflicts=True)


def one_line(text: str) -> str:
    """Text for a header: nothing in it can begin another."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def mails_delivery(mail_ids: Collection[UUID]) -> dict[UUID, Delivery]:
    """How far these mails have come; of one long ago nothing is known any more."""
    columns = ("id", "sent_at", "quarantined_at", "attempts")
    rows = Mail.objects.filter(id__in=mail_ids).values_list(*columns)
    return {mail_id: _delivery(*rest) for mail_id, *rest in rows}


def _delivery(sent: datetime | None, given_up: datetime | None, attempts: int) -> Delivery:
    if sent is not None:
        return Delivery.SENT
    if given_up is not None:
        return Delivery.FAILED
    return Delivery.LATE if attempts else Delivery.WAITING


def mail_hurry(mail_id: UUID, *, now: datetime) -> None:
    """Has a mail that would wait for long tried at once.

    409 for one that was sent, given up, or is due within the time that sending may take: it may be
    on its way right now.
    """
    waiting = Mail.objects.filter(id=mail_id, sent_at=None, quarantined_at=None)
    if waiting.filter(due_at__gt=now + TAKEN).update(due_at=now) != 1:
        raise Conflict("It does not wait any more, or is tried within five minutes anyway.")


def mails_due(now: datetime) -> QuerySet[Mail]:
    return Mail.objects.filter(sent_at=None, quarantined_at=None, due_at__lte=now).order_by(
        "due_at"
    )


def mails_send(now: datetime, makers: Makers | None = None) -> int:
    """Sends what is due over one connection; returns how many the server took.

    While the server cannot be reached nothing else is tried: all that is due waits for it.
    """
    due = list(mails_due(now)[:BATCH])
    if not due:
        return 0
    connection = get_connection(timeout=settings.EMAIL_TIMEOUT)
    sent = 0
    try:
        for mail in due:
            sent += _send(mail, connection, now, makers or {})
    except (OSError, smtplib.SMTPException) as error:
        log.warning("the mail server cannot be reached: %s", type(error).__name__)
        _others_wait(mail, now)
    finally:
        _close(connection)
    return sent


def mails_purge(now: datetime) -> int:
    """Deletes rows of mails sent or given up long ago."""
    over = Mail.objects.exclude(sent_at=None, quarantined_at=None)
    return over.filter(due_at__lt=now - KEPT, letter="").delete()[0]


def _send(mail: Mail, connection: BaseEmailBackend, now: datetime, makers: Makers) -> bool:
    """Takes the mail, sends it, notes it. Raises what says that no mail can go now."""
    mine = Mail.objects.filter(id=mail.id, attempts=mail.attempts, sent_at=None)
    if mine.update(attempts=F("attempts") + 1, due_at=now + TAKEN) != 1:
        return False
    mail.attempts += 1
    letter = _letter(mail, now, makers)
    if letter is None:
        return False
    try:
        message = _message(mail, letter, connection)
        connection.open()
        message.send()
    except (smtplib.SMTPRecipientsRefused, smtplib.SMTPResponseException) as error:
        _failed(mail, error, now, for_good=_is_for_good(error))
        return False
    except (OSError, smtplib.SMTPException) as error:
        _failed(mail, error, now, for_good=False)
        raise
    _sent(mail, now, makers)
    return True


def _letter(mail: Mail, now: datetime, makers: Makers) -> Letter | None:
    """What the mail says; None when it says nothing now, or cannot be read or written."""
    try:
        if not mail.maker:
            return Letter(*text_open(mail.letter).split("\n", 2))
        assert mail.about is not None
        made = makers[mail.maker].make(mail.about, mail.id, now)
    except Unreadable as error:
        _give_up(mail, error, now)
        return None
    except Exception as error:
        log.exception("mail %s cannot be written", mail.id)
        _failed(mail, error, now, for_good=False)
        return None
    if made is None:
        Mail.objects.filter(id=mail.id).delete()
    return made


def _sent(mail: Mail, now: datetime, makers: Makers) -> None:
    with transaction.atomic():
        Mail.objects.filter(id=mail.id).update(sent_at=now, letter="", last_error="")
        if mail.maker:
            makers[mail.maker].sent(mail.id, now)


def _message(mail: Mail, letter: Letter, connection: BaseEmailBackend) -> EmailMessage:
    headers = {
        "Message-ID": f"<{mail.id}@{urlsplit(settings.PUBLIC_URL).hostname}>",
        # No holiday notes back, and no loops.
        "Auto-Submitted": "auto-generated",
    }
    if letter.unsubscribe:
        headers |= {
            "List-Unsubscribe": f"<{letter.unsubscribe}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        }
    return EmailMessage(
        _plain(one_line(letter.subject)),
        letter.text,
        settings.DEFAULT_FROM_EMAIL,
        [one_line(letter.to)],
        headers=headers,
        connection=connection,
    )


def _plain(subject: str) -> str:
    """A mail program would decode what reads like an encoded word, line breaks and all."""
    return subject.replace("=?", "= ?")


def _is_for_good(error: smtplib.SMTPException) -> bool:
    """Whether the server said 5xx: it will never take this mail."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return all(code >= 500 for code, _ in error.recipients.values())
    if isinstance(error, smtplib.SMTPAuthenticationError):
        return False  # the operator will mend the password
    return isinstance(error, smtplib.SMTPResponseException) and error.smtp_code >= 500


def _failed(mail: Mail, error: Exception, now: datetime, *, for_good: bool) -> None:
    refused = for_good and mail.attempts >= REFUSALS_MOST
    if refused or now - mail.created_at > LIFETIME:
        _give_up(mail, error, now)
        return
    wait = min(WAIT_FIRST * 2 ** min(mail.attempts - 1, 10), WAIT_MOST)
    Mail.objects.filter(id=mail.id).update(due_at=now + wait, last_error=_words(error))


def _give_up(mail: Mail, error: Exception, now: datetime) -> None:
    """Sets the mail aside. What it said is forgotten: it may hold a link that still works."""
    Mail.objects.filter(id=mail.id).update(quarantined_at=now, letter="", last_error=_words(error))
    log.error("mail %s was given up: %s", mail.id, type(error).__name__)


def _others_wait(failed: Mail, now: datetime) -> None:
    until = Mail.objects.filter(id=failed.id).values_list("due_at", flat=True).first()
    mails_due(now).order_by().update(due_at=until or now + WAIT_FIRST)


def _words(error: Exception) -> str:
    return masked_cut(f"{type(error).__name__}: {error}", 500)


def _close(connection: BaseEmailBackend) -> None:
    try:
        connection.close()
    except (OSError, smtplib.SMTPException):
        log.info("the mail server was gone before goodbye")
