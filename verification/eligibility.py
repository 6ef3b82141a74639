"""Who may decide on a submitted stage, and why not: one place for list, claim, decision and page.

The rules at the top are pure, over frozen facts; below, one loader reads those facts for any
number of jobs in a fixed number of statements.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db import connection
from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef, Q, QuerySet

from accounts.models import Membership
from accounts.states import Role
from policy.resolve import Resolved, policy_of
from stuckbot.lib import sql
from stuckbot.lib.caller import Caller
from tickets.models import Ticket
from verification.models import Evidence, Verification
from verification.states import Result, VerificationState

#: Rows are read in parts, and no further than somebody wants to know.
_PART: Final = 200


@dataclass(frozen=True, slots=True)
class Verdict:
    """`code` and `reason` say in plain words why not; `own`: it is work of their own."""

    allowed: bool
    code: str = ""
    reason: str = ""
    own: bool = False


YES: Final = Verdict(True)


class Source(NamedTuple):
    """Where an agent comes from: its connector, or the person who set up its key."""

    connector_id: UUID | None
    set_up_by_id: UUID | None
    provider: str


class Part(NamedTuple):
    """What somebody did for a fix: solved it, asked for it (here or earlier in the chain), sent
    evidence for its stage as a solver."""

    solved: bool
    filed: bool
    sent: bool


@dataclass(frozen=True, slots=True)
class JobFacts:
    """A job as seen by one verifier. `kin` are its parents and children, however far."""

    id: UUID
    state: str
    policy: Resolved
    solver: Source
    own: Part
    kin: Part
    claimed_by_id: UUID | None
    claim_until: datetime | None

    def holder(self, now: datetime) -> UUID | None:
        runs = self.claim_until is not None and self.claim_until > now
        return self.claimed_by_id if runs else None


@dataclass(frozen=True, slots=True)
class PersonFacts:
    """A person and a job: their part in the fix, and whether somebody else may approve it."""

    is_member: bool
    own: Part
    others: bool


def may_verify(verifier: Source, job: JobFacts) -> Verdict:
    """Whether an agent with the scope, in whose projects the job is, may check this fix."""
    reason = _involved(job.own, job.kin) or _alike(verifier, job.solver, job.policy)
    return Verdict(False, "not_eligible", reason) if reason else YES


def may_approve(person: PersonFacts) -> Verdict:
    """Whether a person may approve; to reject it is enough to be a member."""
    if not person.is_member:
        reason = "A viewer can read but not change anything. Ask for a member's role."
        return Verdict(False, "not_eligible", reason)
    if is_own_fix(person) and person.others:
        reason = (
            "You did this work yourself: another member has to approve it. You may still reject it."
        )
        return Verdict(False, "own_fix", reason, own=True)
    return Verdict(True, own=is_own_fix(person))


def is_own_fix(person: PersonFacts) -> bool:
    return person.own.solved or person.own.sent


def _involved(own: Part, kin: Part) -> str:
    """Nobody checks their own fix, nor one they asked for, nor that of a parent or child."""
    if own.solved:
        return "You solved it: another agent has to check it."
    if own.filed:
        return "You filed this ticket or an earlier one of its chain: another agent has to check."
    if own.sent:
        return "You sent evidence for this stage: another agent has to check it."
    if kin.solved:
        return "A parent or child of yours solved it: an agent of another family has to check it."
    if kin.filed:
        return "A parent or child of yours filed this ticket or an earlier one of its chain."
    if kin.sent:
        return "A parent or child of yours sent evidence for this stage."
    return ""


def _alike(verifier: Source, solver: Source, policy: Resolved) -> str:
    if policy.different_connector:
        if None not in (verifier.connector_id, solver.connector_id):
            if verifier.connector_id == solver.connector_id:
                return "The policy wants a verifier of another connector than the solver's."
        elif None in (verifier.set_up_by_id, solver.set_up_by_id):
            return (
                "The policy wants a verifier that another person set up, and nobody can tell who"
                " set up yours or the solver."
            )
        elif verifier.set_up_by_id == solver.set_up_by_id:
            return "The policy wants a verifier that another person set up than the solver."
    if policy.different_provider:
        ours, theirs = _provider(verifier), _provider(solver)
        if not theirs:
            return (
                "The policy wants another model provider than the solver's, and the solver reported"
                " none: a person has to decide."
            )
        if not ours:
            return "The policy wants another model provider: register with yours."
        if ours == theirs:
            return "The policy wants another model provider than the solver's."
    return ""


def _provider(source: Source) -> str:
    return " ".join(source.provider.split()).casefold()


# --- the facts ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Verifier:
    """An agent with where it comes from and the ids of its parents and children, however far."""

    id: UUID
    org_id: UUID
    source: Source
    kin: tuple[UUID, ...]


def verifier_read(actor: Caller) -> Verifier:
    """In one statement."""
    agent, org = sql.uuid(actor.id), sql.uuid(actor.org_id)
    with connection.cursor() as cursor:
        cursor.execute(_KIN, [org, agent, org, agent, org])
        rows = cursor.fetchall()
    found = {sql.to_uuid(row[0]): row[1:] for row in rows}
    connector, set_up_by, provider = found.pop(actor.id)
    source = Source(sql.to_uuid(connector), sql.to_uuid(set_up_by), provider)
    kin = tuple(one for one in found if one is not None)
    return Verifier(actor.id, actor.org_id, source, kin)


_KIN: Final = """
WITH RECURSIVE up(id, parent_id) AS (
  SELECT id, parent_id FROM accounts_agent WHERE org_id = %s AND id = %s
  UNION SELECT a.id, a.parent_id FROM accounts_agent a JOIN up ON a.id = up.parent_id
), down(id) AS (
  SELECT id FROM accounts_agent WHERE org_id = %s AND id = %s
  UNION SELECT a.id FROM accounts_agent a JOIN down ON a.parent_id = down.id
)
SELECT a.id, a.connector_id, a.set_up_by_id, a.provider FROM accounts_agent a
WHERE a.org_id = %s AND a.id IN (SELECT id FROM up UNION SELECT id FROM down)
"""


def jobs_facts(verifier: Verifier, jobs: QuerySet[Verification]) -> Iterator[JobFacts]:
    """Jobs as this verifier stands to them, in the order of the query; read as they are asked for,
    in one statement."""
    mine, kin = frozenset({verifier.id}), frozenset(verifier.kin)
    rows: Any = jobs.annotate(
        own_filed=_filed(verifier.org_id, mine),
        own_sent=Exists(_sent(verifier.org_id, mine)),
        kin_filed=_filed(verifier.org_id, kin),
        kin_sent=Exists(_sent(verifier.org_id, kin)),
    ).values(*_COLUMNS)
    for row in rows.iterator(chunk_size=_PART):
        yield _job(row, verifier, kin)


_AGENT: Final = "submitted_by__agent__"
_COLUMNS: Final = (
    *("id", "state", "policy_snapshot", "submitted_by_id", "claimed_by_id", "claim_until"),
    *("own_filed", "own_sent", "kin_filed", "kin_sent"),
    *(f"{_AGENT}{name}" for name in ("connector_id", "set_up_by_id", "provider")),
)


def _job(row: dict[str, Any], verifier: Verifier, kin: frozenset[UUID]) -> JobFacts:
    solver, provider = row["submitted_by_id"], row[f"{_AGENT}provider"]
    # A person who solved it is the one who set that work up, and has no provider.
    set_up_by = solver if provider is None else row[f"{_AGENT}set_up_by_id"]
    return JobFacts(
        id=row["id"],
        state=row["state"],
        policy=policy_of(row["policy_snapshot"]),
        solver=Source(row[f"{_AGENT}connector_id"], set_up_by, provider or ""),
        own=Part(solver == verifier.id, row["own_filed"], row["own_sent"]),
        kin=Part(solver in kin, row["kin_filed"], row["kin_sent"]),
        claimed_by_id=row["claimed_by_id"],
        claim_until=row["claim_until"],
    )


def _filed(org_id: UUID, agents: frozenset[UUID]) -> Any:
    """One of them filed the ticket, or an earlier one of its chain."""
    earlier = Ticket.objects.of(org_id).filter(
        root_id=OuterRef("ticket__root_id"),
        depth__lt=OuterRef("ticket__depth"),
        creator__in=agents,
    )
    filed = Q(ticket__creator__in=agents) | (Q(ticket__depth__gt=0) & Q(Exists(earlier)))
    return ExpressionWrapper(filed, output_field=BooleanField())


def _sent(org_id: UUID, agents: frozenset[UUID]) -> QuerySet[Evidence]:
    """Evidence one of them sent for the stage as a solver, in any attempt."""
    return _solvers(org_id).filter(
        ticket=OuterRef("ticket"), stage=OuterRef("stage"), by__in=agents
    )


def _solvers(org_id: UUID) -> QuerySet[Evidence]:
    """Evidence of solvers: what a decision brought, and a person's mark that a manual criterion is
    met, is none of it."""
    sent = Evidence.objects.of(org_id).filter(verification=None)
    return sent.exclude(type="manual_note", result=Result.PASS)


def person_read(
    actor: Caller, *, ticket_id: UUID, stage: str, solver_id: UUID | None
) -> PersonFacts:
    """A person as they stand to a stage of a ticket that `solver_id` solved, in one statement.

    Others count when they may approve: members who are there and did none of the work.
    """
    if not actor.is_member:
        return PersonFacts(False, Part(False, False, False), others=True)
    sent = _solvers(actor.org_id).filter(ticket_id=ticket_id, stage=stage, by=OuterRef("actor"))
    members = Membership.objects.of(actor.org_id).exclude(role=Role.VIEWER)
    active = members.filter(user__is_active=True).annotate(sent=Exists(sent))
    worked = {
        one: bool(did) or one == solver_id for one, did in active.values_list("actor", "sent")
    }
    did_it = worked.pop(actor.id, actor.id == solver_id)
    own = Part(actor.id == solver_id, filed=False, sent=did_it and actor.id != solver_id)
    return PersonFacts(True, own, others=not all(worked.values()))


def person_columns(actor: Caller, *, solver_id: UUID | None) -> dict[str, Any]:
    """The same along with rows that have a `ticket` and a `stage`: `person_of` reads them."""
    sent = _solvers(actor.org_id).filter(ticket=OuterRef("ticket"), stage=OuterRef("stage"))
    theirs = _solvers(actor.org_id).filter(
        ticket=OuterRef(OuterRef("ticket")), stage=OuterRef(OuterRef("stage")), by=OuterRef("actor")
    )
    members = Membership.objects.of(actor.org_id).exclude(role=Role.VIEWER)
    others = members.filter(user__is_active=True).exclude(actor=actor.id).exclude(Exists(theirs))
    if solver_id is not None:
        others = others.exclude(actor=solver_id)
    return {"own_sent": Exists(sent.filter(by=actor.id)), "others_may": Exists(others)}


def person_of(actor: Caller, row: Any, *, solver_id: UUID | None) -> PersonFacts:
    """A person as `person_columns` found them, beside any row of the stage."""
    if not actor.is_member:
        return PersonFacts(False, Part(False, False, False), others=True)
    own = Part(actor.id == solver_id, filed=False, sent=row.own_sent)
    return PersonFacts(True, own, others=row.others_may)


def jobs_waiting(actor: Caller) -> QuerySet[Verification]:
    """Jobs that wait for a verifier in projects that the agent reads."""
    jobs = Verification.objects.of(actor.org_id).filter(state=VerificationState.WAITING_AGENT)
    if actor.project_ids is None:
        return jobs
    return jobs.filter(ticket__project__in=actor.project_ids)


def jobs_for(actor: Caller, now: datetime, limit: int) -> list[UUID]:
    """Those that this agent may take now, and those it holds, oldest first."""
    verifier = verifier_read(actor)
    free = Q(claimed_by=None) | Q(claim_until__lte=now) | Q(claimed_by=actor.id)
    jobs = jobs_waiting(actor).filter(free).order_by("submitted_at", "id")
    source = verifier.source
    fits = (job.id for job in jobs_facts(verifier, jobs) if may_verify(source, job).allowed)
    return list(islice(fits, limit))


def may_decide(actor: Caller, job: Verification) -> Verdict:
    """Whether the caller may approve the job's fix, and why not, whatever state it is in.

    A member may always reject. An agent needs the scope `verify` besides.
    """
    if actor.is_person:
        solver = job.submitted_by_id
        person = person_read(actor, ticket_id=job.ticket_id, stage=job.stage, solver_id=solver)
        return may_approve(person)
    if not actor.is_agent:
        return Verdict(False, "not_eligible", "Only agents and people can check a fix.")
    verifier = verifier_read(actor)
    facts = next(jobs_facts(verifier, Verification.objects.of(actor.org_id).filter(id=job.id)))
    return may_verify(verifier.source, facts)
