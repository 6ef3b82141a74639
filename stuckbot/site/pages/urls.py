"""Addresses of the pages."""

from django.urls import path

from stuckbot.site.pages import lists, tickets

urlpatterns = [
    path("", lists.board, name="tickets"),
    path("archive", lists.archive, name="archive"),
    path("tickets/<str:ref>", tickets.ticket_page, name="ticket"),
]
