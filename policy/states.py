"""How strict an approval is; no ORM."""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class Approval(TextChoices):
    AUTOMATIC = "automatic", _("Automatically")
    AGENT = "agent", _("Another agent checks")
    PERSON = "person", _("I check it")
    AGENT_THEN_PERSON = "agent_then_person", _("Another agent, then me")
