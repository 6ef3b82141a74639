"""Adding and revoking the keys of an org's own verifiers, on the policy page."""

from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from stuckbot.lib.errors import Conflict, Forbidden, Invalid, Unavailable
from stuckbot.site.pages.doors import member_post, see_other
from stuckbot.site.pages.once import done_once
from stuckbot.site.pages.policy import policy_shown
from stuckbot.site.pages.verifiers_shown import KeyForm, verifiers_shown
from stuckbot.site.pages.visitor import Visitor, org_query
from verification.services.keys import ADMINS_ONLY, key_add, key_revoke

_PLACE = "#verifiers"


def _admin_only(visitor: Visitor) -> None:
    if not visitor.caller.is_admin:
        raise Forbidden(ADMINS_ONLY)


def _add(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    """What is refused is shown with what to do; the name stays, a refused key does not."""
    _admin_only(visitor)
    form = KeyForm(request.POST)
    if not form.is_valid():
        return _refused(request, visitor, form, 422)
    run = partial(key_add, actor=visitor.caller, **form.cleaned_data)
    try:
        done_once(request, visitor.caller, lambda keep, now: run(now=now, keep=keep))
    except (Conflict, Invalid, Unavailable) as refusal:
        form.add_error("pem", refusal.message)
        form.forget("pem")
        return _refused(request, visitor, form, refusal.status)
    told = _("%(name)s is one of your verifiers now. What it signs is trusted from now on.")
    messages.success(request, told % {"name": form.cleaned_data["name"].strip()})
    return see_other("policy", org_query(visitor) + _PLACE)


def _refused(request: HttpRequest, visitor: Visitor, form: KeyForm, status: int) -> HttpResponse:
    return policy_shown(request, visitor, verifiers=verifiers_shown(visitor, form), status=status)


def _revoke(request: HttpRequest, visitor: Visitor, fingerprint: str) -> HttpResponse:
    _admin_only(visitor)
    run: Any = partial(key_revoke, actor=visitor.caller, fingerprint=fingerprint)
    try:
        done_once(request, visitor.caller, lambda keep, now: run(now=now, keep=keep))
    except Unavailable as refusal:
        shown = verifiers_shown(visitor, fault=refusal.message)
        return policy_shown(request, visitor, verifiers=shown, status=refusal.status)
    told = _("The key is revoked. Nothing more that it signs is taken.")
    messages.success(request, told)
    return see_other("policy", org_query(visitor) + _PLACE)


verifier_key_add = member_post(_add, back="policy")
verifier_key_revoke = member_post(_revoke, back="policy")
