"""What limits an agent's use has, for people to read beside it."""

from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from accounts.models import Agent
from policy.models import Policy
from policy.resolve import Resolved, policy_merge
from policy.selectors import Policies, policies_get, policy_values
from stuckbot.lib.caller import Caller

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

    def of(self, agent: Agent) -> Limits:
        policy = policy_merge(map(policy_values, self._rows(agent)))
        return Limits(_limits(policy, "soft"), _limits(policy, "hard"))

    def _rows(self, agent: Agent) -> list[Policy]:
        """Those that hold for it, the wider ones first."""
        project_id = budget_project(agent)
        found = [self.policies.org]
        found.append(self.policies.projects.get(project_id) if project_id else None)
        own = [one for one in self.policies.connectors if one.connector_id == agent.connector_id]
        found += [one for one in own if one.project_id is None]
        found += [one for one in own if one.project_id and one.project_id == project_id]
        return [one for one in found if one is not None]


def budgets_get(*, actor: Caller) -> Budgets:
    return Budgets(policies_get(actor=actor))


def budget_project(agent: Agent) -> UUID | None:
    """The project whose budget holds for an agent: the one that it is kept to, if it is one."""
    return UUID(agent.project_ids[0]) if len(agent.project_ids) == 1 else None


def _limits(policy: Resolved, way: str) -> dict[str, float]:
    found = {
        name: getattr(policy, f"budget_{setting}_{way}") * unit
        for name, (setting, unit) in _BUDGETS.items()
    }
    return {name: most for name, most in found.items() if most}
