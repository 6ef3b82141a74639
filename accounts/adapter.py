"""Sign-in's choices: nobody signs up by themselves, and mails link to the public address."""

from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.http import HttpRequest

from accounts.forms import address_check


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def clean_email(self, email: str) -> str:
        address_check(email)
        return email

    def get_reset_password_from_key_url(self, key: str) -> str:
        return _public(super().get_reset_password_from_key_url(key))

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: Any) -> str:
        return _public(super().get_email_confirmation_url(request, emailconfirmation))


def _public(link: str) -> str:
    """The link at the desk's public address: a request's own host may be anybody's choice."""
    return f"{settings.PUBLIC_URL}{urlsplit(link).path}"
