"""Pausing a project or the whole org: nothing of it is offered or claimed until resumed."""

from datetime import datetime
from typing import Any
from uuid import UUID

from accounts.models import Org, Project
from stuckbot.lib import content
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Forbidden, Missing
from stuckbot.lib.idempotency import Keep
from stuckbot.lib.masking import mask_text
from stuckbot.lib.models import Content
from stuckbot.lib.unit import Unit, unit_of_work


def project_pause(
    *,
    actor: Caller,
    project_id: UUID,
    paused: bool,
    reason: str | None = None,
    now: datetime,
    keep: Keep | None = None,
) -> Project:
    """Pauses or resumes a project; leases that run go on. Members alone; again does no harm.

    Who paused it and why is shown on each of its tickets until it is resumed. Pausing what is
    paused gives another reason when there is one, and changes nothing otherwise.
    """
    project = Project.objects.of(actor.org_id).filter(id=project_id).first()
    if project is None or not actor.reads_project(project_id):
        raise Missing
    _member_require(actor)
    body = _reason(actor, reason) if paused else None
    with unit_of_work(actor, now, keep) as unit:
        columns = _columns(unit, project, paused, body)
        if columns:
            Project.objects.of(actor.org_id).filter(id=project_id).update(**columns)
            project.paused_at = columns["paused_at"]
            _tell(unit, "project_paused" if paused else "project_resumed", str(project_id))
        unit.result = project
    return project


def org_pause(
    *,
    actor: Caller,
    paused: bool,
    reason: str | None = None,
    now: datetime,
    keep: Keep | None = None,
) -> Org:
    """Pauses or resumes everything of the org, likewise."""
    _member_require(actor)
    org = Org.objects.get(id=actor.org_id)
    body = _reason(actor, reason) if paused else None
    with unit_of_work(actor, now, keep) as unit:
        columns = _columns(unit, org, paused, body)
        if columns:
            Org.objects.filter(id=org.id).update(**columns)
            org.paused_at = columns["paused_at"]
            _tell(unit, "org_paused" if paused else "org_resumed", str(org.id))
        unit.result = org
    return org


def _columns(
    unit: Unit, place: Project | Org, paused: bool, body: Content | None
) -> dict[str, Any]:
    """What changes; nothing for a second pause that gives no reason, or when nothing is paused."""
    if not paused:
        if place.paused_at is None:
            return {}
        return {"paused_at": None, "paused_by_id": None, "pause_reason_id": None}
    if place.paused_at is not None and body is None:
        return {}
    if body is not None:
        unit.store(body)
        unit.flush_content()
    return {
        "paused_at": place.paused_at or unit.now,
        "paused_by_id": unit.actor.id,
        "pause_reason_id": body.id if body else None,
    }


def _reason(actor: Caller, reason: str | None) -> Content | None:
    if reason is None or not reason.strip():
        return None
    return content.prepare(
        org_id=actor.org_id, kind="reason", body=mask_text(reason, "pause.reason"), root_id=None
    )


def _tell(unit: Unit, action: str, target: str) -> None:
    unit.audit(action, target)
    unit.offer_changed()
    unit.colour_changed()


def _member_require(actor: Caller) -> None:
    if not actor.is_member:
        raise Forbidden("Only an owner, admin or member can pause or resume.")
