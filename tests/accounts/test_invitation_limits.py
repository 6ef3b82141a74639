"""What an invitation is good for when its sender is not, and how many are sent."""

from typing import Any

import pytest
import time_machine
from django.test import Client

from accounts.models import Invitation, Membership, User
from accounts.services import invitation_limits
from accounts.services.invitations import (
    invitation_resend,
    invitation_revoke,
    invitation_send,
)
from accounts.services.orgs import member_add
from accounts.states import Role
from stuckbot.lib import clock
from stuckbot.lib.errors import Conflict, TooMany
from stuckbot.lib.models import Audit
from stuckbot.site.usecases.members import member_remove, member_role_change
from tests.accounts.letters import newest, waiting
from tests.accounts.test_invitations import caller, invite, join
from tests.support import Desk


def owner_who_invites(desk: Desk, role: Role) -> str:
    """A second owner invites an address of their own; gives the link's token."""
    user = User.objects.create_user("dora@acme.example", "correct horse")
    desk.people["dora"] = member_add(org=desk.org, user=user, role=Role.OWNER, now=clock.now())
    owner = caller(desk, "dora")
    invitation_send(actor=owner, email="dora@home.example", role=role, now=clock.now())
    return newest().link.removeprefix("/join/")


def test_who_is_removed_leaves_no_way_back_in(desk: Desk) -> None:
    token = owner_who_invites(desk, Role.MEMBER)
    dora = desk.people["dora"].id
    member_remove(actor=caller(desk, "alice"), membership_id=dora, now=clock.now())
    with pytest.raises(Conflict, match="withdrawn"):
        join(token)
    assert Invitation.objects.of(desk.org.id).get().revoked_at is not None
    assert Audit.objects.of(desk.org.id).filter(action="invitation_revoked").count() == 1


@pytest.mark.parametrize(
    ("invited_to", "now_is", "joins"),
    [
        (Role.OWNER, Role.ADMIN, False),
        (Role.ADMIN, Role.ADMIN, True),
        (Role.ADMIN, Role.MEMBER, False),
        (Role.VIEWER, Role.VIEWER, False),
    ],
)
def test_an_invitation_is_worth_what_its_sender_is(
    desk: Desk, invited_to: Role, now_is: Role, joins: bool
) -> None:
    token = owner_who_invites(desk, invited_to)
    dora = desk.people["dora"].id
    member_role_change(
        actor=caller(desk, "alice"), membership_id=dora, role=now_is, now=clock.now()
    )
    if joins:
        assert join(token).role == invited_to
        return
    with pytest.raises(Conflict, match="withdrawn"):
        join(token)


@pytest.mark.parametrize("change", [{"is_active": False}, {"role": Role.MEMBER}])
def test_it_holds_however_its_sender_was_stopped(desk: Desk, change: dict[str, Any]) -> None:
    """An operator writes past the service, and the invitation's row knows nothing of it."""
    token = owner_who_invites(desk, Role.OWNER)
    row = desk.people["dora"]
    if "role" in change:
        Membership.objects.of(desk.org.id).filter(id=row.id).update(**change)
    else:
        User.objects.filter(id=row.user_id).update(**change)
    assert Client().get(f"/join/{token}").status_code == 410
    with pytest.raises(Conflict, match="withdrawn"):
        join(token)


def test_an_address_is_not_flooded(desk: Desk) -> None:
    """Neither by sending again, nor by withdrawing and inviting anew."""
    alice = caller(desk, "alice")
    for number in range(invitation_limits.ADDRESS_MOST):
        invite(desk, "a@x.example")
        row = Invitation.objects.of(desk.org.id).get(accepted_at=None, revoked_at=None)
        if number % 2:
            invitation_revoke(actor=alice, invitation_id=row.id, now=clock.now())
    with pytest.raises(TooMany, match="Wait 60 minutes") as refusal:
        invite(desk, "a@x.example")
    with pytest.raises(TooMany):
        invitation_resend(actor=alice, invitation_id=row.id, now=clock.now())
    assert refusal.value.retry_after == 3600
    assert len(waiting()) == invitation_limits.ADDRESS_MOST
    invite(desk, "b@x.example")
    with time_machine.travel(clock.now() + invitation_limits.SPAN):
        invite(desk, "a@x.example")


def test_an_org_sends_so_many_and_no_more(desk: Desk, monkeypatch: Any) -> None:
    monkeypatch.setattr(invitation_limits, "ORG_MOST", 3)
    for number in range(3):
        invite(desk, f"{number}@x.example")
    client = Client()
    client.force_login(desk.people["alice"].user, "django.contrib.auth.backends.ModelBackend")
    refused = client.post("/people/invite", {"email": "4@x.example", "role": "member"})
    assert refused.status_code == 429
    assert "many invitations this hour" in refused.content.decode()
    assert 'value="4@x.example"' in refused.content.decode()
    row = Invitation.objects.of(desk.org.id).first()
    assert row is not None
    assert client.post(f"/people/invitations/{row.id}/again").status_code == 429
    assert len(waiting()) == 3
