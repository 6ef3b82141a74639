"""How strict an approval is; no ORM."""

from typing import Final

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

#: The longest wait for a verifier that may be asked for: 30 days.
WAIT_MINUTES_MOST: Final = 30 * 24 * 60
REJECTIONS_MOST: Final = 100
LEASE_LEAST: Final = 5
LEASE_MOST: Final = 24 * 60
TOKENS_MOST: Final = 10**12
#: In US cents: a million dollars.
COST_MOST: Final = 100_000_000
#: In minutes: a year.
RUNTIME_MOST: Final = 525_600
#: A heartbeat comes every minute; less than two would take a late one for a silence.
WATCHDOG_LEAST: Final = 2
WATCHDOG_MOST: Final = 24 * 60
CREATE_MOST: Final = 1_000_000
#: What a budget counts, with the setting of its limit by which an agent is asked to hand off, and
#: by which it is told to stop.
BUDGETS: Final = {
    "tokens": ("budget_tokens_soft", "budget_tokens_hard"),
    "cost": ("budget_cost_soft", "budget_cost_hard"),
    "runtime": ("budget_runtime_soft", "budget_runtime_hard"),
}


class Approval(TextChoices):
    AUTOMATIC = "automatic", _("Automatically")
    AGENT = "agent", _("Another agent checks")
    PERSON = "person", _("I check it")
    AGENT_THEN_PERSON = "agent_then_person", _("Another agent, then me")
