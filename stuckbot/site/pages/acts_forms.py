"""What a person fills in to do something to a ticket."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from stuckbot.site.pages import words
from stuckbot.site.pages.acts_words import Text
from tickets.cards import Card, Who
from tickets.models import Criterion
from tickets.packages.schema import is_visible
from tickets.services.editing import EXPLANATION

NOTE: Final = 5_000
BODY: Final = 20_000
EXPLAINED: Final = 1_200
_LABELS_MOST: Final = 20
_LABEL: Final = r"[A-Za-z0-9._:/-]{1,50}"


class TextField(forms.CharField):
    """Lines as a person writes them: line ends of one kind, and something to see in it."""

    def __init__(self, *, rows: int = 4, code: bool = False, **options: Any) -> None:
        attributes = {"rows": str(rows), "dir": "auto"}
        if code:
            attributes |= {"class": "code", "spellcheck": "false", "autocapitalize": "off"}
        options.setdefault("widget", forms.Textarea(attrs=attributes))
        super().__init__(**options)

    def to_python(self, value: Any) -> str:
        found = super().to_python(value) or ""
        return found.replace("\r\n", "\n").replace("\r", "\n")

    def validate(self, value: Any) -> None:
        super().validate(value)
        if value and not is_visible(value):
            raise ValidationError(self.error_messages["required"], code="required")


class ActForm(forms.Form):
    """The base of them all; `card` is the ticket."""

    template_name = "parts/fields.html"
    #: What is said once it is done, where what was typed decides it.
    done: Text = ""

    def __init__(self, *args: Any, card: Card, **options: Any) -> None:
        options.setdefault("label_suffix", "")
        super().__init__(*args, **options)
        self.card = card

    def place_of(self, path: str) -> str:
        """The name of the field that a fault at this path belongs to."""
        return path.rpartition(".")[2].partition("[")[0]

    @property
    def typed(self) -> list[tuple[Text, str]]:
        """Label and text of what was written, for when the form itself is of no use any more."""
        names = [name for name, field in self.fields.items() if isinstance(field, TextField)]
        found = [(self.fields[name].label or "", self[name].value()) for name in names]
        return [(label, str(text)) for label, text in found if text]


class Plain(ActForm):
    """Nothing to fill in: the button says it all."""


class Comment(ActForm):
    body = TextField(label=_("Your comment"), max_length=BODY)


class Update(ActForm):
    body = TextField(
        label=_("How it goes"),
        max_length=BODY,
        help_text=_("What you found, what you do next. Everybody who reads the ticket sees it."),
    )


class Explain(ActForm):
    """The plain explanation, in the four parts it is read in."""

    problem = TextField(label=_("What is wrong"), max_length=EXPLAINED, rows=3)
    impact = TextField(label=_("What it affects"), max_length=EXPLAINED, rows=3)
    next_step = TextField(label=_("What happens next"), max_length=EXPLAINED, rows=3)
    outcome = TextField(label=_("What happened"), max_length=EXPLAINED, rows=3, required=False)

    def __init__(self, *args: Any, card: Card, **options: Any) -> None:
        said: Mapping[str, str] = card.human_summary or {}
        options["initial"] = {name: said.get(name, "") for name in EXPLANATION} | (
            options.get("initial") or {}
        )
        super().__init__(*args, card=card, **options)
        if not card.facts.is_closed and not said.get("outcome"):
            del self.fields["outcome"]


class Settings(ActForm):
    """Urgency, labels, and who looks at it."""

    urgency = forms.TypedChoiceField(
        label=_("Urgency"),
        coerce=int,
        choices=lambda: [(n, f"{n} {words.urgency(n)}") for n in range(10, 0, -1)],
    )
    labels = forms.CharField(
        label=_("Labels"),
        required=False,
        max_length=1_100,
        help_text=_("Words with spaces between. Agents find work by them."),
        widget=forms.TextInput(attrs={"autocapitalize": "off", "spellcheck": "false"}),
    )
    assignee = forms.ChoiceField(
        label=_("Who looks at it"),
        required=False,
        help_text=_("A note for the others. It keeps nobody from taking it."),
    )

    def __init__(self, *args: Any, card: Card, people: Sequence[Who] = (), **options: Any) -> None:
        options["initial"] = {
            "urgency": card.facts.urgency,
            "labels": " ".join(card.labels),
            "assignee": str(card.assignee.id) if card.assignee else "",
        } | (options.get("initial") or {})
        super().__init__(*args, card=card, **options)
        chosen = {str(one.id): one.name for one in people}
        if card.assignee is not None:
            chosen.setdefault(str(card.assignee.id), card.assignee.name)
        self.fields["assignee"].choices = [("", _("Nobody")), *chosen.items()]  # type: ignore[attr-defined]

    def clean_labels(self) -> list[str]:
        found = list(dict.fromkeys(self.cleaned_data["labels"].replace(",", " ").split()))
        wrong = [one for one in found if not _is_label(one)]
        if wrong:
            message = _("A label has up to 50 letters, digits and . _ : / - : mend %(label)s.")
            raise ValidationError(message, params={"label": wrong[0][:60]})
        if len(found) > _LABELS_MOST:
            raise ValidationError(_("A ticket has 20 labels at most."))
        return found


class KeepFor(ActForm):
    """One of the agents that could take it."""

    agent = forms.ChoiceField(label=_("For which agent"))

    def __init__(
        self, *args: Any, card: Card, agents: Sequence[tuple[str, str]], **options: Any
    ) -> None:
        super().__init__(*args, card=card, **options)
        field = self.fields["agent"]
        field.choices = list(agents)  # type: ignore[attr-defined]
        if not agents:
            field.help_text = _("No agent that could take it is at work now.")


class Reason(ActForm):
    """Why, in words that others can act on."""

    reason = TextField(label=_("Why"), max_length=NOTE)


class ReasonMaybe(ActForm):
    reason = TextField(label=_("Why"), max_length=NOTE, required=False)


class Blocked(ActForm):
    reason = TextField(
        label=_("What has to happen first"),
        max_length=NOTE,
        help_text=_("Say what a person has to do. Nobody is offered the ticket until then."),
    )


class Stuck(ActForm):
    reason = TextField(
        label=_("What a person has to decide or do"),
        max_length=NOTE,
        help_text=_("Your time on the ticket ends, and it waits for a person."),
    )


class Approve(ActForm):
    """`unproved` are checks that rest on the reader alone, by key in their author's words: each is
    to be ticked."""

    looked = forms.MultipleChoiceField(
        label=_("I looked at this myself"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    reason = TextField(
        label=_("A word on it"),
        max_length=NOTE,
        required=False,
        rows=2,
        help_text=_("Everybody who reads the ticket sees it."),
    )

    def __init__(self, *args: Any, unproved: Mapping[str, str], **options: Any) -> None:
        super().__init__(*args, **options)
        self.unproved = unproved
        if not unproved:
            del self.fields["looked"]
        else:
            self.fields["looked"].choices = list(unproved.items())  # type: ignore[attr-defined]

    def clean_looked(self) -> list[str]:
        ticked: list[str] = self.cleaned_data["looked"]
        if set(ticked) != set(self.unproved):
            raise ValidationError(_("Look at each of these yourself, then tick it."))
        return ticked

    @property
    def said(self) -> str:
        """The reason; where none was typed, what was ticked."""
        typed: str = self.cleaned_data["reason"]
        return typed or (gettext("I looked at this myself.") if self.unproved else "")


class Reject(ActForm):
    reason = TextField(
        label=_("What is wrong with it"),
        max_length=NOTE,
        rows=3,
        help_text=_("Whoever worked on it reads this first."),
    )


class Met(ActForm):
    note = TextField(
        label=_("What you saw"),
        max_length=NOTE,
        help_text=_("It stands beside the check, for everybody to read."),
    )

    def __init__(self, *args: Any, criterion: Criterion, **options: Any) -> None:
        super().__init__(*args, **options)
        self.criterion = criterion


class NoteMaybe(ActForm):
    note = TextField(
        label=_("A word for whoever takes it next"),
        max_length=NOTE,
        required=False,
    )


class Force(ActForm):
    note = TextField(
        label=_("Why you end it"),
        max_length=NOTE,
        help_text=_("Whoever holds it loses it, and reads this."),
    )


class Outcome(ActForm):
    outcome = TextField(label=_("What happened"), max_length=NOTE, required=False)


class SendBack(ActForm):
    """To everybody, or to the one who worked on it."""

    note = TextField(
        label=_("What they should do differently"),
        max_length=NOTE,
        help_text=_("Whoever takes it up reads this first."),
    )
    to = forms.ChoiceField(label=_("To whom"), widget=forms.RadioSelect, initial="all")

    def __init__(self, *args: Any, card: Card, solver: str = "", **options: Any) -> None:
        super().__init__(*args, card=card, **options)
        choices: list[tuple[str, Any]] = [("all", _("Whoever looks for work next"))]
        if solver:
            back = _("%(name)s, who worked on it") % {"name": solver}
            choices.append(("solver", back))
        self.fields["to"].choices = choices  # type: ignore[attr-defined]


def _is_label(word: str) -> bool:
    return bool(re.fullmatch(_LABEL, word))
