"""The enums of accounts; no ORM."""

from datetime import timedelta
from typing import Final

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class ActorKind(TextChoices):
    AGENT = "agent", _("agent")
    PERSON = "person", _("person")
    SYSTEM = "system", _("system")
    CONNECTOR = "connector", _("connector")


class Role(TextChoices):
    OWNER = "owner", _("owner")
    ADMIN = "admin", _("admin")
    MEMBER = "member", _("member")
    VIEWER = "viewer", _("viewer")


class Notices(TextChoices):
    """Of which decisions that wait a member hears by mail."""

    ALL = "all", _("every decision that waits")
    ASSIGNED = "assigned", _("those of tickets assigned to me")
    DAILY = "daily", _("one list a day")
    NONE = "none", _("nothing")


class TokenKind(TextChoices):
    ENROLLMENT = "sbe", _("enrollment secret")
    AGENT = "sba", _("agent token")
    DIRECT = "sbk", _("direct key")
    PERSON = "sbp", _("personal access token")


#: Everything an agent can be allowed to do, in the order shown to people.
SCOPES: Final = (
    "tickets:create",
    "tickets:read_project",
    "tickets:claim",
    "tickets:update",
    "evidence:submit",
    "handoff:create",
    "signals:report",
    "verify",
)
#: What a connector's agents get when they ask for nothing: all of the connector's but `verify`,
#: so that who can register agents cannot approve its own work.
WORK_SCOPES: Final = tuple(scope for scope in SCOPES if scope != "verify")

TOKEN_LIFE: Final = timedelta(hours=24)
#: An agent's whole life; a token is never clipped to it (a clipped one would be renewed in a loop).
AGENT_LIFE: Final = timedelta(days=30)
#: How long a renewed agent's old token lives on, so that a lost answer does no harm.
OVERLAP: Final = timedelta(seconds=60)
TOKEN_EXPIRES_SOON: Final = timedelta(minutes=30)
