"""What holds, as `manage.py policy` prints it."""

import json
from dataclasses import asdict
from typing import Any, Final

from accounts.models import Org, Project
from policy.selectors import Holds
from policy.states import Approval

_NAMES: Final = {
    "blocker": "Blocker fixes",
    "task": "Finished tasks",
    "verifier_wait_minutes": "A person is asked instead",
    "different_connector": "Verifier of a different connector",
    "different_provider": "Verifier of a different provider",
    "max_rejections": "Rejections before a person",
    "budget_tokens_soft": "Tokens before a handoff",
    "budget_tokens_hard": "Tokens before a stop",
    "budget_cost_soft": "Cost before a handoff",
    "budget_cost_hard": "Cost before a stop",
    "budget_runtime_soft": "Time at work before a handoff",
    "budget_runtime_hard": "Time at work before a stop",
    "watchdog_minutes": "Silence before tickets are freed",
    "create_per_hour": "Tickets filed an hour",
    "create_burst": "Tickets filed at once",
    "lease_minutes": "Lease unless asked otherwise",
    "lease_minutes_most": "Longest lease",
}
_SET_BY: Final = {
    "default": "the default",
    "org": "set for the org",
    "project": "set for the project",
}


def as_json(org: Org, project: Project | None, holds: Holds) -> str:
    values = asdict(holds.policy)
    settings = {name: {"value": values[name], "set_by": holds.set_by[name]} for name in _NAMES}
    ids = {"org_id": str(org.id), "project_id": str(project.id) if project else None}
    return json.dumps(ids | {"policy": settings})


def as_text(org: Org, project: Project | None, holds: Holds) -> str:
    values = asdict(holds.policy)
    rows = [
        (title, _words(name, values[name]), _SET_BY[holds.set_by[name]])
        for name, title in _NAMES.items()
    ]
    wide = [max(len(row[column]) for row in rows) for column in (0, 1)]
    heading = f"{org.name}, project {project.name}" if project else org.name
    lines = [f"  {one:<{wide[0]}}  {two:<{wide[1]}}  ({three})" for one, two, three in rows]
    return "\n".join([heading, *lines])


def _words(name: str, value: Any) -> str:
    if name in ("blocker", "task"):
        return f"{value} ({Approval(value).label})"
    if name == "verifier_wait_minutes":
        return "off" if value is None else f"after {value} minutes"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name.startswith("budget") and not value:
        return "no limit"
    if name == "watchdog_minutes" and not value:
        return "off"
    if name.startswith("budget_cost"):
        return f"${value / 100:,.2f}"
    if name.startswith(("budget_runtime", "watchdog")):
        return f"{value} minutes"
    if name.startswith(("budget", "create")):
        return f"{value:,}"
    return f"{value} minutes" if name.startswith("lease") else str(value)
