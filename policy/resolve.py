"""The one policy that holds for an org, project and connector, from the rows that set it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any, Final
from uuid import UUID

from django.db.models import Q

from policy.models import Policy
from policy.states import BUDGETS


@dataclass(frozen=True, slots=True)
class Resolved:
    """Every setting with a value: what the narrowest row that sets it says."""

    blocker: str = "automatic"
    task: str = "automatic"
    lease_minutes: int = 60
    lease_minutes_most: int = 1440
    #: None: however long a verifier takes, no person is asked instead.
    verifier_wait_minutes: int | None = None
    different_connector: bool = False
    different_provider: bool = False
    max_rejections: int = 3
    #: Budgets of an agent: tokens, US cents, minutes; 0 is no limit.
    budget_tokens_soft: int = 0
    budget_tokens_hard: int = 0
    budget_cost_soft: int = 0
    budget_cost_hard: int = 0
    budget_runtime_soft: int = 0
    budget_runtime_hard: int = 0
    #: 0: an agent may be silent for ever.
    watchdog_minutes: int = 10
    create_per_hour: int = 600
    create_burst: int = 100

    def approval_for(self, stage: str) -> str:
        return self.blocker if stage == "blocker" else self.task


SETTINGS: Final = tuple(field.name for field in fields(Resolved))


def policy_of(snapshot: Mapping[str, Any]) -> Resolved:
    """The policy a job was submitted under; what an older snapshot does not name is the default."""
    return replace(Resolved(), **{name: snapshot[name] for name in SETTINGS if name in snapshot})


def policy_resolve(
    *, org_id: UUID, version: int, project_id: UUID | None, connector_id: UUID | None
) -> Resolved:
    """Cached per process under the org's policy version, which steps with every change.

    Without a project it is what holds in the org, whatever its projects say.
    """
    return _resolve(org_id, version, project_id, connector_id)


@lru_cache(maxsize=1024)
def lowest_limits(org_id: UUID, _version: int) -> Mapping[str, int]:
    """Of each budget and the watchdog the lowest that is set anywhere in the org: what stays below
    passes none of them, whatever holds. Cached as `policy_resolve`."""
    names = (*(name for pair in BUDGETS.values() for name in pair), "watchdog_minutes")
    rows = list(Policy.objects.of(org_id).values(*names))
    said = {name: [row[name] for row in rows if row[name]] for name in names}
    return {name: min(values) for name, values in said.items() if values}


@lru_cache(maxsize=4096)
def _resolve(
    org_id: UUID, _version: int, project_id: UUID | None, connector_id: UUID | None
) -> Resolved:
    reach = Q(project=None) | Q(project_id=project_id)
    reach &= Q(connector=None) | Q(connector_id=connector_id)
    rows = Policy.objects.of(org_id).filter(reach).values(*SETTINGS, "project", "connector")
    return policy_merge(sorted(rows, key=_width))


def _width(row: dict[str, Any]) -> int:
    """Wider rows first, so that narrower ones overwrite: org, project, connector, both."""
    return 2 * (row["connector"] is not None) + (row["project"] is not None)


def policy_merge(rows: Iterable[dict[str, Any]]) -> Resolved:
    """One policy of the rows that hold, the wider ones first."""
    resolved = Resolved()
    for row in rows:
        chosen = {name: row[name] for name in SETTINGS if row[name] is not None}
        resolved = replace(resolved, **chosen)
    # A row says 0 for "off", since null there means that it inherits.
    return replace(resolved, verifier_wait_minutes=resolved.verifier_wait_minutes or None)
