"""One agent: what it is on, what it used, what it was asked, its keys, and all that it did."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.fleet import CHILDREN_SHOWN, TOKENS_SHOWN
from accounts.models import Agent, Token
from stuckbot.lib import clock, ids
from stuckbot.lib.errors import Missing
from stuckbot.site.pages import agents_words as words
from stuckbot.site.pages.agents_forms import AskForm
from stuckbot.site.pages.agents_shown import agent_shown
from stuckbot.site.pages.agents_words import Text
from stuckbot.site.pages.fresh import refreshed
from stuckbot.site.pages.once import key_make
from stuckbot.site.pages.timeline import Happened, happened
from stuckbot.site.pages.times import exact, time_shown
from stuckbot.site.pages.visitor import Visitor, member_page, org_query, show
from stuckbot.site.usecases.budgets_seen import budgets_get
from stuckbot.site.usecases.fleet import AgentSight, Asked, Signalled, agent_sight
from verification.doings import COUNTED_MOST, Tickets

_SIGNAL_MOST: Final = 2_000
_DIGITS: Final = 18


class Did(NamedTuple):
    """What it did to one ticket in a row, newest first; `ref` is empty for what is of none."""

    ref: str
    title: str
    acts: list[Happened]


class TicketsShown(NamedTuple):
    """Tickets under a heading that says how many there are."""

    heading: Text
    number: str
    first: list[tuple[str, str, SafeString]]


class Said(NamedTuple):
    """A request to it, or a word about it: a sentence, when, and what was said with it."""

    sentence: SafeString | str
    at: SafeString
    quote: str


@dataclass(frozen=True, slots=True)
class TokenShown:
    """`ended` says why it signs in no more; empty while it does."""

    id: UUID
    kind: Text
    prefix: str
    name: str
    made: SafeString
    made_by: str
    used: SafeString | None
    expires: str
    ended: Text
    since: str
    is_chosen: bool
    is_live: bool


@dataclass(frozen=True, slots=True)
class Typed:
    """What was filled in for a request that was refused."""

    kind: str = ""
    form: AskForm | None = None
    fault: str = ""


@member_page
@refreshed
def agent_page(request: HttpRequest, visitor: Visitor, agent_id: UUID) -> HttpResponse:
    """The agent whole. What a reader may not do has no button."""
    return agent_page_shown(request, visitor, agent_id, Typed())


def agent_page_shown(
    request: HttpRequest, visitor: Visitor, agent_id: UUID, typed: Typed, status: int = 200
) -> HttpResponse:
    now, caller = clock.now(), visitor.caller
    since_id, since = None, request.GET.get("token", "")
    if since and (since_id := ids.parse_uuid(since)) is None:
        raise Missing
    mark = _mark(request)
    sight = agent_sight(actor=caller, agent_id=agent_id, now=now, since_id=since_id, before=mark)
    agent = sight.seen.agent
    context: dict[str, Any] = {
        "place": "agents",
        "agent": agent_shown(sight.seen, budgets_get(actor=caller).of(sight.seen), now),
        "row": agent,
        "retired": time_shown(agent.retired_at, now) if agent.retired_at else None,
        "said": _said(sight, now),
        "done": [one for one in _done(sight, now) if one.first],
        "did": _did(sight.events, now),
        "since": time_shown(sight.since.created_at, now) if sight.since else None,
        "since_name": _prefix(sight.since) if sight.since else "",
        "earlier": _link(visitor, agent, sight, before=str(sight.earlier)) if sight.earlier else "",
        "newest": _link(visitor, agent, sight) if mark is not None else "",
        "whole": _link(visitor, agent, None),
        "tokens": [_token(one, sight, visitor, now) for one in sight.tokens[:TOKENS_SHOWN]],
        "has_older_tokens": len(sight.tokens) > TOKENS_SHOWN,
        "fault": typed.fault,
        "key": key_make(),
        "org": org_query(visitor),
        **_about(sight, now),
        **_can(sight, visitor, typed),
    }
    response = show(request, visitor, "agents/agent.html", context)
    response.status_code = status
    return response


def _about(sight: AgentSight, now: datetime) -> dict[str, Any]:
    """What it is: what it said of itself, what it may do, whom it belongs to."""
    agent, relations = sight.seen.agent, sight.relations
    return {
        "made": time_shown(agent.created_at, now),
        "children": relations.children[:CHILDREN_SHOWN],
        "has_more_children": len(relations.children) > CHILDREN_SHOWN,
        "projects": relations.projects,
        "scopes": [(one, words.SCOPE.get(one, one)) for one in agent.scopes],
        "labels": _pairs(agent.labels),
        "capabilities": [one for one in _pairs(agent.capabilities) if one[0] != "watchdog"],
    }


def _can(sight: AgentSight, visitor: Visitor, typed: Typed) -> dict[str, Any]:
    """What the reader may do about it."""
    agent, caller = sight.seen.agent, visitor.caller
    may_ask = caller.is_member and agent.retired_at is None
    may_revoke = caller.is_admin
    return {
        "asks": _asks(agent, typed) if may_ask else [],
        "may_ask": may_ask,
        "can_let_go_on": may_ask and agent.stopped_at is not None,
        "may_revoke": may_revoke,
        "frees": _frees(sight) if may_revoke and agent.retired_at is None else "",
        "has_own_key": agent.connector_id is None,
    }


def _mark(request: HttpRequest) -> int | None:
    mark = request.GET.get("before", "")
    return int(mark) if mark.isascii() and mark.isdigit() and len(mark) <= _DIGITS else None


def _asks(agent: Agent, typed: Typed) -> list[dict[str, Any]]:
    """A form for each thing that no person has asked it for yet; open where one was refused."""
    asked = {"handoff": agent.handoff_request, "stop": agent.stop_request}
    kinds = [kind for kind, said in asked.items() if not said or said["reason"] != "person"]
    found = []
    for kind in dict.fromkeys((*kinds, *filter(None, (typed.kind,)))):
        is_open = kind == typed.kind
        form = typed.form if is_open and typed.form else AskForm(auto_id=f"{kind}_%s")
        found.append({"kind": kind, "form": form, "is_open": is_open})
    return found


def _said(sight: AgentSight, now: datetime) -> list[Said]:
    """Requests that ended and signals, newest first; those that are open stand above."""
    found = [(one.at, _asked(one, sight, now)) for one in sight.asked if one.ended_at is not None]
    found += [(one.at, _signalled(one, now)) for one in sight.signals]
    return [said for _at, said in sorted(found, key=lambda pair: pair[0], reverse=True)]


def _asked(one: Asked, sight: AgentSight, now: datetime) -> Said:
    table = words.ASKED if one.reason == "person" else words.ASKED_BY_DESK
    sentence = format_html(str(table[one.kind]), by=one.by)
    if reason := words.REASON.get(one.reason):
        sentence = format_html("{}, {}", sentence, reason)
    ended = words.ENDED.get(one.ended_by, "")
    return Said(format_html("{}: {}.", sentence, ended), time_shown(one.at, now), one.message)


def _signalled(one: Signalled, now: datetime) -> Said:
    sentence = str(words.SIGNAL.get(one.type, words.SIGNAL["self_report"]))
    if why := words.cause(one.cause):
        sentence = f"{sentence}, {why}"
    return Said(f"{sentence}.", time_shown(one.at, now), _details(one.type, one.details))


def _details(type_: str, details: Any) -> str:
    """What came with a signal, a line each."""
    if not isinstance(details, dict):
        return str(details or "")[:_SIGNAL_MOST]
    if type_ == "budget" and {"used", "limit"} <= set(details):
        return _("%(used)s used; the limit is %(limit)s.") % details
    lines = (f"{name}: {value}" for name, value in details.items())
    return "\n".join(lines)[:_SIGNAL_MOST]


def _done(sight: AgentSight, now: datetime) -> list[TicketsShown]:
    return [
        _tickets(_("Solved"), sight.tickets.solved, now),
        _tickets(_("Filed"), sight.tickets.filed, now),
    ]


def _tickets(heading: Text, tickets: Tickets, now: datetime) -> TicketsShown:
    number = _("more than %(most)d") if tickets.is_uncounted else "%(count)d"
    return TicketsShown(
        heading,
        number % {"most": COUNTED_MOST, "count": tickets.number},
        [(one.ref, one.title, time_shown(one.at, now)) for one in tickets.first],
    )


def _did(events: list[dict[str, Any]], now: datetime) -> list[Did]:
    found: list[Did] = []
    for event in events:
        ref = f"SB-{event['number']}" if event["number"] else ""
        if not found or found[-1].ref != ref:
            found.append(Did(ref, event["title"], []))
        found[-1].acts.append(happened(event, now))
    return found


def _token(token: Token, sight: AgentSight, visitor: Visitor, now: datetime) -> TokenShown:
    is_live = token.is_live(now)
    since = _link(visitor, sight.seen.agent, None, token=str(token.id))
    return TokenShown(
        id=token.id,
        kind=words.TOKEN[token.kind],
        prefix=_prefix(token),
        name=token.name,
        made=time_shown(token.created_at, now),
        made_by=token.set_up_by.name if token.set_up_by and token.kind == "sbk" else "",
        used=time_shown(token.used_at, now) if token.used_at else None,
        expires=_expires(token, now) if is_live else "",
        ended=_ended(token),
        since=since,
        is_chosen=sight.since is not None and sight.since.id == token.id,
        is_live=is_live,
    )


def _prefix(token: Token) -> str:
    return f"{token.kind}_{token.lookup}…"


def _expires(token: Token, now: datetime) -> str:
    if token.expires_at is None:
        return _("never runs out")
    return words.left(token.expires_at, now)


def _ended(token: Token) -> Text:
    """Why a token that is not live signs in no more; in words that hold for a live one too."""
    if token.revoked_at is not None:
        return _("revoked %(at)s") % {"at": exact(token.revoked_at)}
    if token.expires_at is not None:
        return _("ran out %(at)s") % {"at": exact(token.expires_at)}
    return ""


def _frees(sight: AgentSight) -> str:
    """What revoking it does, said before."""
    held = [one.ref for one in sight.seen.in_hand if not one.is_check]
    number = sight.tickets.held.number
    named = ", ".join(held)
    if number > len(held):
        more = ngettext("%(count)d other", "%(count)d others", number - len(held))
        named = _("%(named)s and %(more)s") % {
            "named": named,
            "more": more % {"count": number - len(held)},
        }
    if not number:
        return _("It holds no ticket now. Its tokens and keys stop at once, for good.")
    said = ngettext(
        "%(named)s goes back to be taken by others. Its tokens and keys stop at once, for good.",
        "%(named)s go back to be taken by others. Its tokens and keys stop at once, for good.",
        number,
    )
    return said % {"named": named}


def _pairs(told: Any) -> list[tuple[str, str]]:
    """What an agent said of itself, as lines; it may say anything."""
    if not isinstance(told, dict):
        return []
    return [(str(name), _flat(value)) for name, value in sorted(told.items())][:50]


def _flat(value: Any) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, list):
        return ", ".join(str(one) for one in value)
    return str(value)


def agent_url(visitor: Visitor, agent_id: UUID, **query: str) -> str:
    """Its page, in the org that the reader looks at."""
    org = org_query(visitor).lstrip("?")
    parts = [part for part in (org, urlencode(query)) if part]
    path = reverse("agent", args=[agent_id])
    return f"{path}?{'&'.join(parts)}" if parts else path


def _link(visitor: Visitor, agent: Agent, sight: AgentSight | None, **query: str) -> str:
    since = {"token": str(sight.since.id)} if sight and sight.since else {}
    return agent_url(visitor, agent.id, **since, **query)
