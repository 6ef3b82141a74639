"""Helpers: the index as the worker keeps it, and searches by their literal path."""

from typing import Any
from urllib.parse import urlencode

from stuckbot.lib import clock
from stuckbot.site.search.reading import search_read
from tests.support import Api, Desk


def read(desk: Desk) -> None:
    """What the worker does once events wait."""
    search_read(desk.org.id, desk.org.id, clock.now())


def found(api: Api, q: str, **query: Any) -> list[str]:
    """The refs that a search finds, in order, over all its pages."""
    refs: list[str] = []
    query |= {"q": q}
    while True:
        page = api.get(f"/api/v1/tickets?{urlencode(query)}").ok()
        refs += [one["ref"] for one in page["tickets"]]
        if page["next_cursor"] is None:
            return refs
        query["cursor"] = page["next_cursor"]
