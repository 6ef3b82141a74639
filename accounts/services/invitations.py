"""Invitations: an address joins an org with a role, by a link that was mailed to it.

The link's page asks first; only its button accepts. Of a token the hash alone is kept.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID, uuid5

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from accounts.letters import invitation_letter
from accounts.models import Invitation, Membership, User
from accounts.names import address_clean
from accounts.selectors import caller_of_membership
from accounts.services.invitation_limits import invitation_spend
from accounts.services.members import admin_require, role_require, roles_grantable
from accounts.services.orgs import member_add
from accounts.services.people import person_make
from accounts.states import Role
from stuckbot.lib import ids
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Conflict, Forbidden, Missing
from stuckbot.lib.idempotency import Keep
from stuckbot.lib.mail import mail_queue
from stuckbot.lib.unit import Unit, unit_of_work

LIFE: Final = timedelta(days=7)


class Standing(StrEnum):
    """What became of an invitation."""

    OPEN = "open"
    USED = "used"
    REVOKED = "revoked"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class Invited:
    """An invitation as the one who opened its link meets it."""

    invitation: Invitation
    standing: Standing
    account: User | None

    @property
    def is_open(self) -> bool:
        return self.standing is Standing.OPEN


def invitation_standing(invitation: Invitation, now: datetime) -> Standing:
    if invitation.accepted_at is not None:
        return Standing.USED
    if invitation.revoked_at is not None:
        return Standing.REVOKED
    return Standing.OPEN if invitation.expires_at > now else Standing.EXPIRED


def invitation_send(
    *, actor: Caller, email: str, role: Role, now: datetime, keep: Keep | None = None
) -> Invitation:
    """Invites an address; one that is invited already gets a fresh link, which alone works.

    403 for who may not give the role, 422 for what is no address, 409 for a member, 429 for too
    many mails within an hour.
    """
    role_require(actor.role, role)
    address = address_clean(email)
    _no_member_require(actor.org_id, address)
    try:
        with unit_of_work(actor, now, keep) as unit:
            invitation = _open(actor.org_id).filter(email=address).first()
            if invitation is None:
                invitation = Invitation(org_id=actor.org_id, email=address, created_at=now)
            return _mailed(unit, invitation, role, "member_invited")
    except IntegrityError as error:
        raise Conflict(
            "Somebody else is inviting this address right now. Look at the list."
        ) from error


def invitation_resend(
    *, actor: Caller, invitation_id: UUID, now: datetime, keep: Keep | None = None
) -> Invitation:
    """Mails a fresh link that works for another week; the older one stops working."""
    with unit_of_work(actor, now, keep) as unit:
        invitation = _open_get(actor, invitation_id)
        role_require(actor.role, Role(invitation.role))
        return _mailed(unit, invitation, Role(invitation.role), "invitation_resent")


def invitation_revoke(
    *, actor: Caller, invitation_id: UUID, now: datetime, keep: Keep | None = None
) -> None:
    """The link stops working at once."""
    with unit_of_work(actor, now, keep) as unit:
        invitation = _open_get(actor, invitation_id)
        if _open(actor.org_id).filter(id=invitation.id).update(revoked_at=now) != 1:
            raise Conflict("It was just accepted. They are on the list of members now.")
        unit.audit("invitation_revoked", str(invitation.id))


def invitations_void(unit: Unit, inviter_id: UUID, role: Role | None) -> None:
    """Withdraws what a member invited to and, with this role or as no member, may not any more.

    Else whoever is about to be removed could invite another address of theirs first.
    """
    kept = roles_grantable(role)
    void = _open(unit.actor.org_id).filter(invited_by_id=inviter_id).exclude(role__in=kept)
    for invitation in void:
        if _open(unit.actor.org_id).filter(id=invitation.id).update(revoked_at=unit.now):
            unit.audit("invitation_revoked", str(invitation.id))


def invitation_find(*, token: str, now: datetime) -> Invited:
    """What the link is for. Raises `Missing` for a token that never was, or was renewed since."""
    found = Invitation.unscoped.filter(token_sha256=token_hash(token))
    invitation = found.select_related("org", "invited_by").first()
    if invitation is None:
        raise Missing
    account = User.objects.filter(email=invitation.email).first()
    standing = invitation_standing(invitation, now)
    if standing is Standing.OPEN and not _may_still_give(invitation):
        standing = Standing.REVOKED
    return Invited(invitation, standing, account)


def invitation_accept(*, token: str, user: User, now: datetime) -> Membership:
    """Joins the org with the account of that very address.

    403 for another address, 409 when the invitation is used, revoked or has run out.
    """
    with transaction.atomic():
        invited = invitation_find(token=token, now=now)
        if user.email != invited.invitation.email:
            raise Forbidden("This invitation is for another address.")
        return _joined(invited, user, now)


def invitation_join(*, token: str, name: str, password: str, now: datetime) -> Membership:
    """Makes the account of the address and joins; 409 when there is one, it must sign in."""
    with transaction.atomic():
        invited = invitation_find(token=token, now=now)
        _open_require(invited)
        user = person_make(email=invited.invitation.email, name=name, password=password)
        return _joined(invited, user, now)


def invitation_mail_id(invitation: Invitation) -> UUID:
    """The id of the mail with the link that works now; each fresh link has another."""
    return uuid5(invitation.id, invitation.token_sha256)


def token_hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _mailed(unit: Unit, invitation: Invitation, role: Role, action: str) -> Invitation:
    """Gives the invitation a fresh token and puts the mail with its link down to be sent."""
    invitation_spend(unit, invitation.email)
    token = ids.base62(43)
    invitation.role = role
    invitation.token_sha256 = token_hash(token)
    invitation.invited_by_id = unit.actor.id
    invitation.expires_at = unit.now + LIFE
    if invitation._state.adding:
        Invitation.unscoped.bulk_create([invitation])
    else:
        changed = (
            _open(invitation.org_id)
            .filter(id=invitation.id)
            .update(
                role=role,
                token_sha256=invitation.token_sha256,
                invited_by_id=unit.actor.id,
                expires_at=invitation.expires_at,
            )
        )
        if changed != 1:
            raise Conflict("It was just accepted or withdrawn. Look at the list.")
    letter = invitation_letter(invitation, token, unit.actor.name)
    mail_queue(letter, now=unit.now, mail_id=invitation_mail_id(invitation))
    unit.audit(action, str(invitation.id), role=str(role))
    return invitation


def _joined(invited: Invited, user: User, now: datetime) -> Membership:
    """Uses the invitation up first, so that of two at once one is told so."""
    _open_require(invited)
    invitation = invited.invitation
    org_id = invitation.org_id
    rows = Invitation.objects.of(org_id).filter(id=invitation.id)
    mine = rows.filter(token_sha256=invitation.token_sha256, accepted_at=None, revoked_at=None)
    if mine.update(accepted_at=now) != 1:
        raise Conflict("This invitation was just used or withdrawn.")
    membership = Membership.objects.of(org_id).filter(user=user).first()
    if membership is None:
        role = Role(invitation.role)
        membership = member_add(org=invitation.org, user=user, role=role, now=now)
    rows.update(accepted_by=membership.actor)
    with unit_of_work(caller_of_membership(membership), now) as unit:
        unit.audit("member_joined", str(membership.id), role=membership.role)
    return membership


def _open_require(invited: Invited) -> None:
    if not invited.is_open:
        raise Conflict(_CLOSED[invited.standing])


_CLOSED: Final = {
    Standing.USED: "This invitation was used already.",
    Standing.REVOKED: "This invitation was withdrawn.",
    Standing.EXPIRED: "This invitation has run out. Ask for a new one.",
}


def _may_still_give(invitation: Invitation) -> bool:
    """Whether who invited may give the role as things are now, however they came to be so."""
    rows = Membership.objects.of(invitation.org_id).filter(actor_id=invitation.invited_by_id)
    own = rows.filter(user__is_active=True).values_list("role", flat=True).first()
    return Role(invitation.role) in roles_grantable(own)


def _open(org_id: UUID) -> "QuerySet[Invitation]":
    return Invitation.objects.of(org_id).filter(accepted_at=None, revoked_at=None)


def _open_get(actor: Caller, invitation_id: UUID) -> Invitation:
    admin_require(actor)
    invitation = _open(actor.org_id).filter(id=invitation_id).first()
    if invitation is None:
        raise Missing("There is no such open invitation. Perhaps it was used or withdrawn.")
    return invitation


def _no_member_require(org_id: UUID, address: str) -> None:
    if Membership.objects.of(org_id).filter(user__email=address).exists():
        raise Conflict("Somebody with this address is a member already.", code="already_member")
