"""The sign-in package's forms in the words of the desk."""

from typing import Any

from allauth.account.forms import LoginForm
from django.conf import settings
from django.utils.translation import gettext_lazy as _


class SignInForm(LoginForm):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.open_signup = settings.OPEN_SIGNUP
        self.fields["remember"].label = _("Stay signed in on this device")
