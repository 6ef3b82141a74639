"""Forms of the operators' admin."""

from typing import TYPE_CHECKING, Any
from zoneinfo import available_timezones

from django import forms
from django.contrib.auth.forms import BaseUserCreationForm
from django.contrib.auth.forms import UserChangeForm as DjangoUserChangeForm
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import Connector, Membership, Org, Project, User
from accounts.names import SECRET_NAME, address_fault, name_fault
from accounts.services.members import org_lock, owner_keep
from accounts.states import SCOPES, WORK_SCOPES, Role
from stuckbot.lib.admin import AnyForm
from stuckbot.lib.errors import Conflict
from stuckbot.lib.masking import looks_secret

if TYPE_CHECKING:
    BaseChangeForm = DjangoUserChangeForm[User]
    BaseCreationForm = BaseUserCreationForm[User]
else:
    BaseChangeForm = DjangoUserChangeForm
    BaseCreationForm = BaseUserCreationForm

_SCOPE_CHOICES = [(scope, scope) for scope in SCOPES]


def day_and_time() -> forms.SplitDateTimeWidget:
    """A day and a time, each picked with what the browser offers."""
    return forms.SplitDateTimeWidget(
        date_format="%Y-%m-%d",
        time_format="%H:%M",
        date_attrs={"type": "date", "aria-label": gettext("Day")},
        time_attrs={"type": "time", "aria-label": gettext("Time")},
    )


def name_check(name: str) -> None:
    """A field's validator for names that agents and people see."""
    fault = name_fault(name) or (SECRET_NAME if looks_secret(name) else None)
    if fault:
        raise ValidationError(fault)


def address_check(email: str) -> None:
    fault = address_fault(email)
    if fault:
        raise ValidationError(fault)


class NamedForm(AnyForm):
    """A row with a name."""

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"].strip()
        name_check(name)
        return name


class OrgForm(NamedForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "default_project" in self.fields:
            field = self.fields["default_project"]
            assert isinstance(field, forms.ModelChoiceField)
            field.queryset = Project.objects.of(self.instance.id)

    class Meta:
        model = Org
        fields = ("name", "default_project", "agent_limit")


class ProjectForm(NamedForm):
    class Meta:
        model = Project
        fields = ("org", "name")


class MembershipForm(AnyForm):
    class Meta:
        model = Membership
        fields = ("org", "user", "role")

    def clean(self) -> dict[str, Any]:
        """Under the lock that the pages take too; the admin checks and saves in one transaction."""
        values = super().clean() or self.cleaned_data
        if self.instance.pk and "role" in self.changed_data and values.get("role") != Role.OWNER:
            org_lock(self.instance.org_id)
            try:
                owner_keep(Membership.objects.of(self.instance.org_id).get(pk=self.instance.pk))
            except Conflict as refusal:
                raise ValidationError(refusal.message) from refusal
        return values


class ConnectorForm(NamedForm):
    scopes = forms.MultipleChoiceField(
        choices=_SCOPE_CHOICES, initial=list(WORK_SCOPES), widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "projects" in self.fields:
            field = self.fields["projects"]
            assert isinstance(field, forms.ModelMultipleChoiceField)
            field.queryset = Project.objects.of(self.instance.org_id)

    class Meta:
        model = Connector
        fields = ("org", "name", "scopes", "projects")


class OrgChoiceForm(forms.Form):
    """Asks for the org first, so that what follows offers its rows alone."""

    org = forms.ModelChoiceField(Org.objects.order_by("name"), label=_("org"))


class PersonTokenForm(forms.Form):
    """A personal access token for a member of one org."""

    def __init__(self, org: Org, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        members = Membership.objects.of(org.id).select_related("user").order_by("user__email")
        field = forms.ModelChoiceField(members, label=_("member"))
        self.fields = {"membership": field, **self.fields}

    name = forms.CharField(max_length=80, validators=[name_check])
    expires_at = forms.SplitDateTimeField(
        label=_("expires at"),
        required=False,
        widget=day_and_time(),
        help_text=_("Left empty it never expires."),
    )


class DirectKeyForm(forms.Form):
    org = forms.ModelChoiceField(Org.objects.order_by("name"), label=_("org"))
    name = forms.CharField(max_length=80, validators=[name_check], label=_("name of the agent"))
    scopes = forms.MultipleChoiceField(
        choices=_SCOPE_CHOICES, initial=list(WORK_SCOPES), widget=forms.CheckboxSelectMultiple
    )
    expires_at = forms.SplitDateTimeField(
        label=_("expires at"),
        required=False,
        widget=day_and_time(),
        help_text=_("Left empty it never expires."),
    )


class _Person(AnyForm):
    def clean_email(self) -> str:
        """Addresses are kept in lower case: one person, one login."""
        email: str = self.cleaned_data["email"].lower()
        address_check(self.cleaned_data["email"])
        if User.objects.filter(email=email).exclude(pk=self.instance.pk).exists():
            raise ValidationError(_("Somebody has this address already."))
        return email

    def clean_name(self) -> str:
        """A person may have no name of their own: their address stands for it."""
        name: str = self.cleaned_data["name"].strip()
        if name:
            name_check(name)
        return name

    def clean_time_zone(self) -> str:
        zone: str = self.cleaned_data["time_zone"]
        if zone and zone not in available_timezones():
            raise ValidationError(_("Give a zone such as Europe/Berlin, or leave it empty."))
        return zone


class UserChangeForm(_Person, BaseChangeForm):
    class Meta:
        model = User
        fields = (
            *("email", "password", "name", "time_zone", "is_active", "is_staff"),
            *("is_superuser",),
        )
        field_classes: dict[str, Any] = {}


class UserCreationForm(BaseCreationForm):
    class Meta:
        model = User
        fields = ("email", "name")
        field_classes: dict[str, Any] = {}

    clean_email = _Person.clean_email
    clean_name = _Person.clean_name


class AddressForm(AnyForm):
    """An address that somebody signs in by, as the sign-in package keeps it."""

    def clean_email(self) -> str:
        email: str = self.cleaned_data["email"]
        address_check(email)
        return email
