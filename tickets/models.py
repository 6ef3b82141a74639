"""Tickets with their packages, criteria, tags and claims. Free text is in content."""

from typing import ClassVar

from django.db import models
from django.db.models import F, Q

from accounts.models import Actor, Org, Project
from stuckbot.lib.models import Content
from stuckbot.lib.tenancy import OrgOwned
from tickets.search_models import SearchCount as SearchCount
from tickets.search_models import SearchDoc as SearchDoc
from tickets.search_models import SearchLike as SearchLike
from tickets.search_models import SearchOrg as SearchOrg
from tickets.states import ALWAYS_CLOSED, LEASED, Mode, Stage, State

_LEASED = sorted(LEASED)
_CLOSED = Q(state__in=sorted(ALWAYS_CLOSED)) | Q(state=State.BLOCKER_RESOLVED, mode="blocker_only")


class WordSet(OrgOwned):
    """A set of labels or skills, kept once per org: tickets that share it point at one row."""

    id = models.UUIDField(primary_key=True)
    org = models.ForeignKey(Org, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=6, choices=[("labels", "labels"), ("skills", "skills")])
    sha256 = models.CharField(max_length=64)
    words = models.JSONField()

    class Meta(OrgOwned.Meta):
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["org", "id"], name="wordset_org_id"),
            models.UniqueConstraint(fields=["org", "kind", "sha256"], name="wordset_org_sha"),
        ]

    def __str__(self) -> str:
        return ", ".join(self.words) or "(none)"


class Ticket(OrgOwned):
    """One stuck agent's ticket: codes, counters and pointers alone, so a renewal rewrites little.

    `offer_at` is when `/work` may offer it: null while it must not be, the end of the lease
    while one runs. `warn_at` is when its holder is to hear that the lease ends, null once it
    was told. `claim_id` set means leased, by `solver`. `live_until` is the later of the lease's
    end and the conversation's window. `missing` names the fields that an incomplete package
    lacks; `bar_fixed` says that it was completed, from when on its criteria stay. `proven` says
    that the blocker stage was approved. `verifier` checks the fix until `verifier_until`.
    Rejections count from the attempt `rejections_from` on. `handoff_reason` is why whoever
    filed it handed its parent on.
    """

    id = models.UUIDField(primary_key=True)
    org = models.ForeignKey(Org, on_delete=models.CASCADE, related_name="+")
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="+")
    number = models.BigIntegerField()
    root_id = models.UUIDField()
    parent = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="+")
    depth = models.IntegerField(default=0)
    state = models.CharField(max_length=20, choices=State.choices)
    version = models.IntegerField(default=1)
    attempt = models.IntegerField(default=1)
    mode = models.CharField(max_length=20, choices=Mode.choices)
    urgency = models.SmallIntegerField()
    labelset = models.ForeignKey(WordSet, on_delete=models.PROTECT, null=True, related_name="+")
    skillset = models.ForeignKey(WordSet, on_delete=models.PROTECT, null=True, related_name="+")
    creator = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    solver = models.ForeignKey(Actor, on_delete=models.PROTECT, null=True, related_name="+")
    reserved_for = models.ForeignKey(Actor, on_delete=models.PROTECT, null=True, related_name="+")
    assignee = models.ForeignKey(Actor, on_delete=models.PROTECT, null=True, related_name="+")
    paused_at = models.DateTimeField(null=True)
    paused_by = models.ForeignKey(Actor, on_delete=models.PROTECT, null=True, related_name="+")
    pause_reason = models.ForeignKey(
        Content, on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )
    handoff_reason = models.ForeignKey(
        Content, on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )
    incomplete = models.BooleanField(default=False)
    missing = models.CharField(max_length=200, default="", blank=True)
    bar_fixed = models.BooleanField(default=False)
    blocked_since = models.DateTimeField(null=True)
    blocked_reason = models.ForeignKey(
        Content, on_delete=models.PROTECT, null=True, related_name="+"
    )
    waits_for = models.CharField(max_length=10, default="", blank=True)
    gating_asks = models.IntegerField(default=0)
    open_deps = models.IntegerField(default=0)
    broken_deps = models.IntegerField(default=0)
    own_red = models.CharField(max_length=20, null=True)
    offer_at = models.DateTimeField(null=True)
    claim = models.ForeignKey("Claim", on_delete=models.PROTECT, null=True, related_name="+")
    verifier = models.ForeignKey(
        Actor, on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )
    verifier_until = models.DateTimeField(null=True)
    rejections_from = models.IntegerField(default=1)
    lease_until = models.DateTimeField(null=True)
    lease_seconds = models.IntegerField(default=0)
    warn_at = models.DateTimeField(null=True)
    loop_since = models.DateTimeField(null=True)
    lease_left = models.IntegerField(null=True)
    live_until = models.DateTimeField(null=True)
    ever_claimed = models.BooleanField(default=False)
    fingerprint = models.CharField(max_length=64, default="")
    title = models.ForeignKey(Content, on_delete=models.PROTECT, related_name="+")
    summary = models.ForeignKey(Content, on_delete=models.PROTECT, null=True, related_name="+")
    resolution = models.ForeignKey(Content, on_delete=models.PROTECT, null=True, related_name="+")
    package_n = models.IntegerField(default=1)
    assurance = models.CharField(max_length=20, default="", blank=True)
    proven = models.BooleanField(default=False)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)

    class Meta(OrgOwned.Meta):
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["org", "id"], name="ticket_org_id"),
            models.UniqueConstraint(fields=["org", "number"], name="ticket_org_number"),
            models.CheckConstraint(
                name="ticket_closed_has_time",
                condition=(_CLOSED & Q(closed_at__isnull=False))
                | (~_CLOSED & Q(closed_at__isnull=True)),
            ),
            models.CheckConstraint(
                name="ticket_leased_has_claim",
                condition=Q(state__in=_LEASED, claim__isnull=False, lease_until__isnull=False)
                | (~Q(state__in=_LEASED) & Q(claim__isnull=True, lease_until__isnull=True)),
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                F("project"),
                F("urgency").desc(),
                F("id"),
                name="ticket_offer",
                condition=Q(offer_at__isnull=False, open_deps=0, claim__isnull=True),
            ),
            models.Index(
                F("project"),
                F("skillset"),
                F("urgency").desc(),
                F("id"),
                name="ticket_offer_skill",
                condition=Q(offer_at__isnull=False, open_deps=0, claim__isnull=True),
            ),
            models.Index(
                fields=["lease_until"], name="ticket_due", condition=Q(claim__isnull=False)
            ),
            models.Index(
                fields=["warn_at"], name="ticket_warn", condition=Q(warn_at__isnull=False)
            ),
            models.Index(
                fields=["org", "lease_until"],
                name="ticket_org_due",
                condition=Q(claim__isnull=False),
            ),
            models.Index(F("org"), F("created_at").desc(), F("id").desc(), name="ticket_list"),
            models.Index(
                F("org"),
                F("urgency").desc(),
                F("created_at"),
                F("id"),
                name="ticket_board",
                condition=Q(closed_at__isnull=True),
            ),
            models.Index(
                F("org"),
                F("created_at").desc(),
                F("id").desc(),
                name="ticket_open",
                condition=Q(closed_at__isnull=True),
            ),
            models.Index(
                F("org"),
                F("closed_at").desc(),
                F("id").desc(),
                name="ticket_archive",
                condition=Q(closed_at__isnull=False),
            ),
            models.Index(
                fields=["root_id", "depth"], name="ticket_chain", condition=Q(depth__gt=0)
            ),
            models.Index(
                fields=["pause_reason"],
                name="ticket_pause_reason",
                condition=Q(pause_reason__isnull=False),
            ),
            models.Index(
                fields=["handoff_reason"],
                name="ticket_handoff_reason",
                condition=Q(handoff_reason__isnull=False),
            ),
            models.Index(F("org"), F("fingerprint"), F("number").desc(), name="ticket_fingerprint"),
            models.Index(fields=["creator"], name="ticket_creator"),
            models.Index(fields=["solver"], name="ticket_solver"),
            models.Index(
                fields=["org", "id"], name="ticket_red", condition=Q(own_red__isnull=False)
            ),
            models.Index(
                fields=["org", "live_until"],
                name="ticket_live",
                condition=Q(live_until__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"SB-{self.number}"


class Tag(OrgOwned):
    """A ticket under a label, for finding work by label; gone once the ticket is closed."""

    id = models.BigAutoField(primary_key=True)
    org = models.ForeignKey(Org, on_delete=models.CASCADE, related_name="+")
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")
    label = models.CharField(max_length=50)
    urgency = models.SmallIntegerField()
    ticket = models.ForeignKey(Ticket, on_delete=models.CASCADE, related_name="tags")

    class Meta(OrgOwned.Meta):
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["ticket", "label"], name="tag_ticket_label"),
        ]
        indexes: ClassVar = [
            models.Index(
                F("project"), F("label"), F("urgency").desc(), F("ticket"), name="tag_find"
            ),
        ]

    def __str__(self) -> str:
        return self.label


class Package(OrgOwned):
    """A version of the handoff package, whole, as it was accepted with its keys filled in.

    `by_holder`: whoever held the ticket wrote it, not who asked for help.
    """

    pk = models.CompositePrimaryKey("ticket_id", "n")
    org = models.ForeignKey(Org, on_delete=models.CASCADE, related_name="+")
    ticket = models.ForeignKey(Ticket, on_delete=models.CASCADE, related_name="packages")
    n = models.IntegerField()
    content = models.ForeignKey(Content, on_delete=models.PROTECT, related_name="+")
    author = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    by_holder = models.BooleanField(default=False)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.ticket_id} v{self.n}"


class Criterion(OrgOwned):
    """What proves a stage. `command`, `pattern` and `url` are text of the package, masked."""

    pk = models.CompositePrimaryKey("ticket_id", "key")
    org = models.ForeignKey(Org, on_delete=models.CASCADE, related_name="+")
    ticket = models.ForeignKey(Ticket, on_delete=models.CASCADE, related_name="criteria")
    key = models.CharField(max_length=40)
    stage = models.CharField(max_length=10, choices=Stage.choices)
    method = models.CharField(max_length=20)
    position = models.SmallIntegerField()
    command = models.TextField(null=True)
    pattern = models.TextField(null=True)
    url = models.TextField(null=True)
    expected = models.TextField(default="")
    expected_exit = models.IntegerField(default=0)
    added_n = models.IntegerField(default=1)

    def __str__(self) -> str:
        return f"{self.ticket_id} {self.key}"


class Claim(OrgOwned):
    """The history of who held a ticket; the ticket row is the truth of who holds it now."""

    id = models.UUIDField(primary_key=True)
    org = models.ForeignKey(Org, on_delete=models.CASCADE, related_name="+")
    ticket = models.ForeignKey(Ticket, on_delete=models.CASCADE, related_name="claims")
    actor = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    execution_target = models.CharField(max_length=10, default="external")
    conversation = models.JSONField(null=True)
    seq = models.BigIntegerField()
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    end_reason = models.CharField(max_length=20, default="", blank=True)

    class Meta(OrgOwned.Meta):
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["org", "id"], name="claim_org_id"),
            models.UniqueConstraint(
                fields=["ticket"], name="claim_one_live", condition=Q(ended_at__isnull=True)
            ),
        ]
        indexes: ClassVar = [
            models.Index(F("ticket"), F("seq").desc(), name="claim_ticket_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.actor_id} on {self.ticket_id}"


class Note(OrgOwned):
    """An update of the holder or a comment of anyone who can read the ticket."""

    id = models.UUIDField(primary_key=True)
    org = models.ForeignKey(Org, on_delete=models.CASCADE, related_name="+")
    ticket = models.ForeignKey(Ticket, on_delete=models.CASCADE, related_name="notes")
    kind = models.CharField(max_length=10)
    by = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    content = models.ForeignKey(Content, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta(OrgOwned.Meta):
        indexes: ClassVar = [models.Index(fields=["ticket", "id"], name="note_ticket")]

    def __str__(self) -> str:
        return f"{self.kind} on {self.ticket_id}"


class Finding(OrgOwned):
    """A secret that was masked in a text of the ticket: never the value itself.

    `place` is the path where it stood (`package.context.errors[0]`, `comment`), `kind` a code.
    """

    id = models.UUIDField(primary_key=True)
    org = models.ForeignKey(Org, on_delete=models.CASCADE, related_name="+")
    ticket = models.ForeignKey(Ticket, on_delete=models.CASCADE, related_name="findings")
    place = models.CharField(max_length=500)
    kind = models.CharField(max_length=60)
    preview = models.CharField(max_length=200)
    at = models.DateTimeField()

    class Meta(OrgOwned.Meta):
        indexes: ClassVar = [models.Index(fields=["ticket", "id"], name="finding_ticket")]

    def __str__(self) -> str:
        return f"{self.kind} at {self.place} of {self.ticket_id}"
