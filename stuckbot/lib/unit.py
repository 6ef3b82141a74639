"""One way to write: every change from any door runs through `unit_of_work`.

One transaction collects events and, last of all, takes the org's clock and writes events,
inboxes, audit and the idempotency record together. The clock is the last lock before the event
insert, so event ids are in commit order per org and a reader of the event cursor skips none.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from stuckbot.lib import sql
from stuckbot.lib.caller import Caller
from stuckbot.lib.idempotency import Keep, running_mark, take_advisory_mark
from stuckbot.lib.masking import Finding
from stuckbot.lib.models import Audit, Content, Event, Inbox
from stuckbot.lib.rows import rows_insert


@dataclass(slots=True)
class Clock:
    """What the org's clock showed after this write took it."""

    seq: int
    offer_seq: int
    graph_seq: int
    ticket_no: int
    audit_no: int


@dataclass(slots=True)
class _Planned:
    type: str
    ticket_id: UUID | None
    actor_id: UUID
    data: dict[str, Any]
    content_id: UUID | None
    answer_id: UUID | None
    tell: frozenset[UUID]


@dataclass(slots=True)
class Unit:
    """The write in hand: what it will say happened, and what it changes for others."""

    actor: Caller
    now: datetime
    result: Any = None
    clock: Clock | None = None
    _events: list[_Planned] = field(default_factory=list)
    _audits: list[Audit] = field(default_factory=list)
    _contents: list[Content] = field(default_factory=list)
    _masked: list[tuple[UUID, Finding]] = field(default_factory=list)
    _last: list[Callable[[], None]] = field(default_factory=list)
    _numbered: list[Callable[[int], None]] = field(default_factory=list)
    _ordered: list[Callable[[int], None]] = field(default_factory=list)
    _offer: int = 0
    _graph: int = 0

    def event(
        self,
        type: str,
        *,
        ticket_id: UUID | None,
        data: dict[str, Any] | None = None,
        content: Content | None = None,
        content_id: UUID | None = None,
        answer_id: UUID | None = None,
        tell: Iterable[UUID | None] = (),
        by: UUID | None = None,
    ) -> None:
        """Says that something happened; `tell` are the actors whose inbox gets it.

        Whoever acts hears of nothing that this write does, what the desk does for them (`by`)
        included: the answer to their call says it, and an inbox row would wake them for it.
        """
        actor_id = by or self.actor.id
        if content is not None:
            self.store(content)
            content_id = content.id
        heard = frozenset(one for one in tell if one is not None) - {actor_id, self.actor.id}
        planned = _Planned(type, ticket_id, actor_id, data or {}, content_id, answer_id, heard)
        self._events.append(planned)

    def store(self, *contents: Content) -> None:
        """Content rows to insert with this write."""
        self._contents.extend(contents)
        for row in contents:
            if row.about is not None:
                self._masked += [(row.about, one) for one in row.findings]

    def take_findings(self, ticket_id: UUID) -> list[Finding]:
        """What was masked in the ticket's texts of this write; whoever takes it keeps it."""
        taken = [one for about, one in self._masked if about == ticket_id]
        self._masked = [pair for pair in self._masked if pair[0] != ticket_id]
        return taken

    def flush_content(self) -> None:
        if self._contents:
            rows_insert(*self._contents)
            self._contents.clear()

    def audit(self, action: str, target: str, **data: Any) -> None:
        """An entry for the audit: settings, keys, members, tokens. Codes and ids alone."""
        self._audits.append(
            Audit(
                org_id=self.actor.org_id,
                at=self.now,
                actor_id=self.actor.id,
                action=action,
                target=target,
                data=data,
            )
        )

    def offer_changed(self) -> None:
        """What `/work` could offer is not what it was."""
        self._offer = 1

    def colour_changed(self) -> None:
        """A fact that a colour stands on, or a dependency, is not what it was."""
        self._graph = 1

    def last(self, step: Callable[[], None]) -> None:
        """Runs `step()` once everything else was told, before the clock is taken."""
        self._last.append(step)

    def numbered(self, insert: Callable[[int], None]) -> None:
        """Runs `insert(number)` with a fresh ticket number once the clock is taken."""
        self._numbered.append(insert)

    def ordered(self, insert: Callable[[int], None]) -> None:
        """Runs `insert(seq)` with the number of this write's last event once the clock is taken.

        What must be told newer from older goes by this number, never by the wall clock.
        """
        self._ordered.append(insert)

    def close(self) -> None:
        """Takes the clock and writes what was collected. Called once, last."""
        self.flush_content()
        for last in self._last:
            last()
        if self._masked:
            raise LookupError("What was masked in this write was not kept with its ticket.")
        if not self._has_news():
            return
        self.clock = clock = self._take_clock()
        first_number = clock.ticket_no - len(self._numbered) + 1
        for step, insert in enumerate(self._numbered):
            insert(first_number + step)
        for insert in self._ordered:
            insert(clock.seq)
        self._write_events(clock.seq - len(self._events) + 1)
        self._write_audits(clock.audit_no - len(self._audits) + 1)

    def _has_news(self) -> bool:
        rows = self._events or self._audits or self._numbered or self._ordered
        return bool(rows or self._offer or self._graph)

    def _take_clock(self) -> Clock:
        steps = [len(self._events), self._offer, self._graph, len(self._numbered)]
        with connection.cursor() as cursor:
            cursor.execute(_TAKE_CLOCK, [*steps, len(self._audits), sql.uuid(self.actor.org_id)])
            row = cursor.fetchone()
        if row is None:
            raise LookupError(f"The org {self.actor.org_id} has no clock.")
        return Clock(*row)

    def _write_events(self, first: int) -> None:
        if not self._events:
            return
        org_id = self.actor.org_id
        rows, heard = [], []
        for seq, plan in enumerate(self._events, start=first):
            rows.append(
                Event(
                    org_id=org_id,
                    seq=seq,
                    ticket_id=plan.ticket_id,
                    type=plan.type,
                    actor_id=plan.actor_id,
                    at=self.now,
                    data=plan.data,
                    content_id=plan.content_id,
                    answer_id=plan.answer_id,
                )
            )
            heard += [Inbox(org_id=org_id, actor_id=one, seq=seq) for one in plan.tell]
        rows_insert(*rows)
        rows_insert(*heard)

    def _write_audits(self, first: int) -> None:
        for number, row in enumerate(self._audits, start=first):
            row.no = number
        rows_insert(*self._audits)


_TAKE_CLOCK = (
    "UPDATE core_orgclock SET seq = seq + %s, offer_seq = offer_seq + %s,"
    " graph_seq = graph_seq + %s, ticket_no = ticket_no + %s, audit_no = audit_no + %s"
    " WHERE org_id = %s RETURNING seq, offer_seq, graph_seq, ticket_no, audit_no"
)


@contextlib.contextmanager
def unit_of_work(actor: Caller, now: datetime, keep: Keep | None = None) -> Iterator[Unit]:
    """One transaction for one write.

    The block does conditional writes and tells the unit what happened; when it ends well the unit
    takes the clock, writes events, inboxes and audit, and `keep` renders and records the answer.
    Any exception rolls all of it back. Raises `InProgress` while a twin of the request runs and
    `TwinFinished` when one committed first.
    """
    with running_mark(keep), transaction.atomic():
        take_advisory_mark(keep)
        unit = Unit(actor=actor, now=now)
        yield unit
        unit.close()
        if keep is not None:
            keep.finish(unit.result, now)
