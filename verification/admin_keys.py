"""Verifier keys for the operators: added and revoked through the services, never changed."""

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.urls import URLPattern
from django.utils.translation import gettext

from accounts import operators
from accounts.forms import NamedForm
from stuckbot.lib import clock
from stuckbot.lib.admin import AnyForm, Happened, Kept
from stuckbot.lib.masking import looks_secret
from verification.models import VerifierKey
from verification.services.keys import REVOKED, key_add, key_revoke
from verification.signing import KEY_MOST, KeyRefused, public_key_read


def _question(row: Any) -> str:
    return gettext(
        "Revoke the key {name}? Nothing more that it signs is taken, for good. What it signed stays"
        " as it is, marked as signed by a revoked key."
    ).format(name=row)


class VerifierKeyForm(NamedForm):
    pem = forms.CharField(
        label="Public key",
        widget=forms.Textarea(attrs={"rows": 6, "autocomplete": "off", "spellcheck": "false"}),
        help_text="The block from BEGIN PUBLIC KEY to END PUBLIC KEY.",
    )

    class Meta:
        model = VerifierKey
        fields = ("org", "name", "pem")

    def clean_pem(self) -> str:
        """A key that was refused is not sent back either: it may be a private one."""
        try:
            return public_key_read(self.cleaned_data["pem"]).pem
        except KeyRefused as refused:
            self._forget("pem")
            raise ValidationError(str(refused)) from refused

    def full_clean(self) -> None:
        """Nor is what was pasted as a name and looks like one."""
        super().full_clean()
        name = self.data.get(self.add_prefix("name")) if self.is_bound else None
        if name and looks_secret(name[:KEY_MOST]):
            self._forget("name")

    def _forget(self, field: str) -> None:
        gone = self.add_prefix(field)
        self.data = {name: value for name, value in self.data.items() if name != gone}

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        if (org := values.get("org")) and (pem := values.get("pem")):
            same = VerifierKey.objects.of(org.id).filter(
                fingerprint=public_key_read(pem).fingerprint
            )
            if (row := same.first()) is not None:
                known = gettext("This key is there already, as {name}.").format(name=row.name)
                self.add_error("pem", REVOKED if row.revoked_at else known)
        return values


@admin.register(VerifierKey)
class VerifierKeyAdmin(Kept):
    form = VerifierKeyForm
    list_display = ("name", "org", "fingerprint", "added_by", "added_at", "revoked_at")
    list_filter = (("revoked_at", Happened), "org")
    list_select_related = ("org", "added_by")
    search_fields = ("name", "=fingerprint", "org__name")
    ordering = ("org__name", "name", "id")
    fields = (
        *("org", "name", "fingerprint", "pem"),
        *("added_by", "added_at", "revoked_by", "revoked_at"),
    )
    change_form_template = "admin/verifier_key.html"

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return ("org", "name", "pem") if obj is None else self.fields

    def get_urls(self) -> list[URLPattern]:
        sure = operators.confirmed(_question, self.revoke)
        return [*operators.button_urls(self, revoke=sure), *super().get_urls()]

    def save_model(self, request: HttpRequest, obj: Any, form: AnyForm, change: bool) -> None:
        made = key_add(
            actor=operators.acting(request, obj.org_id),
            name=obj.name,
            pem=obj.pem,
            now=clock.now(),
            operator=str(request.user.pk),
        )
        obj.pk = made.pk
        obj._state.adding = False
        obj.refresh_from_db()

    def revoke(self, request: HttpRequest, row: Any) -> None:
        key_revoke(
            actor=operators.acting(request, row.org_id),
            fingerprint=row.fingerprint,
            now=clock.now(),
            operator=str(request.user.pk),
        )
