"""Pausing a project or everything by a button, and who did it and why."""

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import Project
from accounts.pauses import pause_of
from accounts.selectors import projects_list
from accounts.services.pausing import org_pause, project_pause
from stuckbot.lib.errors import Missing, invalid_fields
from stuckbot.site.pages.acts_forms import NOTE, TextField
from stuckbot.site.pages.doors import member_post, see_other
from stuckbot.site.pages.once import done_once
from stuckbot.site.pages.times import time_shown
from stuckbot.site.pages.visitor import Visitor, org_query


class PauseForm(forms.Form):
    """Why it is paused; shown on every ticket that it holds up."""

    template_name = "parts/fields.html"
    reason = TextField(
        label=gettext_lazy("Why"),
        max_length=NOTE,
        required=False,
        rows=2,
        help_text=gettext_lazy("It stands on every ticket that waits for this."),
    )


@dataclass(frozen=True, slots=True)
class PauseShown:
    """`form` is there while nothing is paused and the reader may do it."""

    action: str
    is_paused: bool
    by: str
    reason: str
    at: SafeString | None
    form: PauseForm | None
    may: bool


def pause_shown(visitor: Visitor, project: Project | None, now: datetime) -> PauseShown:
    """The pause of a project, or of everything."""
    pause = pause_of(visitor.org if project is None else project)
    may = visitor.caller.is_member
    return PauseShown(
        action=_place(project) + org_query(visitor),
        is_paused=pause is not None,
        by=pause.by if pause else "",
        reason=pause.reason if pause else "",
        at=time_shown(pause.at, now) if pause else None,
        form=PauseForm(label_suffix="") if may and pause is None else None,
        may=may,
    )


def _place(project: Project | None) -> str:
    if project is None:
        return reverse("policy_pause")
    return reverse("policy_project_pause", kwargs={"project_id": project.id})


def _org(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    paused, reason = _wish(request)
    run = partial(org_pause, actor=visitor.caller, paused=paused, reason=reason)
    done_once(request, visitor.caller, lambda keep, now: run(now=now, keep=keep))
    told = _("Everything is paused.") if paused else _("Everything goes on.")
    messages.success(request, told)
    return see_other("policy", org_query(visitor))


def _project(request: HttpRequest, visitor: Visitor, project_id: UUID) -> HttpResponse:
    projects = {one.id: one.name for one in projects_list(actor=visitor.caller)}
    if project_id not in projects:
        raise Missing
    paused, reason = _wish(request)
    run = partial(
        project_pause, actor=visitor.caller, project_id=project_id, paused=paused, reason=reason
    )
    done_once(request, visitor.caller, lambda keep, now: run(now=now, keep=keep))
    told = _("%(project)s is paused.") if paused else _("%(project)s goes on.")
    messages.success(request, told % {"project": projects[project_id]})
    return see_other("policy", org_query(visitor))


def _wish(request: HttpRequest) -> tuple[bool, str | None]:
    """Whether to pause or to resume, and why."""
    form = PauseForm(request.POST)
    if not form.is_valid():
        raise invalid_fields([("reason", str(form.errors["reason"][0]))])
    return request.POST.get("act") != "resume", form.cleaned_data["reason"] or None


policy_pause = member_post(_org, back="policy")
policy_project_pause = member_post(_project, back="policy")
