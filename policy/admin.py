"""Policies for the operators. Every change steps the org's policy version."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts import operators
from accounts.services.orgs import policy_touched
from policy.models import Policy
from stuckbot.lib.admin import AnyForm


class PolicyForm(AnyForm):
    class Meta:
        model = Policy
        fields = (
            *("org", "project", "connector", "blocker", "task"),
            *("verifier_wait_minutes", "different_connector", "different_provider"),
            *("max_rejections", "lease_minutes", "lease_minutes_most"),
        )

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        org = values.get("org") or getattr(self.instance, "org", None)
        for name in ("project", "connector"):
            chosen = values.get(name)
            if chosen is not None and org is not None and chosen.org_id != org.id:
                self.add_error(name, ValidationError(_("This one is of another org.")))
        return values


@admin.register(Policy)
class PolicyAdmin(operators.ServiceAdmin):
    form = PolicyForm
    list_display = ("org", "project", "connector", "blocker", "task", "lease_minutes")
    list_filter = ("blocker", "task", "org")
    search_fields = ("org__name", "project__name", "connector__name")
    ordering = ("org__name", "id")
    list_select_related = ("org", "project", "connector")
    fields = PolicyForm.Meta.fields
    add_fields = PolicyForm.Meta.fields
    fixed_fields = ("org", "project", "connector")
    kind = "policy"

    def make(self, request: HttpRequest, row: Any, form: AnyForm) -> Policy:
        row.save(force_insert=True)
        return row  # type: ignore[no-any-return]

    def changed(self, row: Any) -> None:
        policy_touched(org_id=row.org_id)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return admin.ModelAdmin.has_delete_permission(self, request, obj)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        operators.note(request, obj.org_id, "policy_removed", str(obj.pk))
        super().delete_model(request, obj)
        self.changed(obj)

    def delete_queryset(self, request: HttpRequest, queryset: Any) -> None:
        for row in queryset:
            self.delete_model(request, row)
