"""What of the operators' admin crosses apps: agents, the worker's timers, the way in."""

from typing import Any

from allauth.account.admin import EmailAddressAdmin
from allauth.account.decorators import secure_admin_login
from allauth.account.models import EmailAddress
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin
from django.contrib.auth.models import Group
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext_lazy as _
from django_q.models import Schedule

from accounts import operators
from accounts.forms import AddressForm, DirectKeyForm, NamedForm
from accounts.models import Agent
from accounts.services.orgs import direct_key_make, direct_key_renew
from stuckbot.lib import clock
from stuckbot.lib.admin import Kept, ReadOnly, secret_shown
from stuckbot.lib.models import Timer
from stuckbot.site.usecases.retire import agent_retire

admin.site.site_header = "StuckBot"
admin.site.site_title = "StuckBot"
admin.site.index_title = _("The house")
# One way in: the pages' sign-in counts failed tries, the admin's own does not.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
# A schedule runs any function by its name, with texts that nothing checks. What the desk does in
# the background are rows of its own.
admin.site.unregister([Schedule, Group, EmailAddress])


@admin.register(Group)
class NamedGroupAdmin(GroupAdmin):
    form = NamedForm


@admin.register(EmailAddress)
class AddressAdmin(EmailAddressAdmin):  # type: ignore[misc]
    form = AddressForm


@admin.register(Agent)
class AgentAdmin(Kept):
    """Agents register through their connector; one with a key of its own is made here."""

    list_display = ("name", "org", "connector", "provider", "last_seen_at", "retired_at")
    list_filter = (("retired_at", admin.EmptyFieldListFilter), "org", "connector")
    list_select_related = ("org", "connector")
    search_fields = ("name", "=id")
    ordering = ("-created_at", "-id")
    fields = (
        *("name", "id", "org", "connector", "set_up_by", "parent", "provider", "model"),
        *("runtime", "labels", "capabilities", "scopes", "project_ids", "usage"),
        *("last_seen_at", "created_at", "retired_at"),
    )
    change_form_template = "admin/agent.html"

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.direct_key_add)
        return [
            path("add/", view, name="accounts_agent_add"),
            *operators.button_urls(self, key=self.key_new, retire=self.retire),
            *super().get_urls(),
        ]

    def direct_key_add(self, request: HttpRequest) -> HttpResponse:
        """An agent with a direct key, in the one answer that shows the key."""
        return operators.secret_form(
            self,
            request,
            form=DirectKeyForm(request.POST or None),
            title=_("Make a direct key"),
            make=_direct_key,
        )

    def key_new(self, request: HttpRequest, row: Any) -> HttpResponse:
        """A fresh direct key for an agent that has no connector; its older ones stop working."""
        if row.connector_id is not None or row.retired_at is not None:
            raise Http404
        actor = operators.acting(request, row.org_id)
        fresh = direct_key_renew(actor=actor, agent=row, now=clock.now())
        back = operators.row_url(row)
        return secret_shown(request, title=f"Key of {row.name}", secret=fresh.text, back=back)

    def retire(self, request: HttpRequest, row: Any) -> None:
        actor = operators.acting(request, row.org_id)
        agent_retire(actor=actor, agent_id=row.id, now=clock.now())


def _direct_key(request: HttpRequest, values: dict[str, Any]) -> tuple[str, str]:
    actor = operators.acting(request, values["org"].id)
    fresh = direct_key_make(actor=actor, now=clock.now(), **values)
    return fresh.text, reverse("admin:accounts_agent_change", args=[fresh.row.agent_id])


@admin.register(Timer)
class TimerAdmin(ReadOnly):
    """Work that failed too often and was put aside, with the last error."""

    list_display = ("kind", "subject", "attempts", "quarantined_at", "last_error")
    list_filter = ("kind",)
    ordering = ("-quarantined_at", "id")

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).filter(quarantined_at__isnull=False)
