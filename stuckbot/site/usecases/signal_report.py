"""An agent says that it is stuck, silent or over its budget, with a ticket of its own if it can."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from accounts.models import Project, Signal
from accounts.selectors import scope_require
from accounts.services.agents import usage_note
from accounts.services.signals import (
    DETAILS_BYTES,
    Noticed,
    details_content,
    noticed_of,
    signal_add,
    signal_tell,
)
from stuckbot.lib.caller import Caller
from stuckbot.lib.content import json_bytes
from stuckbot.lib.errors import Missing, invalid_fields
from stuckbot.lib.idempotency import Keep
from stuckbot.lib.models import Content
from stuckbot.lib.unit import Unit, unit_of_work
from stuckbot.site.usecases.budgets import budgets_apply
from tickets.models import Ticket
from tickets.services.create import Filed, Prepared, ticket_create_in, ticket_prepare
from tickets.services.findings import findings_follow


@dataclass(frozen=True, slots=True)
class Report:
    """What an agent says. Without a package no ticket is filed."""

    type: str
    details: Mapping[str, Any] | None = None
    usage: Mapping[str, float] | None = None
    package: Mapping[str, Any] | None = None
    project_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Reported:
    signal: Noticed
    filed: Filed | None


@dataclass(frozen=True, slots=True)
class _About:
    """The ticket that a signal is about."""

    id: UUID
    root_id: UUID
    creator_id: UUID


def signal_report(
    *, actor: Caller, report: Report, now: datetime, keep: Keep | None = None
) -> Reported:
    """Keeps the signal and, with a package, files a ticket for the agent in the same transaction,
    also when fields of it are missing.

    Without one it is about the ticket that the agent holds, when it is one alone. It asks nothing
    of the agent, which knows already. 403 without `signals:report`, 422 with every fault, 413, 404
    for the project.
    """
    scope_require(actor, "signals:report")
    faults = _faults(report)
    prepared = _prepared(actor, report, faults, now)
    about = _about(actor, prepared)
    details = _details(actor, report, about)
    totals = None
    with unit_of_work(actor, now, keep) as unit:
        # The agent's own row before all that others may wait on.
        if report.usage is not None:
            totals = usage_note(actor=actor, usage=report.usage, last_seen_at=now)
        row = _signal(unit, report, details, about)
        if prepared is None and about is not None:
            findings_follow(unit, about.id, about.creator_id)
        filed = None if prepared is None else ticket_create_in(unit, prepared)
        unit.result = reported = Reported(noticed_of(row), filed)
    if totals is not None:
        budgets_apply(actor=actor, totals=totals, now=now)
    return reported


def _faults(report: Report) -> list[tuple[str, str]]:
    size = len(json_bytes(report.details)) if report.details is not None else 0
    if size <= DETAILS_BYTES:
        return []
    return [("details", f"details may take {DETAILS_BYTES:,} bytes as JSON. Shorten it.")]


def _prepared(
    actor: Caller, report: Report, faults: list[tuple[str, str]], now: datetime
) -> Prepared | None:
    """The ticket that is to be filed; nothing of the report is kept when a part of it is wrong."""
    if report.package is None:
        if report.project_id is not None:
            _project_check(actor, report.project_id)
        if faults:
            raise invalid_fields(faults)
        return None
    if faults:
        raise invalid_fields(faults)
    return ticket_prepare(
        actor=actor,
        package=report.package,
        project_id=report.project_id,
        lenient=True,
        now=now,
    )


def _project_check(actor: Caller, project_id: UUID) -> None:
    known = Project.objects.of(actor.org_id).filter(id=project_id).exists()
    if not known or not actor.reads_project(project_id):
        raise Missing


def _about(actor: Caller, prepared: Prepared | None) -> _About | None:
    if prepared is not None:
        ticket = prepared.ticket
        return _About(ticket.id, ticket.root_id, ticket.creator_id)
    held = Ticket.objects.of(actor.org_id).filter(solver_id=actor.id, claim__isnull=False)
    found = list(held.values_list("id", "root_id", "creator_id")[:2])
    return _About(*found[0]) if len(found) == 1 else None


def _details(actor: Caller, report: Report, about: _About | None) -> Content | None:
    if report.details is None:
        return None
    return details_content(
        actor.org_id,
        report.details,
        root_id=about.root_id if about else None,
        about=about.id if about else None,
    )


def _signal(unit: Unit, report: Report, details: Content | None, about: _About | None) -> Signal:
    ticket_id = about.id if about else None
    row = signal_add(
        unit,
        agent_id=unit.actor.id,
        type=report.type,
        details=details,
        ticket_id=ticket_id,
        told=False,
    )
    tell = (about.creator_id,) if about else ()
    content_id = details.id if details is not None else None
    signal_tell(unit, row, ticket_id=ticket_id, content_id=content_id, tell=tell)
    return row
