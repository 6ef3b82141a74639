"""What the operators' admin is made of: what is only read, what is kept, what is shown once."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.db import models
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

if TYPE_CHECKING:
    AnyAdmin = admin.ModelAdmin[Any]
    AnyForm = forms.ModelForm[Any]
else:  # the type checker's brackets are nothing to Django
    AnyAdmin = admin.ModelAdmin
    AnyForm = forms.ModelForm


class Kept(AnyAdmin):
    """Rows that history points at: they are ended, never deleted."""

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False


class ReadOnly(Kept):
    """Rows that only services write."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False


def secret_shown(request: HttpRequest, *, title: str, secret: str, back: str) -> HttpResponse:
    """A page with a fresh secret. Only the answer to the very request that made it holds it."""
    context = {**admin.site.each_context(request), "title": title, "secret": secret, "back": back}
    response = render(request, "admin/secret_once.html", context)
    response.headers["Cache-Control"] = "no-store"
    return response
