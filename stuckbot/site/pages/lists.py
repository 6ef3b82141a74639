"""The board of open tickets, and the archive of closed ones."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple, TypeVar

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from accounts.selectors import projects_list
from stuckbot.lib import clock
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Invalid
from stuckbot.lib.paging import Place, place_make, place_read
from stuckbot.site.pages import words
from stuckbot.site.pages.cards import CardShown, card_shown
from stuckbot.site.pages.connect import first_run
from stuckbot.site.pages.filters import COLORS, Filters, Text, filters_read
from stuckbot.site.pages.fresh import refreshed
from stuckbot.site.pages.visitor import Visitor, member_page, show
from stuckbot.site.usecases.unchecked import unchecked_of
from tickets.capabilities import capabilities
from tickets.cards import Card
from tickets.lists import (
    Page,
    colours_count,
    labels_offered,
    place_of,
    tickets_page,
    tickets_search,
)
from tickets.search.find import mark_make, mark_read
from tickets.search.query import query_read
from tickets.selectors import tickets_readable

PAGE_SIZE: Final = 25
T = TypeVar("T")


class Counted(NamedTuple):
    """A colour with how many tickets have it; `color` is empty for all of them."""

    color: str
    text: Text
    number: int
    href: str
    is_chosen: bool


@member_page
@refreshed
def board(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    """Open tickets, the most urgent first unless the address says otherwise."""
    filters = filters_read(request, projects_list(actor=visitor.caller), closed=False)
    counts = [] if filters.asked else _counts(visitor, filters)
    context = _shown(request, visitor, filters) | {"place": "board", "counts": counts}
    nothing = not context["cards"] and not filters.values
    context["is_new"] = nothing and not tickets_readable(visitor.caller).exists()
    if context["is_new"]:
        context |= first_run(visitor, has_ticket=False)
    return show(request, visitor, "tickets/list.html", context)


@member_page
@refreshed
def archive(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    """Closed tickets, those closed last first."""
    filters = filters_read(request, projects_list(actor=visitor.caller), closed=True)
    context = _shown(request, visitor, filters) | {"place": "archive"}
    return show(request, visitor, "tickets/list.html", context)


def _shown(request: HttpRequest, visitor: Visitor, filters: Filters) -> dict[str, Any]:
    return (_searched if filters.asked else _listed)(request, visitor, filters)


def _searched(request: HttpRequest, visitor: Visitor, filters: Filters) -> dict[str, Any]:
    """What a search found, a page at a time; back leads to its first page."""
    now, cursor = clock.now(), request.GET.get("after")
    found = tickets_search(
        actor=visitor.caller,
        query=query_read(filters.asked),
        wish=filters.wish,
        now=now,
        after=_read(mark_read, cursor) if cursor else None,
        limit=PAGE_SIZE,
    )
    return {
        "cards": _cards(found.cards, now, visitor.caller),
        "filters": filters,
        "labels": labels_offered(actor=visitor.caller),
        "newer": filters.link() if cursor else "",
        "older": filters.link(after=mark_make(found.next)) if found.next else "",
        "is_first": not cursor,
    }


def _listed(request: HttpRequest, visitor: Visitor, filters: Filters) -> dict[str, Any]:
    now = clock.now()
    after, before = _place(request, "after"), _place(request, "before")
    page = tickets_page(
        actor=visitor.caller,
        wish=filters.wish,
        now=now,
        after=after,
        before=before,
        limit=PAGE_SIZE,
    )
    newer, older = _neighbours(page, filters)
    return {
        "cards": _cards(page.cards, now, visitor.caller),
        "filters": filters,
        "labels": labels_offered(actor=visitor.caller),
        "newer": newer,
        "older": older,
        "is_first": page.is_first,
    }


def _cards(cards: Sequence[Card], now: datetime, actor: Caller) -> list[CardShown]:
    unchecked = unchecked_of(cards, actor.org_id)
    return [
        card_shown(
            card,
            now,
            org_paused=actor.org_paused,
            can=capabilities(actor, card.facts, now),
            unchecked=unchecked.get(card.facts.id, ()),
        )
        for card in cards
    ]


def _place(request: HttpRequest, name: str) -> Place | None:
    cursor = request.GET.get(name)
    return _read(place_read, cursor) if cursor else None


def _read(reader: Callable[[str], T], cursor: str) -> T:
    try:
        return reader(cursor)
    except Invalid as fault:
        raise Invalid(_("The list has no such page. Open the list anew.")) from fault


def _neighbours(page: Page, filters: Filters) -> tuple[str, str]:
    """The addresses of the pages on either side; empty where there is none."""
    if not page.cards:
        return ("" if page.is_first else filters.link()), ""
    newer = "" if page.is_first else filters.link(before=place_make(place_of(page.cards[0])))
    older = "" if page.is_last else filters.link(after=place_make(place_of(page.cards[-1])))
    return newer, older


def _counts(visitor: Visitor, filters: Filters) -> list[Counted]:
    """Every colour over the whole list, whatever page and colour is shown."""
    found = colours_count(actor=visitor.caller, wish=filters.wish, now=clock.now())
    chosen = filters.values.get("color", "")
    total = Counted("", words.ALL, sum(found.values()), filters.link(color=""), not chosen)
    each = [
        Counted(code, words.STATUS[code], found[code], filters.link(color=name), name == chosen)
        for name, code in COLORS.items()
    ]
    return [total, *each]
