"""Taking back what somebody signs in with: every live token of an agent, connector or member."""

from datetime import datetime
from typing import Final

from django.db.models import Q

from accounts.models import Agent, Connector, Membership, Token
from stuckbot.lib.caller import Caller
from stuckbot.lib.idempotency import Keep
from stuckbot.lib.unit import unit_of_work

Bearer = Agent | Connector | Membership

_ACTION: Final = {
    Agent: "agent_tokens_revoked",
    Connector: "connector_tokens_revoked",
    Membership: "member_tokens_revoked",
}


def tokens_revoke(*, actor: Caller, bearer: Bearer, now: datetime, keep: Keep | None = None) -> int:
    """Revokes them at once and says how many; what was done with them stays.

    A connector's are its enrollment secret and the tokens of all its agents.
    """
    with unit_of_work(actor, now, keep) as unit:
        live = Token.objects.of(actor.org_id).filter(_borne_by(bearer), revoked_at=None)
        count = more = live.update(revoked_at=now)
        # Whoever gets a token by another holds that one's row, so this waited for them; the token
        # they got is seen by the next look alone.
        while more:
            count += (more := live.update(revoked_at=now))
        unit.audit(_ACTION[type(bearer)], str(bearer.pk), count=count)
    return count


def tokens_live(bearer: Bearer, now: datetime) -> int:
    """How many would still sign in."""
    live = Token.objects.of(bearer.org_id).filter(_borne_by(bearer), revoked_at=None)
    return live.filter(Q(expires_at=None) | Q(expires_at__gt=now)).count()


def _borne_by(bearer: Bearer) -> Q:
    if isinstance(bearer, Agent):
        return Q(agent=bearer)
    if isinstance(bearer, Membership):
        return Q(membership=bearer)
    return Q(connector=bearer) | Q(agent__connector=bearer)
