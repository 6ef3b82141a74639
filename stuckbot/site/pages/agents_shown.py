"""An agent as a page shows it first: what it is on, when it was heard of, what it used."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import Agent
from stuckbot.site.pages import agents_words as words
from stuckbot.site.pages.agents_words import Text
from stuckbot.site.pages.times import time_shown
from stuckbot.site.usecases.budgets_seen import Limits
from stuckbot.site.usecases.fleet import AgentSeen, InHand

#: What counts against a budget, in the order shown.
COUNTED: Final = ("tokens", "cost_usd", "runtime_seconds")
#: Other kinds of use that are shown; an agent may report as many as it likes.
_OTHERS_MOST: Final = 10


@dataclass(frozen=True, slots=True)
class Chip:
    """How it stands in a word, with what that means."""

    text: Text
    help: Text
    is_warned: bool


@dataclass(frozen=True, slots=True)
class HandShown:
    """A ticket in its hands: what it does, which, and how long that lasts."""

    does: Text
    ref: str
    title: str
    left: str


@dataclass(frozen=True, slots=True)
class AskShown:
    """An open request: the sentence, what was said with it, and its kind."""

    kind: str
    sentence: SafeString
    message: str


@dataclass(frozen=True, slots=True)
class UsageShown:
    """A total, and against its limit where it has one; `warning` says in words that it is over."""

    name: Text
    words: str
    share: float
    value: str
    most: str
    warning: Text
    tone: str


@dataclass(frozen=True, slots=True)
class AgentShown:
    id: UUID
    name: str
    chips: list[Chip]
    made_of: str
    seen: SafeString | None
    status: str
    status_at: SafeString | None
    in_hand: list[HandShown]
    more: str
    asked: list[AskShown]
    usage: list[UsageShown]

    @property
    def nearest(self) -> UsageShown | None:
        """What is nearest to its limit."""
        limited = [one for one in self.usage if one.most]
        return max(limited, key=lambda one: one.share, default=None)

    @property
    def other_usage(self) -> list[UsageShown]:
        return [one for one in self.usage[:3] if one is not self.nearest]


def agent_shown(
    seen: AgentSeen, limits: Limits, now: datetime, *, named: int | None = None
) -> AgentShown:
    """With the first `named` of what it has in hand, or as many as were read."""
    agent, in_hand = seen.agent, seen.in_hand[:named]
    rest = seen.in_hand_count - len(in_hand)
    more = ngettext("and %(count)d more ticket", "and %(count)d more tickets", rest)
    return AgentShown(
        id=agent.id,
        name=agent.name,
        chips=chips(seen),
        made_of=" · ".join(filter(None, (agent.provider, agent.model, agent.runtime))),
        seen=time_shown(seen.seen_at, now) if seen.seen_at else None,
        status=seen.status,
        status_at=time_shown(seen.status_at, now) if seen.status_at else None,
        in_hand=[hand_shown(one, now) for one in in_hand],
        more=more % {"count": rest} if rest > 0 else "",
        asked=asked_shown(agent, now),
        usage=usage_shown(agent, limits),
    )


def chips(seen: AgentSeen) -> list[Chip]:
    """What is not as it should be; a live agent that does its work has none."""
    agent, found = seen.agent, list[Chip]()
    if agent.retired_at is not None:
        return [Chip(_("Retired"), _("It shut down or was revoked, and signs in no more."), False)]
    if agent.connector is not None and agent.connector.disabled_at is not None:
        found.append(Chip(_("Fleet stopped"), _("Its connector lets nobody in."), True))
    elif not seen.is_live:
        found.append(Chip(_("Cannot sign in"), _("Its tokens ran out or were revoked."), False))
    if agent.stopped_at is not None and not agent.stop_request:
        found.append(
            Chip(_("Stopped"), _("It answered a request to stop and is given no new work."), True)
        )
    if agent.silent_since is not None:
        found.append(Chip(_("Silent"), _("It declared a watchdog, and was not heard of."), True))
    return found


def hand_shown(one: InHand, now: datetime) -> HandShown:
    does = _("Checks") if one.is_check else _("On it")
    return HandShown(does, one.ref, one.title, words.left(one.until, now))


def asked_shown(agent: Agent, now: datetime) -> list[AskShown]:
    """What it is asked for and has not answered."""
    if agent.retired_at is not None:
        return []
    found = (("handoff", agent.handoff_request), ("stop", agent.stop_request))
    return [_ask_shown(kind, stored, now) for kind, stored in found if stored]


def _ask_shown(kind: str, stored: dict[str, Any], now: datetime) -> AskShown:
    at = time_shown(datetime.fromisoformat(stored["requested_at"]), now)
    message = stored.get("content", {}).get("message") or ""
    reason = stored.get("reason", "")
    if reason in words.REASON:
        sentence = format_html(str(words.ASKED_OPEN_WHY[kind]), at=at, why=words.REASON[reason])
        # What the desk tells an agent is not for people: the reason is.
        return AskShown(kind, sentence, "")
    return AskShown(kind, format_html(str(words.ASKED_OPEN[kind]), at=at), message)


def usage_shown(agent: Agent, limits: Limits) -> list[UsageShown]:
    """What it used of each kind that counts or that has a limit, then what else it reported."""
    usage = {name: total for name, total in agent.usage.items() if isinstance(total, int | float)}
    counted = [name for name in COUNTED if name in usage or limits.of(name) != (None, None)]
    others = sorted(set(usage) - set(COUNTED))[:_OTHERS_MOST]
    return [_usage(name, usage.get(name, 0), *limits.of(name)) for name in (*counted, *others)]


def _usage(name: str, total: float, soft: float | None, hard: float | None) -> UsageShown:
    most = hard if hard is not None else soft
    said = words.amount(name, total) if most is None else words.used_of(name, total, most)
    warning: Text = ""
    tone = ""
    if hard is not None and total >= hard:
        warning, tone = _("The budget is used up."), "over"
    elif soft is not None and total >= soft:
        warning = _("Past %(soft)s, where it is asked to hand off.") % {
            "soft": words.amount(name, soft)
        }
        tone = "near"
    return UsageShown(
        name=words.called(name),
        words=said,
        share=total / most if most else 0,
        value=str(round(min(100.0, 100 * total / most), 1)) if most else "",
        most="100" if most else "",
        warning=warning,
        tone=tone,
    )
