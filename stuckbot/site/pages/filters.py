"""What a list is narrowed to, as its address says it."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise

from accounts.models import Project
from stuckbot.lib import ids
from stuckbot.site.pages import words
from tickets.lists import WHOSE, Wish
from tickets.search.query import QUERY_MOST

Text = str | Promise

_LABEL: Final = re.compile(r"[A-Za-z0-9._:/-]{1,50}")
#: Colours of open tickets by their names in an address, the most pressing first.
COLORS: Final = {"red": "RED", "yellow": "YELLOW", "orange": "ORANGE"}
URGENCIES: Final = (4, 7, 9, 10)
_NAMES: Final = ("q", "project", "color", "urgency", "label", "whose", "state", "order")
#: How an address spells them, so that the same list has one address.
_ORDER: Final = (*_NAMES, "after", "before")


class Option(NamedTuple):
    value: str
    text: Text
    is_chosen: bool


class Select(NamedTuple):
    """A field of the form that narrows the list."""

    name: str
    label: Text
    options: list[Option]


class Narrowed(NamedTuple):
    """One thing the list is narrowed to, and the address without it."""

    text: Text
    href: str


class Link(NamedTuple):
    text: Text
    href: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Filters:
    """The filters that are on; `values` has those alone, as the address spells them."""

    path: str
    closed: bool
    values: Mapping[str, str]
    projects: list[Project]

    @property
    def wish(self) -> Wish:
        project = ids.parse_uuid(self.values.get("project", ""))
        return Wish(
            closed=self.closed,
            project_ids=frozenset({project} if project else ()),
            color=COLORS.get(self.values.get("color", ""), ""),
            urgency=int(self.values.get("urgency", "1")),
            label=self.values.get("label", ""),
            whose=self.values.get("whose", ""),
            situation=self.values.get("state", ""),
            order=self.values.get("order", "urgent"),
        )

    @property
    def asked(self) -> str:
        """What is searched for."""
        return self.values.get("q", "")

    @property
    def kept(self) -> list[tuple[str, str]]:
        """The filters that a search keeps; its order is its own."""
        return [(name, value) for name, value in self.values.items() if name not in ("q", "order")]

    @property
    def elsewhere(self) -> str:
        """The address of the same search among the others: closed tickets, or open ones."""
        path = reverse("tickets") if self.closed else reverse("archive")
        return f"{path}?{urlencode({'q': self.asked})}"

    @property
    def is_narrowed(self) -> bool:
        return any(name != "order" for name in self.values)

    @property
    def project(self) -> Project | None:
        chosen = self.values.get("project")
        return next((one for one in self.projects if str(one.id) == chosen), None)

    def link(self, **changes: str) -> str:
        """The address with these filters changed; an empty one is left out."""
        wanted = {**self.values, **changes}
        query = urlencode([(name, wanted[name]) for name in _ORDER if wanted.get(name)])
        return f"{self.path}?{query}" if query else self.path

    def narrowed(self) -> list[Narrowed]:
        """The filters in words, but for the colour, which the counts show."""
        shown = {
            "project": self.project.name if self.project else "",
            "urgency": words.urgency_least(int(self.values.get("urgency", "1"))),
            "label": self.values.get("label", ""),
            "whose": words.WHOSE.get(self.values.get("whose", ""), ""),
            "state": _states(closed=self.closed).get(self.values.get("state", ""), ""),
        }
        return [
            Narrowed(text, self.link(**{name: ""}))
            for name, text in shown.items()
            if name in self.values
        ]

    def project_links(self) -> list[Link]:
        """The same list of every project, and of each."""
        chosen = self.values.get("project", "")
        found = [Link(words.FILTER_ANY["project"], self.link(project=""), not chosen)]
        ids_named = [(str(one.id), one.name) for one in self.projects]
        return found + [
            Link(name, self.link(project=one), one == chosen) for one, name in ids_named
        ]

    def selects(self) -> list[Select]:
        """The fields of the form, in the order people think of them."""
        urgencies = [(str(one), words.urgency_least(one)) for one in URGENCIES]
        found = [
            self._select("state", _states(closed=self.closed).items()),
            self._select("whose", ((name, words.WHOSE[name]) for name in WHOSE)),
            self._select("urgency", urgencies),
        ]
        if len(self.projects) > 1:
            projects = [(str(one.id), one.name) for one in self.projects]
            found.insert(0, self._select("project", projects))
        if not self.closed:
            found.append(self._select("order", words.ORDER.items(), anything=False))
        return found

    def _select(
        self, name: str, choices: Iterable[tuple[str, Text]], *, anything: bool = True
    ) -> Select:
        chosen = self.values.get(name, "")
        first = [Option("", words.FILTER_ANY[name], not chosen)] if anything else []
        options = [Option(value, text, value == chosen) for value, text in choices]
        return Select(name, words.FILTER[name], first + options)


def filters_read(request: HttpRequest, projects: list[Project], *, closed: bool) -> Filters:
    """The filters of the address; what means nothing is left out."""
    given = {name: request.GET.get(name, "").strip() for name in _NAMES}
    known: dict[str, Iterable[str]] = {
        "project": [str(one.id) for one in projects],
        "color": () if closed else COLORS,
        "urgency": map(str, URGENCIES),
        "whose": WHOSE,
        "state": _states(closed=closed),
        "order": () if closed else [one for one in words.ORDER if one != "urgent"],
    }
    values: dict[str, str] = {
        name: given[name] for name, choices in known.items() if given[name] in choices
    }
    if _LABEL.fullmatch(given["label"]):
        values["label"] = given["label"]
    if given["q"]:
        values["q"] = given["q"].replace("\x00", " ")[:QUERY_MOST]
    ordered: dict[str, str] = {name: values[name] for name in _NAMES if name in values}
    return Filters(request.path, closed, ordered, projects)


def _states(*, closed: bool) -> words.Words:
    return words.OUTCOME if closed else words.SITUATION
