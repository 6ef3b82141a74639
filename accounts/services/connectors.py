"""Connectors as an owner or admin sets them up: what they are called, and what they may give."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import F

from accounts.models import Actor, Agent, Connector, Org, Project
from accounts.names import name_clean
from accounts.services.orgs import connector_make
from accounts.states import SCOPES
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Conflict, Forbidden, Missing, invalid_fields
from stuckbot.lib.idempotency import Keep
from stuckbot.lib.unit import unit_of_work

ADMINS_ONLY: Final = "Only an owner or admin can change agents, their keys and connectors."
_TAKEN: Final = "There is a connector of that name already. Choose another name."


@dataclass(frozen=True, slots=True)
class Reach:
    """The most that a connector's agents may do, and where; no project means all of them."""

    scopes: Sequence[str]
    project_ids: frozenset[UUID]


def admin_require(actor: Caller) -> None:
    if not actor.is_admin:
        raise Forbidden(ADMINS_ONLY)


def connector_add(
    *, actor: Caller, name: str, reach: Reach, now: datetime, keep: Keep | None = None
) -> Connector:
    """A connector without a secret yet. 403 for all but admins, 409 when the name is taken, 404
    for a project of another org, 422 for scopes that do not exist."""
    admin_require(actor)
    scopes = _scopes_clean(reach.scopes)
    projects = _projects_named(actor, reach.project_ids)
    try:
        with unit_of_work(actor, now, keep) as unit:
            connector = connector_make(
                org=Org.objects.get(id=actor.org_id),
                name=name,
                scopes=scopes,
                set_up_by=Actor.objects.of(actor.org_id).get(id=actor.id),
                now=now,
            )
            connector.projects.set(projects)
            unit.audit("connector_added", str(connector.id))
            unit.result = connector
    except IntegrityError as error:
        raise Conflict(_TAKEN) from error
    return connector


def connector_change(
    *,
    actor: Caller,
    connector: Connector,
    name: str,
    reach: Reach,
    now: datetime,
    keep: Keep | None = None,
) -> list[str]:
    """Renames it and sets what its agents may do and read, at once for those it has; the names of
    what changed. Refuses as `connector_add` does."""
    admin_require(actor)
    clean, scopes = name_clean(name), _scopes_clean(reach.scopes)
    projects = _projects_named(actor, reach.project_ids)
    rows = Connector.objects.of(actor.org_id).filter(id=connector.id)
    with unit_of_work(actor, now, keep) as unit:
        changed = _differs(rows.select_for_update().get(), clean, scopes, projects)
        if not changed:
            return changed
        try:
            with transaction.atomic():
                rows.update(name=clean, scopes=scopes)
        except IntegrityError as error:
            raise Conflict(_TAKEN) from error
        Actor.objects.of(actor.org_id).filter(id=connector.id).update(name=clean)
        connector.projects.set(projects)
        # What its agents may read is another: a poll that remembers the older answer asks anew.
        Agent.objects.of(actor.org_id).filter(connector_id=connector.id).update(
            flags_version=F("flags_version") + 1
        )
        unit.audit("connector_changed", str(connector.id), fields=changed)
    return changed


def _differs(row: Connector, name: str, scopes: list[str], projects: list[Project]) -> list[str]:
    has = set(row.projects.values_list("id", flat=True))
    differs = {
        "name": row.name != name,
        "scopes": set(row.scopes) != set(scopes),
        "projects": has != {one.id for one in projects},
    }
    return [field for field, is_other in differs.items() if is_other]


def _scopes_clean(scopes: Sequence[str]) -> list[str]:
    """In the order they are shown; refuses what is none."""
    unknown = [one for one in scopes if one not in SCOPES]
    if unknown:
        raise invalid_fields(
            [("scopes", f"There is no scope {one[:60]!r}.") for one in unknown[:5]]
        )
    return [one for one in SCOPES if one in scopes]


def _projects_named(actor: Caller, project_ids: frozenset[UUID]) -> list[Project]:
    found = list(Project.objects.of(actor.org_id).filter(id__in=project_ids))
    if len(found) != len(project_ids):
        raise Missing
    return found
