"""Members and invitations a page at a time; the address says where in each list one is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import Invitation, Membership
from accounts.selectors import MemberPlace, invitations_page, member_place, members_page
from stuckbot.lib.errors import Invalid, Missing
from stuckbot.lib.keyset import M, Rows
from stuckbot.lib.paging import cursor_make, cursor_read, rank_make, rank_read
from stuckbot.site.pages.visitor import Visitor, org_query

PAGE_SIZE: Final = 50
_MEMBERS: Final = ("after", "before")
_INVITED: Final = ("invited_after", "invited_before")
P = TypeVar("P")


class Beside(NamedTuple):
    """Addresses of the pages on either side; empty where there is none."""

    newer: str
    older: str


@dataclass(frozen=True, slots=True)
class Listed:
    members: list[Membership]
    members_beside: Beside
    invitations: list[Invitation]
    invitations_beside: Beside


def people_listed(request: HttpRequest, visitor: Visitor) -> Listed:
    """The page of members and the page of invitations that the address asks for."""
    members, invitations = _members(request, visitor), _invitations(request, visitor)
    ends = [rank_make(*member_place(one)) for one in _ends(members)]
    sent = [cursor_make(one.created_at, one.id) for one in _ends(invitations)]
    return Listed(
        members.found,
        _beside(request, visitor, members, _MEMBERS, ends),
        invitations.found,
        _beside(request, visitor, invitations, _INVITED, sent, "#invited"),
    )


def here(request: HttpRequest, visitor: Visitor) -> str:
    """What an act on this page hands on to come back to it."""
    return _query(visitor, _places(request))


def _members(request: HttpRequest, visitor: Visitor) -> Rows[Membership]:
    after, before = (_read(request, name, _member_place) for name in _MEMBERS)
    try:
        return members_page(actor=visitor.caller, after=after, before=before, limit=PAGE_SIZE)
    except Missing as fault:
        raise _no_page() from fault


def _invitations(request: HttpRequest, visitor: Visitor) -> Rows[Invitation]:
    after, before = (_read(request, name, cursor_read) for name in _INVITED)
    return invitations_page(actor=visitor.caller, after=after, before=before, limit=PAGE_SIZE)


def _member_place(cursor: str) -> MemberPlace:
    return MemberPlace(*rank_read(cursor))


def _read(request: HttpRequest, name: str, read: Callable[[str], P]) -> P | None:
    cursor = request.GET.get(name)
    try:
        return read(cursor) if cursor else None
    except Invalid as fault:
        raise _no_page() from fault


def _no_page() -> Invalid:
    return Invalid(_("The list has no such page. Open the list anew."))


def _ends(page: Rows[M]) -> list[M]:
    return [page.found[0], page.found[-1]] if page.found else []


def _beside(
    request: HttpRequest,
    visitor: Visitor,
    page: Rows[Membership] | Rows[Invitation],
    names: tuple[str, str],
    ends: list[str],
    place: str = "",
) -> Beside:
    """The addresses beside a page; the other list of the two stays where it is."""
    if not ends:
        return Beside("", "")
    others = {name: said for name, said in _places(request).items() if name not in names}
    after, before = names
    path = reverse("people")
    newer = path + _query(visitor, others | {before: ends[0]}) + place
    older = path + _query(visitor, others | {after: ends[1]}) + place
    return Beside("" if page.is_first else newer, "" if page.is_last else older)


def _places(request: HttpRequest) -> dict[str, str]:
    given = {name: request.GET.get(name, "") for name in (*_MEMBERS, *_INVITED)}
    return {name: said for name, said in given.items() if said}


def _query(visitor: Visitor, places: Mapping[str, str]) -> str:
    parts = [part for part in (org_query(visitor).lstrip("?"), urlencode(places)) if part]
    return f"?{'&'.join(parts)}" if parts else ""
