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


class SignalType(TextChoices):
    SELF_REPORT = "self_report", _("said by itself")
    WATCHDOG = "watchdog", _("went silent")
    BUDGET = "budget", _("over its budget")


class RequestKind(TextChoices):
    HANDOFF = "handoff", _("hand off")
    STOP = "stop", _("stop")


class RequestReason(TextChoices):
    """Why an agent is asked: the code on the wire."""

    PERSON = "person", _("a person asked")
    WATCHDOG = "watchdog", _("it went silent")
    BUDGET_SOFT_TOKENS = "budget_soft_tokens", _("past its soft limit of tokens")
    BUDGET_SOFT_COST = "budget_soft_cost", _("past its soft limit of cost")
    BUDGET_SOFT_RUNTIME = "budget_soft_runtime", _("past its soft limit of runtime")
    BUDGET_HARD_TOKENS = "budget_hard_tokens", _("past its hard limit of tokens")
    BUDGET_HARD_COST = "budget_hard_cost", _("past its hard limit of cost")
    BUDGET_HARD_RUNTIME = "budget_hard_runtime", _("past its hard limit of runtime")


class RequestEnd(TextChoices):
    """How a request ended: by what the agent did, or because it no longer holds."""

    HANDOFF = "handoff", _("handed off")
    ESCALATE = "escalate", _("escalated")
    RELEASE = "release", _("released")
    RETIRE = "retire", _("retired")
    WITHDRAWN = "withdrawn", _("withdrawn")
    REPLACED = "replaced", _("replaced by another")
    MOVED_ON = "moved_on", _("the ticket had left its hands")


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
#: A call of an agent with a watchdog is written down this often at most.
WATCHDOG_SLACK: Final = timedelta(seconds=60)
TOKEN_EXPIRES_SOON: Final = timedelta(minutes=30)
