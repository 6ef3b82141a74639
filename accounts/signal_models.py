"""What an agent reported or the desk noticed of it, and what it was asked to do."""

from typing import ClassVar

from django.db import models

from accounts.states import RequestKind, SignalType
from stuckbot.lib import ids
from stuckbot.lib.models import Content
from stuckbot.lib.tenancy import OrgOwned


class Signal(OrgOwned):
    """A word about an agent: its own, or the desk's about a budget or a silence.

    `cause` says what the desk raised it for, once an agent (`budget_soft:tokens:100000`); an
    agent's own signals have none. `ticket_id` is the ticket it is about, if it is about one.
    """

    id = models.UUIDField(primary_key=True, default=ids.uuid7, editable=False)
    org = models.ForeignKey("accounts.Org", on_delete=models.CASCADE, related_name="+")
    agent = models.ForeignKey(
        "accounts.Agent", on_delete=models.CASCADE, related_name="signals", db_index=False
    )
    type = models.CharField(max_length=12, choices=SignalType.choices)
    at = models.DateTimeField()
    ticket_id = models.UUIDField(null=True)
    details = models.ForeignKey(Content, on_delete=models.PROTECT, null=True, related_name="+")
    cause = models.CharField(max_length=80, null=True, default=None)

    class Meta(OrgOwned.Meta):
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["agent", "cause"],
                name="signal_once_per_cause",
                condition=models.Q(cause__isnull=False),
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["agent", "-at", "-id"], name="signal_newest")]

    def __str__(self) -> str:
        return f"{self.type} of {self.agent_id}"


class AgentRequest(OrgOwned):
    """Something an agent was asked for: to hand off what it holds, or to stop.

    At most one of a kind is open; the agent's row has a copy of it as it goes over the wire.
    `reason` is a `RequestReason`; `ended_by` a `RequestEnd`: how it was answered, or why it no
    longer holds.
    """

    id = models.UUIDField(primary_key=True, default=ids.uuid7, editable=False)
    org = models.ForeignKey("accounts.Org", on_delete=models.CASCADE, related_name="+")
    agent = models.ForeignKey(
        "accounts.Agent", on_delete=models.CASCADE, related_name="requests", db_index=False
    )
    kind = models.CharField(max_length=8, choices=RequestKind.choices)
    reason = models.CharField(max_length=20)
    ticket_id = models.UUIDField(null=True)
    message = models.ForeignKey(Content, on_delete=models.PROTECT, null=True, related_name="+")
    requested_by = models.ForeignKey("accounts.Actor", on_delete=models.PROTECT, related_name="+")
    requested_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    ended_by = models.CharField(max_length=12, default="", blank=True)
    ended_ticket_id = models.UUIDField(null=True)

    class Meta(OrgOwned.Meta):
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["agent", "kind"],
                name="agentrequest_one_open",
                condition=models.Q(ended_at__isnull=True),
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["agent", "-requested_at", "-id"], name="agentrequest_newest")
        ]

    def __str__(self) -> str:
        return f"{self.kind} for {self.agent_id}"
