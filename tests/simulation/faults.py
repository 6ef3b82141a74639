"""What goes wrong in a day: processes that die at any point, a database that is busy, two workers.

A death is an exception that nothing in the desk catches, as `kill -9` is: the transaction in hand
is rolled back, what was committed stays, and whatever should have come next does not.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

import pytest
from django.db import OperationalError

from stuckbot.lib.unit import Unit
from stuckbot.site import tasks


class Died(BaseException):
    """The process is gone."""


@dataclass
class Faults:
    """How often each goes wrong, as a share of the times that it could."""

    chance: random.Random
    lost: float = 0.03
    died: float = 0.01
    busy: float = 0.005
    #: Shares for the worker, whose work is safe to run twice.
    worker_died: float = 0.1
    twins: float = 0.1
    deaths: int = 0
    _is_on: bool = False
    _inside: int = field(default=0)

    @contextmanager
    def on(self) -> Iterator[None]:
        self._is_on = True
        try:
            yield
        finally:
            self._is_on = False

    def plant(self, patch: pytest.MonkeyPatch) -> None:
        """In every write, before and after what it writes last; in every piece of a worker's work,
        before it begins and when it is done and not yet noted."""
        close = Unit.close

        def fragile(unit: Unit) -> None:
            self._strike(self.died / 2)
            close(unit)
            self._strike(self.died / 2)

        patch.setattr(Unit, "close", fragile)
        for kind, work in tasks.WORK.items():
            patch.setitem(tasks.WORK, kind, self._doubled(work))

    def _strike(self, share: float) -> None:
        if not self._is_on:
            return
        if self.chance.random() < share:
            self.deaths += 1
            raise Died
        if self.chance.random() < self.busy:
            raise OperationalError("database is locked")

    def _doubled(
        self, work: Callable[[UUID, UUID, datetime], None]
    ) -> Callable[[UUID, UUID, datetime], None]:
        def done(org_id: UUID, subject: UUID, now: datetime) -> None:
            self._between()
            work(org_id, subject, now)
            self._between()

        return done

    def _between(self) -> None:
        """No transaction is open here: the worker may die, or a second one sweep meanwhile."""
        if not self._is_on:
            return
        self._strike(self.worker_died / 2)
        if self._inside == 0 and self.chance.random() < self.twins:
            self._inside += 1
            try:
                tasks.sweep()
            finally:
                self._inside -= 1


def swept(faults: Faults, note: Callable[[str], Any]) -> None:
    """One look of the worker, as the ticker starts it, whatever becomes of it."""
    if not tasks.due_now():
        return
    try:
        with faults.on():
            note("sweeps")
            tasks.sweep()
    except Died:
        note("worker died")
    except OperationalError:
        note("worker found the database busy")
