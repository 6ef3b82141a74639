"""What limits an agent's use has, for people to read beside it."""

from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from policy.resolve import Resolved, policy_merge
from policy.selectors import Policies, policies_get, policy_values
from stuckbot.lib.caller import Caller
from stuckbot.site.usecases.fleet import AgentSeen

#: By kind of use: the settings' name, and how many of what agents report make one of its units.
_BUDGETS: Final = {
    "tokens": ("tokens", 1),
    "cost_usd": ("cost", 0.01),
    "runtime_seconds": ("runtime", 60),
}


@dataclass(frozen=True, slots=True)
class Limits:
    """By kind of use: where it is asked to hand off, and where it is told to stop."""

    soft: dict[str, float] = field(default_factory=dict)
    hard: dict[str, float] = field(default_factory=dict)

    def of(self, name: str) -> tuple[float | None, float | None]:
        return self.soft.get(name), self.hard.get(name)


@dataclass(frozen=True, slots=True)
class Budgets:
    """All of an org's policies in one read, for as many agents as a page shows."""

    policies: Policies

    def of(self, seen: AgentSeen) -> Limits:
        """The strictest of the projects that it works in, as the desk holds it to them."""
        connector_id = seen.agent.connector_id
        policies = [self._policy(one, connector_id) for one in _projects(seen)]
        return Limits(_strictest(policies, "soft"), _strictest(policies, "hard"))

    def _policy(self, project_id: UUID | None, connector_id: UUID | None) -> Resolved:
        """What holds there for agents of a connector: the wider rows first."""
        found = [self.policies.org]
        found.append(self.policies.projects.get(project_id) if project_id else None)
        own = [one for one in self.policies.connectors if one.connector_id == connector_id]
        found += [one for one in own if one.project_id is None]
        found += [one for one in own if one.project_id and one.project_id == project_id]
        return policy_merge(policy_values(one) for one in found if one is not None)


def budgets_get(*, actor: Caller) -> Budgets:
    return Budgets(policies_get(actor=actor))


def _projects(seen: AgentSeen) -> set[UUID | None]:
    """Those of the tickets it holds; else the one that it is kept to; else none."""
    if held := seen.held_projects:
        return {*held}
    row: Any = seen.agent
    own = {UUID(one) for one in row.project_ids}
    if row.connector_projects == 1 and (not own or row.connector_project in own):
        own = {row.connector_project}
    return {*own} if len(own) == 1 else {None}


def _strictest(policies: list[Resolved], level: str) -> dict[str, float]:
    """By kind of use, in what agents report: a policy counts cents and minutes."""
    found = {}
    for name, (setting, unit) in _BUDGETS.items():
        said = [getattr(one, f"budget_{setting}_{level}") for one in policies]
        if limits := [one for one in said if one]:
            found[name] = min(limits) * unit
    return found
