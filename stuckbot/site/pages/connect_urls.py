"""Addresses of the pages that connect agents."""

from django.urls import path

from stuckbot.site.pages import connect

urlpatterns = [
    path("connect", connect.connect_page, name="connect"),
    path("connect/secret", connect.secret_make, name="connect_secret"),
    path("connect/secret/shown", connect.secret_shown, name="connect_secret_shown"),
]
