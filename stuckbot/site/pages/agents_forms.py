"""What people fill in about agents: a request, a key, a connector."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.forms import name_check
from accounts.models import Connector, Project
from accounts.names import NAME_LIMIT
from accounts.services.connectors import Reach
from accounts.services.requests import MESSAGE_MOST
from accounts.states import SCOPES, WORK_SCOPES
from stuckbot.site.pages.acts_forms import TextField
from stuckbot.site.pages.agents_words import SCOPE
from stuckbot.site.pages.people_forms import EXPIRY


class AskForm(forms.Form):
    """What a person tells an agent with a request; the agent reads it."""

    message = TextField(
        rows=3,
        label=_("What it should know"),
        max_length=MESSAGE_MOST,
        required=False,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""


class _Scoped(forms.Form):
    name = forms.CharField(
        label=_("Name"),
        max_length=NAME_LIMIT,
        validators=[name_check],
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    scopes = forms.MultipleChoiceField(
        label=_("What it may do"),
        choices=[(scope, SCOPE[scope]) for scope in SCOPES],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Tick one at least.")},
    )

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"].strip()
        return name


class KeyForm(_Scoped):
    """An agent with a key of its own."""

    expiry = forms.ChoiceField(
        label=_("The key runs out"),
        choices=[(code, word) for code, (word, _days) in EXPIRY.items()],
        initial="90",
    )

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, auto_id="key_%s", label_suffix="", initial={"scopes": WORK_SCOPES})
        self.fields["name"].label = _("Name of the agent")

    def expires_at(self, now: datetime) -> datetime | None:
        days = EXPIRY[self.cleaned_data["expiry"]][1]
        return None if days is None else now + timedelta(days=days)


class ConnectorForm(_Scoped):
    """A connector; `projects` are all that the org has."""

    projects = forms.MultipleChoiceField(
        label=_("Projects"),
        required=False,
        help_text=_("Its agents read the tickets of these alone. None ticked means every project."),
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(
        self, projects: Sequence[Project], row: Connector | None = None, data: Any = None
    ) -> None:
        initial: dict[str, Any] = {"scopes": WORK_SCOPES}
        if row is not None:
            has = [str(one.id) for one in row.projects.all()]
            initial = {"name": row.name, "scopes": row.scopes, "projects": has}
        super().__init__(data, auto_id="connector_%s", label_suffix="", initial=initial)
        self.fields["scopes"].label = _("What its agents may do")
        field = self.fields["projects"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = [(str(one.id), one.name) for one in projects]

    @property
    def reach(self) -> Reach:
        sent = self.cleaned_data
        return Reach(sent["scopes"], frozenset(UUID(one) for one in sent["projects"]))
