"""Mail about decisions that wait: choosing which, and ending it through the link in a mail."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from accounts.models import Membership
from accounts.services.notices import notices_choose, unsubscribe_membership
from accounts.states import Notices, Role
from stuckbot.lib.errors import Missing
from stuckbot.site.pages.doors import person_post, see_other, user_of
from stuckbot.site.pages.visitor import Visitor

CHOICE: Final[dict[str, str | Promise]] = {
    "all": gettext_lazy("Each decision that waits, and once more if it still waits a day later"),
    "assigned": gettext_lazy("The same, but only of tickets that are assigned to me"),
    "daily": gettext_lazy("One list a day of all that waits, if anything does"),
    "none": gettext_lazy("No mail"),
}


class NoticesForm(forms.Form):
    notices = forms.ChoiceField(
        label=gettext_lazy("What to mail you"),
        choices=list(CHOICE.items()),
        widget=forms.RadioSelect,
    )


@dataclass(frozen=True, slots=True)
class Chosen:
    """An org of the reader's; without a form where they may not decide."""

    id: UUID
    org: str
    form: NoticesForm | None


def notices_shown(memberships: Iterable[Membership]) -> list[Chosen]:
    return [Chosen(one.id, one.org.name, _form(one)) for one in memberships]


def daily_hour() -> str:
    """When the daily list leaves."""
    return f"{settings.DIGEST_HOUR:02}:00 UTC"


def _form(member: Membership) -> NoticesForm | None:
    if member.role == Role.VIEWER:
        return None
    # Ids that differ where the reader is of several orgs.
    mark = f"notices_{member.id.hex[-12:]}_%s"
    return NoticesForm(initial={"notices": member.notices}, auto_id=mark)


def _choose(request: HttpRequest, visitor: Visitor | None, membership_id: UUID) -> HttpResponse:
    member = user_of(request).memberships.filter(id=membership_id).first()
    form = NoticesForm(request.POST)
    if member is None or not form.is_valid():
        raise Http404
    notices_choose(membership=member, choice=Notices(form.cleaned_data["notices"]))
    messages.success(request, _("Saved."))
    return see_other("account")


account_notices = person_post(_choose, back="account")


@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """The address in a mail's `List-Unsubscribe`: a POST ends the mails, by a mail program or by
    the page's button, without signing in and without a redirect (RFC 8058). A GET asks."""
    try:
        member = unsubscribe_membership(token)
    except Missing:
        return render(request, "people/unsubscribe.html", {"standing": "unknown"}, status=404)
    context: dict[str, Any] = {"standing": "asked"}
    if member is not None:
        context |= {"org": member.org.name, "email": member.user.email}
    if request.method == "POST" and member is not None:
        notices_choose(membership=member, choice=Notices.NONE)
    if request.method == "POST" or member is None or member.notices == Notices.NONE:
        context["standing"] = "done"
    return render(request, "people/unsubscribe.html", context)
