"""Filing a ticket."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from accounts.models import Membership, Org, Project
from accounts.reach import Reach
from accounts.selectors import scope_require
from stuckbot.lib import content, ids
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Missing, invalid_fields
from stuckbot.lib.idempotency import Keep
from stuckbot.lib.masking import Masked, MaskedValue, mask_text, mask_value
from stuckbot.lib.models import Content
from stuckbot.lib.rows import rows_insert, rows_insert_tables
from stuckbot.lib.unit import Unit, unit_of_work
from tickets.cards import Card, Who, Words, card_fresh
from tickets.facts import offer_time, own_red
from tickets.models import Criterion, Finding, Package, Ticket
from tickets.packages.check import CheckedPackage, CriterionSpec
from tickets.packages.naming import title_of
from tickets.search.fingerprint import fingerprint_of
from tickets.services.braking import brake
from tickets.services.findings import findings_follow
from tickets.services.intake import Intake, package_take
from tickets.services.looping import repeats_look
from tickets.services.reserving import reservation_begin, reserved_get
from tickets.services.wordsets import tag_rows, wordset_id
from tickets.states import State


@dataclass(frozen=True, slots=True)
class Filed:
    """A ticket as it was filed, with what the filer should know."""

    ticket: Ticket
    intake: Intake
    criteria: list[Criterion]
    project: Project
    creator: Who
    assignee: Who | None
    findings: list[Finding]
    reserved: Who | None = None

    @property
    def card(self) -> Card:
        words = Words(self.intake.checked.labels, self.intake.checked.required_skills)
        return card_fresh(
            self.ticket,
            project=self.project,
            creator=self.creator,
            assignee=self.assignee,
            words=words,
            reserved=self.reserved,
        )


@dataclass(frozen=True, slots=True)
class Draft:
    """The content rows of a package, masked and ready before any transaction."""

    package: Content
    title: Content
    summary: Content | None
    blocked_reason: Content | None = None

    @property
    def rows(self) -> list[Content]:
        each = (self.package, self.title, self.summary, self.blocked_reason)
        return [one for one in each if one is not None]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A ticket that may be filed: checked and masked, its row made and not yet written.

    It is filed once, by `ticket_create_in`; until then `ticket.id` may be named elsewhere.
    """

    ticket: Ticket
    intake: Intake
    draft: Draft
    project: Project
    creator: Who
    assignee: Who | None
    reserved_for: Reach | None = None
    #: Of a child: the ref of the ticket that was handed on.
    parent_ref: str = ""


def ticket_create(
    *,
    actor: Caller,
    package: object,
    project_id: UUID | None = None,
    blocked_reason: str | None = None,
    assignee_id: UUID | None = None,
    for_agent: UUID | None = None,
    lenient: bool = False,
    now: datetime,
    keep: Keep | None = None,
) -> Filed:
    """Files a ticket for the actor and leaves it open.

    Without `project_id` it goes to the agent's project when it has exactly one, else to the org's
    default. Raises 403 without `tickets:create`, 422 with every fault, 413, 404 for the project.
    """
    scope_require(actor, "tickets:create")
    prepared = ticket_prepare(
        actor=actor,
        package=package,
        project_id=project_id,
        blocked_reason=blocked_reason,
        assignee_id=assignee_id,
        for_agent=for_agent,
        lenient=lenient,
        now=now,
    )
    return ticket_file(actor=actor, prepared=prepared, now=now, keep=keep)


def ticket_file(
    *, actor: Caller, prepared: Prepared, now: datetime, keep: Keep | None = None
) -> Filed:
    """Files what was prepared, in a write of its own."""
    with unit_of_work(actor, now, keep) as unit:
        filed = ticket_create_in(unit, prepared)
        unit.result = filed
    return filed


def ticket_prepare(
    *,
    actor: Caller,
    package: object,
    project_id: UUID | None = None,
    blocked_reason: str | None = None,
    assignee_id: UUID | None = None,
    for_agent: UUID | None = None,
    lenient: bool = False,
    now: datetime,
) -> Prepared:
    """Checks and masks all that a ticket is made of, before any transaction; files nothing.

    `lenient`: required fields may be absent. The ticket is incomplete then: nobody is offered it
    until its package was completed. The scope is the caller's to ask for. Raises as
    `ticket_create`.
    """
    intake = package_take(package, allow_incomplete=lenient)
    project = _project_for(actor, project_id)
    assignee = assignee_get(actor, assignee_id)
    reach = reserved_get(
        org_id=actor.org_id, agent_id=for_agent, project_id=project.id, path="for_agent", now=now
    )
    ticket_id = ids.uuid7()
    draft = _draft(actor.org_id, ticket_id, intake, blocked_reason)
    ticket = ticket_row(actor, ticket_id, intake.checked, draft, now)
    ticket.project_id = project.id
    ticket.assignee_id = assignee.id if assignee else None
    ticket.reserved_for_id = reach.id if reach else None
    creator = Who(actor.id, actor.kind, actor.name)
    return Prepared(ticket, intake, draft, project, creator, assignee, reach)


def ticket_create_in(unit: Unit, prepared: Prepared) -> Filed:
    """Files it as part of the write in hand, with `ticket_created` after the events so far.

    What comes back has its number and its findings once the unit of work has closed.
    """
    ticket = prepared.ticket
    reach = prepared.reserved_for
    reservation_begin(unit, ticket.id, reach)
    same_before = brake(unit, ticket)
    criteria = _insert(unit, prepared)
    repeats_look(unit, ticket, same_before)
    findings = findings_follow(unit, ticket.id, ticket.creator_id)
    return Filed(
        ticket=ticket,
        intake=prepared.intake,
        criteria=criteria,
        project=prepared.project,
        creator=prepared.creator,
        assignee=prepared.assignee,
        findings=findings,
        reserved=Who(reach.id, "agent", reach.name) if reach else None,
    )


def ticket_row(
    actor: Caller, ticket_id: UUID, checked: CheckedPackage, draft: Draft, now: datetime
) -> Ticket:
    """The ticket as it will stand: open, and offered unless it was filed blocked or incomplete."""
    blocked = draft.blocked_reason is not None
    red = own_red(
        state=State.OPEN,
        blocked=blocked,
        waits_for="",
        gating_asks=0,
        paused=False,
        incomplete=bool(checked.missing),
    )
    return Ticket(
        id=ticket_id,
        org_id=actor.org_id,
        root_id=ticket_id,
        state=State.OPEN,
        mode=checked.mode,
        urgency=checked.urgency,
        labelset_id=wordset_id(actor.org_id, "labels", checked.labels),
        skillset_id=wordset_id(actor.org_id, "skills", checked.required_skills),
        creator_id=actor.id,
        incomplete=bool(checked.missing),
        missing=",".join(checked.missing),
        blocked_since=now if blocked else None,
        blocked_reason=draft.blocked_reason,
        fingerprint=fingerprint_of(checked.package),
        title=draft.title,
        summary=draft.summary,
        own_red=red,
        offer_at=offer_time(
            state=State.OPEN, mode=checked.mode, red=red, lease_until=None, now=now
        ),
        created_at=now,
        updated_at=now,
    )


def criterion_rows(ticket: Ticket, specs: tuple[CriterionSpec, ...], n: int) -> list[Criterion]:
    """Criterion rows in package order, from the specs of a masked package."""
    return [
        Criterion(
            org_id=ticket.org_id,
            ticket=ticket,
            key=spec.key,
            stage=spec.stage,
            method=spec.method,
            position=position,
            command=spec.command,
            pattern=spec.pattern,
            url=spec.url,
            expected=spec.expected,
            expected_exit=spec.expected_exit_code,
            added_n=n,
        )
        for position, spec in enumerate(specs)
    ]


def package_contents(org_id: UUID, root_id: UUID, ticket_id: UUID, intake: Intake) -> Draft:
    """The content rows of a package: whole, its title, its human summary.

    Only the whole one brings findings along: the other two are parts of it, masked already.
    """

    def row(kind: str, body: Masked | MaskedValue, about: UUID | None = None) -> Content:
        return content.prepare(org_id=org_id, kind=kind, body=body, root_id=root_id, about=about)

    summary = intake.package.get("human_summary")
    return Draft(
        package=row("package", intake.body, ticket_id),
        title=row("title", mask_text(title_of(intake.package))),
        summary=None if summary is None else row("summary", mask_value(summary)),
    )


def _draft(org_id: UUID, ticket_id: UUID, intake: Intake, blocked_reason: str | None) -> Draft:
    draft = package_contents(org_id, ticket_id, ticket_id, intake)
    if blocked_reason is None:
        return draft
    blocked = content.prepare(
        org_id=org_id,
        kind="blocked_reason",
        body=mask_text(blocked_reason, "blocked_reason"),
        root_id=ticket_id,
        about=ticket_id,
    )
    return replace(draft, blocked_reason=blocked)


def _insert(unit: Unit, prepared: Prepared) -> list[Criterion]:
    """Child rows by id first; the ticket row itself once the clock has given its number."""
    ticket, checked, draft = prepared.ticket, prepared.intake.checked, prepared.draft
    unit.store(*draft.rows)
    package = Package(
        org_id=ticket.org_id,
        ticket=ticket,
        n=1,
        content=draft.package,
        author_id=ticket.creator_id,
        created_at=unit.now,
    )
    criteria = criterion_rows(ticket, checked.criteria, 1)
    rows_insert_tables([package], criteria, tag_rows(ticket, checked.labels))

    def insert(number: int) -> None:
        ticket.number = number
        rows_insert(ticket)

    unit.numbered(insert)
    unit.event(
        "ticket_created",
        ticket_id=ticket.id,
        data={"mode": ticket.mode, "urgency": ticket.urgency, **_beside(prepared)},
        tell=(ticket.assignee_id, ticket.reserved_for_id),
    )
    unit.offer_changed()
    unit.colour_changed()
    return criteria


def _beside(prepared: Prepared) -> dict[str, Any]:
    """What the event tells where there is something to tell."""
    ticket, missing = prepared.ticket, prepared.intake.checked.missing
    told: dict[str, Any] = {"missing_fields": list(missing)} if missing else {}
    if ticket.parent_id is not None:
        told["parent"] = {"id": str(ticket.parent_id), "ref": prepared.parent_ref}
    if ticket.reserved_for_id is not None:
        told["reserved_for"] = str(ticket.reserved_for_id)
    return told


def _project_for(actor: Caller, project_id: UUID | None) -> Project:
    if project_id is None:
        project_id = _project_usual(actor)
    project = Project.objects.of(actor.org_id).filter(id=project_id).first()
    if project is None or not actor.reads_project(project.id):
        raise Missing
    return project


def _project_usual(actor: Caller) -> UUID:
    """The only project that the agent has, else the org's default."""
    if actor.project_ids is not None and len(actor.project_ids) == 1:
        return next(iter(actor.project_ids))
    default = actor.default_project_id or _default_project(actor.org_id)
    if default is None or not actor.reads_project(default):
        message = "Name a project_id: this agent has several projects and none is the default."
        raise invalid_fields([("project_id", message)])
    return default


def _default_project(org_id: UUID) -> UUID | None:
    return Org.objects.values_list("default_project_id", flat=True).get(id=org_id)


def assignee_get(actor: Caller, assignee_id: UUID | None) -> Who | None:
    """The member of that id; `Missing` when the org has none of it."""
    if assignee_id is None:
        return None
    member = Membership.objects.of(actor.org_id).filter(actor_id=assignee_id)
    found = member.values_list("actor_id", "actor__kind", "actor__name").first()
    if found is None:
        raise Missing
    return Who(*found)
