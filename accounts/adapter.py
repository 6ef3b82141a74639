"""Sign-in's choices: who gets an account, how mails leave, how long a session lasts."""

from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.forms import address_check
from accounts.models import User
from accounts.services.people import address_follow
from stuckbot.lib import clock
from stuckbot.lib.mail import Letter, mail_queue

#: The mail to an address that nobody here has. It would let anybody send mail to anybody.
_TO_NOBODY = "account/email/unknown_account"


_TOO_MANY = _("Too many tries. Wait a few minutes, then try again.")


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "email_password_mismatch": _("The address or the password is not correct."),
        "incorrect_code": _("That is not the code that was mailed."),
        "incorrect_password": _("That is not your password."),
        "rate_limited": _TOO_MANY,
        "too_many_login_attempts": _TOO_MANY,
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Signing up is a page of our own, which mails a link before there is any account."""
        return False

    def clean_email(self, email: str) -> str:
        address_check(email)
        return email

    def login(self, request: HttpRequest, user: Any) -> None:
        """A session ends with the browser, unless the person ticks that it should not."""
        address_follow(user)
        super().login(request, user)
        request.session.set_expiry(0)

    def confirm_email(self, request: HttpRequest, email_address: EmailAddress) -> bool:
        """Somebody may have got the address since the link was mailed."""
        taken = User.objects.filter(email=email_address.email).exclude(pk=email_address.user_id)
        return not taken.exists() and bool(super().confirm_email(request, email_address))

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Puts the mail down for the worker: an answer that waited for a mail server would tell
        an address that somebody has from others."""
        shown = {**context, "email": email, "desk": settings.PUBLIC_URL}
        message = self.render_mail(template_prefix, email, shown)
        letter = Letter(email, str(message.subject), f"{message.body}\n")
        mail_queue(letter, now=clock.now(), to_nobody=template_prefix == _TO_NOBODY)

    def get_reset_password_from_key_url(self, key: str) -> str:
        return _public(super().get_reset_password_from_key_url(key))

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: Any) -> str:
        return _public(super().get_email_confirmation_url(request, emailconfirmation))


def _public(link: str) -> str:
    """The link at the desk's public address: a request's own host may be anybody's choice."""
    return f"{settings.PUBLIC_URL}{urlsplit(link).path}"
