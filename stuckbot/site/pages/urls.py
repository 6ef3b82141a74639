"""Addresses of the pages."""

from django.urls import path

from stuckbot.site.pages import acts, lists, ticket

urlpatterns = [
    path("", lists.board, name="tickets"),
    path("archive", lists.archive, name="archive"),
    path("tickets/<str:ref>", ticket.ticket_page, name="ticket"),
    path("tickets/<str:ref>/proof/<str:criterion>", ticket.proof_page, name="ticket_proof"),
    path("tickets/<str:ref>/<str:act>", acts.ticket_act, name="ticket_act"),
]
