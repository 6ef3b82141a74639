"""What of the operators' admin crosses apps: agents, the worker's timers, the way in."""

from types import MethodType
from typing import Any, ClassVar

from allauth.account.admin import EmailAddressAdmin
from allauth.account.decorators import secure_admin_login
from allauth.account.models import EmailAddress
from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.contrib.auth.admin import GroupAdmin
from django.contrib.auth.models import Group
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django_q.admin import FailAdmin, QueueAdmin, TaskAdmin
from django_q.models import Failure, OrmQ, Schedule, Success

from accounts import operators
from accounts.admin import tokens_question, tokens_stop
from accounts.forms import AddressForm, DirectKeyForm, NamedForm
from accounts.models import Agent, Invitation
from accounts.services.invitations import invitation_resend
from accounts.services.orgs import direct_key_make, direct_key_renew
from stuckbot.lib import clock
from stuckbot.lib.admin import Careful, Happened, Kept, ReadOnly, secret_shown
from stuckbot.lib.caller import Caller
from stuckbot.lib.mail import mail_hurry
from stuckbot.lib.models import Mail, Timer
from stuckbot.site.admin_sections import sections
from stuckbot.site.usecases.close import ticket_close
from stuckbot.site.usecases.retire import agent_retire
from tickets.admin import ACTS, Act, TicketAdmin
from tickets.models import Ticket
from tickets.states import is_closed, move_find

admin.site.site_header = "StuckBot"
admin.site.site_title = "StuckBot"
admin.site.index_title = _("What the desk holds")
admin.site.get_app_list = MethodType(sections, admin.site)  # type: ignore[method-assign]
# One way in: the pages' sign-in counts failed tries, the admin's own does not.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
# A schedule runs any function by its name, with texts that nothing checks. What the desk does in
# the background are rows of its own.
admin.site.unregister([Schedule, Success, Failure, OrmQ, Group, EmailAddress])


@admin.register(Success)
class DoneAdmin(Careful, TaskAdmin):  # type: ignore[misc]
    """Tasks that ended well."""


@admin.register(Failure)
class FailedAdmin(Careful, FailAdmin):  # type: ignore[misc]
    """Tasks that did not; they can be put back into the queue."""


@admin.register(OrmQ)
class WaitingAdmin(Careful, QueueAdmin):  # type: ignore[misc]
    """What waits for the worker. Its lock is the worker's alone."""

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Group)
class NamedGroupAdmin(Careful, GroupAdmin):
    """Nothing of the desk goes by groups: they are shown only where somebody uses them."""

    form = NamedForm

    def has_module_permission(self, request: HttpRequest) -> bool:
        return super().has_module_permission(request) and Group.objects.exists()


@admin.register(EmailAddress)
class AddressAdmin(Careful, EmailAddressAdmin):  # type: ignore[misc]
    form = AddressForm


@admin.register(Agent)
class AgentAdmin(Kept):
    """Agents register through their connector; one with a key of its own is made here."""

    list_display = ("name", "org", "connector", "provider", "last_seen_at", "retired_at")
    list_filter = (("retired_at", Happened), "org", "connector")
    list_select_related = ("org", "connector")
    search_fields = ("name", "=id", "provider", "model", "connector__name")
    ordering = ("-created_at", "-id")
    date_hierarchy = "created_at"
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
            *operators.button_urls(
                self,
                key=self.key_new,
                retire=operators.confirmed(_retire_question, self.retire),
                tokens=operators.confirmed(tokens_question, tokens_stop),
            ),
            *super().get_urls(),
        ]

    def direct_key_add(self, request: HttpRequest) -> HttpResponse:
        """An agent with a direct key, which the next page shows once."""
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


def _retire_question(row: Any) -> str:
    return gettext(
        "Revoke {name}? What it holds goes back and its tokens stop. It cannot be undone."
    ).format(name=row)


def _direct_key(request: HttpRequest, values: dict[str, Any]) -> tuple[str, str]:
    actor = operators.acting(request, values["org"].id)
    fresh = direct_key_make(actor=actor, now=clock.now(), **values)
    return fresh.text, reverse("admin:accounts_agent_change", args=[fresh.row.agent_id])


def _close(actor: Caller, ref: str, note: str) -> object:
    return ticket_close(actor=actor, ref=ref, outcome=note or None, now=clock.now())


def _verbs(row: Ticket) -> list[str]:
    """The buttons that this ticket's state allows."""
    paused, held = row.paused_at is not None, row.claim_id is not None
    fits = {
        "pause": not paused and not is_closed(row.state, row.mode),
        "resume": paused,
        "release": held,
        "close": move_find("close", row.state, row.mode) is not None,
        "reopen": move_find("reopen", row.state, row.mode) is not None,
    }
    return [verb for verb, is_fit in fits.items() if is_fit]


@admin.register(Ticket)
class DeskTicketAdmin(TicketAdmin):
    """With what crosses apps: closing takes an open verification along."""

    acts: ClassVar[dict[str, Act]] = {**ACTS, "close": _close}

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        row = self.get_object(request, unquote(object_id))
        allowed = [] if row is None or not self.has_press_permission(request) else _verbs(row)
        context = {**(extra_context or {}), "verbs": allowed}
        return super().change_view(request, object_id, form_url, context)


@admin.register(Timer)
class TimerAdmin(ReadOnly):
    """Work that failed too often and was put aside, with the last error."""

    list_display = ("kind", "subject", "attempts", "quarantined_at", "last_error")
    list_filter = ("kind",)
    search_fields = ("kind", "=subject", "=org_id", "last_error")
    date_hierarchy = "quarantined_at"
    ordering = ("-quarantined_at", "id")

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).filter(quarantined_at__isnull=False)


def _invitation_again(request: HttpRequest, row: Any) -> None:
    """As the member that the operator is: an invitation counts while its sender may invite."""
    actor = operators.acting(request, row.org_id)
    invitation_resend(actor=actor, invitation_id=row.id, now=clock.now())


def _mail_hurry(request: HttpRequest, row: Any) -> None:
    mail_hurry(row.id, now=clock.now())


@admin.register(Invitation)
class InvitationAdmin(ReadOnly):
    """Who was invited by whom. Members invite and take back on the pages."""

    list_display = ("email", "org", "role", "invited_by", "expires_at", "accepted_at", "revoked_at")
    list_filter = (("accepted_at", Happened), ("revoked_at", Happened), "role", "org")
    list_select_related = ("org", "invited_by")
    search_fields = ("email", "org__name", "=id")
    ordering = ("-created_at", "-id")
    date_hierarchy = "created_at"
    fields = (
        *("email", "org", "role", "invited_by", "created_at", "expires_at"),
        *("accepted_at", "accepted_by", "revoked_at"),
    )
    change_form_template = "admin/invitation.html"

    def has_press_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("accounts.change_invitation")

    def get_urls(self) -> list[URLPattern]:
        return [*operators.button_urls(self, again=_invitation_again), *super().get_urls()]


@admin.register(Mail)
class MailAdmin(ReadOnly):
    """Mail that waits, was sent or was put aside. What it says is not shown: it may hold links."""

    list_display = ("id", "created_at", "due_at", "attempts", "sent_at", "quarantined_at")
    list_filter = (("sent_at", Happened), ("quarantined_at", Happened))
    search_fields = ("=id", "last_error")
    ordering = ("-created_at", "-id")
    date_hierarchy = "created_at"
    fields = ("id", "created_at", "due_at", "attempts", "sent_at", "quarantined_at", "last_error")
    change_form_template = "admin/mail.html"

    def has_press_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("core.change_mail")

    def get_urls(self) -> list[URLPattern]:
        return [*operators.button_urls(self, hurry=_mail_hurry), *super().get_urls()]
