"""The form for proof, one for each way a criterion is checked."""

from collections.abc import Mapping
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from stuckbot.site.pages.acts_forms import ActForm, TextField
from stuckbot.site.pages.url_words import COUNTS_NOT
from tickets.cards import Card
from tickets.models import Criterion
from verification.payloads import EVIDENCE_TYPE_OF_METHOD

_VALUE: Final = 4_000
_COUNT: Final = 1_000_000_000


class ProofForm(ActForm):
    """Proof for one criterion. What the criterion sets is filled in already."""

    takes: tuple[str, ...] = ()

    def __init__(self, *args: Any, card: Card, criterion: Criterion, **options: Any) -> None:
        set_ = {name: getattr(criterion, name) for name in ("command", "pattern", "url")}
        set_["runner"] = criterion.command
        known = {name: value for name, value in set_.items() if value}
        options["initial"] = known | (options.get("initial") or {})
        super().__init__(*args, card=card, **options)
        self.criterion = criterion

    @property
    def payload(self) -> dict[str, Any]:
        """What is sent: every field that was filled in."""
        return {name: value for name, value in self.cleaned_data.items() if value not in ("", None)}


class CommandRun(ProofForm):
    command = TextField(label=_("The command that was run"), max_length=_VALUE, rows=2, code=True)
    exit_code = forms.IntegerField(
        label=_("Exit code"),
        min_value=-(2**31),
        max_value=2**32 - 1,
        help_text=_("The number the command ended with. 0 mostly means that it worked."),
    )
    output_excerpt = TextField(
        label=_("The end of its output"),
        max_length=_VALUE,
        required=False,
        code=True,
    )


class TestReport(ProofForm):
    runner = TextField(label=_("How the tests were run"), max_length=_VALUE, rows=2, code=True)
    passed = forms.IntegerField(label=_("Tests that passed"), min_value=0, max_value=_COUNT)
    failed = forms.IntegerField(label=_("Tests that failed"), min_value=0, max_value=_COUNT)
    skipped = forms.IntegerField(
        label=_("Tests left out"),
        min_value=0,
        max_value=_COUNT,
        required=False,
    )
    summary = TextField(label=_("Summary"), max_length=8_000, required=False, code=True)


class LogMatch(ProofForm):
    excerpt = TextField(label=_("The lines of the log that show it"), max_length=_VALUE, code=True)
    source = forms.CharField(label=_("Where the log is"), max_length=_VALUE, required=False)


class Artifact(ProofForm):
    url = forms.CharField(label=_("Its address"), max_length=_VALUE, required=False)
    path = forms.CharField(label=_("Or where the file is"), max_length=_VALUE, required=False)
    note = TextField(label=_("A word on it"), max_length=5_000, required=False)

    def clean_url(self) -> str:
        return _web_address(self.cleaned_data["url"])

    def clean(self) -> dict[str, Any]:
        found = super().clean() or {}
        if not self.errors and not (found.get("url") or found.get("path")):
            raise ValidationError(_("Say where it is: give its address, or where the file is."))
        return found


class ExternalCheck(ProofForm):
    """Where the criterion names the address, the desk opens it, and the rest is a report."""

    url = forms.CharField(label=_("The address that was opened"), max_length=_VALUE)
    status = forms.IntegerField(
        label=_("The status code it answered"),
        min_value=100,
        max_value=599,
        required=False,
    )
    note = TextField(label=_("A word on it"), max_length=5_000, required=False)

    def __init__(self, *args: Any, criterion: Criterion, **options: Any) -> None:
        super().__init__(*args, criterion=criterion, **options)
        if criterion.url:
            self.fields["status"].help_text = COUNTS_NOT

    def clean_url(self) -> str:
        return _web_address(self.cleaned_data["url"])


class ManualNote(ProofForm):
    note = TextField(label=_("What you saw"), max_length=5_000)


PROOF_FORMS: Final[Mapping[str, type[ProofForm]]] = {
    "command": CommandRun,
    "test_suite": TestReport,
    "log_match": LogMatch,
    "artifact": Artifact,
    "external_check": ExternalCheck,
    "manual": ManualNote,
}


def evidence_type(form: ProofForm) -> str:
    return EVIDENCE_TYPE_OF_METHOD[form.criterion.method]


def _web_address(address: str) -> str:
    if address and not address.lower().startswith(("https://", "http://")):
        raise ValidationError(_("Give an address that begins with https:// or http://."))
    return address
