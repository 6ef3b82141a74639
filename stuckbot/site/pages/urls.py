"""Addresses of the pages."""

from django.urls import path

from stuckbot.site.pages import acts, lists, style, ticket, ticket_signed

urlpatterns = [
    path("", lists.board, name="tickets"),
    path("archive", lists.archive, name="archive"),
    path("style", style.style_page, name="style"),
    path("style/themes.css", style.style_themes, name="style_themes"),
    path("tickets/<str:ref>", ticket.ticket_page, name="ticket"),
    path("tickets/<str:ref>/proof/<str:criterion>", ticket.proof_page, name="ticket_proof"),
    path(
        "tickets/<str:ref>/signed/<uuid:job_id>", ticket_signed.ticket_signed, name="ticket_signed"
    ),
    path("tickets/<str:ref>/<str:act>", acts.ticket_act, name="ticket_act"),
]
