"""What an act of a person on a ticket is made of: who asks, what was filled in, what it does."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from django.db.models import Q
from django.http import QueryDict

from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Conflict
from stuckbot.lib.idempotency import Keep
from stuckbot.site.pages import acts_forms as forms
from stuckbot.site.pages.acts_words import Text
from stuckbot.site.usecases.sight import Proof
from tickets.cards import Card
from tickets.facts import Facts

#: What a decision is not made on: talk, proof and wording do not change what is to be decided.
_QUIET: Final = (
    "comment_added",
    "update_posted",
    "evidence_added",
    "secret_masked",
    "explanation_edited",
    "ticket_edited",
    "agent_retired",
    "signal_raised",
    "handoff_requested",
    "stop_requested",
    "request_acknowledged",
)
MOVED: Final = ~Q(type__in=_QUIET)
#: What is decided in view of the proof is void once there is more of it; who looks does no harm.
PROVED: Final = ~Q(type__in=({*_QUIET} - {"evidence_added"}) | {"verification_claimed"})
EXPLAINED: Final = Q(type__in=("explanation_edited", "package_updated"))
#: What is filled in is filled into the package as it was read.
FILLED: Final = Q(type__in=("package_updated", "package_completed"))
SET: Final = Q(type__in=("ticket_edited", "package_updated"))


class Meanwhile(Conflict):
    """Something happened since the page was read that the act should not be done over."""

    code = "state_changed"


@dataclass(frozen=True, slots=True)
class Asked:
    """Who wants to act on what; `data` is what was sent, `initial` what was typed before; `proof`
    is there for acts that show it."""

    caller: Caller
    card: Card
    now: datetime
    data: QueryDict | None = None
    initial: Mapping[str, str] = field(default_factory=dict)
    criterion: str = ""
    proof: Proof | None = None

    @property
    def holds(self) -> bool:
        return self.card.facts.holder(self.now) == self.caller.id


@dataclass(frozen=True, slots=True)
class Doing:
    """An act under way: `form` is valid, `facts` were read this moment."""

    caller: Caller
    facts: Facts
    form: forms.ActForm
    now: datetime
    keep: Keep

    @property
    def who(self) -> dict[str, Any]:
        """The arguments that every service takes."""
        ref = str(self.facts.id)
        return {"actor": self.caller, "ref": ref, "now": self.now, "keep": self.keep}

    @property
    def said(self) -> dict[str, Any]:
        return self.form.cleaned_data


Make = Callable[[Asked], forms.ActForm]


@dataclass(frozen=True, slots=True)
class Act:
    """`void` says which events since the page was read keep it from being done; None: none do."""

    operation: str
    heading: Text
    button: Text
    done: Text
    run: Callable[[Doing], Any]
    make: Make
    void: Q | None = None
    lead: Text = ""
    place: str = ""
    is_danger: bool = False
    #: Another operation that allows it, where the ticket stands otherwise.
    also: str = ""
    #: It is done in view of the proof.
    shows_proof: bool = False
    #: What it is called where somebody else holds the ticket.
    on_others: Text = ""

    def worded(self, *, holds: bool) -> "Act":
        if holds or not self.on_others:
            return self
        return replace(self, heading=self.on_others, button=self.on_others)


def form_of(kind: type[forms.ActForm]) -> Make:
    def make(asked: Asked) -> forms.ActForm:
        return kind(asked.data, card=asked.card, initial=dict(asked.initial))

    return make
