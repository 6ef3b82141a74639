"""Forms about people: inviting, joining, signing up, one's own account."""

from functools import cache
from typing import Any, Final
from zoneinfo import available_timezones

from django import forms
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.forms.utils import flatatt
from django.utils.functional import Promise
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from accounts.forms import address_check, name_check
from accounts.models import Membership, User
from accounts.sign_in_forms import NEW_PASSWORD_HELP
from accounts.states import Role
from stuckbot.lib.mail import Delivery

ROLE: Final[dict[str, str | Promise]] = {
    "owner": _("Owner"),
    "admin": _("Admin"),
    "member": _("Member"),
    "viewer": _("Viewer"),
}
ROLE_HELP: Final[dict[str, str | Promise]] = {
    "owner": _("Everything, and other owners too."),
    "admin": _("Everything, people and keys too, but not owners."),
    "member": _("Works on tickets: claims, comments, decides, closes."),
    "viewer": _("Reads. Changes nothing."),
}
#: What became of the mail with an invitation's link.
MAIL: Final[dict[Delivery, str | Promise]] = {
    Delivery.WAITING: _("The mail is about to leave."),
    Delivery.LATE: _("The mail server has not taken the mail yet. It is tried again."),
    Delivery.SENT: _("The mail was sent."),
    Delivery.FAILED: _("The mail could not be sent. Check the address, then send it again."),
}
EXPIRY: Final[dict[str, tuple[str | Promise, int | None]]] = {
    "30": (_("In 30 days"), 30),
    "90": (_("In 90 days"), 90),
    "365": (_("In a year"), 365),
    "never": (_("Never"), None),
}


class InviteForm(forms.Form):
    email = forms.EmailField(
        label=_("Mail address"),
        max_length=254,
        validators=[address_check],
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )
    role = forms.ChoiceField(label=_("Role"), initial="member")

    def __init__(self, roles: list[Role], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["role"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(str(one), ROLE[one]) for one in roles]
        self._roles = roles

    @property
    def roles(self) -> list[dict[str, Any]]:
        """The roles to choose from, each with what it may do."""
        chosen = self["role"].value()
        return [
            {"value": one, "word": ROLE[one], "help": ROLE_HELP[one], "chosen": one == chosen}
            for one in self._roles
        ]


class PersonForm(forms.Form):
    """What somebody new says of themselves; the address was proved by the link."""

    name = forms.CharField(
        label=_("Your name"),
        max_length=80,
        validators=[name_check],
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    password = forms.CharField(
        label=_("A password"),
        max_length=200,
        strip=False,
        help_text=NEW_PASSWORD_HELP,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def __init__(self, email: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.email = email

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        if "password" in values:
            user = User(email=self.email, name=values.get("name", ""))
            try:
                validate_password(values["password"], user)
            except ValidationError as fault:
                self.add_error("password", fault)
        return values


class SignUpForm(PersonForm):
    org_name = forms.CharField(
        label=_("Your organisation"),
        max_length=80,
        validators=[name_check],
        help_text=_("A team, a company, or your own name. You can invite others to it."),
        widget=forms.TextInput(attrs={"autocomplete": "organization"}),
    )


class AddressForm(forms.Form):
    email = forms.EmailField(
        label=_("Mail address"),
        max_length=254,
        validators=[address_check],
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )


class LongSelect(forms.Select):
    """Of hundreds of options, written at once: Django's own renders a template for each."""

    def render(
        self, name: str, value: Any, attrs: dict[str, Any] | None = None, renderer: Any = None
    ) -> SafeString:
        given = self.build_attrs(self.attrs, {**(attrs or {}), "name": name})
        chosen = {str(value or ""): _CHOSEN}
        rows = ((one, chosen.get(str(one), ""), text) for one, text in self.choices)
        options = format_html_join("", '<option value="{}"{}>{}</option>', rows)
        return format_html("<select{}>{}</select>", flatatt(given), options)


_CHOSEN: Final = SafeString(" selected")


class DetailsForm(forms.Form):
    name = forms.CharField(
        label=_("Name"),
        max_length=80,
        required=False,
        help_text=_("As others see it. Left empty, the first part of your address stands for it."),
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    time_zone = forms.ChoiceField(label=_("Time zone"), required=False, widget=LongSelect)

    def __init__(self, *args: Any, desk_zone: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["time_zone"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", _("As the desk has it: %(zone)s") % {"zone": desk_zone}), *zones()]

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"].strip()
        if name:
            name_check(name)
        return name


@cache
def zones() -> list[tuple[str, str]]:
    """Zones by place; the bare abbreviations among their names are left out."""
    return [(one, one.replace("_", " ")) for one in sorted(available_timezones()) if "/" in one]


class TokenForm(forms.Form):
    name = forms.CharField(
        label=_("What is it for?"),
        max_length=80,
        validators=[name_check],
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    org = forms.ChoiceField(label=_("Organisation"))
    expires = forms.ChoiceField(
        label=_("It stops working"),
        choices=[(value, words) for value, (words, _days) in EXPIRY.items()],
        initial="90",
    )

    def __init__(self, memberships: list[Membership], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["org"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(str(one.org_id), one.org.name) for one in memberships]
        if len(memberships) == 1:
            field.widget = forms.HiddenInput()
            field.initial = str(memberships[0].org_id)
