"""Orgs, people, projects, connectors, agents, actors and tokens."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.core.exceptions import ValidationError
from django.db import models
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from accounts.names import address_fault
from accounts.signal_models import AgentRequest as AgentRequest
from accounts.signal_models import Signal as Signal
from accounts.states import ActorKind, Notices, Role, TokenKind
from stuckbot.lib import clock, ids
from stuckbot.lib.tenancy import OrgOwned


class Org(models.Model):
    """A tenant. Everything of one org is invisible to another."""

    id = models.UUIDField(primary_key=True, default=ids.uuid7, editable=False)
    name = models.CharField(max_length=80)
    default_project = models.ForeignKey(
        "Project", on_delete=models.PROTECT, null=True, related_name="+"
    )
    paused_at = models.DateTimeField(null=True, blank=True)
    paused_by = models.ForeignKey(
        "Actor", on_delete=models.SET_NULL, null=True, related_name="+", editable=False
    )
    pause_reason_id = models.UUIDField(null=True, editable=False)
    policy_version = models.IntegerField(default=1, editable=False)
    agent_limit = models.PositiveIntegerField(default=200)
    created_at = models.DateTimeField(default=clock.now, editable=False)

    def __str__(self) -> str:
        return self.name


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **extra: Any) -> "User":
        if fault := address_fault(email):
            raise ValidationError(fault)
        user = self.model(email=self.normalize_email(email).lower(), **extra)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **extra: Any) -> "User":
        return self.create_user(email, password, is_staff=True, is_superuser=True, **extra)


class User(AbstractBaseUser, PermissionsMixin):
    """A person's login; signs in by mail address. What they may do is in `Membership`."""

    id = models.UUIDField(primary_key=True, default=ids.uuid7, editable=False)
    email = models.EmailField(_("email address"), unique=True)
    name = models.CharField(max_length=80, blank=True)
    time_zone = models.CharField(max_length=64, blank=True)
    is_staff = models.BooleanField(default=False, help_text=_("May open the operators' admin."))
    is_active = models.BooleanField(default=True)
    #: A part of what every session of theirs is checked against; a new one ends them all.
    session_mark = models.CharField(max_length=22, default="", editable=False)
    date_joined = models.DateTimeField(default=clock.now, editable=False)

    objects = UserManager()

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    def __str__(self) -> str:
        return self.email

    @property
    def shown_name(self) -> str:
        return self.name or self.email.split("@")[0][:80]

    def get_session_auth_hash(self) -> str:
        """Ends a session when the password changes, or on signing out everywhere."""
        return self._marked(super().get_session_auth_hash())

    def get_session_auth_fallback_hash(self) -> Iterator[str]:
        yield from (self._marked(one) for one in super().get_session_auth_fallback_hash())

    def _marked(self, password_hash: str) -> str:
        mark = self.session_mark
        if not mark:
            return password_hash
        return salted_hmac("session mark", password_hash + mark, algorithm="sha256").hexdigest()


class Project(OrgOwned):
    id = models.UUIDField(primary_key=True, default=ids.uuid7, editable=False)
    org = models.ForeignKey(Org, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=80)
    paused_at = models.DateTimeField(null=True, blank=True)
    paused_by = models.ForeignKey(
        "Actor", on_delete=models.SET_NULL, null=True, related_name="+", editable=False
    )
    pause_reason_id = models.UUIDField(null=True, editable=False)
    created_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta(OrgOwned.Meta):
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["org", "id"], name="project_org_id"),
            models.UniqueConstraint(fields=["org", "name"], name="project_org_name"),
        ]

    def __str__(self) -> str:
        return self.name


class Actor(OrgOwned):
    """Whoever can do something: every creator, holder and `by` is one.

    An agent's actor has the agent's id, a connector's the connector's, so the id on the wire is
    one and the same.
    """

    id = models.UUIDField(primary_key=True, default=ids.uuid7, editable=False)
    org = models.ForeignKey(Org, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=10, choices=ActorKind.choices)
    name = models.CharField(max_length=80)
    user = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="actors")

    class Meta(OrgOwned.Meta):
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["org", "id"], name="actor_org_id"),
            models.UniqueConstraint(fields=["org", "user"], name="actor_org_user"),
        ]

    def __str__(self) -> str:
        return self.name


class Membership(OrgOwned):
    id = models.UUIDField(primary_key=True, default=ids.uuid7, editable=False)
    org = models.ForeignKey(Org, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    actor = models.OneToOneField(Actor, on_delete=models.PROTECT, related_name="membership")
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.MEMBER)
    created_at = models.DateTimeField(default=clock.now, editable=False)
    last_seen_at = models.DateTimeField(null=True, editable=False)
    notices = models.CharField(max_length=10, choices=Notices.choices, default=Notices.ALL)
    #: When the next daily list is due; set by the worker once that is chosen.
    digest_at = models.DateTimeField(null=True, editable=False)

    class Meta(OrgOwned.Meta):
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["org", "id"], name="membership_org_id"),
            models.UniqueConstraint(fields=["org", "user"], name="membership_org_user"),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["digest_at"],
                name="membership_digest",
                condition=models.Q(notices=Notices.DAILY),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} ({self.role})"


class Notice(OrgOwned):
    """A decision that waits, as one member is told of it: once, and once more after a day.

    `seq` is the event that made it wait; `verification_id` is null where a ticket needs a person.
    `mail_id` is the mail that tells it, once one has left or tries to.
    """

    id = models.UUIDField(primary_key=True, default=ids.uuid7, editable=False)
    org = models.ForeignKey(Org, on_delete=models.CASCADE, related_name="+")
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="+")
    seq = models.BigIntegerField()
    ticket_id = models.UUIDField()
    verification_id = models.UUIDField(null=True)
    created_at = models.DateTimeField()
    mail_id = models.UUIDField(null=True)
    remind_at = models.DateTimeField(null=True)
    is_reminder = models.BooleanField(default=False)

    class Meta(OrgOwned.Meta):
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["membership", "seq"], name="notice_once_per_event"),
            models.UniqueConstraint(
                fields=["membership", "verification_id"],
                name="notice_once_per_job",
                condition=models.Q(verification_id__isnull=False),
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["mail_id"], name="notice_mail"),
            models.Index(fields=["created_at"], name="notice_created"),
            models.Index(
                fields=["remind_at"],
                name="notice_remind",
                condition=models.Q(remind_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.membership_id} hears of {self.seq}"


class Invitation(OrgOwned):
    """An address that may join an org. The link's token is kept as its hash alone.

    Inviting again renews the open row of that address, and the older link stops working.
    """

    id = models.UUIDField(primary_key=True, default=ids.uuid7, editable=False)
    org = models.ForeignKey(Org, on_delete=models.CASCADE, related_name="+")
    email = models.EmailField()
    role = models.CharField(max_length=10, choices=Role.choices)
    token_sha256 = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=clock.now, editable=False)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True)
    accepted_by = models.ForeignKey(Actor, on_delete=models.PROTECT, null=True, related_name="+")
    revoked_at = models.DateTimeField(null=True)

    class Meta(OrgOwned.Meta):
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["org", "id"], name="invitation_org_id"),
            models.UniqueConstraint(
                fields=["org", "email"],
                name="invitation_open",
                condition=models.Q(accepted_at__isnull=True, revoked_at__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.email} ({self.role})"


class Connector(OrgOwned):
    """A way in for agents: its enrollment secret registers them, its scopes cap theirs."""

    id = models.UUIDField(primary_key=True, default=ids.uuid7, editable=False)
    org = models.ForeignKey(Org, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=80)
    scopes = models.JSONField(default=list)
    projects = models.ManyToManyField(
        Project, blank=True, help_text=_("The projects its agents may read; none means all.")
    )
    set_up_by = models.ForeignKey(Actor, on_delete=models.PROTECT, null=True, related_name="+")
    disabled_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta(OrgOwned.Meta):
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["org", "id"], name="connector_org_id"),
            models.UniqueConstraint(fields=["org", "name"], name="connector_org_name"),
        ]

    def __str__(self) -> str:
        return self.name


class Agent(OrgOwned):
    """An agent, made by registering through a connector or by giving it a direct key.

    `project_ids` empty means every project. `flags_version` steps with each stop or handoff
    request and with every change of what it may read, so a poll sees both in one number.

    `usage` are its totals, `usage_said` the counters it said last: one that began anew is added.
    `stopped_at`: it was told to stop and takes nothing new. An agent that declared a watchdog has
    `silent_at`, when it counts as silent unless it calls before; `alive_at` is a call of its own,
    a minute old at most. Once it is silent it has `silent_since` instead, until it calls again.
    """

    id = models.UUIDField(primary_key=True, default=ids.uuid7, editable=False)
    actor = models.OneToOneField(Actor, on_delete=models.PROTECT, related_name="agent")
    org = models.ForeignKey(Org, on_delete=models.CASCADE, related_name="+")
    connector = models.ForeignKey(
        Connector, on_delete=models.PROTECT, null=True, related_name="agents"
    )
    set_up_by = models.ForeignKey(Actor, on_delete=models.PROTECT, null=True, related_name="+")
    parent = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, related_name="+")
    name = models.CharField(max_length=80)
    provider = models.CharField(max_length=80, default="", blank=True)
    model = models.CharField(max_length=80, default="", blank=True)
    runtime = models.CharField(max_length=80, default="", blank=True)
    labels = models.JSONField(default=dict)
    capabilities = models.JSONField(default=dict)
    scopes = models.JSONField(default=list)
    project_ids = models.JSONField(default=list)
    supports_stop = models.BooleanField(default=False)
    usage = models.JSONField(default=dict)
    usage_said = models.JSONField(default=dict)
    status_content_id = models.UUIDField(null=True)
    flags_version = models.IntegerField(default=0)
    handoff_request = models.JSONField(null=True)
    stop_request = models.JSONField(null=True)
    stopped_at = models.DateTimeField(null=True)
    last_seen_at = models.DateTimeField(null=True)
    alive_at = models.DateTimeField(null=True)
    silent_at = models.DateTimeField(null=True)
    silent_since = models.DateTimeField(null=True)
    created_at = models.DateTimeField(default=clock.now, editable=False)
    retired_at = models.DateTimeField(null=True)

    class Meta(OrgOwned.Meta):
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["org", "id"], name="agent_org_id"),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["silent_at"],
                name="agent_silent",
                condition=models.Q(silent_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Token(OrgOwned):
    """A bearer token: only its SHA-256 is kept. `lookup` is its public part."""

    id = models.UUIDField(primary_key=True, default=ids.uuid7, editable=False)
    org = models.ForeignKey(Org, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=3, choices=TokenKind.choices)
    lookup = models.CharField(max_length=24, unique=True)
    sha256 = models.CharField(max_length=64)
    name = models.CharField(max_length=80, default="", blank=True)
    connector = models.ForeignKey(
        Connector, on_delete=models.CASCADE, null=True, related_name="tokens"
    )
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, null=True, related_name="tokens")
    membership = models.ForeignKey(
        Membership, on_delete=models.CASCADE, null=True, related_name="tokens"
    )
    set_up_by = models.ForeignKey(Actor, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(default=clock.now, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    replaced_by = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, related_name="+")
    used_at = models.DateTimeField(null=True)

    class Meta(OrgOwned.Meta):
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["org", "id"], name="token_org_id"),
            models.CheckConstraint(
                name="token_has_one_bearer",
                condition=(
                    models.Q(kind="sbe", connector__isnull=False)
                    | models.Q(kind__in=["sba", "sbk"], agent__isnull=False)
                    | models.Q(kind="sbp", membership__isnull=False)
                ),
            ),
        ]
        indexes: ClassVar = [
            # Who can sign in now, among all the tokens that ran out.
            models.Index(
                fields=["org", "expires_at", "agent"],
                name="token_live",
                condition=models.Q(revoked_at__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind}_{self.lookup}"

    def is_live(self, now: datetime) -> bool:
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > now)
