"""What a member hears by mail: choosing it, and ending it through a link in a mail."""

from typing import Final
from uuid import UUID

from django.core.signing import BadSignature, Signer

from accounts.models import Membership
from accounts.states import Notices
from stuckbot.lib.errors import Missing

_SIGNER: Final = Signer(salt="accounts.notices.unsubscribe")


def notices_choose(*, membership: Membership, choice: Notices) -> None:
    """Of which decisions the member hears from now on; the worker sets when a daily list is due."""
    row = Membership.objects.of(membership.org_id).filter(id=membership.id)
    row.update(notices=choice, digest_at=None)


def unsubscribe_token(membership: Membership) -> str:
    """What ends the member's mails, without signing in, and does nothing else. It never runs out:
    an old mail must be as good to unsubscribe by as a new one."""
    return _SIGNER.sign(str(membership.id))


def unsubscribe_membership(token: str) -> Membership | None:
    """Whose mails the token ends: nobody's once the membership has ended; `Missing` if forged."""
    try:
        membership_id = UUID(_SIGNER.unsign(token))
    except BadSignature as error:
        raise Missing from error
    found = Membership.unscoped.select_related("org", "user")
    return found.filter(id=membership_id).first()
