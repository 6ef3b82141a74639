"""The keys of an org's own verifiers, as the policy page lists them, and the form for one more."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from accounts.forms import name_check
from accounts.names import NAME_LIMIT
from stuckbot.lib import clock
from stuckbot.lib.masking import looks_secret
from stuckbot.site.pages.times import time_shown
from stuckbot.site.pages.visitor import Visitor
from verification.models import VerifierKey
from verification.selectors import verifier_keys_list
from verification.signing import KEY_MOST, KeyRefused, public_key_read

#: Characters of a field that are looked at: a little more than any key has with words around it.
_PASTED_MOST: Final = 4 * KEY_MOST


class KeyForm(forms.Form):
    """A public key with a name. A key that is refused is not shown again: it may be private, and
    so may what was pasted as a name."""

    name = forms.CharField(
        label=_("Name"),
        max_length=NAME_LIMIT,
        help_text=_("Where it runs, say. It stands beside each result that it signs."),
        validators=[name_check],
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    pem = forms.CharField(
        label=_("Public key"),
        max_length=_PASTED_MOST,
        help_text=_("The block from BEGIN PUBLIC KEY to END PUBLIC KEY, as keygen prints it."),
        widget=forms.Textarea(
            attrs={
                "rows": "5",
                "class": "code",
                "autocomplete": "off",
                "autocapitalize": "off",
                "spellcheck": "false",
            }
        ),
    )

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, auto_id="verifier_%s", label_suffix="")

    def clean_pem(self) -> str:
        try:
            return public_key_read(self.cleaned_data["pem"]).pem
        except KeyRefused as refused:
            raise ValidationError(str(refused)) from refused

    def full_clean(self) -> None:
        super().full_clean()
        if self.is_bound and "pem" in self.errors:
            self.forget("pem")
        if self.is_bound and looks_secret(self.data.get("name", "")[:_PASTED_MOST]):
            self.forget("name")

    def forget(self, field: str) -> None:
        """Leaves the field out of what is shown again."""
        self.data = {name: self.data[name] for name in self.data if name != field}


@dataclass(frozen=True, slots=True)
class KeyShown:
    """`revoked` and `revoked_by` are empty while it is trusted."""

    fingerprint: str
    name: str
    added: SafeString
    added_by: str
    revoked: SafeString | None
    revoked_by: str


def verifiers_shown(
    visitor: Visitor, form: KeyForm | None = None, fault: str = ""
) -> dict[str, Any]:
    """For the part of the page: those in use first; the form for who may add one."""
    now = clock.now()
    keys = verifier_keys_list(visitor.org.id)
    return {
        "keys": [_shown(row, now) for row in keys if row.revoked_at is None],
        "revoked": [_shown(row, now) for row in keys if row.revoked_at is not None],
        "form": (form or KeyForm()) if visitor.caller.is_admin else None,
        "fault": fault,
    }


def _shown(row: VerifierKey, now: datetime) -> KeyShown:
    return KeyShown(
        fingerprint=row.fingerprint,
        name=row.name,
        added=time_shown(row.added_at, now),
        added_by=row.added_by.name,
        revoked=time_shown(row.revoked_at, now) if row.revoked_at else None,
        revoked_by=row.revoked_by.name if row.revoked_by else "",
    )
