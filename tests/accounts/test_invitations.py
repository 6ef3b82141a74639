"""Inviting and joining: who may, what a link does, and that it does so once."""

import threading
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from allauth.account.models import EmailAddress
from django.db import connection
from django.test import Client

from accounts.models import Actor, Invitation, Membership, User
from accounts.selectors import caller_of_membership
from accounts.services.invitations import (
    LIFE,
    invitation_accept,
    invitation_join,
    invitation_resend,
    invitation_revoke,
    invitation_send,
)
from accounts.services.orgs import member_add
from accounts.states import Role
from stuckbot.lib import clock
from stuckbot.lib.caller import Caller
from stuckbot.lib.errors import Conflict, Forbidden, Invalid, Missing, Refusal
from stuckbot.lib.models import Audit, Mail
from tests.accounts.letters import newest, waiting
from tests.support import Desk

PASSWORD = "several long words"


def caller(desk: Desk, name: str) -> Caller:
    members = Membership.objects.of(desk.org.id).select_related("org", "actor")
    return caller_of_membership(members.get(id=desk.people[name].id))


def admin(desk: Desk) -> Caller:
    user = User.objects.create_user("dora@acme.example", "correct horse")
    desk.people["dora"] = member_add(org=desk.org, user=user, role=Role.ADMIN, now=clock.now())
    return caller(desk, "dora")


def invite(desk: Desk, email: str = "new@example.com", role: Role = Role.MEMBER) -> str:
    """Invites and gives the link's token."""
    invitation_send(actor=caller(desk, "alice"), email=email, role=role, now=clock.now())
    return newest().link.removeprefix("/join/")


def join(token: str) -> Membership:
    return invitation_join(token=token, name="Nina", password=PASSWORD, now=clock.now())


def roles(desk: Desk) -> dict[str, str]:
    rows = Membership.objects.of(desk.org.id).values_list("user__email", "role")
    return dict(rows)


def test_it_lets_somebody_new_join(desk: Desk) -> None:
    token = invite(desk, "Nina@Example.com", Role.VIEWER)
    membership = join(token)
    assert roles(desk)["nina@example.com"] == "viewer"
    assert membership.user.check_password(PASSWORD)
    assert membership.actor.name == "Nina"
    invitation = Invitation.objects.of(desk.org.id).get()
    assert (invitation.accepted_by_id, invitation.invited_by_id) == (
        membership.actor_id,
        desk.people["alice"].actor_id,
    )
    acts = list(Audit.objects.of(desk.org.id).order_by("no").values_list("action", flat=True))
    assert acts[-2:] == ["member_invited", "member_joined"]


def test_it_reads_like_a_mail_of_somebody(desk: Desk) -> None:
    invite(desk)
    mail = newest()
    assert (mail.to, mail.subject) == ("new@example.com", "StuckBot: alice invites you to Acme")
    for part in ("“alice”", "“Acme”", "Your role would be: member.", "new@example.com alone"):
        assert part in mail.text
    assert "7 days" not in mail.text
    assert "{" not in mail.text
    assert "&quot;" not in mail.text


def test_a_name_cannot_write_headers_or_speak_for_the_desk(desk: Desk) -> None:
    # No form lets such a name in; a row of old may have one.
    type(desk.org).objects.filter(id=desk.org.id).update(name="A\r\nBcc: eve@example.com\n\nHi <b>")
    invite(desk)
    mail = newest()
    assert "\n" not in mail.subject
    assert "Bcc: eve@example.com Hi <b>" in mail.subject
    assert not any(line.startswith("Bcc:") for line in mail.text.splitlines())


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Pay at https://evil.example/now please", "Pay at … please"),
        ("Your account: evil.example/login", "Your account: …"),
        ("WWW.evil.example", "…"),
        ("https:/\nevil.example/x", "… …"),
        ("Acme.io", "Acme.io"),
        ("R/D, Dr. Who & Sons: east", "R/D, Dr. Who & Sons: east"),
    ],
)
def test_a_name_leads_nowhere(desk: Desk, name: str, said: str) -> None:
    """Whoever names an org names it in mails to strangers."""
    type(desk.org).objects.filter(id=desk.org.id).update(name=name)
    invite(desk)
    mail = newest()
    assert mail.subject == f"StuckBot: alice invites you to {said}"
    assert f"organisation “{said}” on" in mail.text
    assert mail.link.startswith("/join/")


def test_it_keeps_the_hash_of_a_token_alone(desk: Desk) -> None:
    token = invite(desk)
    assert len(token) == 43
    row = Invitation.objects.of(desk.org.id).values().get()
    assert token not in repr(row)
    assert token not in Mail.objects.get().letter


@pytest.mark.parametrize(
    ("by", "may"),
    [
        ("alice", {"owner", "admin", "member", "viewer"}),
        ("dora", {"admin", "member", "viewer"}),
        ("bob", set()),
        ("carol", set()),
    ],
)
def test_nobody_gives_a_role_above_their_own(desk: Desk, by: str, may: set[str]) -> None:
    admin(desk)
    given = set()
    for role in Role:
        try:
            invitation_send(
                actor=caller(desk, by), email=f"{role}@x.example", role=role, now=clock.now()
            )
        except Forbidden:
            continue
        given.add(str(role))
    assert given == may
    assert len(waiting()) == len(may)


def test_inviting_again_renews(desk: Desk) -> None:
    first = invite(desk)
    with time_machine.travel(clock.now() + timedelta(days=3)):
        second = invite(desk, role=Role.VIEWER)
    assert Invitation.objects.of(desk.org.id).count() == 1
    with pytest.raises(Missing):
        join(first)
    with time_machine.travel(clock.now() + timedelta(days=9)):
        assert join(second).role == "viewer"


def test_sending_again_makes_a_fresh_link(desk: Desk) -> None:
    first = invite(desk)
    row = Invitation.objects.of(desk.org.id).get()
    with time_machine.travel(clock.now() + LIFE + timedelta(hours=1)):
        with pytest.raises(Conflict, match="run out"):
            join(first)
        invitation_resend(actor=caller(desk, "alice"), invitation_id=row.id, now=clock.now())
        join(newest().link.removeprefix("/join/"))
    with pytest.raises(Missing):
        join(first)


def test_it_works_once(desk: Desk) -> None:
    token = invite(desk)
    user = join(token).user
    with pytest.raises(Conflict, match="used already"):
        join(token)
    with pytest.raises(Conflict, match="used already"):
        invitation_accept(token=token, user=user, now=clock.now())
    assert list(roles(desk)).count("new@example.com") == 1


def test_it_can_be_withdrawn(desk: Desk) -> None:
    token = invite(desk)
    row = Invitation.objects.of(desk.org.id).get()
    invitation_revoke(actor=caller(desk, "alice"), invitation_id=row.id, now=clock.now())
    with pytest.raises(Conflict, match="withdrawn"):
        join(token)
    with pytest.raises(Missing):
        invitation_resend(actor=caller(desk, "alice"), invitation_id=row.id, now=clock.now())
    assert not User.objects.filter(email="new@example.com").exists()
    assert invite(desk) != token


def test_a_link_is_for_its_address_alone(desk: Desk, other: Desk) -> None:
    token = invite(desk)
    with pytest.raises(Forbidden):
        invitation_accept(token=token, user=other.people["mallory"].user, now=clock.now())
    assert Invitation.objects.of(desk.org.id).get().accepted_at is None


def test_somebody_with_an_account_joins_with_it(desk: Desk, other: Desk) -> None:
    mallory = other.people["mallory"].user
    token = invite(desk, mallory.email, Role.ADMIN)
    with pytest.raises(Conflict):
        join(token)
    invitation_accept(token=token, user=mallory, now=clock.now())
    assert roles(desk)[mallory.email] == "admin"
    assert roles(other)[mallory.email] == "owner"


def test_a_member_is_not_invited(desk: Desk) -> None:
    with pytest.raises(Conflict, match="member already"):
        invite(desk, "BOB@acme.example")
    assert waiting() == []


@pytest.mark.parametrize(
    "email", ["", "x", "a@b", "a b@c.example", "a@c.example\nBcc: x@y.example"]
)
def test_it_wants_an_address(desk: Desk, email: str) -> None:
    with pytest.raises(Invalid):
        invite(desk, email)


def test_who_was_a_member_before_comes_back_as_the_same_actor(desk: Desk) -> None:
    was = desk.people["bob"].actor_id
    Membership.objects.of(desk.org.id).filter(user__email="bob@acme.example").delete()
    token = invite(desk, "bob@acme.example", Role.VIEWER)
    user = User.objects.get(email="bob@acme.example")
    assert invitation_accept(token=token, user=user, now=clock.now()).actor_id == was


@pytest.mark.django_db(transaction=True)
def test_of_two_at_once_one_joins(desk: Desk) -> None:
    token = invite(desk)
    told: list[str] = []

    def work() -> None:
        try:
            told.append(join(token).role)
        except Refusal as refusal:
            told.append(refusal.code)
        finally:
            connection.close()

    racers = [threading.Thread(target=work) for _ in range(4)]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join()
    assert told.count("member") == 1
    assert len(told) == 4
    assert Actor.objects.of(desk.org.id).filter(name="Nina").count() == 1
    assert User.objects.filter(email="new@example.com").count() == 1


# --- the pages of the link ------------------------------------------------------------------


def test_looking_at_a_link_changes_nothing(desk: Desk) -> None:
    token = invite(desk)
    before = Invitation.objects.of(desk.org.id).values().get()
    for method in ("get", "head"):
        response = getattr(Client(), method)(f"/join/{token}")
        assert response.status_code == 200
        assert "no-store" in response.headers["Cache-Control"]
    assert Invitation.objects.of(desk.org.id).values().get() == before


def test_somebody_new_chooses_name_and_password_there(desk: Desk) -> None:
    token = invite(desk)
    client = Client()
    page = client.get(f"/join/{token}").content.decode()
    assert "Acme" in page
    assert "new@example.com" in page
    weak = client.post(f"/join/{token}", {"name": "Nina", "password": "1234"})
    assert weak.status_code == 422
    assert 'value="Nina"' in weak.content.decode()
    done = client.post(f"/join/{token}", {"name": "Nina", "password": PASSWORD})
    assert (done.status_code, done.headers["Location"]) == (303, "/")
    assert "Welcome to Acme." in client.get("/").content.decode()
    again = client.get(f"/join/{token}")
    assert again.status_code == 410
    assert "used already" in again.content.decode()
    # The address was proved by its mail.
    assert EmailAddress.objects.get(email="new@example.com").verified


def test_somebody_with_an_account_signs_in_first(desk: Desk, other: Desk) -> None:
    token = invite(desk, "mallory@other.example")
    client = Client()
    page = client.get(f"/join/{token}").content.decode()
    assert f"/accounts/login/?next=/join/{token}" in page
    assert "Your name" not in page
    refused = client.post(f"/join/{token}", {"name": "Eve", "password": PASSWORD})
    assert refused.status_code == 200
    assert roles(desk).get("mallory@other.example") is None
    sent = {"login": "mallory@other.example", "password": "correct horse"}
    back = client.post(f"/accounts/login/?next=/join/{token}", sent)
    assert back.headers["Location"] == f"/join/{token}"
    assert client.post(f"/join/{token}").status_code == 303
    assert roles(desk)["mallory@other.example"] == "member"
    assert "Acme" in client.get("/").content.decode()


def test_another_signed_in_address_is_told_so(desk: Desk, other: Desk) -> None:
    token = invite(desk)
    client = Client()
    client.force_login(other.people["mallory"].user, "django.contrib.auth.backends.ModelBackend")
    for call in (client.get, client.post):
        response = call(f"/join/{token}")
        assert response.status_code == 403
        text = response.content.decode()
        assert "for another address" in text
        assert "mallory@other.example" in text
    assert Invitation.objects.of(desk.org.id).get().accepted_at is None


@pytest.mark.parametrize(
    ("state", "status", "words"),
    [
        ("revoked", 410, "was withdrawn"),
        ("expired", 410, "has run out"),
        ("unknown", 404, "does not work"),
    ],
)
def test_a_link_that_is_over_says_why(desk: Desk, state: str, status: int, words: str) -> None:
    token = invite(desk)
    rows = Invitation.objects.of(desk.org.id)
    if state == "revoked":
        rows.update(revoked_at=clock.now())
    if state == "expired":
        rows.update(expires_at=clock.now())
    address = f"/join/{token}" if state != "unknown" else "/join/" + "a" * 43
    client: Any = Client()
    for call in (client.get, client.post):
        response = call(address)
        assert response.status_code == status
        assert words in response.content.decode()
    assert not User.objects.filter(email="new@example.com").exists()


def test_a_secret_for_a_name_is_refused(desk: Desk) -> None:
    token = invite(desk)
    name = f"ghp_{'16C7e42F292c6912E7a9' * 2}"[:40]
    response = Client().post(f"/join/{token}", {"name": name, "password": PASSWORD})
    assert response.status_code == 422
    assert not User.objects.filter(email="new@example.com").exists()
