"""Tickets for the operators: to find and read. They move through services alone."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from stuckbot.lib.admin import ReadOnly
from stuckbot.lib.content import text_of
from tickets.models import Ticket


@admin.register(Ticket)
class TicketAdmin(ReadOnly):
    list_display = ("ref", "heading", "state", "urgency", "org", "project", "creator", "created_at")
    list_display_links = ("ref", "heading")
    list_filter = ("state", "mode", "urgency", "org")
    list_select_related = ("title", "org", "project", "creator")
    search_fields = ("=number", "=id", "creator__name", "solver__name", "project__name")
    search_help_text = _("SB-12, an id, or the name of an agent or project.")
    ordering = ("-created_at", "-id")
    show_full_result_count = False
    fields = (
        *("ref", "heading", "id", "org", "project", "state", "version", "attempt", "mode"),
        *("urgency", "creator", "solver", "reserved_for", "assignee", "parent", "depth"),
        *("paused_at", "paused_by", "incomplete", "blocked_since", "waits_for", "own_red"),
        *("offer_at", "lease_until", "live_until", "package_n", "assurance", "proven"),
        *("created_at", "updated_at", "closed_at"),
    )

    @admin.display(description=_("reference"), ordering="number")
    def ref(self, row: Ticket) -> str:
        return f"SB-{row.number}"

    @admin.display(description=_("title"))
    def heading(self, row: Ticket) -> str:
        return text_of(row.title.bytes, row.title.key_id)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        words = [
            word[3:] if word.lower().startswith("sb-") else word for word in search_term.split()
        ]
        return super().get_search_results(request, queryset, " ".join(words))
