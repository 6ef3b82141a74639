"""The fleet on a page: which agents there are, and what each is on."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.fleet import WHICH, Group, Wish
from stuckbot.lib import clock, ids
from stuckbot.lib.errors import Invalid, Missing
from stuckbot.site.pages import agents_words as words
from stuckbot.site.pages.agents_shown import AgentShown, agent_shown
from stuckbot.site.pages.agents_words import Text
from stuckbot.site.pages.fresh import refreshed
from stuckbot.site.pages.visitor import Visitor, member_page, show
from stuckbot.site.usecases.budgets_seen import Budgets, budgets_get
from stuckbot.site.usecases.fleet import Fleet, fleet_page

PAGE_SIZE: Final = 25
#: Of what an agent has in hand, as many as its card names.
HANDS_NAMED: Final = 2
#: How an address names agents that came by no connector.
OWN_KEY: Final = "none"
_NAME_MOST: Final = 80
_ORDER: Final = ("show", "connector", "name", "after", "before")


class Counted(NamedTuple):
    text: Text
    help: Text
    number: int
    href: str
    is_chosen: bool


class Choice(NamedTuple):
    value: str
    text: Text
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class GroupShown:
    """The agents of one connector on this page; `id` is empty for those with keys of their own."""

    id: UUID | None
    name: Text
    is_stopped: bool
    live: int
    agents: list[AgentShown]


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What the list is narrowed to, as its address says it."""

    values: dict[str, str]

    @property
    def which(self) -> str:
        return self.values.get("show", "live")

    @property
    def wish(self) -> Wish:
        chosen = self.values.get("connector", "")
        return Wish(
            which=self.which,
            connector=ids.parse_uuid(chosen),
            own_key=chosen == OWN_KEY,
            named=self.values.get("name", ""),
        )

    def link(self, **changes: str) -> str:
        wanted = {**self.values, **changes}
        if wanted.get("show") == "live":
            wanted["show"] = ""
        query = urlencode([(name, wanted[name]) for name in _ORDER if wanted.get(name)])
        path = reverse("agents")
        return f"{path}?{query}" if query else path

    def holds(self, group: Group) -> bool:
        """Whether the list shows the agents of that connector, or of none."""
        chosen = self.values.get("connector", "")
        return not chosen or chosen == (OWN_KEY if group.id is None else str(group.id))


@member_page
@refreshed
def agents_page(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    """Agents by connector, those that can sign in unless the address says otherwise."""
    now = clock.now()
    narrowing = narrowing_read(request)
    fleet = _fleet(request, visitor, narrowing, now)
    total = sum(group.counts["all"] for group in fleet.groups)
    context = {
        "place": "agents",
        "groups": _groups(fleet, budgets_get(actor=visitor.caller), now),
        "counts": _counts(fleet.groups, narrowing),
        "connectors": _choices(fleet.groups, narrowing),
        "narrowing": narrowing,
        "chosen": next(
            (one.text for one in _choices(fleet.groups, narrowing)[1:] if one.is_chosen), ""
        ),
        "stopped": [one for one in fleet.groups if one.disabled_at is not None],
        "nobody": words.NOBODY.get(narrowing.which),
        "is_new": not total and not narrowing.values,
        "is_admin": visitor.caller.is_admin,
        **_beside(fleet, narrowing),
    }
    return show(request, visitor, "agents/agents.html", context)


def narrowing_read(request: HttpRequest) -> Narrowing:
    """What the address asks for; what means nothing is left out."""
    given = {name: request.GET.get(name, "").strip() for name in ("show", "connector", "name")}
    connector = given["connector"]
    known = {
        "show": given["show"] if given["show"] in WHICH and given["show"] != "live" else "",
        "connector": connector if connector == OWN_KEY or ids.parse_uuid(connector) else "",
        "name": given["name"].replace("\x00", "")[:_NAME_MOST],
    }
    return Narrowing({name: said for name, said in known.items() if said})


def _fleet(request: HttpRequest, visitor: Visitor, narrowing: Narrowing, now: datetime) -> Fleet:
    after, before = (request.GET.get(name, "") for name in ("after", "before"))
    places = {name: ids.parse_uuid(said) for name, said in (("after", after), ("before", before))}
    try:
        if (after and places["after"] is None) or (before and places["before"] is None):
            raise Missing
        return fleet_page(
            actor=visitor.caller, wish=narrowing.wish, now=now, limit=PAGE_SIZE, **places
        )
    except Missing as fault:
        raise Invalid(_("The list has no such page. Open the list anew.")) from fault


def _groups(fleet: Fleet, budgets: Budgets, now: datetime) -> list[GroupShown]:
    """The page's agents under the connectors they came by, in the order of the page."""
    by_id = {group.id: group for group in fleet.groups}
    found: list[GroupShown] = []
    for seen in fleet.seen:
        connector_id = seen.agent.connector_id
        if not found or found[-1].id != connector_id:
            group = by_id.get(connector_id)
            connector = seen.agent.connector
            found.append(
                GroupShown(
                    id=connector_id,
                    name=connector.name if connector else _("With a key of their own"),
                    is_stopped=connector is not None and connector.disabled_at is not None,
                    live=group.counts["live"] if group else 0,
                    agents=[],
                )
            )
        found[-1].agents.append(agent_shown(seen, budgets.of(seen), now, named=HANDS_NAMED))
    return found


def _counts(groups: list[Group], narrowing: Narrowing) -> list[Counted]:
    """How many there are of each kind, of the connector and name that the list is narrowed to."""
    within = [group for group in groups if narrowing.holds(group)]
    return [
        Counted(
            words.WHICH[which],
            words.WHICH_HELP[which],
            sum(group.counts[which] for group in within),
            narrowing.link(show=which),
            which == narrowing.which,
        )
        for which in WHICH
    ]


def _choices(groups: list[Group], narrowing: Narrowing) -> list[Choice]:
    chosen = narrowing.values.get("connector", "")
    found = [Choice("", _("Every connector"), not chosen)]
    for group in groups:
        value = OWN_KEY if group.id is None else str(group.id)
        name = _("With a key of their own") if group.id is None else group.name
        found.append(Choice(value, name, value == chosen))
    return found


def _beside(fleet: Fleet, narrowing: Narrowing) -> dict[str, str]:
    """The addresses of the pages on either side; empty where there is none."""
    page = fleet.page
    if not page.found:
        return {"newer": "" if page.is_first else narrowing.link(), "older": ""}
    first, last = str(page.found[0].id), str(page.found[-1].id)
    return {
        "newer": "" if page.is_first else narrowing.link(before=first),
        "older": "" if page.is_last else narrowing.link(after=last),
    }
