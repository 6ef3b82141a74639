"""What a ticket needs now, and the buttons that do it: only what the reader may do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from stuckbot.lib.clock import wire
from stuckbot.site.pages import words
from stuckbot.site.pages.acts_table import ACTS
from stuckbot.site.pages.acts_words import Text
from stuckbot.site.pages.deciding import (
    Deciding,
    deciding_shown,
    is_approvable,
    verifier_shown,
    why_not_approve,
)
from stuckbot.site.pages.times import clock_time, exact
from stuckbot.site.pages.visitor import Visitor
from stuckbot.site.usecases.sight import Sight
from tickets.capabilities import capabilities
from tickets.colours import Status
from tickets.facts import Facts
from verification.standing import standing_of

Kind = Literal["filled", "outlined", "danger"]

#: Done by the button itself; the others have a page of their own with something to fill in.
DIRECT: Final = frozenset(
    {"claim", "continue", "keep", "resume", "unblock", "take-over", "reopen", "let-anyone"}
)
#: By the rule of a status: the event whose reason says why.
#: Rules of red that a person alone, or a person too, can end.
_ASKS_PEOPLE: Final = ("needs_human", "blocked", "paused", "incomplete", "loop_suspected")
_REASON_IN: Final = {"needs_human": "needs_human", "paused": "ticket_paused"}
#: What stands under "More", in this order, where it is not a button already.
_MORE: Final = (
    *("complete", "approve", "reject", "update", "evidence", "submit", "settings", "escalate"),
    "block",
    *(
        "pause",
        "resume",
        "unblock",
        "send-back",
        "take-over",
        "claim",
        "continue",
        "release",
        "reopen",
    ),
    *("let-anyone", "keep-for", "withdraw", "close"),
)


@dataclass(frozen=True, slots=True)
class Button:
    """`posts`: pressing it does it. Else it leads to a page with something to fill in."""

    slug: str
    label: Text
    action: str
    posts: bool
    kind: Kind


@dataclass(frozen=True, slots=True)
class Asked:
    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Needs:
    """`until` is when the reader's own time on the ticket ends."""

    sentence: Text
    until: SafeString | None
    buttons: list[Button]
    more: list[Button]
    #: Who asked for a person, or paused it, and why in their own words.
    asked: Asked | None = None
    #: Acts that have a place of their own on the page, with their address.
    acts: Mapping[str, str] = field(default_factory=dict)
    #: Who checks the fix, or since when it waits for a verifier.
    waiting: list[SafeString] = field(default_factory=list)
    #: The decision that waits for a person, made on the page itself.
    deciding: Deciding | None = None
    #: Why the reader cannot approve what they could otherwise.
    why_not: Text = ""


def ticket_url(visitor: Visitor, ref: str, **query: str) -> str:
    """The address of a ticket's page. With several orgs it names the one that is meant."""
    return address_of(visitor, reverse("ticket", kwargs={"ref": ref}), query)


def act_url(visitor: Visitor, ref: str, slug: str, **query: str) -> str:
    return address_of(visitor, reverse("ticket_act", kwargs={"ref": ref, "act": slug}), query)


def proof_url(visitor: Visitor, ref: str, criterion: str) -> str:
    place = reverse("ticket_proof", kwargs={"ref": ref, "criterion": criterion})
    return address_of(visitor, place)


def address_of(visitor: Visitor, place: str, query: Mapping[str, str] | None = None) -> str:
    org = {"org": str(visitor.org.id)} if len(visitor.orgs) > 1 else {}
    asked = urlencode({**(query or {}), **org})
    return f"{place}?{asked}" if asked else place


def needs_shown(sight: Sight, status: Status, visitor: Visitor, now: datetime) -> Needs:
    """The sentence, at most three buttons of which one is filled, and all else one may do."""
    facts, proof = sight.card.facts, sight.proof
    can = possible(visitor, facts, now)
    why_not = why_not_approve(proof) if is_approvable(proof) else ""
    if why_not or not is_approvable(proof):
        can -= {"approve"}
    deciding = deciding_shown(proof, now, may_reject="reject" in can)
    holds = facts.holder(now) == visitor.caller.id
    chosen = [slug for slug in _chosen(sight, status, holds) if slug in can][:3]
    filled = _filled(status, holds)
    buttons = [
        _button(visitor, sight, one, "filled" if filled else "outlined") for one in chosen[:1]
    ]
    buttons += [_button(visitor, sight, one, "outlined") for one in chosen[1:]]
    buttons += _pause_link(visitor, facts, status)
    inline = ("approve", "reject") if deciding else ()
    more = [slug for slug in _MORE if slug in can and slug not in (*chosen, *inline)]
    return Needs(
        sentence=_sentence(status, facts, holds),
        until=_until(facts) if holds else None,
        buttons=buttons,
        more=[_button(visitor, sight, one, "outlined", holds=holds) for one in more],
        asked=_asked(sight, status),
        acts={slug: act_url(visitor, facts.ref, slug) for slug in can},
        waiting=verifier_shown(proof, now),
        deciding=deciding,
        why_not=why_not if status.rule == "needs_human" else "",
    )


def _pause_link(visitor: Visitor, facts: Facts, status: Status) -> list[Button]:
    """The way to where its project, or everything, is paused: not here."""
    if status.rule != "paused" or facts.paused_at is not None:
        return []
    place = reverse("policy")
    if facts.project_paused_at is not None:
        place = reverse("policy_project", kwargs={"project_id": facts.project_id})
    label = _("Go to where it is paused")
    return [Button("paused", label, f"{address_of(visitor, place)}#pause", False, "outlined")]


def _asked(sight: Sight, status: Status) -> Asked | None:
    """The reason behind the status, from the newest event that gave one."""
    if status.rule == "paused" and sight.card.pause_reason:
        return Asked(sight.card.paused_by or "", sight.card.pause_reason)
    wanted = _REASON_IN.get(status.rule)
    for event in reversed(sight.events):
        reason = event.get("content", {}).get("reason")
        if event["type"] == wanted:
            return Asked(event["actor"]["name"], reason) if isinstance(reason, str) else None
    return None


def possible(visitor: Visitor, facts: Facts, now: datetime) -> set[str]:
    """The acts that the reader may do and that change something."""
    allowed = set(capabilities(visitor.caller, facts, now))
    can = {slug for slug, act in ACTS.items() if {act.operation, act.also} & allowed}
    if facts.holder(now) == visitor.caller.id:
        can -= {"claim", "continue"}
    can -= {"pause"} if facts.paused_at else {"resume"}
    can -= {"block"} if facts.blocked_since else {"unblock"}
    can -= {"submit", "approve"} if facts.incomplete else {"complete"}
    can -= {"evidence"} if f"{facts.stage}_criteria" in facts.missing_fields else set()
    can -= {"settings", "keep-for"} if facts.is_closed else set()
    can -= {"keep-for"} if facts.reserved_for_id and not facts.is_closed else {"let-anyone"}
    return can


def _filled(status: Status, holds: bool) -> bool:
    """Whether it waits for the reader, so that one button stands out."""
    return holds or status.rule in _ASKS_PEOPLE


def _chosen(sight: Sight, status: Status, holds: bool) -> Sequence[str]:
    if holds and sight.card.facts.incomplete:
        return ("complete", "keep", "release")
    if holds:
        return ("submit" if _is_proved(sight) else "evidence", "keep", "release")
    return {
        "needs_human": ("send-back", "approve", "take-over", "close"),
        "blocked": ("unblock", "close"),
        "paused": ("resume",),
        "loop_suspected": ("pause", "close"),
        "incomplete": ("complete", "claim", "close"),
        "unclaimed": ("claim",),
        "kept": ("let-anyone",),
        "waits_for_task": ("continue",),
        "waits_for_person": (),
    }.get(status.rule, ("reopen",))


def _is_proved(sight: Sight) -> bool:
    return next_criterion(sight) is None


def next_criterion(sight: Sight) -> str | None:
    """The first check of the stage in hand that lacks proof which passes."""
    stage = sight.card.facts.stage
    for row in sight.proof.criteria:
        lacking = standing_of(row, sight.proof.counts.get(row.key)).status in ("missing", "failed")
        if row.stage == stage and lacking:
            return row.key
    return None


def _button(visitor: Visitor, sight: Sight, slug: str, kind: Kind, *, holds: bool = True) -> Button:
    act = ACTS[slug].worded(holds=holds)
    query = {}
    if slug == "evidence" and (key := next_criterion(sight)) is not None:
        query = {"criterion": key}
    return Button(
        slug=slug,
        label=act.button if slug in DIRECT else act.heading,
        action=act_url(visitor, sight.card.facts.ref, slug, **query),
        posts=slug in DIRECT,
        kind="danger" if act.is_danger and kind != "filled" else kind,
    )


def _sentence(status: Status, facts: Facts, holds: bool) -> Text:
    if facts.incomplete and (holds or status.rule == "incomplete"):
        missing = words.missing(facts.missing_fields)
        if holds:
            return _("You are working on it. Fill in what is missing: %(fields)s.") % {
                "fields": missing
            }
        return _("A person can fill in what is missing: %(fields)s. Nobody is offered it yet.") % {
            "fields": missing
        }
    if holds:
        return _("You are working on it. Send proof for each check below, then submit the fix.")
    return words.NEEDS[status.rule]


def _until(facts: Facts) -> SafeString | None:
    at = facts.lease_until
    if at is None:
        return None
    return format_html(
        '<time datetime="{}" title="{}">{}</time>', wire(at), exact(at), clock_time(at)
    )
