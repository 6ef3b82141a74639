"""What the operators' admin is made of: what is only read, what is kept, what is shown once."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from django import forms
from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.exceptions import SuspiciousOperation, ValidationError
from django.db import DataError, models
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from stuckbot.lib.reveal import Shown, forget, reveal, revealed

if TYPE_CHECKING:
    AnyAdmin = admin.ModelAdmin[Any]
    AnyForm = forms.ModelForm[Any]
else:  # the type checker's brackets are nothing to Django
    AnyAdmin = admin.ModelAdmin
    AnyForm = forms.ModelForm


#: Columns that no address may ask for letter by letter.
_HIDDEN: Final = frozenset({"letter", "password", "session_mark", "sha256", "token_sha256"})


class Careful(AnyAdmin):
    """A list that an address cannot make stumble, nor ask what no page shows."""

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        if _HIDDEN.intersection(lookup.split("__")):
            return False
        return super().lookup_allowed(lookup, value, request)  # type: ignore[arg-type]

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """A value that the database cannot compare, as the year 0, is told like any wrong one."""
        if any("\0" in value for values in request.GET.lists() for value in values[1]):
            raise IncorrectLookupParameters
        try:
            return super().get_changelist_instance(request)
        except (ValueError, OverflowError, DataError) as error:
            raise IncorrectLookupParameters from error

    def response_action(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponse | None:
        """Rows that were chosen by what is no key of any were not chosen on the page."""
        for key in request.POST.getlist(ACTION_CHECKBOX_NAME):
            if not self._is_key(key):
                raise SuspiciousOperation("An action names rows that cannot be.")
        return super().response_action(request, *args, **kwargs)

    def _is_key(self, key: str) -> bool:
        try:
            found = self.opts.pk.to_python(key)
        except ValidationError:
            return False
        return "\0" not in key and not (isinstance(found, int) and abs(found) >= 2**63)


class Kept(Careful):
    """Rows that history points at: they are ended, never deleted."""

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False


class ReadOnly(Kept):
    """Rows that only services write."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False


class Happened(admin.EmptyFieldListFilter):
    """Whether something ever happened, by the time at which it did."""

    def choices(self, changelist: Any) -> Iterator[Any]:
        words = (_("All"), _("No"), _("Yes"))
        for word, choice in zip(words, super().choices(changelist), strict=True):
            yield {**choice, "display": word}


class Values(admin.AllValuesFieldListFilter):
    """One of the values that there are; the empty one has a name too."""

    def choices(self, changelist: Any) -> Iterator[Any]:
        for choice in super().choices(changelist):
            yield {**choice, "display": choice["display"] or _("None")}


def secret_shown(request: HttpRequest, *, title: str, secret: str, back: str) -> HttpResponse:
    """Sends on to the page that shows a fresh secret, once."""
    return reveal(request, Shown(title, secret, back), page=reverse("admin_secret"))


@require_safe
def secret_page(request: HttpRequest) -> HttpResponse:
    """A fresh secret, the first time this is opened; later that it is gone."""
    page = reverse("admin_secret")
    shown = revealed(request)
    title = shown.title if shown else _("It was shown already")
    context = {**admin.site.each_context(request), "title": title, "shown": shown}
    response = render(request, "admin/secret_once.html", context, status=200 if shown else 410)
    return forget(response, page=page)
