"""Addresses of the pages."""

from django.urls import path

from stuckbot.site.pages import tickets

urlpatterns = [
    path("", tickets.ticket_list, name="tickets"),
    path("tickets/<str:ref>", tickets.ticket_page, name="ticket"),
]
