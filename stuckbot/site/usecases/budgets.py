"""Budgets: what an agent may use before it is asked to hand off, and before it is told to stop."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from accounts.services.orgs import system_caller
from accounts.services.requests import request_make
from accounts.services.signals import agent_lock, causes_known, details_content, signal_add
from accounts.states import RequestKind, SignalType
from policy.resolve import Resolved, lowest_limits, policy_resolve
from policy.states import BUDGETS
from stuckbot.lib.caller import Caller
from stuckbot.lib.unit import Unit, unit_of_work
from tickets.models import Ticket

#: The counter of a budget, and how many of it one of the policy's unit is.
COUNTERS: Final = {
    "tokens": ("tokens", 1.0),
    "cost": ("cost_usd", 0.01),
    "runtime": ("runtime_seconds", 60.0),
}
_LEVELS: Final = {"soft": RequestKind.HANDOFF, "hard": RequestKind.STOP}


@dataclass(frozen=True, slots=True)
class Passed:
    """A limit that an agent has reached. `limit` is as the policy says it."""

    budget: str
    level: str
    limit: int
    used: float

    @property
    def reason(self) -> str:
        return f"budget_{self.level}_{self.budget}"

    @property
    def cause(self) -> str:
        return f"budget_{self.level}:{self.budget}:{self.limit}"

    @property
    def words(self) -> str:
        used, limit = _amount(self.budget, self.used), _amount(self.budget, self.limit)
        if self.level == "soft":
            return f"You have used {used}; from {limit} on you are asked to hand off what you hold."
        return (
            f"You have used {used}, and {limit} is the most. Hand off or give back what you hold,"
            " and take nothing new."
        )


def budgets_apply(*, actor: Caller, totals: Mapping[str, float], now: datetime) -> bool:
    """Raises a signal for each limit that the agent has reached now, once a limit, and asks it to
    hand off or tells it to stop. Whether there was one.

    No statement while its use is below every limit of the org.
    """
    lowest = lowest_limits(actor.org_id, actor.policy_version)
    if not any(_reached(lowest, totals)):
        return False
    held = _held(actor)
    limits = limits_of(actor, {project_id for _, project_id in held})
    passed = list(_reached(limits, totals))
    if not _news(actor, passed):
        return False
    with unit_of_work(system_caller(actor.org_id), now) as unit:
        if agent_lock(unit, actor.id) is None:
            return False
        ticket_id = held[0][0] if len(held) == 1 else None
        for one in _news(actor, passed):
            _raise(unit, actor, one, ticket_id)
    return True


def limits_of(actor: Caller, project_ids: set[UUID]) -> dict[str, int]:
    """The limits that hold for an agent at work in these projects: the strictest of each.

    One that holds nothing counts to the project it is for, if that is one alone, else to none.
    """
    projects: set[UUID | None] = {*project_ids}
    if not projects:
        own = actor.project_ids
        projects = {next(iter(own))} if own is not None and len(own) == 1 else {None}
    found = [
        policy_resolve(
            org_id=actor.org_id,
            version=actor.policy_version,
            project_id=project_id,
            connector_id=actor.connector_id,
        )
        for project_id in projects
    ]
    return _strictest(found)


def _strictest(policies: list[Resolved]) -> dict[str, int]:
    names = [name for pair in BUDGETS.values() for name in pair]
    said = {name: [value for one in policies if (value := getattr(one, name))] for name in names}
    return {name: min(values) for name, values in said.items() if values}


def _reached(limits: Mapping[str, int], totals: Mapping[str, float]) -> Iterator[Passed]:
    for budget, settings in BUDGETS.items():
        counter, unit = COUNTERS[budget]
        used = totals.get(counter, 0) / unit
        for level, setting in zip(_LEVELS, settings, strict=True):
            limit = limits.get(setting)
            # Half a cent of a thousandth is what adding up dollars may lose.
            if limit and used + 1e-6 >= limit:
                yield Passed(budget, level, limit, used)


def _news(actor: Caller, passed: list[Passed]) -> list[Passed]:
    known = causes_known(actor.org_id, actor.id, [one.cause for one in passed])
    return [one for one in passed if one.cause not in known]


def _held(actor: Caller) -> list[tuple[UUID, UUID]]:
    rows = Ticket.objects.of(actor.org_id).filter(solver_id=actor.id, claim__isnull=False)
    return list(rows.order_by("number").values_list("id", "project_id"))


def _raise(unit: Unit, actor: Caller, one: Passed, ticket_id: UUID | None) -> None:
    details = {
        "budget": one.budget,
        "level": one.level,
        "limit": _amount(one.budget, one.limit),
        "used": _amount(one.budget, one.used),
    }
    signal_add(
        unit,
        agent_id=actor.id,
        type=SignalType.BUDGET,
        details=details_content(actor.org_id, details, root_id=None, about=None),
        ticket_id=ticket_id,
        cause=one.cause,
    )
    kind = _LEVELS[one.level]
    about = ticket_id if kind == RequestKind.HANDOFF else None
    request_make(unit, actor.id, kind, one.reason, one.words, about, unit.now)


def _amount(budget: str, value: float) -> str:
    if budget == "cost":
        return f"${value / 100:,.2f}"
    unit = "tokens" if budget == "tokens" else "minutes"
    return f"{int(value):,} {unit}"
