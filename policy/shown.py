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
    return f"{value} minutes" if name.startswith("lease") else str(value)
