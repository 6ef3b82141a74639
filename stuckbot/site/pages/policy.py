"""Who has to agree to a fix: the org's policy, and each project's own."""

from dataclasses import dataclass
from functools import partial
from typing import Any, Final
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from accounts.models import Project
from accounts.selectors import projects_list
from policy.models import Policy
from policy.selectors import Holds, Policies, policies_get, policy_values
from policy.services.policies import ADMINS_ONLY, STALE, Reach, policy_mark, policy_set
from stuckbot.lib import clock
from stuckbot.lib.errors import Conflict, Forbidden, Invalid, Missing, Refusal, Unavailable
from stuckbot.site.pages.doors import member_post, see_other
from stuckbot.site.pages.once import done_once, key_make
from stuckbot.site.pages.pausing import pause_shown
from stuckbot.site.pages.policy_agents import AGENTS
from stuckbot.site.pages.policy_forms import APPROVALS, MORE, SHOWN, PolicyForm
from stuckbot.site.pages.policy_words import APPROVAL_HELP, TITLE, value_words
from stuckbot.site.pages.verifiers_shown import verifiers_shown
from stuckbot.site.pages.visitor import Visitor, member_page, org_query, show

_SHOWN_SEEN: Final = 32


@dataclass(frozen=True, slots=True)
class Line:
    """A setting as it is read: what holds, what that means, whether it is set for this place."""

    title: str | Promise
    word: str
    help: str | Promise
    is_own: bool


@dataclass(frozen=True, slots=True)
class ProjectShown:
    id: UUID
    name: str
    is_own: bool
    lines: list[Line]
    is_paused: bool


@dataclass(frozen=True, slots=True)
class Place:
    """What a form is of: the org, or one of its projects."""

    project: Project | None
    policies: Policies

    @property
    def holds(self) -> Holds:
        if self.project is None:
            return self.policies.of_org()
        return self.policies.of_project(self.project.id)

    def form(self, data: Any = None) -> PolicyForm:
        wider = None if self.project is None else self.policies.of_org().policy
        return PolicyForm(self.holds, wider, data)


@member_page
def policy_page(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    """The org's policy and, beneath, what is otherwise in its projects."""
    return policy_shown(request, visitor)


def policy_shown(
    request: HttpRequest,
    visitor: Visitor,
    *,
    verifiers: dict[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    """The same page, with the part about verifiers as it is given."""
    place = Place(None, policies_get(actor=visitor.caller))
    return _page(request, visitor, place, verifiers=verifiers, status=status)


@member_page
def policy_project_page(request: HttpRequest, visitor: Visitor, project_id: UUID) -> HttpResponse:
    return _page(request, visitor, _project_place(visitor, project_id))


def _project_place(visitor: Visitor, project_id: UUID) -> Place:
    projects = {one.id: one for one in projects_list(actor=visitor.caller)}
    if project_id not in projects:
        raise Missing
    return Place(projects[project_id], policies_get(actor=visitor.caller))


def _page(
    request: HttpRequest,
    visitor: Visitor,
    place: Place,
    form: PolicyForm | None = None,
    *,
    fault: str = "",
    elsewhere: list[tuple[str, str]] | None = None,
    verifiers: dict[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    """Who may change it gets the form, the others read it."""
    is_admin = visitor.caller.is_admin
    context: dict[str, Any] = {
        "place": "policy",
        "project": place.project,
        "form": (form or place.form()) if is_admin else None,
        "lines": _lines(place.holds, SHOWN, "org" if place.project is None else "project"),
        "seen": policy_mark(place.holds.own),
        "key": key_make(),
        "fault": fault,
        "elsewhere": elsewhere or [],
        "org": org_query(visitor),
        "pause": pause_shown(visitor, place.project, clock.now()),
    }
    if place.project is None:
        context |= _others(visitor, place.policies)
        context["verifiers"] = verifiers or verifiers_shown(visitor)
    name = "policy/policy.html" if place.project is None else "policy/project.html"
    response = show(request, visitor, name, context)
    response.status_code = status
    return response


def _others(visitor: Visitor, policies: Policies) -> dict[str, Any]:
    """The projects with what is their own, and what is set for single connectors."""
    projects = projects_list(actor=visitor.caller)
    return {
        "projects": [_project_shown(one, policies) for one in projects],
        "connectors": [_connector_shown(one) for one in policies.connectors],
    }


def _lines(holds: Holds, names: tuple[str, ...], who: str) -> list[Line]:
    return [
        Line(
            TITLE[name],
            value_words(name, getattr(holds.policy, name)),
            APPROVAL_HELP[getattr(holds.policy, name)] if name in APPROVALS else "",
            holds.set_by[name] == who,
        )
        for name in names
    ]


def _project_shown(project: Project, policies: Policies) -> ProjectShown:
    holds = policies.of_project(project.id)
    more = tuple(name for name in (*MORE, *AGENTS) if holds.set_by[name] == "project")
    lines = _lines(holds, (*APPROVALS, *more), "project")
    is_own, is_paused = any(one.is_own for one in lines), project.paused_at is not None
    return ProjectShown(project.id, project.name, is_own, lines, is_paused)


def _connector_shown(row: Policy) -> dict[str, Any]:
    said = {name: value for name, value in policy_values(row).items() if name in SHOWN}
    return {
        "name": row.connector.name if row.connector else "",
        "project": row.project.name if row.project else "",
        "lines": [
            (TITLE[name], value_words(name, value))
            for name, value in said.items()
            if value is not None
        ],
    }


def _save_org(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    _admin_only(visitor)
    return _save(request, visitor, Place(None, policies_get(actor=visitor.caller)))


def _save_project(request: HttpRequest, visitor: Visitor, project_id: UUID) -> HttpResponse:
    _admin_only(visitor)
    return _save(request, visitor, _project_place(visitor, project_id))


def _admin_only(visitor: Visitor) -> None:
    if not visitor.caller.is_admin:
        raise Forbidden(ADMINS_ONLY)


def _save(request: HttpRequest, visitor: Visitor, place: Place) -> HttpResponse:
    """Changes what was filled in otherwise; a refusal shows the form again as it was filled in."""
    form = place.form(request.POST)
    if not form.is_valid():
        return _page(request, visitor, place, form, status=422)
    run = partial(
        policy_set,
        actor=visitor.caller,
        changes=form.changes(),
        reach=Reach(place.project.id if place.project else None),
        seen=request.POST.get("seen", "")[:_SHOWN_SEEN],
    )
    try:
        done_once(request, visitor.caller, lambda keep, now: run(now=now, keep=keep))
    except (Conflict, Invalid, Unavailable) as refusal:
        return _refused(request, visitor, place, refusal)
    told = _("The policy is saved. It holds for what is submitted from now on.")
    if place.project is not None:
        told = _("The policy of %(project)s is saved. It holds for what is submitted from now on.")
        told %= {"project": place.project.name}
    messages.success(request, told)
    return see_other("policy", org_query(visitor))


def _refused(
    request: HttpRequest, visitor: Visitor, place: Place, refusal: Refusal
) -> HttpResponse:
    """What was filled in beside what somebody else saved meanwhile: saving again is up to them."""
    fresh = Place(place.project, policies_get(actor=visitor.caller))
    form = fresh.form(request.POST)
    return _page(
        request,
        visitor,
        fresh,
        form,
        fault=refusal.message,
        elsewhere=form.elsewhere(fresh.holds) if refusal.code == STALE else [],
        status=refusal.status,
    )


policy_save = member_post(_save_org, back="policy")
policy_project_save = member_post(_save_project, back="policy")
