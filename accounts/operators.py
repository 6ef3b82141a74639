"""How the operators' admin acts on an org: as whom, through which service, with what audit."""

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db import models
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.models import Actor, Membership, User
from accounts.selectors import caller_of_membership
from accounts.services.orgs import system_caller
from accounts.states import Role
from stuckbot.lib import clock
from stuckbot.lib.admin import AnyAdmin, AnyForm, Kept, secret_shown
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Refusal, Stale
from stuckbot.lib.unit import unit_of_work

Button = Callable[[HttpRequest, Any], HttpResponse | None]
Make = Callable[[HttpRequest, dict[str, Any]], tuple[str, str]]


def acting(request: HttpRequest, org_id: UUID) -> Caller:
    """The operator as a member of that org; the desk itself where they are none."""
    assert isinstance(request.user, User)
    members = Membership.objects.of(org_id).filter(user=request.user)
    member = members.select_related("org", "actor").first()
    return system_caller(org_id) if member is None else caller_of_membership(member)


def acting_on_work(request: HttpRequest, org_id: UUID) -> Caller:
    """Who moves tickets: the operator as a member; else an admin's rights in the desk's name.

    The audit says which operator it was.
    """
    caller = acting(request, org_id)
    if caller.is_member:
        return caller
    desk = system_caller(org_id)
    return Caller(desk.id, org_id, kind="person", name=desk.name, role=Role.ADMIN)


def actor_of(caller: Caller) -> Actor | None:
    """The actor to name as the one who set something up; none for the desk itself."""
    if caller.kind == "system":
        return None
    return Actor.objects.of(caller.org_id).get(id=caller.id)


def note(request: HttpRequest, org_id: UUID, action: str, target: str = "", **data: Any) -> None:
    """An audit entry for an act that no service writes one for. Codes and ids alone."""
    caller = acting(request, org_id)
    with unit_of_work(caller, clock.now()) as unit:
        unit.audit(action, target, operator=str(request.user.pk), **data)


class ServiceAdmin(Kept):
    """A form whose new rows are made by a service and whose changes are audited.

    `add_fields` are asked for when a row is made; `fixed_fields` cannot be changed later; `kind`
    names the audit's entries.
    """

    add_fields: tuple[str, ...] = ()
    fixed_fields: tuple[str, ...] = ()
    kind = ""

    def make(self, request: HttpRequest, row: Any, form: AnyForm) -> models.Model:
        """The service's row for what the form asks for."""
        raise NotImplementedError

    def org_of(self, row: Any) -> UUID:
        return row.org_id  # type: ignore[no-any-return]

    def changed(self, row: Any) -> None:
        """What must follow a change, inside its transaction."""

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.add_fields if obj is None else super().get_fields(request, obj)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return () if obj is None else (*self.fixed_fields, *self.readonly_fields)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if not change:
            made = self.make(request, obj, form)
            obj.pk = made.pk
            obj._state.adding = False
            obj.refresh_from_db()
        org_id = self.org_of(obj)
        with unit_of_work(acting(request, org_id), clock.now()) as unit:
            if change:
                super().save_model(request, obj, form, change)
            self.changed(obj)
            done = f"{self.kind}_{'changed' if change else 'added'}"
            unit.audit(done, str(obj.pk), fields=form.changed_data, operator=str(request.user.pk))


def button_urls(owner: AnyAdmin, **buttons: Button) -> list[URLPattern]:
    """An address below a row for each button of its page; they answer to POST alone."""
    name = f"{owner.opts.app_label}_{owner.opts.model_name}"
    return [
        path(
            f"<path:object_id>/{verb}/",
            owner.admin_site.admin_view(require_POST(partial(_press, owner, press))),
            name=f"{name}_{verb}",
        )
        for verb, press in buttons.items()
    ]


def _press(owner: AnyAdmin, press: Button, request: HttpRequest, object_id: str) -> HttpResponse:
    row = owner.get_object(request, unquote(object_id))
    if row is None:
        raise Http404
    if not may_press(owner, request, row):
        raise PermissionDenied
    answer = _tried(owner, press, request, row)
    if isinstance(answer, Asked):
        return answer
    verb = request.path.rstrip("/").rsplit("/", 1)[-1]
    owner.log_change(request, row, f"Pressed {verb}.")
    if answer is not None:
        return answer
    messages.success(request, _("Done."))
    return HttpResponseRedirect(row_url(row))


class Asked(HttpResponse):
    """The answer of a button that wants to be sure first: nothing was done yet."""


def may_press(owner: AnyAdmin, request: HttpRequest, row: Any = None) -> bool:
    """Some rows have no field to change, so who may look and add may press too."""
    press = getattr(owner, "has_press_permission", None)
    if press is not None:
        return bool(press(request))
    return owner.has_change_permission(request, row) or owner.has_add_permission(request)


def confirmed(question: Callable[[Any], str], press: Button) -> Button:
    """A button that asks `question` before it does what cannot be undone."""

    def ask(request: HttpRequest, row: Any) -> HttpResponse | None:
        if request.POST.get("sure") == "yes":
            return press(request, row)
        context = {
            **admin.site.each_context(request),
            "title": _("Are you sure?"),
            "question": question(row),
            "row": row,
            "opts": row._meta,
            "back": row_url(row),
        }
        return Asked(render_to_string("admin/confirm.html", context, request))

    return ask


def _tried(owner: AnyAdmin, press: Button, request: HttpRequest, row: Any) -> HttpResponse | None:
    """Presses the button; what moved meanwhile is tried anew, a refusal is said on the page."""
    for _attempt in range(5):
        try:
            return press(request, row)
        except Stale:
            continue
        except Refusal as refused:
            messages.error(request, refused.message)
            return HttpResponseRedirect(row_url(row))
    messages.error(request, _("Others are changing it right now. Try again."))
    return HttpResponseRedirect(row_url(row))


def row_url(row: models.Model) -> str:
    name = f"admin:{row._meta.app_label}_{row._meta.model_name}_change"
    return reverse(name, args=[row.pk])


def secret_form(
    owner: AnyAdmin,
    request: HttpRequest,
    *,
    form: forms.Form,
    title: Any,
    make: Make,
) -> HttpResponse:
    """Asks for what a secret is made from, makes it and sends on to where it is shown once."""
    if not owner.has_add_permission(request):
        raise PermissionDenied
    if request.method == "POST" and form.is_valid():
        secret, back = make(request, form.cleaned_data)
        return secret_shown(request, title=str(title), secret=secret, back=back)
    context = {**owner.admin_site.each_context(request), "title": title, "form": form}
    return render(request, "admin/secret_form.html", context | {"opts": owner.opts})


def org_asked(
    owner: AnyAdmin, request: HttpRequest, *, form: forms.Form, title: Any
) -> HttpResponse:
    """Asks for the org by a plain form that leads to the same address with it."""
    if not owner.has_add_permission(request):
        raise PermissionDenied
    context = {**owner.admin_site.each_context(request), "title": title, "form": form}
    return render(request, "admin/org_asked.html", context | {"opts": owner.opts})


def each_confirmed(
    owner: AnyAdmin,
    request: HttpRequest,
    rows: list[Any],
    *,
    title: Any,
    question: Any,
    act: Callable[[HttpRequest, Any], object],
    note: Any = "",
) -> HttpResponse | None:
    """An action of a list: asks first (for a note too where `note` names one), then does each row.

    What is refused is said and left as it was; the others are done.
    """
    if request.POST.get("sure") != "yes":
        context = {
            **owner.admin_site.each_context(request),
            "title": title,
            "question": question,
            "rows": rows,
            "note": note,
            "action": request.POST.get("action", ""),
            "opts": owner.opts,
        }
        return render(request, "admin/confirm_each.html", context)
    done = sum(_each(owner, request, row, act) for row in rows)
    messages.success(request, _("Done for {done} of {all}.").format(done=done, all=len(rows)))
    return None


def _each(
    owner: AnyAdmin, request: HttpRequest, row: Any, act: Callable[[HttpRequest, Any], object]
) -> bool:
    for _attempt in range(5):
        try:
            act(request, row)
        except Stale:
            continue
        except Refusal as refused:
            messages.error(request, f"{row}: {refused.message}")
            return False
        owner.log_change(request, row, f"{request.POST.get('action', '')}.")
        return True
    messages.error(request, _("{row}: others are changing it right now.").format(row=row))
    return False
