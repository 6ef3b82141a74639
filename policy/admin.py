"""Policies for the operators, written through the same service as by anybody else."""

from typing import Any, ClassVar, Final

from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts import operators
from policy.checks import faults_of
from policy.models import Policy
from policy.resolve import SETTINGS
from policy.services.policies import Reach, policy_clear, policy_set
from policy.states import BUDGETS
from stuckbot.lib import clock
from stuckbot.lib.admin import AnyForm

_OF_AGENTS: Final = (*(name for pair in BUDGETS.values() for name in pair), "watchdog_minutes")


class PolicyForm(AnyForm):
    class Meta:
        model = Policy
        fields = (
            *("org", "project", "connector", "blocker", "task"),
            *("verifier_wait_minutes", "different_connector", "different_provider"),
            *("max_rejections", "lease_minutes", "lease_minutes_most"),
            *("budget_tokens_soft", "budget_tokens_hard", "budget_cost_soft", "budget_cost_hard"),
            *("budget_runtime_soft", "budget_runtime_hard", "watchdog_minutes"),
            *("create_per_hour", "create_burst"),
        )
        help_texts: ClassVar = {
            **dict.fromkeys(BUDGETS["cost"], _("In US cents; 0 is no limit.")),
            **dict.fromkeys(BUDGETS["tokens"], _("0 is no limit.")),
            **dict.fromkeys(BUDGETS["runtime"], _("In minutes; 0 is no limit.")),
            "watchdog_minutes": _("0 is never."),
        }

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        org = values.get("org") or getattr(self.instance, "org", None)
        for name in ("project", "connector"):
            chosen = values.get(name)
            if chosen is not None and org is not None and chosen.org_id != org.id:
                self.add_error(name, ValidationError(_("This one is of another org.")))
        # The fields check themselves but for what numbers say of each other.
        agents = {name: _set(values)[name] for name in _OF_AGENTS if name not in self.errors}
        for name, fault in faults_of(agents):
            self.add_error(name, ValidationError(fault))
        if self.instance._state.adding and not self.errors and _sets_nothing(values):
            self.add_error(None, ValidationError(_("Set something: this changes nothing.")))
        return values


def _set(values: dict[str, Any]) -> dict[str, Any]:
    """What the form says of each setting that it shows; an empty word inherits, as null does."""
    said = {name: values.get(name) for name in SETTINGS}
    return {name: None if value == "" else value for name, value in said.items()}


def _sets_nothing(values: dict[str, Any]) -> bool:
    return all(value is None for value in _set(values).values())


@admin.register(Policy)
class PolicyAdmin(operators.ServiceAdmin):
    form = PolicyForm
    list_display = ("org", "project", "connector", "blocker", "task", "max_rejections")
    list_filter = ("blocker", "task", "org")
    search_fields = ("org__name", "project__name", "connector__name")
    ordering = ("org__name", "id")
    list_select_related = ("org", "project", "connector")
    fields = PolicyForm.Meta.fields
    add_fields = PolicyForm.Meta.fields
    fixed_fields = ("org", "project", "connector")
    kind = "policy"

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        row = policy_set(
            actor=operators.acting(request, obj.org_id),
            changes=_set(form.cleaned_data),
            now=clock.now(),
            reach=Reach(obj.project_id, obj.connector_id),
            operator=str(request.user.pk),
        )
        assert row is not None  # the form sets something when it adds one
        obj.pk = row.pk
        obj._state.adding = False
        obj.refresh_from_db()

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return admin.ModelAdmin.has_delete_permission(self, request, obj)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        policy_clear(
            actor=operators.acting(request, obj.org_id),
            now=clock.now(),
            reach=Reach(obj.project_id, obj.connector_id),
            operator=str(request.user.pk),
        )

    def delete_queryset(self, request: HttpRequest, queryset: Any) -> None:
        for row in queryset:
            self.delete_model(request, row)
