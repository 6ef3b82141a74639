"""Pausing projects and the org over the wire; members alone."""

from typing import Any

from accounts.models import Org, Project
from accounts.services.pausing import org_pause, project_pause
from stuckbot.lib import ids
from stuckbot.lib.errors import Missing
from stuckbot.lib.idempotency import Answer
from stuckbot.site.api import shapes
from stuckbot.site.api.call import Call, done
from stuckbot.site.api.operations import operation

PROJECT = shapes.record(
    {"project": shapes.record({"id": shapes.UUID, "name": shapes.PLAIN, "paused": shapes.FLAG})}
)
ORG = shapes.record(
    {"org": shapes.record({"id": shapes.UUID, "name": shapes.PLAIN, "paused": shapes.FLAG})}
)


def _project(call: Call, paused: bool) -> Answer:
    project_id = ids.parse_uuid(call.ref)
    if project_id is None:
        raise Missing

    def shown(project: Project) -> dict[str, Any]:
        state = bool(project.paused_at or call.actor.org_paused)
        return {"project": {"id": str(project.id), "name": project.name, "paused": state}}

    keep = call.keep(shown)
    project_pause(
        actor=call.actor,
        project_id=project_id,
        paused=paused,
        reason=call.text("reason"),
        now=call.now,
        keep=keep,
    )
    return done(keep)


def _org(call: Call, paused: bool) -> Answer:
    def shown(org: Org) -> dict[str, Any]:
        return {"org": {"id": str(org.id), "name": org.name, "paused": bool(org.paused_at)}}

    keep = call.keep(shown)
    reason = call.text("reason")
    org_pause(actor=call.actor, paused=paused, reason=reason, now=call.now, keep=keep)
    return done(keep)


@operation(
    "pause_project", "POST", "/projects/{id}/pause", body=shapes.REASON_MAYBE, answer=PROJECT
)
def pause_project(call: Call) -> Answer:
    """Keep every ticket of a project from being offered or claimed; members alone."""
    return _project(call, paused=True)


@operation("resume_project", "POST", "/projects/{id}/resume", answer=PROJECT)
def resume_project(call: Call) -> Answer:
    """Let a paused project's tickets be offered again; members alone."""
    return _project(call, paused=False)


@operation("pause_org", "POST", "/org/pause", body=shapes.REASON_MAYBE, answer=ORG)
def pause_org(call: Call) -> Answer:
    """Keep everything of the org from being offered or claimed; members alone."""
    return _org(call, paused=True)


@operation("resume_org", "POST", "/org/resume", answer=ORG)
def resume_org(call: Call) -> Answer:
    """Let everything of a paused org be offered again; members alone."""
    return _org(call, paused=False)
