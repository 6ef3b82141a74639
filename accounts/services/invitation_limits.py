"""How many invitations are mailed: enough for a team, too few for whoever wants to send mail.

An invitation lets a member have a mail sent to any address, with a name of theirs in it. What is
counted are the audit's entries, so that withdrawing and inviting anew starts no new count.
"""

from datetime import timedelta
from typing import Final

from accounts.models import Invitation
from stuckbot.lib.errors import TooMany
from stuckbot.lib.models import Audit
from stuckbot.lib.unit import Unit

SPAN: Final = timedelta(hours=1)
#: Mails of one org in an hour, and to one address.
ORG_MOST: Final = 100
ADDRESS_MOST: Final = 5
SENT: Final = ("member_invited", "invitation_resent")
#: How far back the audit is read; an hour of any org is well within.
_READ: Final = 2_000


def invitation_spend(unit: Unit, address: str) -> None:
    """Refuses one more mail within the hour; 429, with how many seconds to wait."""
    sent = _sent(unit)
    if len(sent) >= ORG_MOST:
        raise _too_many(unit, sent, "Your organisation has sent many invitations this hour.")
    org_id = unit.actor.org_id
    rows = Invitation.objects.of(org_id).filter(email=address)
    own = {str(one) for one in rows.values_list("id", flat=True)}
    mine = [entry for entry in sent if entry.target in own]
    if len(mine) >= ADDRESS_MOST:
        raise _too_many(unit, mine, "This address was sent several invitations this hour.")


def _sent(unit: Unit) -> list[Audit]:
    """The entries of this hour, the oldest first."""
    newest = Audit.objects.of(unit.actor.org_id).order_by("-no")[:_READ]
    since = unit.now - SPAN
    return [one for one in reversed(newest) if one.at > since and one.action in SENT]


def _too_many(unit: Unit, sent: list[Audit], words: str) -> TooMany:
    wait = sent[0].at + SPAN - unit.now
    minutes = max(1, -(-int(wait.total_seconds()) // 60))
    return TooMany(f"{words} Wait {minutes} minutes.", retry_after=minutes * 60)
