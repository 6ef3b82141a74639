"""Evidence and verification jobs."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from accounts.models import Actor, Org
from stuckbot.lib.models import Content
from stuckbot.lib.tenancy import OrgOwned
from tickets.models import Ticket
from tickets.states import Stage
from verification.states import WAITING, CheckStatus, Result, Trust, VerificationState


class Verification(OrgOwned):
    """A submitted stage and who must agree; `policy_snapshot` is the bar it was submitted under,
    `answer` what its solver said of the fix.

    `details` holds codes: `package` (`from` and `to`, versions between which holders rewrote it),
    `unproved` (keys of criteria that were approved `unchecked` or `manual`), `passed_on` (why it
    went from verifiers to people, and by whom).
    """

    id = models.UUIDField(primary_key=True)
    org = models.ForeignKey(Org, on_delete=models.CASCADE, related_name="+")
    ticket = models.ForeignKey(Ticket, on_delete=models.CASCADE, related_name="verifications")
    stage = models.CharField(max_length=10, choices=Stage.choices)
    attempt = models.IntegerField()
    state = models.CharField(max_length=20, choices=VerificationState.choices)
    policy_snapshot = models.JSONField()
    assurance = models.CharField(max_length=20, default="", blank=True)
    notes = models.JSONField(default=list)
    submitted_by = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    submitted_at = models.DateTimeField()
    claimed_by = models.ForeignKey(Actor, on_delete=models.PROTECT, null=True, related_name="+")
    claimed_at = models.DateTimeField(null=True)
    claim_until = models.DateTimeField(null=True)
    decided_by = models.ForeignKey(Actor, on_delete=models.PROTECT, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)
    reason = models.ForeignKey(Content, on_delete=models.PROTECT, null=True, related_name="+")
    answer = models.ForeignKey(Content, on_delete=models.PROTECT, null=True, related_name="+")
    details = models.JSONField(default=dict)

    class Meta(OrgOwned.Meta):
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["org", "id"], name="verification_org_id"),
            models.UniqueConstraint(
                fields=["ticket", "stage"],
                name="verification_one_waiting",
                condition=Q(state__in=[str(one) for one in WAITING]),
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["ticket", "id"], name="verification_ticket"),
            models.Index(
                fields=["org", "submitted_at", "id"],
                name="verification_waiting",
                condition=Q(state=VerificationState.WAITING_AGENT),
            ),
            models.Index(
                fields=["ticket"],
                name="verification_checking",
                condition=Q(state=VerificationState.WAITING_CHECKS),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.stage} of {self.ticket_id}: {self.state}"


class Evidence(OrgOwned):
    """What was sent for a criterion, and the result the desk computed from it."""

    id = models.UUIDField(primary_key=True)
    org = models.ForeignKey(Org, on_delete=models.CASCADE, related_name="+")
    ticket = models.ForeignKey(Ticket, on_delete=models.CASCADE, related_name="evidence")
    attempt = models.IntegerField()
    criterion = models.CharField(max_length=40)
    stage = models.CharField(max_length=10, choices=Stage.choices)
    type = models.CharField(max_length=20)
    result = models.CharField(max_length=10, choices=Result.choices)
    trust = models.CharField(max_length=20, choices=Trust.choices, default=Trust.SELF_REPORTED)
    by = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    verification = models.ForeignKey(
        Verification, on_delete=models.PROTECT, null=True, related_name="evidence"
    )
    content = models.ForeignKey(Content, on_delete=models.PROTECT, related_name="+")
    seq = models.BigIntegerField()
    received_sha256 = models.CharField(max_length=64, default="", blank=True)
    created_at = models.DateTimeField()

    class Meta(OrgOwned.Meta):
        verbose_name_plural = "evidence"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["org", "id"], name="evidence_org_id"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["ticket", "attempt", "criterion", "seq"], name="evidence_counts"),
        ]

    def __str__(self) -> str:
        return f"{self.criterion} {self.result}"

    @property
    def signed(self) -> "Attestation | None":
        """Who signed it, where that was read or is stored along; no query."""
        found: Attestation | None = self._state.fields_cache.get("attestation")
        return found

    @signed.setter
    def signed(self, row: "Attestation") -> None:
        self._state.fields_cache["attestation"] = row

    @property
    def url_check(self) -> "UrlCheck | None":
        """The desk's check of the url that this reports on, or that this is the result of, where
        that was read along; no query."""
        cached = self._state.fields_cache
        found: UrlCheck | None = cached.get("check_asked") or cached.get("check_told")
        return found

    @url_check.setter
    def url_check(self, row: "UrlCheck") -> None:
        self._state.fields_cache["check_asked"] = row


class VerifierKey(OrgOwned):
    """The public half of a verifier's key. What it signs is trusted until it is revoked."""

    id = models.UUIDField(primary_key=True)
    org = models.ForeignKey(Org, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=80)
    pem = models.CharField(max_length=200)
    fingerprint = models.CharField(max_length=64)
    added_by = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    added_at = models.DateTimeField()
    revoked_by = models.ForeignKey(Actor, on_delete=models.PROTECT, null=True, related_name="+")
    revoked_at = models.DateTimeField(null=True)

    class Meta(OrgOwned.Meta):
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["org", "id"], name="verifier_key_org_id"),
            models.UniqueConstraint(fields=["org", "fingerprint"], name="verifier_key_once"),
            models.CheckConstraint(
                condition=Q(revoked_at=None, revoked_by=None)
                | Q(revoked_at__isnull=False, revoked_by__isnull=False),
                name="verifier_key_revoked",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Attestation(OrgOwned):
    """Who signed a piece of evidence. `statement` and `signature` are base64url as they came;
    of a statement in which a secret was masked only the hash is kept."""

    evidence = models.OneToOneField(
        Evidence, on_delete=models.CASCADE, primary_key=True, related_name="attestation"
    )
    org = models.ForeignKey(Org, on_delete=models.CASCADE, related_name="+")
    key = models.ForeignKey(VerifierKey, on_delete=models.PROTECT, related_name="+")
    statement = models.TextField(null=True)
    statement_sha256 = models.CharField(max_length=64)
    signature = models.CharField(max_length=100)
    signed_at = models.DateTimeField()

    class Meta(OrgOwned.Meta):
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["org", "statement_sha256"], name="attestation_statement_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.statement_sha256} by {self.key_id}"


class UrlCheck(OrgOwned):
    """The desk opens the url of a criterion because `evidence` reports on it.

    The row is the queue: what waits and is due is taken by a conditional update that raises `takes`
    and moves `due_at` to the end of the lease, so of two checkers one has it, and one that dies
    leaves it to the next. `tries` counts what ended without an answer. `found` is the desk's own
    evidence with the result; without it, what was found counts for nothing.
    """

    id = models.UUIDField(primary_key=True)
    org = models.ForeignKey(Org, on_delete=models.CASCADE, related_name="+")
    ticket = models.ForeignKey(Ticket, on_delete=models.CASCADE, related_name="url_checks")
    evidence = models.OneToOneField(Evidence, on_delete=models.CASCADE, related_name="check_asked")
    found = models.OneToOneField(
        Evidence, on_delete=models.CASCADE, null=True, related_name="check_told"
    )
    criterion = models.CharField(max_length=40)
    attempt = models.IntegerField()
    url = models.TextField()
    host = models.CharField(max_length=255, default="", blank=True)
    status = models.CharField(
        max_length=10, choices=CheckStatus.choices, default=CheckStatus.WAITING
    )
    #: Of the last try: why there was no answer, or what was answered, from where, in what time.
    reason = models.CharField(max_length=40, default="", blank=True)
    http_status = models.SmallIntegerField(null=True)
    address = models.CharField(max_length=45, default="", blank=True)
    took_ms = models.IntegerField(null=True)
    allowed = models.BooleanField(default=False)
    tries = models.SmallIntegerField(default=0)
    takes = models.SmallIntegerField(default=0)
    under_way = models.BooleanField(default=False)
    created_at = models.DateTimeField()
    due_at = models.DateTimeField()
    tried_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta(OrgOwned.Meta):
        verbose_name = "URL check"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["ticket", "criterion"],
                name="url_check_one_waiting",
                condition=Q(status=CheckStatus.WAITING),
            ),
            models.CheckConstraint(
                condition=Q(status=CheckStatus.WAITING, finished_at=None, found=None)
                | (~Q(status=CheckStatus.WAITING) & Q(finished_at__isnull=False, under_way=False)),
                name="url_check_finished",
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["due_at"],
                name="url_check_due",
                condition=Q(status=CheckStatus.WAITING),
            ),
            # How often a host and an org were tried lately.
            models.Index(fields=["tried_at"], name="url_check_tried"),
        ]

    def __str__(self) -> str:
        return f"{self.host or self.criterion} {self.status}"
