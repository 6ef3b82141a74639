"""What this desk does not do yet: its calls are checked in full, then refused with a way round."""

from typing import NoReturn

from accounts.selectors import scope_require
from stuckbot.lib.errors import Conflict
from stuckbot.site.api.call import Call
from tickets.selectors import facts_get
from tickets.services.moves import transition_refuse


def ticket_refuse(call: Call, scope: str, message: str) -> NoReturn:
    """403 without the scope, 404 without the ticket, else the 409 with its state."""
    scope_require(call.actor, scope)
    facts = facts_get(actor=call.actor, ref=call.ref)
    raise transition_refuse(facts, call.now, message)


def refuse(message: str) -> NoReturn:
    """The 409 where no ticket is meant."""
    raise Conflict(message)
