"""The desk's mails about people, in plain text.

A header takes one line and no more, whatever the name of an org holds (`lib.mail.one_line`); in
the text a name stands in quotes, so that it cannot pass for words of the desk, and an address in it
is left out, so that the desk's own link is the only one that a mail program makes one of.
"""

import re
from typing import Any, Final

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from accounts.models import Invitation
from stuckbot.lib.mail import Letter, one_line

_ADDRESS: Final = re.compile(
    r"(?i)\b[a-z][a-z0-9+.-]*:/\S*|\bwww\.\S+|(?:[\w-]+\.)+[\w-]+[/:?#]\S*"
)


def invitation_letter(invitation: Invitation, token: str, inviter: str) -> Letter:
    """Who invites whom to what, and the link, which asks before it joins."""
    org, inviter = _spoken(invitation.org.name), _spoken(inviter)
    context = {
        "inviter": inviter,
        "org": org,
        "role": invitation.get_role_display(),
        "link": f"{settings.PUBLIC_URL}/join/{token}",
        "expires_at": invitation.expires_at,
        "email": invitation.email,
    }
    subject = _("%(inviter)s invites you to %(org)s") % {"inviter": inviter, "org": org}
    return _letter(invitation.email, subject, "mail/invitation.txt", context)


def sign_up_letter(email: str, token: str) -> Letter:
    context = {"link": f"{settings.PUBLIC_URL}/sign-up/{token}"}
    return _letter(email, _("Finish signing up"), "mail/sign_up.txt", context)


def have_account_letter(email: str) -> Letter:
    """To somebody with an account who asked to sign up: what to do instead."""
    context = {
        "sign_in": f"{settings.PUBLIC_URL}/accounts/login/",
        "reset": f"{settings.PUBLIC_URL}/accounts/password/reset/",
    }
    return _letter(email, _("You have an account already"), "mail/have_account.txt", context)


def _spoken(name: str) -> str:
    """A name as a mail says it: one line, without an address that could be followed."""
    return one_line(_ADDRESS.sub("…", name))


def _letter(to: str, subject: str, template: str, context: dict[str, Any]) -> Letter:
    text = render_to_string(template, {**context, "desk": settings.PUBLIC_URL})
    return Letter(to, f"StuckBot: {subject}", text.strip() + "\n")
