"""Pausing a project or the whole org: nothing of it is offered or claimed until resumed."""

from datetime import datetime
from uuid import UUID

from accounts.models import Org, Project
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Forbidden, Missing
from stuckbot.lib.idempotency import Keep
from stuckbot.lib.unit import unit_of_work


def project_pause(
    *,
    actor: Caller,
    project_id: UUID,
    paused: bool,
    now: datetime,
    keep: Keep | None = None,
) -> Project:
    """Pauses or resumes a project; leases that run go on. Members alone; again does no harm."""
    project = Project.objects.of(actor.org_id).filter(id=project_id).first()
    if project is None or not actor.reads_project(project_id):
        raise Missing
    _member_require(actor)
    with unit_of_work(actor, now, keep) as unit:
        project.paused_at = (project.paused_at or now) if paused else None
        Project.objects.of(actor.org_id).filter(id=project_id).update(paused_at=project.paused_at)
        unit.audit("project_paused" if paused else "project_resumed", str(project_id))
        unit.offer_changed()
        unit.colour_changed()
        unit.result = project
    return project


def org_pause(*, actor: Caller, paused: bool, now: datetime, keep: Keep | None = None) -> Org:
    """Pauses or resumes everything of the org."""
    _member_require(actor)
    org = Org.objects.get(id=actor.org_id)
    with unit_of_work(actor, now, keep) as unit:
        org.paused_at = (org.paused_at or now) if paused else None
        Org.objects.filter(id=org.id).update(paused_at=org.paused_at)
        unit.audit("org_paused" if paused else "org_resumed", str(org.id))
        unit.offer_changed()
        unit.colour_changed()
        unit.result = org
    return org


def _member_require(actor: Caller) -> None:
    if not actor.is_member:
        raise Forbidden("Only an owner, admin or member can pause or resume.")
