"""Tickets for the operators: to find and read. They move through services alone."""

from collections.abc import Callable
from typing import Any, ClassVar, Final

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils.translation import gettext as _g
from django.utils.translation import gettext_lazy as _

from accounts import operators
from stuckbot.lib import clock
from stuckbot.lib.admin import Happened, ReadOnly
from stuckbot.lib.caller import Caller
from stuckbot.lib.content import text_of
from tickets.models import Ticket
from tickets.services.claims import ticket_release
from tickets.services.closing import ticket_pause, ticket_reopen, ticket_resume

Act = Callable[[Caller, str, str], object]


def _pause(actor: Caller, ref: str, note: str) -> object:
    return ticket_pause(actor=actor, ref=ref, reason=note or None, now=clock.now())


def _resume(actor: Caller, ref: str, note: str) -> object:
    return ticket_resume(actor=actor, ref=ref, now=clock.now())


def _reopen(actor: Caller, ref: str, note: str) -> object:
    return ticket_reopen(actor=actor, ref=ref, now=clock.now())


def _free(actor: Caller, ref: str, note: str) -> object:
    return ticket_release(actor=actor, ref=ref, note=note, force=True, now=clock.now())


ACTS: Final[dict[str, Act]] = {
    "pause": _pause,
    "resume": _resume,
    "reopen": _reopen,
    "release": _free,
}


class TicketAdmin(ReadOnly):
    list_display = ("ref", "heading", "state", "urgency", "org", "project", "creator", "created_at")
    list_display_links = ("ref", "heading")
    list_filter = (
        *("state", "mode", "urgency", ("paused_at", Happened)),
        *(("blocked_since", Happened), "org"),
    )
    list_select_related = ("title", "org", "project", "creator")
    search_fields = ("=number", "=id", "creator__name", "solver__name", "project__name")
    search_help_text = _("SB-12, an id, or the name of an agent or project.")
    ordering = ("-created_at", "-id")
    date_hierarchy = "created_at"
    show_full_result_count = False
    list_per_page = 50
    change_form_template = "admin/ticket.html"
    actions = ("pause_chosen", "resume_chosen", "close_chosen", "reopen_chosen", "release_chosen")
    fields = (
        *("ref", "heading", "id", "org", "project", "state", "version", "attempt", "mode"),
        *("urgency", "creator", "solver", "reserved_for", "assignee", "parent", "depth"),
        *("paused_at", "paused_by", "incomplete", "missing", "blocked_since", "waits_for"),
        *("own_red", "offer_at", "lease_until", "live_until", "package_n", "assurance", "proven"),
        *("created_at", "updated_at", "closed_at"),
    )
    #: Verb to what it does; the site adds what crosses apps.
    acts: ClassVar[dict[str, Act]] = ACTS

    @admin.display(description=_("reference"), ordering="number")
    def ref(self, row: Ticket) -> str:
        return f"SB-{row.number}"

    @admin.display(description=_("title"))
    def heading(self, row: Ticket) -> str:
        return text_of(row.title.bytes, row.title.key_id)

    def has_press_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("tickets.change_ticket")

    def get_urls(self) -> list[URLPattern]:
        buttons = {verb: self._button(verb) for verb in self.acts}
        return [*operators.button_urls(self, **buttons), *super().get_urls()]

    def _button(self, verb: str) -> operators.Button:
        def press(request: HttpRequest, row: Any) -> None:
            self.act(verb, request, row)

        return press

    def act(self, verb: str, request: HttpRequest, row: Any) -> None:
        """One act on one ticket, through its service; the audit names the operator."""
        actor = operators.acting_on_work(request, row.org_id)
        self.acts[verb](actor, f"SB-{row.number}", request.POST.get("note", "").strip())
        operators.note(request, row.org_id, f"operator_{verb}", str(row.id))

    def _each(
        self, verb: str, request: HttpRequest, chosen: QuerySet[Ticket], title: str, note: str = ""
    ) -> HttpResponse | None:
        return operators.each_confirmed(
            self,
            request,
            list(chosen),
            title=title,
            question=_g("What is refused stays as it is; the others are done."),
            note=note,
            act=lambda asked, row: self.act(verb, asked, row),
        )

    @admin.action(description=_("Pause the chosen tickets"), permissions=["press"])
    def pause_chosen(self, request: HttpRequest, chosen: QuerySet[Ticket]) -> HttpResponse | None:
        return self._each("pause", request, chosen, _g("Pause these tickets?"), _g("Reason"))

    @admin.action(description=_("Resume the chosen tickets"), permissions=["press"])
    def resume_chosen(self, request: HttpRequest, chosen: QuerySet[Ticket]) -> HttpResponse | None:
        return self._each("resume", request, chosen, _g("Resume these tickets?"))

    @admin.action(description=_("Close the chosen tickets"), permissions=["press"])
    def close_chosen(self, request: HttpRequest, chosen: QuerySet[Ticket]) -> HttpResponse | None:
        return self._each("close", request, chosen, _g("Close these tickets?"), _g("What happened"))

    @admin.action(description=_("Reopen the chosen tickets"), permissions=["press"])
    def reopen_chosen(self, request: HttpRequest, chosen: QuerySet[Ticket]) -> HttpResponse | None:
        return self._each("reopen", request, chosen, _g("Reopen these tickets?"))

    @admin.action(description=_("Free the chosen tickets from their holder"), permissions=["press"])
    def release_chosen(self, request: HttpRequest, chosen: QuerySet[Ticket]) -> HttpResponse | None:
        return self._each("release", request, chosen, _g("End these leases?"), _g("Why"))

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        words = [
            word[3:] if word.lower().startswith("sb-") else word for word in search_term.split()
        ]
        return super().get_search_results(request, queryset, " ".join(words))
