"""Who hears of a decision that waits."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from accounts.models import Membership
from accounts.states import Notices, Role
from stuckbot.site.notices.waiting import Wait

#: Those who may decide.
DECIDERS: Final = (Role.OWNER, Role.ADMIN, Role.MEMBER)


def deciders(org_id: UUID) -> list[Membership]:
    """The members who may decide and can sign in, in a fixed order."""
    rows = Membership.objects.of(org_id).filter(role__in=DECIDERS, user__is_active=True)
    return list(rows.select_related("user", "org").order_by("id"))


def is_decider(member: Membership) -> bool:
    return member.role in DECIDERS and member.user.is_active


def not_theirs(members: Sequence[Membership], wait: Wait) -> list[Membership]:
    """Without who asks for the decision themself, unless nobody else is there to make it."""
    others = [one for one in members if one.actor_id != wait.by_id]
    return others or list(members)


def hears_at_once(member: Membership, wait: Wait) -> bool:
    if member.notices == Notices.ASSIGNED:
        return wait.assignee_id == member.actor_id
    return member.notices == Notices.ALL
