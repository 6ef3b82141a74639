"""What happened on a ticket, and what was said about it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils.html import format_html
from django.utils.safestring import SafeString

from stuckbot.lib.content import value_of
from stuckbot.site.pages import words
from stuckbot.site.pages.times import time_shown
from tickets.events import PAGE, ticket_events
from tickets.models import Note


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


def timeline_shown(
    org_id: UUID, ticket_id: UUID, after: int, now: datetime
) -> tuple[list[Happened], int | None]:
    """A page of events, oldest first, and the mark of the next page when there is one."""
    events = ticket_events(org_id=org_id, ticket_id=ticket_id, after=after)
    more = events[-1]["id"] if len(events) == PAGE else None
    return [_happened(event, now) for event in events], more


def _happened(event: dict[str, Any], now: datetime) -> Happened:
    who = format_html("<bdi>{}</bdi>", event["actor"]["name"])
    sentence = words.EVENT.get(event["type"], words.EVENT_OTHER)
    return Happened(
        code=event["type"],
        sentence=format_html(str(sentence), who=who, criterion=event["data"].get("criterion", "")),
        at=time_shown(datetime.fromisoformat(event["at"]), now),
        quote=_quote(event.get("content", {})),
    )


def _quote(content: dict[str, Any]) -> str:
    """The reason or note that came with the event; what was posted stands in its own place."""
    for name in ("reason", "note", "blocked_reason"):
        if isinstance(text := content.get(name), str):
            return text
    return ""


def notes_shown(notes: list[Note], now: datetime) -> list[Said]:
    """Updates and comments, oldest first."""
    return [_said(note, now) for note in notes]


def _said(note: Note, now: datetime) -> Said:
    value = value_of(note.content.bytes, note.content.key_id) or {}
    return Said(note.kind, note.by.name, time_shown(note.at, now), value.get("body", ""))
