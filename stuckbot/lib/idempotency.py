"""Repeating a request safely: the record of an answer, and the mark of a twin that still runs.

The effect and its record commit in one transaction. The mark is an advisory lock on PostgreSQL
(an insert would block on the twin's uncommitted row, and the caller would never hear "still
running") and a byte-range file lock on SQLite. Both die with the request that holds them.
"""

import contextlib
import fcntl
import hashlib
import os
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, connection, transaction

from stuckbot.lib.content import seal, unseal
from stuckbot.lib.errors import InProgress, Invalid, TwinFinished
from stuckbot.lib.models import Idempotency
from stuckbot.lib.rows import rows_insert

LIFETIME = timedelta(hours=24)
PURGE_AFTER = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes over the wire: a status and the encoded body."""

    status: int
    body: bytes


@dataclass(slots=True)
class Keep:
    """How to answer a request, and whose key to keep the answer under.

    `render` turns the service's result into the answer; it runs after the org's clock was taken,
    before the commit. Without a `key` nothing is kept.
    """

    org_id: UUID
    caller_id: UUID
    key: str | None
    fingerprint: str
    render: Callable[[Any], Answer]
    answer: Answer | None = None
    #: Register and renew: the stored body has no token, the answer has.
    keep_instead: Callable[[Any], Answer] | None = None

    @property
    def key_sha256(self) -> str:
        return key_hash(self.key or "")

    def finish(self, result: Any, now: datetime) -> None:
        """Makes the answer and, under a key, its record."""
        self.answer = self.render(result)
        stored = self.keep_instead(result) if self.keep_instead else self.answer
        self.record(stored, now)

    def record(self, answer: Answer, now: datetime) -> None:
        if self.key is None:
            return
        body, key_id = seal(answer.body)
        row = Idempotency(
            org_id=self.org_id,
            caller_id=self.caller_id,
            key_sha256=self.key_sha256,
            fingerprint=self.fingerprint,
            status=answer.status,
            body=body,
            key_id=key_id,
            created_at=now,
        )
        try:
            with transaction.atomic(savepoint=False):
                rows_insert(row)
        except IntegrityError as error:
            raise TwinFinished from error


def key_hash(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def fingerprint(method: str, path: str, body: bytes) -> str:
    """What must be the same for a repeat to be the same request."""
    return hashlib.sha256(b"\0".join((method.encode(), path.encode(), body))).hexdigest()


@dataclass(frozen=True, slots=True)
class Record:
    """A kept answer as the sign-in statement found it."""

    fingerprint: str
    status: int
    body: bytes
    key_id: str | None
    created_at: datetime

    def is_live(self, now: datetime) -> bool:
        return self.created_at > now - LIFETIME

    def answer_to(self, fingerprint: str) -> Answer:
        """The kept answer; refuses when the key came with another request before."""
        if fingerprint != self.fingerprint:
            raise Invalid(
                "This Idempotency-Key was used for another request. Use a new key.",
                code="idempotency_key_reused",
            )
        return Answer(self.status, unseal(self.body, self.key_id))


def record_find(caller_id: UUID, key: str) -> Record | None:
    row = Idempotency.unscoped.filter(caller_id=caller_id, key_sha256=key_hash(key)).first()
    if row is None:
        return None
    return Record(row.fingerprint, row.status, bytes(row.body), row.key_id, row.created_at)


def record_drop(caller_id: UUID, key: str) -> None:
    """Forgets a record past its day that no purge has come to yet, so that the key is free."""
    Idempotency.unscoped.filter(caller_id=caller_id, key_sha256=key_hash(key)).delete()


def expired_exist(now: datetime) -> bool:
    """Whether a record is an hour past its day, so that purging need not run all the time."""
    return Idempotency.unscoped.filter(created_at__lt=now - LIFETIME - PURGE_AFTER).exists()


def expired_purge(now: datetime) -> int:
    """Deletes records past their day; safe to run any time, any number of times."""
    return Idempotency.unscoped.filter(created_at__lt=now - LIFETIME).delete()[0]


@contextlib.contextmanager
def running_mark(keep: Keep | None) -> Iterator[None]:
    """Marks the request as running for as long as the block lasts (SQLite)."""
    if keep is None or keep.key is None or connection.vendor != "sqlite":
        yield
        return
    path = settings.DATA_DIR / "running.lock"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _lock_byte(descriptor, _mark_number(keep))
        yield
    finally:
        os.close(descriptor)


def take_advisory_mark(keep: Keep | None) -> None:
    """The same mark on PostgreSQL; inside the transaction, gone with it."""
    if keep is None or keep.key is None or connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [_mark_number(keep) - 2**62])
        if not cursor.fetchone()[0]:
            raise InProgress


def _mark_number(keep: Keep) -> int:
    digest = hashlib.sha256(keep.caller_id.bytes + keep.key_sha256.encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


def _lock_byte(descriptor: int, offset: int) -> None:
    # An open-file-description lock: unlike a POSIX lock it also excludes other threads of this
    # process, and it goes when the descriptor is closed, however the process ends.
    flock = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, offset, 1, 0)
    try:
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, flock)
    except (BlockingIOError, PermissionError) as error:
        raise InProgress from error
