"""Policies per org, project or connector. A null column inherits from the wider one."""

from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from accounts.models import Connector, Org, Project
from policy.states import (
    COST_MOST,
    CREATE_MOST,
    LEASE_LEAST,
    LEASE_MOST,
    REJECTIONS_MOST,
    RUNTIME_MOST,
    TOKENS_MOST,
    WAIT_MINUTES_MOST,
    WATCHDOG_MOST,
    Approval,
)
from stuckbot.lib import ids
from stuckbot.lib.tenancy import OrgOwned


def _limit(most: int, least: int = 0) -> "models.PositiveBigIntegerField[int | None, int | None]":
    """A whole number that may be left out."""
    bounds = [MinValueValidator(least), MaxValueValidator(most)]
    return models.PositiveBigIntegerField(null=True, blank=True, validators=bounds)


class Policy(OrgOwned):
    id = models.UUIDField(primary_key=True, default=ids.uuid7, editable=False)
    org = models.ForeignKey(Org, on_delete=models.CASCADE, related_name="+")
    project = models.ForeignKey(Project, on_delete=models.CASCADE, null=True, blank=True)
    connector = models.ForeignKey(Connector, on_delete=models.CASCADE, null=True, blank=True)
    blocker = models.CharField(max_length=20, choices=Approval.choices, null=True, blank=True)
    task = models.CharField(max_length=20, choices=Approval.choices, null=True, blank=True)
    lease_minutes = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(LEASE_LEAST), MaxValueValidator(LEASE_MOST)],
    )
    lease_minutes_most = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(LEASE_LEAST), MaxValueValidator(LEASE_MOST)],
    )

    #: How long a verifier may take before a person is asked instead; 0 is never.
    verifier_wait_minutes = models.PositiveIntegerField(
        null=True, blank=True, validators=[MaxValueValidator(WAIT_MINUTES_MOST)]
    )
    different_connector = models.BooleanField(null=True, blank=True)
    different_provider = models.BooleanField(null=True, blank=True)
    max_rejections = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(REJECTIONS_MOST)],
    )
    #: What an agent may use before it is asked to hand off (soft) and told to stop (hard): tokens,
    #: US cents, minutes; 0 is no limit.
    budget_tokens_soft = _limit(TOKENS_MOST)
    budget_tokens_hard = _limit(TOKENS_MOST)
    budget_cost_soft = _limit(COST_MOST)
    budget_cost_hard = _limit(COST_MOST)
    budget_runtime_soft = _limit(RUNTIME_MOST)
    budget_runtime_hard = _limit(RUNTIME_MOST)
    #: How long an agent with a watchdog may be silent before what it holds is freed; 0 is for ever.
    watchdog_minutes = _limit(WATCHDOG_MOST)
    #: How many tickets an agent files an hour, and how many of these at once.
    create_per_hour = _limit(CREATE_MOST, 1)
    create_burst = _limit(CREATE_MOST, 1)

    class Meta(OrgOwned.Meta):
        verbose_name_plural = "policies"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["org"],
                name="policy_once_per_org",
                condition=models.Q(project__isnull=True, connector__isnull=True),
            ),
            models.UniqueConstraint(
                fields=["org", "project"],
                name="policy_once_per_project",
                condition=models.Q(connector__isnull=True),
            ),
            models.UniqueConstraint(
                fields=["org", "connector"],
                name="policy_once_per_connector",
                condition=models.Q(project__isnull=True),
            ),
            models.UniqueConstraint(
                fields=["org", "project", "connector"], name="policy_once_per_reach"
            ),
        ]

    def __str__(self) -> str:
        return f"policy of {self.connector or self.project or self.org}"
