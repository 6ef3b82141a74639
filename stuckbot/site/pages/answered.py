"""What was said of a fix: the answers that open "What happened"."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from stuckbot.site.pages import words
from stuckbot.site.pages.acts_words import SOLUTION, Text
from stuckbot.site.pages.times import time_shown
from stuckbot.site.templatetags.texts import shown
from stuckbot.site.usecases.answers import APPROVED, SUBMITTED, Standing
from tickets.answers import Answer, answer_of
from tickets.cards import Card

#: What names a place of the fix, in the order people look for it.
_PLACES: Final = ("branch", "commit", "url")
#: Solved tickets that a page tells of.
_SOLVED_MOST: Final = 3


@dataclass(frozen=True, slots=True)
class Place:
    """Where the fix is. An address is a link only where it is safe to follow: over https."""

    label: Text
    text: str
    is_link: bool


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer in plain words; `outcome` and `summary` as its solver put them."""

    sentence: SafeString
    outcome: str
    summary: str
    places: list[Place]


def answers_shown(
    standing: Sequence[Standing], now: datetime, *, with_submitted: bool = True
) -> list[Answered]:
    """The newest first; those that wait for a decision only where asked for."""
    chosen = [one for one in standing if with_submitted or one.state != SUBMITTED]
    return [_shown(one, now) for one in reversed(chosen)]


def _shown(one: Standing, now: datetime) -> Answered:
    return _said(one.said, _sentence(one, now))


def _said(answer: Answer, sentence: SafeString) -> Answered:
    said = answer["resolution"] or {}
    places = [
        Place(SOLUTION[name], str(said[name]), _is_link(name, str(said[name])))
        for name in _PLACES
        if said.get(name)
    ]
    outcome = str(answer["outcome"] or "")
    return Answered(sentence, outcome, str(said.get("summary") or ""), places)


def _sentence(one: Standing, now: datetime) -> SafeString:
    at = time_shown(one.at, now)
    who = shown(one.by.name) if one.by else ""
    if one.state == APPROVED and one.stage == "task":
        return format_html(_("{who} finished the task. The fix was approved {at}."), who=who, at=at)
    if one.state == APPROVED:
        return format_html(
            _("{who} removed the blocker. The fix was approved {at}."), who=who, at=at
        )
    if one.state == SUBMITTED:
        return format_html(
            _("{who} submitted a fix {at}. Nobody has agreed to it yet."), who=who, at=at
        )
    return format_html(_("Said on closing it, {at}."), at=at)


def _is_link(name: str, text: str) -> bool:
    return name == "url" and text.lower().startswith("https://")


@dataclass(frozen=True, slots=True)
class SolvedBefore:
    """A ticket with the same problem, as it looks, and the answer that worked there."""

    ref: str
    title: str
    assured: Text
    updated: SafeString
    answer: Answered


def solved_shown(alike: Sequence[Card], root_id: UUID, now: datetime) -> list[SolvedBefore]:
    """Those whose blocker was proved gone, the most alike first; none of the chain of `root_id`,
    which the page shows anyway."""
    others = [one for one in alike if one.facts.root_id != root_id]
    solved = [one for one in others if one.facts.proven][:_SOLVED_MOST]
    return [
        SolvedBefore(
            ref=one.facts.ref,
            title=one.title,
            assured=words.ASSURED.get(one.facts.assurance, ""),
            updated=time_shown(one.facts.closed_at or one.facts.updated_at, now),
            answer=_said(answer_of(one.resolution), SafeString("")),
        )
        for one in solved
    ]
