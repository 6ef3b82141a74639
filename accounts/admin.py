"""Orgs, people, projects, connectors and tokens for the operators. Writes go through services."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.db import models
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts import operators
from accounts.forms import (
    ConnectorForm,
    MembershipForm,
    OrgChoiceForm,
    OrgForm,
    PersonTokenForm,
    ProjectForm,
    UserChangeForm,
    UserCreationForm,
)
from accounts.models import Connector, Membership, Org, Project, Token, User
from accounts.services.orgs import (
    connector_disable,
    connector_enable,
    connector_make,
    enrollment_secret_make,
    member_add,
    org_make,
    person_token_make,
    project_make,
    token_revoke,
)
from accounts.services.people import address_follow
from accounts.services.revoking import tokens_live, tokens_revoke
from accounts.states import Role
from stuckbot.lib import clock
from stuckbot.lib.admin import AnyForm, Careful, Happened, Kept, secret_shown

if TYPE_CHECKING:
    BaseUserAdmin = DjangoUserAdmin[User]
else:
    BaseUserAdmin = DjangoUserAdmin


def tokens_question(row: Any) -> str:
    count = tokens_live(row, clock.now())
    return gettext("Revoke every token of {name}? {count} of them would still sign in.").format(
        name=row, count=count
    )


def tokens_stop(request: HttpRequest, row: Any) -> None:
    count = tokens_revoke(actor=operators.acting(request, row.org_id), bearer=row, now=clock.now())
    messages.info(request, gettext("{count} tokens were revoked.").format(count=count))


_TOKENS_BUTTON = operators.confirmed(tokens_question, tokens_stop)


def _revoke_question(row: Any) -> str:
    return gettext("Revoke the token {token}? It stops working at once, for good.").format(
        token=row
    )


def _disable_question(row: Any) -> str:
    return gettext(
        "Lock out {name}? Its secret and every agent of it stop at once, until you let them in."
    ).format(name=row)


@admin.register(Org)
class OrgAdmin(operators.ServiceAdmin):
    form = OrgForm
    list_display = ("name", "id", "default_project", "agent_limit", "paused_at", "created_at")
    list_filter = (("paused_at", Happened),)
    list_select_related = ("default_project",)
    search_fields = ("name", "=id")
    ordering = ("name", "id")
    fields = ("name", "default_project", "agent_limit", "paused_at", "created_at")
    readonly_fields = ("paused_at", "created_at")
    add_fields = ("name",)
    kind = "org"

    def org_of(self, row: Any) -> Any:
        return row.id

    def make(self, request: HttpRequest, row: Any, form: AnyForm) -> models.Model:
        return org_make(name=row.name, now=clock.now())


@admin.register(User)
class UserAdmin(Careful, BaseUserAdmin):
    """Sign-in alone: what a person may do is in their memberships."""

    form = UserChangeForm
    add_form = UserCreationForm
    ordering = ("email",)
    list_display = ("email", "name", "is_active", "is_staff", "date_joined")
    list_filter = ("is_active", "is_staff", "is_superuser")
    search_fields = ("email", "name")
    readonly_fields = ("last_login", "date_joined")
    fieldsets = (
        (None, {"fields": ("email", "password", "name", "time_zone")}),
        (_("May"), {"fields": ("is_active", "is_staff", "is_superuser")}),
        (_("Dates"), {"fields": ("last_login", "date_joined")}),
    )
    add_fieldsets = ((None, {"fields": ("email", "name", "password1", "password2")}),)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """An address that is taken away is mailed no code and no link any more."""
        super().save_model(request, obj, form, change)
        address_follow(obj)


@admin.register(Project)
class ProjectAdmin(operators.ServiceAdmin):
    form = ProjectForm
    list_display = ("name", "org", "id", "paused_at", "created_at")
    list_filter = (("paused_at", Happened), "org")
    list_select_related = ("org",)
    search_fields = ("name", "=id", "org__name")
    ordering = ("org__name", "name")
    fields = ("org", "name", "paused_at", "created_at")
    readonly_fields = ("paused_at", "created_at")
    add_fields = ("org", "name")
    fixed_fields = ("org",)
    kind = "project"

    def make(self, request: HttpRequest, row: Any, form: AnyForm) -> models.Model:
        return project_make(org=row.org, name=row.name, now=clock.now())


@admin.register(Membership)
class MembershipAdmin(operators.ServiceAdmin):
    form = MembershipForm
    list_display = ("user", "org", "role", "created_at")
    list_filter = ("org", "role")
    list_select_related = ("user", "org")
    search_fields = ("user__email", "user__name", "org__name")
    ordering = ("org__name", "user__email")
    autocomplete_fields = ("user",)
    change_form_template = "admin/member.html"
    fields = ("org", "user", "role", "created_at")
    readonly_fields = ("created_at",)
    add_fields = ("org", "user", "role")
    fixed_fields = ("org", "user")
    kind = "member"

    def make(self, request: HttpRequest, row: Any, form: AnyForm) -> models.Model:
        return member_add(org=row.org, user=row.user, role=Role(row.role), now=clock.now())

    def get_urls(self) -> list[URLPattern]:
        return [*operators.button_urls(self, tokens=_TOKENS_BUTTON), *super().get_urls()]


@admin.register(Connector)
class ConnectorAdmin(operators.ServiceAdmin):
    form = ConnectorForm
    list_display = ("name", "org", "id", "set_up_by", "disabled_at", "created_at")
    list_filter = (("disabled_at", Happened), "org")
    list_select_related = ("org", "set_up_by")
    search_fields = ("name", "=id", "org__name")
    ordering = ("org__name", "name")
    fields = ("org", "name", "scopes", "projects", "set_up_by", "disabled_at", "created_at")
    readonly_fields = ("set_up_by", "disabled_at", "created_at")
    add_fields = ("org", "name", "scopes")
    fixed_fields = ("org",)
    change_form_template = "admin/connector.html"
    kind = "connector"

    def make(self, request: HttpRequest, row: Any, form: AnyForm) -> models.Model:
        caller = operators.acting(request, row.org_id)
        return connector_make(
            org=row.org,
            name=row.name,
            scopes=row.scopes,
            set_up_by=operators.actor_of(caller),
            now=clock.now(),
        )

    def get_urls(self) -> list[URLPattern]:
        return [
            *operators.button_urls(
                self,
                secret=self.secret_new,
                disable=operators.confirmed(_disable_question, self.disable),
                enable=self.enable,
                tokens=_TOKENS_BUTTON,
            ),
            *super().get_urls(),
        ]

    def secret_new(self, request: HttpRequest, row: Any) -> HttpResponse:
        actor = operators.acting(request, row.org_id)
        fresh = enrollment_secret_make(actor=actor, connector=row, now=clock.now())
        return secret_shown(
            request,
            title=f"Enrollment secret of {row.name}",
            secret=fresh.text,
            back=operators.row_url(row),
        )

    def disable(self, request: HttpRequest, row: Any) -> None:
        connector_disable(
            actor=operators.acting(request, row.org_id), connector=row, now=clock.now()
        )

    def enable(self, request: HttpRequest, row: Any) -> None:
        connector_enable(
            actor=operators.acting(request, row.org_id), connector=row, now=clock.now()
        )


@admin.register(Token)
class TokenAdmin(Kept):
    """What tokens there are. Their text is shown once, when they are made, and kept nowhere."""

    list_display = (
        "lookup",
        "kind",
        "name",
        "org",
        "bearer",
        "expires_at",
        "revoked_at",
        "used_at",
    )
    list_filter = ("kind", "org", ("revoked_at", Happened))
    list_select_related = ("org", "connector", "agent", "membership__user")
    search_fields = ("=lookup", "name", "agent__name", "connector__name", "membership__user__email")
    search_help_text = _("What stands between the first _ and the 16th character, or a name.")
    ordering = ("-created_at", "-id")
    date_hierarchy = "created_at"
    show_full_result_count = False
    actions = ("revoke_chosen",)
    fields = (
        *("kind", "lookup", "name", "org", "bearer", "set_up_by"),
        *("created_at", "expires_at", "revoked_at", "replaced_by", "used_at"),
    )
    change_form_template = "admin/token.html"

    @admin.display(description=_("bearer"))
    def bearer(self, row: Token) -> str:
        return str(row.agent or row.connector or row.membership)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_urls(self) -> list[URLPattern]:
        made = path(
            "add/", self.admin_site.admin_view(self.person_token_add), name="accounts_token_add"
        )
        sure = operators.confirmed(_revoke_question, self.revoke)
        return [made, *operators.button_urls(self, revoke=sure), *super().get_urls()]

    def has_press_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("accounts.add_token")

    def person_token_add(self, request: HttpRequest) -> HttpResponse:
        """A personal access token for a member of an org, which is asked for first."""
        asked = OrgChoiceForm(request.GET if "org" in request.GET else None)
        if not asked.is_valid():
            return operators.org_asked(self, request, form=asked, title=_("Of which org?"))
        org = asked.cleaned_data["org"]
        return operators.secret_form(
            self,
            request,
            form=PersonTokenForm(org, request.POST or None),
            title=_("Make a personal access token"),
            make=self._person_token,
        )

    def _person_token(self, request: HttpRequest, values: dict[str, Any]) -> tuple[str, str]:
        membership = values["membership"]
        fresh = person_token_make(now=clock.now(), **values)
        operators.note(
            request, membership.org_id, "person_token_handed_out", token_id=str(fresh.row.id)
        )
        return fresh.text, reverse("admin:accounts_token_change", args=[fresh.row.id])

    def revoke(self, request: HttpRequest, row: Any) -> None:
        token_revoke(actor=operators.acting(request, row.org_id), token=row, now=clock.now())

    @admin.action(description=_("Revoke the chosen tokens"), permissions=["press"])
    def revoke_chosen(self, request: HttpRequest, chosen: QuerySet[Token]) -> HttpResponse | None:
        return operators.each_confirmed(
            self,
            request,
            list(chosen.filter(revoked_at=None)),
            title=_("Revoke these tokens?"),
            question=_("They stop working at once. It cannot be undone."),
            act=self.revoke,
        )
