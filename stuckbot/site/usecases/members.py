"""Changing a member's role, and a member who goes: what they hold is free, their keys stop."""

from datetime import datetime
from uuid import UUID

from accounts.models import Membership
from accounts.services.invitations import invitations_void
from accounts.services.members import change_require, members_lock, owner_keep, role_require
from accounts.states import Role
from stuckbot.lib.caller import Caller
from stuckbot.lib.idempotency import Keep
from stuckbot.lib.unit import Unit, unit_of_work
from tickets.services.claims import leases_end
from tickets.services.editing import assignments_end


def member_role_change(
    *,
    actor: Caller,
    membership_id: UUID,
    role: Role,
    now: datetime,
    keep: Keep | None = None,
) -> Membership:
    """Gives a member another role; one who may only look holds and looks after nothing any more.

    403 for a role above one's own or an owner's by an admin, 409 `last_owner`.
    """
    with unit_of_work(actor, now, keep) as unit:
        own, target = members_lock(actor, membership_id)
        change_require(own, target)
        role_require(own.role, role)
        if role != target.role:
            _role_write(unit, target, role)
    return target


def _role_write(unit: Unit, target: Membership, role: Role) -> None:
    if role != Role.OWNER:
        owner_keep(target)
    released: list[str] = []
    if role == Role.VIEWER:
        released = leases_end(unit, target.actor_id, "role_changed")
        assignments_end(unit, target.actor_id)
    before, target.role = target.role, role
    Membership.objects.of(target.org_id).filter(id=target.id).update(role=role)
    invitations_void(unit, target.actor_id, role)
    unit.audit(
        "member_role_changed",
        str(target.id),
        **{"from": before, "to": str(role), "released": released},
    )


def member_remove(
    *, actor: Caller, membership_id: UUID, now: datetime, keep: Keep | None = None
) -> list[str]:
    """Removes a member, or lets the actor leave; the refs of what they held, free again.

    Their personal access tokens of this org stop, no session of theirs opens it any more, and whom
    they invited does not join. They look after no open ticket any more. What they wrote stays under
    their name. 409 `last_owner`.
    """
    with unit_of_work(actor, now, keep) as unit:
        own, target = members_lock(actor, membership_id)
        change_require(own, target)
        owner_keep(target)
        released = leases_end(unit, target.actor_id, "member_removed")
        assignments_end(unit, target.actor_id)
        invitations_void(unit, target.actor_id, None)
        left = own.id == target.id
        unit.audit(
            "member_left" if left else "member_removed",
            str(target.id),
            role=target.role,
            released=released,
        )
        Membership.objects.of(actor.org_id).filter(id=target.id).delete()
    return released
