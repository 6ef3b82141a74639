"""Reads of policies: what is set where, and what holds with where each value comes from."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from policy.models import Policy
from policy.resolve import SETTINGS, Resolved, policy_merge
from stuckbot.lib.caller import Caller


@dataclass(frozen=True, slots=True)
class Holds:
    """What holds for an org or a project, and who set it: `default`, `org` or `project`."""

    policy: Resolved
    set_by: dict[str, str]
    #: The row of its own, if there is one.
    own: Policy | None


@dataclass(frozen=True, slots=True)
class Policies:
    """All of an org's policies as they are in one read."""

    org: Policy | None
    projects: dict[UUID, Policy]
    #: Those for a single connector's agents, everywhere or in one project.
    connectors: list[Policy]

    def of_org(self) -> Holds:
        return _holds(self.org, (("org", self.org),))

    def of_project(self, project_id: UUID) -> Holds:
        own = self.projects.get(project_id)
        return _holds(own, (("org", self.org), ("project", own)))


def policies_get(*, actor: Caller) -> Policies:
    """One read of them all. Whoever reads a ticket may know what it takes to be approved."""
    rows = Policy.objects.of(actor.org_id).select_related("project", "connector").order_by("id")
    narrow, projects, org = [], {}, None
    for row in rows:
        if row.connector_id is not None:
            narrow.append(row)
        elif row.project_id is not None:
            projects[row.project_id] = row
        else:
            org = row
    return Policies(org, projects, narrow)


def policy_values(row: Policy | None) -> dict[str, Any]:
    """What a row says of each setting; None where it inherits."""
    return {name: getattr(row, name, None) for name in SETTINGS}


def _holds(own: Policy | None, rows: Iterable[tuple[str, Policy | None]]) -> Holds:
    set_by = dict.fromkeys(SETTINGS, "default")
    said = [(who, policy_values(row)) for who, row in rows]
    for who, values in said:
        set_by |= {name: who for name, value in values.items() if value is not None}
    return Holds(policy_merge(values for _who, values in said), set_by, own)
