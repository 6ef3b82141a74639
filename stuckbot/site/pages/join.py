"""Coming in by a mailed link: an invitation, or signing up where the desk is open for it."""

from allauth.account.adapter import get_adapter
from allauth.core import ratelimit
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.models import Membership, User
from accounts.services.invitations import (
    Invited,
    invitation_accept,
    invitation_find,
    invitation_join,
)
from accounts.services.sign_up import sign_up_address, sign_up_begin, sign_up_finish
from stuckbot.lib import clock
from stuckbot.lib.errors import Conflict, Forbidden, Missing, Refusal
from stuckbot.site.pages.doors import see_other
from stuckbot.site.pages.people_forms import (
    ROLE,
    ROLE_HELP,
    AddressForm,
    PersonForm,
    SignUpForm,
)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """What an invitation's link leads to. Looking changes nothing; its button joins."""
    try:
        invited = invitation_find(token=token, now=clock.now())
    except Missing:
        return render(request, "people/join_over.html", {"standing": "unknown"}, status=404)
    if not invited.is_open:
        return _over(request, invited)
    if request.user.is_authenticated:
        return _join_as(request, invited, token)
    if invited.account is not None:
        return _join_page(request, invited, None)
    return _join_new(request, invited, token)


def _over(request: HttpRequest, invited: Invited) -> HttpResponse:
    context = {"standing": str(invited.standing), "org": invited.invitation.org.name}
    return render(request, "people/join_over.html", context, status=410)


def _join_as(request: HttpRequest, invited: Invited, token: str) -> HttpResponse:
    """Somebody is signed in: with that very address they join, with another nothing happens."""
    user = request.user
    assert isinstance(user, User)
    if user.email != invited.invitation.email:
        context = {"invitation": invited.invitation, "org": invited.invitation.org.name}
        return render(request, "people/join_other.html", context, status=403)
    if request.method != "POST":
        return _join_page(request, invited, None)
    try:
        membership = invitation_accept(token=token, user=user, now=clock.now())
    except (Conflict, Forbidden):
        return _over(request, invitation_find(token=token, now=clock.now()))
    return _welcome(request, membership)


def _join_new(request: HttpRequest, invited: Invited, token: str) -> HttpResponse:
    """Nobody has an account with the address: name and password make one."""
    data = request.POST if request.method == "POST" else None
    form = PersonForm(invited.invitation.email, data)
    if data is None or not form.is_valid():
        return _join_page(request, invited, form, status=200 if data is None else 422)
    try:
        membership = invitation_join(token=token, now=clock.now(), **form.cleaned_data)
    except Conflict:
        again = invitation_find(token=token, now=clock.now())
        return (
            _join_page(request, again, None, status=409) if again.is_open else _over(request, again)
        )
    except Refusal as refusal:
        form.add_error("name", refusal.message)
        return _join_page(request, invited, form, status=refusal.status)
    get_adapter(request).login(request, membership.user)
    return _welcome(request, membership)


def _join_page(
    request: HttpRequest, invited: Invited, form: PersonForm | None, status: int = 200
) -> HttpResponse:
    invitation = invited.invitation
    context = {
        "invitation": invitation,
        "org": invitation.org.name,
        "inviter": invitation.invited_by.name,
        "role": ROLE[invitation.role],
        "role_help": ROLE_HELP[invitation.role],
        "form": form,
        "has_account": invited.account is not None,
    }
    return render(request, "people/join.html", context, status=status)


def _welcome(request: HttpRequest, membership: Membership) -> HttpResponse:
    request.session["org"] = str(membership.org_id)
    told = _("Welcome to %(org)s.") % {"org": membership.org.name}
    messages.success(request, told)
    return see_other("tickets")


@require_http_methods(["GET", "HEAD", "POST"])
def sign_up(request: HttpRequest) -> HttpResponse:
    """Asks for an address to mail a link to; the answer is the same whoever has it."""
    if not settings.OPEN_SIGNUP:
        return render(request, "account/signup_closed.html", status=403)
    data = request.POST if request.method == "POST" else None
    form = AddressForm(data)
    if data is None or not form.is_valid():
        context = {"form": form}
        return render(request, "people/sign_up.html", context, status=200 if data is None else 422)
    email = form.cleaned_data["email"].lower()
    if not ratelimit.consume(request, action="signup", key=email):
        response: HttpResponse = ratelimit.respond_429(request)
        return response
    sign_up_begin(email=email, now=clock.now())
    return render(request, "people/sign_up_sent.html", {"email": email})


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sign_up_end(request: HttpRequest, token: str) -> HttpResponse:
    """The mailed link: name, password and an org make the account."""
    if not settings.OPEN_SIGNUP:
        raise Http404
    try:
        email = sign_up_address(token)
    except Missing:
        return render(request, "people/join_over.html", {"standing": "unknown"}, status=404)
    data = request.POST if request.method == "POST" else None
    form = SignUpForm(email, data)
    context = {"form": form, "email": email}
    if data is None or not form.is_valid():
        status = 200 if data is None else 422
        return render(request, "people/sign_up_end.html", context, status=status)
    try:
        membership = sign_up_finish(token=token, now=clock.now(), **form.cleaned_data)
    except Refusal as refusal:
        form.add_error(None, refusal.message)
        return render(request, "people/sign_up_end.html", context, status=refusal.status)
    get_adapter(request).login(request, membership.user)
    return _welcome(request, membership)
