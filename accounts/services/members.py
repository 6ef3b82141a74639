"""Who may do what to a member, and that an org keeps an owner.

What follows for tickets when somebody goes is in the use cases of the site.
"""

from typing import Final
from uuid import UUID

from accounts.models import Membership, Org
from accounts.states import Role
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Conflict, Forbidden, Missing

_RANK: Final = {Role.OWNER: 3, Role.ADMIN: 2, Role.MEMBER: 1, Role.VIEWER: 0}
ADMINS_ONLY: Final = "Only an owner or admin can invite, change or remove people."
LAST_OWNER: Final = (
    "An organisation keeps one owner, and this is the last. Make somebody else an owner first."
)


def roles_grantable(role: str | None) -> list[Role]:
    """The roles that somebody of `role` may give: none above their own, and none below admin's."""
    if role not in (Role.OWNER, Role.ADMIN):
        return []
    return [one for one in Role if _RANK[one] <= _RANK[Role(role)]]


def role_require(own: str | None, role: Role) -> None:
    """Refuses to give a role above one's own; 403 for members and viewers."""
    if own not in (Role.OWNER, Role.ADMIN):
        raise Forbidden(ADMINS_ONLY)
    if role not in roles_grantable(own):
        raise Forbidden("You cannot give a role above your own. Ask an owner.")


def admin_require(actor: Caller) -> None:
    if not actor.is_admin:
        raise Forbidden(ADMINS_ONLY)


def members_lock(actor: Caller, membership_id: UUID) -> tuple[Membership, Membership]:
    """The actor's own membership and the one to change, as they are now; the rest waits.

    Inside a unit of work. Two who remove each other come here one after the other (a row lock on
    PostgreSQL, the write lock on SQLite), so the second is not a member any more.
    """
    org_lock(actor.org_id)
    members = Membership.objects.of(actor.org_id).select_related("user", "actor")
    own = members.filter(actor_id=actor.id).first()
    # Whoever is deciding as this member ends first, or sees them gone.
    changed = members.select_for_update(of=("self",), no_key=True)
    target = changed.filter(id=membership_id).first()
    if own is None:
        raise Forbidden("You are no longer a member of this organisation.")
    if target is None:
        raise Missing("There is no such member. Perhaps somebody removed them.")
    return own, target


def org_lock(org_id: UUID) -> None:
    """Whoever else changes members of the org waits, to the end of the transaction in hand."""
    Org.objects.select_for_update(no_key=True).get(id=org_id)


def change_require(own: Membership, target: Membership) -> None:
    """Refuses who may not change this member's role, or remove them."""
    if own.id == target.id:
        return
    if target.role not in roles_grantable(own.role):
        raise Forbidden(
            "Only an owner can change or remove an owner."
            if own.role == Role.ADMIN
            else ADMINS_ONLY
        )


def owner_keep(target: Membership) -> None:
    """409 when the org would be left without an owner who can sign in."""
    if target.role != Role.OWNER:
        return
    owners = Membership.objects.of(target.org_id).filter(role=Role.OWNER, user__is_active=True)
    if not owners.exclude(id=target.id).exists():
        raise Conflict(LAST_OWNER, code="last_owner")
