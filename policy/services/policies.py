"""The one way to write a policy, for the page, the admin and the command."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from accounts.models import Connector, Org, Project
from accounts.services.orgs import policy_touched
from policy.checks import faults_of
from policy.models import Policy
from policy.resolve import SETTINGS
from policy.selectors import policy_values
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Conflict, Forbidden, Missing, invalid_fields
from stuckbot.lib.idempotency import Keep
from stuckbot.lib.unit import Unit, unit_of_work

ADMINS_ONLY: Final = "Only an owner or admin can change the policy."
STALE: Final = "policy_changed"


@dataclass(frozen=True, slots=True)
class Reach:
    """What a policy is for: the whole org, a project, a connector's agents, or these in that."""

    project_id: UUID | None = None
    connector_id: UUID | None = None


#: The whole org.
WHOLE: Final = Reach()


def policy_mark(row: Policy | None) -> str:
    """Stands for what a row says: who changes it by a form sends the mark that the form showed."""
    values = [getattr(row, name, None) for name in SETTINGS]
    return hashlib.sha256(repr(values).encode()).hexdigest()[:16]


def policy_set(
    *,
    actor: Caller,
    changes: Mapping[str, Any],
    now: datetime,
    reach: Reach = WHOLE,
    seen: str | None = None,
    operator: str = "",
    keep: Keep | None = None,
) -> Policy | None:
    """Makes `changes` to the policy of `reach`, which is made if there is none; None inherits.

    For an owner or admin, and for the desk itself or an `operator`. It holds for what is submitted
    or claimed from then on. What changes nothing is no change: no audit entry, no version step.
    422 with every fault at once; 409 `policy_changed` when `seen` is not what it says now.
    """
    _allow(actor, operator)
    if faults := faults_of(changes):
        raise invalid_fields(faults)
    with unit_of_work(actor, now, keep) as unit:
        row = _locked(actor, reach)
        _seen_check(row, seen)
        if faults := faults_of(changes, policy_values(row)):
            raise invalid_fields(faults)
        if row is None:
            _reach_check(actor, reach)
        row = _written(unit, reach, row, changes, operator)
    return row


def policy_clear(
    *,
    actor: Caller,
    now: datetime,
    reach: Reach = WHOLE,
    seen: str | None = None,
    operator: str = "",
    keep: Keep | None = None,
) -> bool:
    """Takes the whole policy of `reach` away, so that the wider one holds; False if none was."""
    _allow(actor, operator)
    with unit_of_work(actor, now, keep) as unit:
        row = _locked(actor, reach)
        _seen_check(row, seen)
        if row is None:
            _reach_check(actor, reach)
            return False
        target = str(row.id)
        row.delete()
        policy_touched(org_id=actor.org_id)
        unit.audit("policy_removed", target, **_named(reach, operator))
    return True


def _allow(actor: Caller, operator: str) -> None:
    if not (actor.is_admin or actor.kind == "system" or operator):
        raise Forbidden(ADMINS_ONLY)


def _locked(actor: Caller, reach: Reach) -> Policy | None:
    """The row as it is now; whoever else changes a policy of this org waits."""
    Org.objects.select_for_update(no_key=True).get(id=actor.org_id)
    rows = Policy.objects.of(actor.org_id)
    return rows.filter(project=reach.project_id, connector=reach.connector_id).first()


def _seen_check(row: Policy | None, seen: str | None) -> None:
    if seen is not None and seen != policy_mark(row):
        raise Conflict("Somebody changed this policy meanwhile. Look at it again.", code=STALE)


def _reach_check(actor: Caller, reach: Reach) -> None:
    """A stranger's project or connector is as good as none."""
    for model, chosen in ((Project, reach.project_id), (Connector, reach.connector_id)):
        if chosen is not None and not model.objects.of(actor.org_id).filter(id=chosen).exists():
            raise Missing


def _written(
    unit: Unit, reach: Reach, row: Policy | None, changes: Mapping[str, Any], operator: str
) -> Policy | None:
    org_id = unit.actor.org_id
    is_new = row is None
    if row is None:
        row = Policy(org_id=org_id, project_id=reach.project_id, connector_id=reach.connector_id)
    changed = {
        name: [getattr(row, name), value]
        for name, value in changes.items()
        if getattr(row, name) != value
    }
    if not changed:
        return None if is_new else row
    for name, (_before, value) in changed.items():
        setattr(row, name, value)
    row.save(force_insert=is_new)
    policy_touched(org_id=org_id)
    done = "policy_added" if is_new else "policy_changed"
    unit.audit(done, str(row.id), changed=changed, **_named(reach, operator))
    return row


def _named(reach: Reach, operator: str) -> dict[str, str]:
    """What the audit says beside the change: ids alone."""
    named = {
        "project_id": reach.project_id,
        "connector_id": reach.connector_id,
        "operator": operator,
    }
    return {name: str(value) for name, value in named.items() if value}
