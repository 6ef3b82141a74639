"""Rows of the core: the org's clock, content, events, inboxes, timers, cursors, audit.

What they point at in the apps above they hold by id, without a foreign key.
"""

from typing import ClassVar, Final
from uuid import UUID

from django.db import models

from stuckbot.lib.masking import Finding
from stuckbot.lib.tenancy import OrgOwned

#: The events after which something may wait for a person to decide.
DECISION_EVENTS: Final = (
    "checks_finished",
    "loop_suspected",
    "needs_human",
    "stage_submitted",
    "verification_passed_on",
)
#: The events with which somebody leaves a ticket to whoever takes it next, or hands it to them.
HANDOVER_EVENTS: Final = (
    "claim_expired",
    "needs_human",
    "stage_approved",
    "stage_rejected",
    "ticket_released",
    "ticket_reopened",
    "ticket_sent_back",
)


class OrgClock(OrgOwned):
    """One row an org; the last lock of every write, so event ids are in commit order.

    `offer_seq` steps whenever what `/work` could offer changes, `graph_seq` whenever a fact that
    a colour stands on changes; `audit_no` has no gaps.
    """

    org_id = models.UUIDField(primary_key=True)
    seq = models.BigIntegerField(default=0)
    offer_seq = models.BigIntegerField(default=0)
    graph_seq = models.BigIntegerField(default=0)
    ticket_no = models.BigIntegerField(default=0)
    audit_no = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return f"clock of {self.org_id} at {self.seq}"


class Content(OrgOwned):
    """A free text or JSON body, masked, as canonical bytes (see `stuckbot.lib.content`)."""

    #: Until the row is stored: what was masked in it, and the ticket that keeps it. No columns.
    findings: tuple[Finding, ...] = ()
    about: UUID | None = None

    id = models.UUIDField(primary_key=True)
    org_id = models.UUIDField()
    root_id = models.UUIDField(null=True)
    kind = models.CharField(max_length=24)
    bytes = models.BinaryField(null=True)
    sha256 = models.CharField(max_length=64)
    key_id = models.CharField(max_length=64, null=True)
    purged_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()

    class Meta(OrgOwned.Meta):
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["org_id", "id"], name="content_org_id"),
        ]
        indexes: ClassVar = [models.Index(fields=["root_id"], name="content_root")]

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"


class Event(OrgOwned):
    """What happened, append-only. `seq` is the id on the wire; codes in `data`, text in content.

    `answer_id`: what the solver said of the fix that the event tells of.
    """

    pk = models.CompositePrimaryKey("org_id", "seq")
    org_id = models.UUIDField()
    seq = models.BigIntegerField()
    ticket_id = models.UUIDField(null=True)
    type = models.CharField(max_length=40)
    actor_id = models.UUIDField()
    at = models.DateTimeField()
    data = models.JSONField(default=dict)
    content_id = models.UUIDField(null=True)
    answer_id = models.UUIDField(null=True)

    class Meta(OrgOwned.Meta):
        indexes: ClassVar = [
            models.Index(fields=["ticket_id", "seq"], name="event_ticket_seq"),
            # Everything that one actor did, newest first.
            models.Index(fields=["actor_id", "seq"], name="event_actor_seq"),
            # What waits for a person is looked for every second, among all that happens.
            models.Index(
                fields=["org_id", "seq"],
                name="event_decision",
                condition=models.Q(type__in=DECISION_EVENTS),
            ),
            models.Index(
                fields=["ticket_id", "seq"],
                name="event_handover",
                condition=models.Q(type__in=HANDOVER_EVENTS),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.seq} {self.type}"


class Inbox(OrgOwned):
    """An event that an actor should hear of: fanned out on write, never for one's own act."""

    pk = models.CompositePrimaryKey("actor_id", "seq")
    org_id = models.UUIDField()
    actor_id = models.UUIDField()
    seq = models.BigIntegerField()

    def __str__(self) -> str:
        return f"{self.actor_id} hears {self.seq}"


class Timer(OrgOwned):
    """Work that falls due. The row is the truth: a lost queue message costs seconds, not the work.

    `attempts` is raised before the work starts; past the limit the row is quarantined and kept.
    """

    id = models.UUIDField(primary_key=True)
    org_id = models.UUIDField()
    kind = models.CharField(max_length=40)
    subject = models.UUIDField()
    due_at = models.DateTimeField()
    attempts = models.IntegerField(default=0)
    quarantined_at = models.DateTimeField(null=True)
    last_error = models.CharField(max_length=500, default="")

    class Meta(OrgOwned.Meta):
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["kind", "subject"], name="timer_kind_subject"),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["due_at"],
                name="timer_due",
                condition=models.Q(quarantined_at__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject} at {self.due_at}"


class Idempotency(OrgOwned):
    """The kept answer to a request with an `Idempotency-Key`; the body is sealed like content."""

    pk = models.CompositePrimaryKey("caller_id", "key_sha256")
    org_id = models.UUIDField()
    caller_id = models.UUIDField()
    key_sha256 = models.CharField(max_length=64)
    fingerprint = models.CharField(max_length=64)
    status = models.IntegerField()
    body = models.BinaryField()
    key_id = models.CharField(max_length=64, null=True)
    created_at = models.DateTimeField()

    class Meta(OrgOwned.Meta):
        indexes: ClassVar = [models.Index(fields=["created_at"], name="idempotency_created")]

    def __str__(self) -> str:
        return f"{self.status} for {self.caller_id}"


class Pace(OrgOwned):
    """How fast an actor has been at what it may do so often and no more (see `stuckbot.lib.pace`).

    `due_us` is when it would have been due to do it last, had it kept an even pace: microseconds
    since 1970, as a whole number so that both databases reckon alike. `actor_id` is the actor's, or
    stands for an actor in one project where that is counted apart.
    """

    actor_id = models.UUIDField(primary_key=True)
    org_id = models.UUIDField()
    due_us = models.BigIntegerField()

    def __str__(self) -> str:
        return f"pace of {self.actor_id}"


class OutboxCursor(OrgOwned):
    """How far a consumer of an org's events (mail, webhooks, mirror…) has read."""

    pk = models.CompositePrimaryKey("consumer", "org_id")
    consumer = models.CharField(max_length=40)
    org_id = models.UUIDField()
    seq = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.consumer} of {self.org_id} at {self.seq}"


class Audit(OrgOwned):
    """Who changed settings, keys, members or tokens. Numbered without gaps per org."""

    pk = models.CompositePrimaryKey("org_id", "no")
    org_id = models.UUIDField()
    no = models.BigIntegerField()
    at = models.DateTimeField()
    actor_id = models.UUIDField()
    action = models.CharField(max_length=60)
    target = models.CharField(max_length=120)
    data = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"{self.no} {self.action} {self.target}"


class Mail(models.Model):
    """A mail that waits to be sent, or was. It is of a person, not of an org (see `lib.mail`).

    `letter` is sealed while it waits and empty afterwards: it holds links and codes. One with a
    `maker` has none: its text, about `about`, is made when it leaves.
    """

    id = models.UUIDField(primary_key=True)
    letter = models.TextField()
    maker = models.CharField(max_length=20, default="")
    about = models.UUIDField(null=True)
    created_at = models.DateTimeField()
    due_at = models.DateTimeField()
    attempts = models.IntegerField(default=0)
    sent_at = models.DateTimeField(null=True)
    quarantined_at = models.DateTimeField(null=True)
    last_error = models.CharField(max_length=500, default="")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["maker", "about"],
                name="mail_untried",
                condition=models.Q(
                    about__isnull=False,
                    attempts=0,
                    sent_at__isnull=True,
                    quarantined_at__isnull=True,
                ),
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["due_at"],
                name="mail_due",
                condition=models.Q(sent_at__isnull=True, quarantined_at__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return f"mail {self.id}"
