"""The form of a policy: of the org, or of a project, where each setting may stay the org's."""

from typing import Any, Final

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from policy.resolve import Resolved
from policy.selectors import Holds, policy_values
from policy.states import REJECTIONS_MOST, WAIT_MINUTES_MOST, Approval
from stuckbot.site.pages.policy_agents import (
    AGENTS,
    agent_faults,
    agent_fields,
    agent_stored,
    agent_text,
)
from stuckbot.site.pages.policy_words import APPROVAL_HELP, TITLE, value_words, wait_words

APPROVALS: Final = ("blocker", "task")
MORE: Final = (
    "verifier_wait_minutes",
    "different_connector",
    "different_provider",
    "max_rejections",
)
SHOWN: Final = (*APPROVALS, *MORE, *AGENTS)
_INHERIT: Final = "inherit"
#: The waits to choose from, in minutes; one that a command set is offered beside them.
_WAITS: Final = (0, 15, 30, 60, 120, 240, 480, 1440, 4320, 10080)
_HELP: Final = {
    "verifier_wait_minutes": gettext_lazy("When no verifier has decided by then."),
    "different_connector": gettext_lazy(
        "An agent with a key of its own must be set up by somebody else."
    ),
    "different_provider": gettext_lazy(
        "As agents say when they register. If the solver said none, no verifier will do."
    ),
}


class PolicyForm(forms.Form):
    """`wider` is what holds in the org, for the form of a project; else there is nothing wider."""

    def __init__(self, holds: Holds, wider: Resolved | None, data: Any = None) -> None:
        super().__init__(data, auto_id="policy_%s", initial=_initial(holds, wider))
        self.wider = wider
        for name in APPROVALS:
            self._choose(name, [(str(one), str(one.label)) for one in Approval])
        waits = sorted({*_WAITS, holds.policy.verifier_wait_minutes or 0, *_wait_sent(data)})
        self._choose("verifier_wait_minutes", [(str(one), wait_words(one)) for one in waits])
        for name in ("different_connector", "different_provider"):
            self._choose(name, [("no", value_words(name, False)), ("yes", value_words(name, True))])
        self.fields["max_rejections"] = self._count()
        self.fields |= agent_fields(wider)

    def clean(self) -> dict[str, Any]:
        sent: dict[str, Any] = super().clean() or self.cleaned_data
        for name, fault in agent_faults(sent):
            self.add_error(name, fault)
        return sent

    def _choose(self, name: str, choices: list[tuple[str, str]]) -> None:
        if self.wider is not None:
            choices = [(_INHERIT, self._as_org(name)), *choices]
        self.fields[name] = forms.ChoiceField(
            label=str(TITLE[name]), help_text=_HELP.get(name, ""), choices=choices
        )

    def _count(self) -> forms.IntegerField:
        words = _("The ticket then needs a person.")
        if self.wider is not None:
            words = _("Left empty it is the org's, which is %(count)s.") % {
                "count": self.wider.max_rejections
            }
        return forms.IntegerField(
            label=str(TITLE["max_rejections"]),
            help_text=words,
            min_value=1,
            max_value=REJECTIONS_MOST,
            required=self.wider is None,
        )

    def _as_org(self, name: str) -> str:
        now = value_words(name, getattr(self.wider, name))
        return _("Same as the org (%(now)s)") % {"now": now}

    @property
    def approvals(self) -> list[dict[str, Any]]:
        """The two large choices, each way with what it means."""
        return [
            {"field": self[name], "ways": [self._way(name, way) for way in self._ways()]}
            for name in APPROVALS
        ]

    def _ways(self) -> list[str]:
        ways = [str(one) for one in Approval]
        return ways if self.wider is None else [_INHERIT, *ways]

    def _way(self, name: str, way: str) -> dict[str, Any]:
        chosen = self[name].value() == way
        if way != _INHERIT:
            word, words = str(Approval(way).label), str(APPROVAL_HELP[way])
        else:
            word = _("Same as the org")
            words = _("Now: %(now)s") % {"now": value_words(name, getattr(self.wider, name))}
        return {"value": way, "word": word, "help": words, "chosen": chosen}

    @property
    def more(self) -> list[forms.BoundField]:
        return [self[name] for name in MORE]

    @property
    def agents(self) -> list[forms.BoundField]:
        return [self[name] for name in AGENTS]

    @property
    def more_open(self) -> bool:
        """Whether there is something to see under "More options"."""
        return self._says_something(MORE)

    @property
    def agents_open(self) -> bool:
        """Likewise under "Agents"."""
        return self._says_something(AGENTS)

    def _says_something(self, names: tuple[str, ...]) -> bool:
        plain = _nothing_set(self.wider)
        return any(
            name in self.errors or _text(self[name].value()) != plain[name] for name in names
        )

    def changes(self) -> dict[str, Any]:
        """What differs from what the form began with, as it is stored; once it is valid."""
        sent = self.cleaned_data
        return {
            name: _stored(name, sent[name])
            for name in SHOWN
            # A form that was shown before a setting was there says nothing of it.
            if (name in self.data or name not in AGENTS)
            and _text(sent[name]) != _text(self.initial[name])
        }

    def elsewhere(self, holds: Holds) -> list[tuple[str, str]]:
        """What holds now of each setting that was filled in otherwise."""
        return [
            (str(TITLE[name]), value_words(name, getattr(holds.policy, name)))
            for name in SHOWN
            if _text(self[name].value()) != _text(self.initial[name])
        ]


def _initial(holds: Holds, wider: Resolved | None) -> dict[str, str]:
    if wider is None:
        return _plain(holds.policy)
    said = {name: value for name, value in policy_values(holds.own).items() if value is not None}
    own = {name: _as_text(name, value, wider) for name, value in said.items() if name in SHOWN}
    return _nothing_set(wider) | own


def _nothing_set(wider: Resolved | None) -> dict[str, str]:
    """What the fields hold where a row says nothing."""
    if wider is None:
        return _plain(Resolved())
    return dict.fromkeys(SHOWN, _INHERIT) | dict.fromkeys(("max_rejections", *AGENTS), "")


def _wait_sent(data: Any) -> list[int]:
    """A wait that was offered when the form was shown is one still, whatever holds by now."""
    sent = str(data.get("verifier_wait_minutes", "")) if data else ""
    good = sent.isascii() and sent.isdigit() and len(sent) < 6
    return [int(sent)] if good and int(sent) <= WAIT_MINUTES_MOST else []


def _plain(policy: Resolved) -> dict[str, str]:
    texts = {name: _as_text(name, getattr(policy, name), None) for name in SHOWN}
    return texts | {"verifier_wait_minutes": str(policy.verifier_wait_minutes or 0)}


def _as_text(name: str, value: Any, wider: Resolved | None) -> str:
    if name in AGENTS:
        return agent_text(name, value, wider)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _text(value)


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _stored(name: str, value: Any) -> Any:
    if value in (None, _INHERIT):
        return None
    if name in AGENTS:
        return agent_stored(name, value)
    if name in ("different_connector", "different_provider"):
        return value == "yes"
    return value if name in APPROVALS else int(value)
