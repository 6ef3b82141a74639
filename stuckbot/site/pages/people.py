"""The people of an org: who they are, inviting, changing roles, removing, leaving."""

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import Invitation, Membership
from accounts.services.invitations import (
    LIFE,
    invitation_mail_id,
    invitation_resend,
    invitation_revoke,
    invitation_send,
)
from accounts.services.members import roles_grantable
from accounts.states import Role
from stuckbot.lib import clock
from stuckbot.lib.errors import Conflict, Forbidden, Invalid, Missing, Refusal, TooMany
from stuckbot.lib.mail import Delivery, mails_delivery
from stuckbot.site.demo.cast import is_demo
from stuckbot.site.pages.doors import member_post, see_other
from stuckbot.site.pages.once import done_once, key_make
from stuckbot.site.pages.people_forms import MAIL, ROLE, ROLE_HELP, InviteForm
from stuckbot.site.pages.people_paging import here, people_listed
from stuckbot.site.pages.times import time_shown
from stuckbot.site.pages.visitor import Visitor, member_page, org_query, show
from stuckbot.site.usecases.members import member_remove, member_role_change

#: How mail is kept where no server is set up, so that a first invitation is found.
_FILES: Final = "django.core.mail.backends.filebased.EmailBackend"


@dataclass(frozen=True, slots=True)
class MemberShown:
    """A row of the list; `roles` are what the reader may change it to, none when they may not."""

    id: UUID
    name: str
    email: str
    role: str | Promise
    role_help: str | Promise
    seen: SafeString | None
    is_me: bool
    is_active: bool
    is_demo: bool
    roles: list[tuple[str, str | Promise, bool]]
    removable: bool


@dataclass(frozen=True, slots=True)
class InvitationShown:
    id: UUID
    email: str
    role: str | Promise
    by: str
    sent: SafeString
    is_over: bool
    days_left: str
    mine: bool
    mail: str | Promise
    is_lost: bool


@member_page
def people_page(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    """The list. What a reader may not do has no button."""
    return _page(request, visitor, _form(visitor, None))


def _page(
    request: HttpRequest, visitor: Visitor, form: InviteForm, fault: str = "", status: int = 200
) -> HttpResponse:
    now, caller = clock.now(), visitor.caller
    listed = people_listed(request, visitor)
    context = {
        "place": "people",
        "members": [_member_shown(one, visitor, now) for one in listed.members],
        "members_beside": listed.members_beside,
        "invitations": _invitations(listed.invitations, visitor, now),
        "invitations_beside": listed.invitations_beside,
        "form": form if caller.is_admin else None,
        "fault": fault,
        "key": key_make(),
        "is_admin": caller.is_admin,
        "mail_folder": _mail_folder() if caller.is_admin else "",
        "org": org_query(visitor),
        "here": here(request, visitor),
    }
    response = show(request, visitor, "people/people.html", context)
    response.status_code = status
    return response


def _member_shown(row: Membership, visitor: Visitor, now: datetime) -> MemberShown:
    grantable = roles_grantable(visitor.caller.role)
    is_me = row.actor_id == visitor.caller.id
    may = row.role in grantable
    seen = max(filter(None, (row.last_seen_at, _token_used(row))), default=None)
    return MemberShown(
        id=row.id,
        name=row.actor.name,
        email=row.user.email,
        role=ROLE[row.role],
        role_help=ROLE_HELP[row.role],
        seen=time_shown(seen, now) if seen else None,
        is_me=is_me,
        is_active=row.user.is_active,
        is_demo=is_demo(row.user),
        roles=[(str(one), ROLE[one], one == row.role) for one in grantable] if may else [],
        removable=may and not is_me,
    )


def _token_used(row: Membership) -> datetime | None:
    return getattr(row, "token_used_at", None)


def _invitations(rows: list[Invitation], visitor: Visitor, now: datetime) -> list[InvitationShown]:
    found = {invitation_mail_id(row): row for row in rows}
    come = mails_delivery(found) if found else {}
    return [_invitation_shown(row, visitor, now, come.get(key)) for key, row in found.items()]


def _invitation_shown(
    row: Invitation, visitor: Visitor, now: datetime, mail: Delivery | None
) -> InvitationShown:
    left = row.expires_at - now
    days = max(1, -(-int(left.total_seconds()) // 86_400))
    return InvitationShown(
        id=row.id,
        email=row.email,
        role=ROLE[row.role],
        by=row.invited_by.name,
        sent=time_shown(row.expires_at - LIFE, now),
        is_over=row.expires_at <= now,
        days_left=ngettext("%(count)d day left", "%(count)d days left", days) % {"count": days},
        mine=row.role in roles_grantable(visitor.caller.role),
        mail=MAIL[mail] if mail else "",
        is_lost=mail is Delivery.FAILED,
    )


def _form(visitor: Visitor, data: Any) -> InviteForm:
    return InviteForm(roles_grantable(visitor.caller.role), data, auto_id="invite_%s")


def _mail_folder() -> str:
    return str(getattr(settings, "EMAIL_FILE_PATH", "")) if settings.EMAIL_BACKEND == _FILES else ""


def _invite(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    _admin_only(visitor)
    form = _form(visitor, request.POST)
    if not form.is_valid():
        return _page(request, visitor, form, status=422)
    email, role = form.cleaned_data["email"], Role(form.cleaned_data["role"])
    send = partial(invitation_send, actor=visitor.caller, email=email, role=role)
    try:
        done_once(request, visitor.caller, lambda keep, now: send(now=now, keep=keep))
    except (Conflict, Invalid, TooMany) as refusal:
        form.add_error("email", refusal.message)
        return _page(request, visitor, form, status=refusal.status)
    told = _("%(email)s is invited. The mail is on its way; its link works for 7 days.")
    messages.success(request, told % {"email": email})
    return see_other("people", org_query(visitor))


def _admin_only(visitor: Visitor) -> None:
    if not visitor.caller.is_admin:
        raise Forbidden(_("Only an owner or admin can invite, change or remove people."))


def _resend(request: HttpRequest, visitor: Visitor, invitation_id: UUID) -> HttpResponse:
    run = partial(invitation_resend, actor=visitor.caller, invitation_id=invitation_id)
    told = _("A fresh link is on its way. The older one does not work any more.")
    return _done(request, visitor, run, told)


def _revoke(request: HttpRequest, visitor: Visitor, invitation_id: UUID) -> HttpResponse:
    run = partial(invitation_revoke, actor=visitor.caller, invitation_id=invitation_id)
    return _done(request, visitor, run, _("The invitation is withdrawn. Its link does nothing."))


def _role(request: HttpRequest, visitor: Visitor, membership_id: UUID) -> HttpResponse:
    role = request.POST.get("role", "")
    if role not in Role.values:
        raise Http404
    run = partial(
        member_role_change, actor=visitor.caller, membership_id=membership_id, role=Role(role)
    )
    return _done(request, visitor, run, _("The role is changed."))


def _remove(request: HttpRequest, visitor: Visitor, membership_id: UUID) -> HttpResponse:
    run = partial(member_remove, actor=visitor.caller, membership_id=membership_id)
    own = Membership.objects.of(visitor.org.id).filter(actor_id=visitor.caller.id)
    leaves = own.filter(id=membership_id).exists()
    told = _("They are no longer a member. Their tokens stopped, and what they held is free.")
    if leaves:
        told = _("You have left %(org)s.") % {"org": visitor.org.name}
    answer = _done(request, visitor, run, told)
    if leaves and not own.exists():
        request.session.pop("org", None)
        return see_other("tickets")
    return answer


def _done(request: HttpRequest, visitor: Visitor, run: Any, told: str) -> HttpResponse:
    """Does it once and goes back to the list; a refusal is said there, above what it is now."""
    try:
        done_once(request, visitor.caller, lambda keep, now: run(now=now, keep=keep))
    except Missing:
        raise
    except Refusal as refusal:
        status = refusal.status
        return _page(request, visitor, _form(visitor, None), refusal.message, status)
    messages.success(request, told)
    return see_other("people", here(request, visitor))


people_invite = member_post(_invite, back="people")
invitation_again = member_post(_resend, back="people")
invitation_withdraw = member_post(_revoke, back="people")
member_role = member_post(_role, back="people")
member_gone = member_post(_remove, back="people")
