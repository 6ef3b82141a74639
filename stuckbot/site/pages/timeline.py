"""What happened on a ticket, and what was said about it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from stuckbot.lib.content import value_of
from stuckbot.site.pages import words
from stuckbot.site.pages.acts_words import SOLUTION, Text
from stuckbot.site.pages.times import time_shown
from stuckbot.site.pages.url_words import why
from stuckbot.site.templatetags.texts import shown
from tickets.models import Note

#: By why a fix was passed on to a person.
_PASSED_ON: Final[dict[str, Text]] = {
    "wait_over": words.PASSED_ON["wait_over"],
    "agent_approved": gettext_lazy("{who} checked the fix and agreed. A person has the last word."),
}


@dataclass(frozen=True, slots=True)
class Happened:
    """`code` is the event's type, for the title attribute; `quote` what somebody gave as reason."""

    code: str
    sentence: SafeString
    at: SafeString
    quote: str


@dataclass(frozen=True, slots=True)
class Said:
    kind: str
    by: str
    at: SafeString
    body: str


def timeline_shown(events: Iterable[dict[str, Any]], now: datetime) -> list[Happened]:
    return [happened(event, now) for event in events]


def happened(event: dict[str, Any], now: datetime) -> Happened:
    """One event as a sentence of plain words."""
    who = shown(event["actor"]["name"])
    criterion = shown(event["data"].get("criterion", ""))
    return Happened(
        code=event["type"],
        sentence=format_html(str(_sentence(event)), who=who, criterion=criterion),
        at=time_shown(datetime.fromisoformat(event["at"]), now),
        quote=_quote(event.get("content", {})) or _answer(event),
    )


def _sentence(event: dict[str, Any]) -> Text:
    """By its type; where the data says more, the words for that. {who} is the actor."""
    type_, data = event["type"], event["data"]
    if type_ == "ticket_edited":
        return _edited(data)
    if type_ == "ticket_handed_off" and data.get("child"):
        return _("{who} handed it on to %(ref)s.") % {"ref": data["child"]["ref"]}
    if type_ == "ticket_created" and data.get("parent"):
        return _("{who} filed it to carry on from %(ref)s.") % {"ref": data["parent"]["ref"]}
    if type_ == "signal_raised":
        raised = event["actor"]["kind"] == "system"
        kinds = words.SIGNAL_RAISED if raised else words.SIGNAL_SENT
        return kinds.get(data.get("type", ""), words.EVENT[type_])
    if type_ == "ticket_released" and data.get("forced"):
        return _("{who} ended the time of whoever held it.")
    if type_ in ("url_check_skipped", "checks_finished"):
        return _checked(type_, data)
    if type_ == "evidence_added" and event["actor"]["kind"] == "system":
        return words.OPENED.get(data.get("result", ""), words.EVENT["evidence_added"])
    if type_ == "evidence_added" and data.get("result") == "pass":
        return _("{who} sent proof for {criterion}, and it passes.")
    if type_ == "evidence_added" and data.get("result") == "fail":
        return _("{who} sent proof for {criterion}, and it fails.")
    if type_ == "verification_passed_on" and data.get("why") in _PASSED_ON:
        return _PASSED_ON[data["why"]]
    if type_ == "needs_human" and "rejections" in data:
        return _("It was rejected as often as the policy bears, so a person is asked.")
    if type_ == "stage_approved" and event["actor"]["kind"] == "system":
        return _("The proof passes, so the fix was approved automatically.")
    return words.EVENT.get(type_, words.EVENT_OTHER)


def _checked(type_: str, data: dict[str, Any]) -> Text:
    """What came of the desk's own checks, one of them or all."""
    if type_ == "url_check_skipped" and "reason" in data:
        return _("StuckBot could not check {criterion}: %(why)s.") % {
            "why": why(str(data["reason"])).short
        }
    if type_ == "checks_finished":
        return words.CHECKS_ENDED.get(data.get("verification_state", ""), words.EVENT[type_])
    return words.EVENT[type_]


def _edited(data: dict[str, Any]) -> Text:
    if set(data) == {"urgency"}:
        number = int(data["urgency"])
        name = words.urgency(number)
        return _("{who} set the urgency to %(number)d, %(name)s.") % {
            "number": number,
            "name": name,
        }
    if set(data) == {"labels"}:
        return _("{who} changed the labels.")
    if set(data) == {"assignee_id"}:
        return _("{who} changed who looks at it.")
    if set(data) == {"reserved_for"}:
        kept = data["reserved_for"] is not None
        return _("{who} kept it for one agent.") if kept else _("{who} let anyone take it.")
    return words.EVENT["ticket_edited"]


def _quote(content: dict[str, Any]) -> str:
    """The reason or note that came with the event; what was posted stands in its own place."""
    for name in ("reason", "note", "blocked_reason", "message"):
        if isinstance(text := content.get(name), str):
            return text
    return ""


def _answer(event: dict[str, Any]) -> str:
    """What its solver said of a fix, where it was said: a later answer may have taken its place."""
    if event["type"] not in ("stage_submitted", "ticket_closed"):
        return ""
    content = event.get("content", {})
    said = {"outcome": content.get("outcome"), **(content.get("resolution") or {})}
    return "\n".join(str(said[name]) for name in SOLUTION if said.get(name))


def notes_shown(notes: list[Note], now: datetime) -> list[Said]:
    """Updates and comments, oldest first."""
    return [_said(note, now) for note in notes]


def _said(note: Note, now: datetime) -> Said:
    value = value_of(note.content.bytes, note.content.key_id) or {}
    return Said(note.kind, note.by.name, time_shown(note.at, now), value.get("body", ""))
