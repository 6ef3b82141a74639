"""The sign-in package's forms in the words of the desk."""

from typing import Any, Final

from allauth.account import forms as package
from allauth.account.adapter import get_adapter
from allauth.core import context, ratelimit
from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

NEW_PASSWORD_HELP: Final = _("At least 10 characters. Several words are easier to keep in mind.")


class SaidOnce(forms.Form):
    """What a field is for stands above it; said inside again it looks as if it were filled in."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.widget.attrs.pop("placeholder", None)
            if name in ("login", "email"):
                field.label = _("Mail address")


class NewPassword(SaidOnce):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password1"].label = _("The new password")
        self.fields["password1"].help_text = NEW_PASSWORD_HELP
        self.fields["password2"].label = _("The new password again")


class SignInForm(SaidOnce, package.LoginForm):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.open_signup = settings.OPEN_SIGNUP
        self.fields["remember"].label = _("Stay signed in on this device")


class ChangeForm(NewPassword, package.ChangePasswordForm):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["oldpassword"].label = _("Your password now")


class ResetKeyForm(NewPassword, package.ResetPasswordKeyForm):  # type: ignore[misc]
    pass


class ResetForm(SaidOnce, package.ResetPasswordForm):  # type: ignore[misc]
    pass


class CodeForm(SaidOnce, package.RequestLoginCodeForm):  # type: ignore[misc]
    pass


class GuessForm(package.ConfirmLoginCodeForm):  # type: ignore[misc]
    def clean_code(self) -> str:
        """The package counts tries in the session, where many at once are counted as one."""
        key = context.request.session.session_key or ""
        if not ratelimit.consume(context.request, action="guess_code", key=key):
            raise get_adapter().validation_error("rate_limited")
        return str(super().clean_code())


class EmailForm(SaidOnce, package.AddEmailForm):  # type: ignore[misc]
    pass


class AgainForm(SaidOnce, package.ReauthenticateForm):  # type: ignore[misc]
    pass
