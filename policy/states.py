"""How strict an approval is; no ORM."""

from typing import Final

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

#: The longest wait for a verifier that may be asked for: 30 days.
WAIT_MINUTES_MOST: Final = 30 * 24 * 60
REJECTIONS_MOST: Final = 100
LEASE_LEAST: Final = 5
LEASE_MOST: Final = 24 * 60


class Approval(TextChoices):
    AUTOMATIC = "automatic", _("Automatically")
    AGENT = "agent", _("Another agent checks")
    PERSON = "person", _("I check it")
    AGENT_THEN_PERSON = "agent_then_person", _("Another agent, then me")
