"""The one policy that holds for an org, project and connector, from the rows that set it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.db.models import Q

from policy.models import Policy


@dataclass(frozen=True, slots=True)
class Resolved:
    """Every setting with a value: what the narrowest row that sets it says."""

    blocker: str = "automatic"
    task: str = "automatic"
    lease_minutes: int = 60
    lease_minutes_most: int = 1440

    def approval_for(self, stage: str) -> str:
        return self.blocker if stage == "blocker" else self.task


_SETTINGS = ("blocker", "task", "lease_minutes", "lease_minutes_most")


def policy_resolve(
    *, org_id: UUID, version: int, project_id: UUID, connector_id: UUID | None
) -> Resolved:
    """Cached per process under the org's policy version, which steps with every change."""
    return _resolve(org_id, version, project_id, connector_id)


@lru_cache(maxsize=4096)
def _resolve(org_id: UUID, _version: int, project_id: UUID, connector_id: UUID | None) -> Resolved:
    reach = Q(project=None) | Q(project_id=project_id)
    reach &= Q(connector=None) | Q(connector_id=connector_id)
    rows = Policy.objects.of(org_id).filter(reach).values(*_SETTINGS, "project", "connector")
    return _merge(sorted(rows, key=_width))


def _width(row: dict[str, Any]) -> int:
    """Wider rows first, so that narrower ones overwrite: org, project, connector, both."""
    return 2 * (row["connector"] is not None) + (row["project"] is not None)


def _merge(rows: Iterable[dict[str, Any]]) -> Resolved:
    resolved = Resolved()
    for row in rows:
        chosen = {name: row[name] for name in _SETTINGS if row[name] is not None}
        resolved = replace(resolved, **chosen)
    return resolved
