"""The form that completes an incomplete ticket: a place for each field that its package lacks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django import forms
from django.forms.boundfield import BoundField
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from stuckbot.site.pages import words
from stuckbot.site.pages.acts_forms import BODY, ActForm, TextField
from stuckbot.site.pages.acts_words import Text
from stuckbot.site.pages.described import Line
from stuckbot.site.pages.technical import technical_shown
from tickets.cards import Card
from tickets.packages.check import METHOD_FIELD
from tickets.packages.commands import is_absolute_url, is_runnable

_VALUE: Final = 4_000
_ITEMS_MOST: Final = 200
_TITLE_LEAST: Final = 3
_TITLE_MOST: Final = 200
#: What a text of the package is for: its label, a sentence, the lines of its field.
_TEXTS: Final[Mapping[str, tuple[Text, Text, int]]] = {
    "title": (
        _("What it is called"),
        _("One line of 3 to 200 characters that tells it from the others."),
        1,
    ),
    "objective": (
        _("What is to be reached in the end"),
        _("The goal behind it all, not this problem alone."),
        3,
    ),
    "stuck_reason": (
        _("What fails, and why it goes no further"),
        _("Exact messages belong here: whoever takes it up looks for them."),
        4,
    ),
}
#: The same for its lists.
_LISTS: Final[Mapping[str, tuple[Text, Text]]] = {
    "completed": (
        _("What is done already"),
        _("One thing on each line, so that nobody does it again."),
    ),
    "remaining": (
        _("What is left to do after that"),
        _("One thing on each line."),
    ),
    "next_steps": (
        _("What to try next"),
        _("One idea on each line."),
    ),
}
_LISTED: Final = (*_LISTS, "attempts")
#: How many checks and attempts there is room for; whoever holds the ticket can add more.
_ROOM: Final[Mapping[str, int]] = {"blocker": 5, "task": 3, "attempt": 3}
_PARTS: Final[Mapping[str, Text]] = {
    "blocker": _("Check %(number)d"),
    "task": _("Check %(number)d"),
    "attempt": _("Attempt %(number)d"),
}
_CHECK: Final = ("description", "method", "value", "expected")
_TAKES_VALUE: Final = ("command", "log_match", "external_check")
_CHECKS: Final[Mapping[str, tuple[Text, Text]]] = {
    "blocker": (
        _("How one sees that the problem is gone"),
        _("At least one check. Whoever solves it has to prove each of them."),
    ),
    "task": (
        _("How one sees that the whole task is done"),
        _("At least one check, if whoever removes the problem is to finish the task too."),
    ),
}


@dataclass(frozen=True, slots=True)
class Part:
    """Fields that belong together, folded away unless `is_open`."""

    heading: str
    fields: list[BoundField]
    is_open: bool


@dataclass(frozen=True, slots=True)
class Group:
    """One thing that is missing: a field, or the parts of a list."""

    field: BoundField | None = None
    heading: Text = ""
    help: Text = ""
    parts: Sequence[Part] = ()


class Fill(ActForm):
    """What is left empty stays missing; once all else is there, an empty list means nothing.

    `filled` is what goes into the package. Attempts and checks are numbered from one.
    """

    def __init__(self, *args: Any, card: Card, package: Mapping[str, Any], **options: Any) -> None:
        super().__init__(*args, card=card, use_required_attribute=False, **options)
        self.package = package
        self.missing = card.facts.missing_fields
        self.asked = {*self.missing, *_sent(self.data)}
        self.filled: dict[str, Any] = {}
        self._numbers: dict[str, list[int]] = {}
        self.fields.update(self._texts())
        if "attempts" in self.asked:
            self.fields.update(_attempts())
        if "mode" not in package:
            self.fields["mode"] = _mode()
        for stage in self.stages:
            self.fields.update(_checks(stage))

    @property
    def stages(self) -> list[str]:
        """The stages whose checks are asked for."""
        found = ["blocker"] if "blocker_criteria" in self.asked else []
        may_take_over = "mode" not in self.package and not self.package.get("task_criteria")
        return [*found, "task"] if may_take_over or "task_criteria" in self.asked else found

    def _texts(self) -> Iterator[tuple[str, forms.Field]]:
        for name, (label, told, rows) in _TEXTS.items():
            if name in self.asked:
                yield name, _text(label, told, rows)
        for name, (label, told) in _LISTS.items():
            if name in self.asked:
                yield name, _text(label, f"{told} {_empty()}", 3)

    @property
    def known(self) -> list[Line]:
        """What the package says already."""
        return technical_shown(self.package)

    @property
    def groups(self) -> list[Group]:
        """The form in the order it is read."""
        single = [name for name in (*_TEXTS, *_LISTS) if name in self.fields]
        found = [Group(self[name]) for name in single]
        if "attempts" in self.asked:
            told = f"{gettext('And what came of it.')} {_empty()}"
            found.append(Group(None, _("What was tried"), told, self._parts("attempt", _TRIED)))
        found += [self._group(stage) for stage in self.stages if stage == "blocker"]
        found += [Group(self["mode"])] if "mode" in self.fields else []
        return found + [self._group(stage) for stage in self.stages if stage == "task"]

    def _group(self, stage: str) -> Group:
        heading, told = _CHECKS[stage]
        return Group(None, heading, told, self._parts(stage, _CHECK))

    def _parts(self, kind: str, names: Sequence[str]) -> list[Part]:
        """The first one is open, and each that something was typed into."""
        found = []
        for number in range(1, _ROOM[kind] + 1):
            fields = [self[f"{kind}{number}_{name}"] for name in names]
            is_open = number == 1 or any(one.value() or one.errors for one in fields)
            heading = str(_PARTS[kind]) % {"number": number}
            found.append(Part(heading, fields, is_open))
        return found

    def clean(self) -> dict[str, Any]:
        found = super().clean() or {}
        self.filled = {name: found[name] for name in _TEXTS if found.get(name)}
        if "title" in self.filled:
            self._title(" ".join(self.filled["title"].split()))
        for name in _LISTS:
            self._list(name, found.get(name, ""))
        self._attempts(found)
        for stage in self.stages:
            self._stage(stage, found)
        if not self.errors and not self.filled and not set(self.missing) <= set(_LISTED):
            self.add_error(None, _("Fill in at least one of these."))
        if found.get("mode"):
            self.filled["mode"] = found["mode"]
        self._rest()
        return found

    def _title(self, title: str) -> None:
        self.filled["title"] = title
        if not _TITLE_LEAST <= len(title) <= _TITLE_MOST:
            self.add_error("title", _("Write one line of 3 to 200 characters."))

    def _list(self, name: str, typed: str) -> None:
        lines = [line.strip() for line in typed.split("\n") if line.strip()]
        if len(lines) > _ITEMS_MOST:
            self.add_error(name, _("These are too many: 200 lines at most."))
        elif lines:
            self.filled[name] = lines

    def _rest(self) -> None:
        """Once nothing else is missing, the lists that were left empty say that there is none."""
        lacks = set(self.missing)
        if self.filled.get("mode", "blocker_only") != "blocker_only":
            lacks |= {"task_criteria"} - {*self.package}
        lacks -= {*self.filled}
        if lacks <= set(_LISTED):
            self.filled |= {name: [] for name in sorted(lacks)}
            self.done = _("Saved. Nothing is missing any more.")

    def _attempts(self, found: Mapping[str, Any]) -> None:
        each = []
        for number, said in self._typed("attempt", _TRIED, found):
            self._wanted("attempt", number, said, _TRIED)
            each.append(said)
        if each:
            self.filled["attempts"] = each

    def _stage(self, stage: str, found: Mapping[str, Any]) -> None:
        each = []
        for number, said in self._typed(stage, _CHECK, found):
            self._wanted(stage, number, said, ("description", "method", "expected"))
            value, method = said.pop("value", ""), said.get("method", "")
            self._value_check(f"{stage}{number}_value", method, value)
            each.append(said | ({METHOD_FIELD.get(method, "command"): value} if value else {}))
        if each:
            self.filled[f"{stage}_criteria"] = each

    def _typed(
        self, kind: str, names: Sequence[str], found: Mapping[str, Any]
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """Those that something was typed into; a choice alone is nothing yet."""
        self._numbers[kind] = []
        for number in range(1, _ROOM[kind] + 1):
            said = {name: found.get(f"{kind}{number}_{name}") for name in names}
            said = {name: value for name, value in said.items() if value}
            bad = any(f"{kind}{number}_{name}" in self.errors for name in names)
            if bad or set(said) - {"method"}:
                self._numbers[kind].append(number)
                yield number, said

    def _wanted(
        self, kind: str, number: int, said: Mapping[str, Any], names: Sequence[str]
    ) -> None:
        for name in names:
            field = f"{kind}{number}_{name}"
            if name not in said and field not in self.errors:
                self.add_error(field, str(_LACKS[name]))

    def _value_check(self, field: str, method: str, value: str) -> None:
        if field in self.errors or not method:
            return
        if value and method not in METHOD_FIELD:
            self.add_error(field, _("This kind of check needs none. Take it out."))
        elif not value and method in _TAKES_VALUE:
            self.add_error(field, str(_VALUE_OF[method]))
        elif value and METHOD_FIELD[method] == "command" and not is_runnable(value):
            self.add_error(field, _("This is no command that can be run: look at its quotes."))
        elif method == "external_check" and not is_absolute_url(value):
            self.add_error(field, str(_VALUE_OF[method]))

    def place_of(self, path: str) -> str:
        """The field of a path of the package, such as `package.blocker_criteria[0].url`."""
        head, _dot, name = path.removeprefix("package.").partition(".")
        listed, _bracket, index = head.partition("[")
        kind = _KINDS.get(listed)
        if kind is None or not index:
            return listed if kind is None else ""
        number = self._numbers.get(kind, [])[int(index.rstrip("]"))]
        name = {"key": "description"}.get(name, name)
        shown = "value" if name in METHOD_FIELD.values() else name
        return f"{kind}{number}_{shown}"


def _sent(data: Mapping[str, Any]) -> Iterator[str]:
    """What was asked for when the form was filled in, though somebody may have given it since:
    what was typed is given back."""
    yield from (name for name in (*_TEXTS, *_LISTS) if name in data)
    yield from (name for name, kind in _KINDS.items() if any(f"{kind}1_" in one for one in data))


_KINDS: Final = {
    "attempts": "attempt",
    "blocker_criteria": "blocker",
    "task_criteria": "task",
}
_TRIED: Final = ("what", "result")
_LACKS: Final[Mapping[str, Text]] = {
    "what": _("Say what was tried."),
    "result": _("Say what came of it."),
    "description": _("Say what the check shows."),
    "method": _("Choose how it is checked."),
    "expected": _("Say what it must show to pass."),
}
_VALUE_OF: Final[Mapping[str, Text]] = {
    "command": _("Give the command that is run."),
    "log_match": _("Give the text that is looked for."),
    "external_check": _("Give the whole address, from https:// on."),
}


def _empty() -> str:
    return gettext("Leave it empty if there is nothing.")


def _text(label: Text, told: Text, rows: int, *, most: int = BODY, code: bool = False) -> TextField:
    return TextField(
        label=label, help_text=told, rows=rows, max_length=most, required=False, code=code
    )


def _attempts() -> Iterator[tuple[str, forms.Field]]:
    for number in range(1, _ROOM["attempt"] + 1):
        yield f"attempt{number}_what", _text(_("What was tried"), "", 2)
        yield f"attempt{number}_result", _text(_("What came of it"), "", 2)


def _checks(stage: str) -> Iterator[tuple[str, forms.Field]]:
    methods: list[tuple[str, str | Promise]] = [("", _("Choose")), *words.METHOD.items()]
    told = _(
        "The command that is run, the text that is looked for in a log, or the address that is "
        "opened. A file or a person needs none."
    )
    for number in range(1, _ROOM[stage] + 1):
        name = f"{stage}{number}"
        yield f"{name}_description", _text(_("What it shows"), _("In plain words."), 2)
        field = forms.ChoiceField(label=_("How it is checked"), choices=methods, required=False)
        yield f"{name}_method", field
        yield f"{name}_value", _text(_("What exactly"), told, 1, most=_VALUE, code=True)
        expected = _text(_("What it must show to pass"), _('Such as "ends with 0" or "200".'), 1)
        yield f"{name}_expected", expected


def _mode() -> forms.ChoiceField:
    return forms.ChoiceField(
        label=_("How far it goes"),
        choices=list(words.MODE.items()),
        initial="blocker_only",
        required=False,
        widget=forms.RadioSelect,
    )
