"""The people of an org as a page: who sees what, and what each button does."""

import html
import re
from typing import Any

import pytest
from django.test import Client

from accounts.models import Invitation, Membership, User
from accounts.selectors import caller_of_membership
from accounts.services.invitations import invitation_send
from accounts.services.orgs import member_add
from accounts.states import Role
from stuckbot.lib import clock
from stuckbot.lib.models import Mail
from stuckbot.lib.paging import rank_make
from tests.accounts.letters import newest, waiting
from tests.support import Desk

BACKEND = "django.contrib.auth.backends.ModelBackend"


def signed_in(desk: Desk, name: str) -> Client:
    client = Client()
    client.force_login(desk.people[name].user, BACKEND)
    return client


def page(client: Client, path: str = "/people") -> str:
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


def key(text: str) -> str:
    found = re.search(r'name="key" value="([^"]+)"', text)
    assert found is not None
    return found[1]


def role_of(desk: Desk, name: str) -> str | None:
    rows = Membership.objects.of(desk.org.id).filter(id=desk.people[name].id)
    return rows.values_list("role", flat=True).first()


@pytest.fixture
def dora(desk: Desk) -> str:
    user = User.objects.create_user("dora@acme.example", "correct horse")
    desk.people["dora"] = member_add(org=desk.org, user=user, role=Role.ADMIN, now=clock.now())
    return "dora"


def test_everybody_sees_everybody(desk: Desk, other: Desk) -> None:
    for name in ("alice", "bob", "carol"):
        text = page(signed_in(desk, name))
        for email in ("alice@acme.example", "bob@acme.example", "carol@acme.example"):
            assert email in text
        assert "mallory" not in text
        assert "<h1>People</h1>" in text


@pytest.mark.parametrize(
    ("name", "buttons"),
    [
        ("alice", {"Send the invitation", "Save the role", "Remove bob", "Leave the organisation"}),
        ("dora", {"Send the invitation", "Save the role", "Remove bob", "Leave the organisation"}),
        ("bob", {"Leave the organisation"}),
        ("carol", {"Leave the organisation"}),
    ],
)
def test_a_reader_sees_the_buttons_they_may_press(
    desk: Desk, dora: str, name: str, buttons: set[str]
) -> None:
    text = page(signed_in(desk, name))
    main = text[text.index("<main") :]
    found = {
        re.sub(r"<[^>]+>", "", one).strip()
        for one in re.findall(r"<button[^>]*>(.*?)</button>", main, re.DOTALL)
    }
    assert buttons <= found
    if name in ("bob", "carol"):
        assert found == buttons
        assert "Invite somebody" not in text
    if name == "dora":
        assert "Remove alice" not in found


@pytest.mark.parametrize("name", ["bob", "carol"])
def test_a_member_may_not(desk: Desk, name: str) -> None:
    client = signed_in(desk, name)
    sent = {"email": "new@example.com", "role": "viewer"}
    assert client.post("/people/invite", sent).status_code == 403
    target = desk.people["alice"].id
    assert client.post(f"/people/{target}/role", {"role": "viewer"}).status_code == 403
    assert client.post(f"/people/{target}/remove").status_code == 403
    assert role_of(desk, "alice") == "owner"
    assert waiting() == []


def test_another_orgs_people_are_not_there(desk: Desk, other: Desk) -> None:
    client = signed_in(desk, "alice")
    target = other.people["mallory"].id
    assert client.post(f"/people/{target}/role", {"role": "viewer"}).status_code == 404
    assert client.post(f"/people/{target}/remove").status_code == 404
    theirs = signed_in(other, "mallory")
    theirs.post("/people/invite", {"email": "new@example.com", "role": "viewer"})
    invitation = Invitation.objects.of(other.org.id).get()
    for act in ("again", "withdraw"):
        assert client.post(f"/people/invitations/{invitation.id}/{act}").status_code == 404
    assert "new@example.com" not in page(client)
    assert role_of(other, "mallory") == "owner"


@pytest.mark.parametrize(
    "path", ["/people/invite", f"/people/{'0' * 8}-0000-7000-8000-{'0' * 12}/remove"]
)
def test_it_acts_by_post_alone_and_for_who_is_signed_in(desk: Desk, path: str) -> None:
    opened = signed_in(desk, "alice").get(path)
    assert opened.status_code == 405
    assert opened.headers["Allow"] == "POST"
    assert "There is no page here" in opened.content.decode()
    response = Client().post(path)
    assert response.status_code == 302
    assert response.headers["Location"] == "/accounts/login/?next=/people"


@pytest.mark.parametrize(
    ("mail", "told"),
    [
        ({}, "The mail is about to leave."),
        ({"attempts": 3}, "has not taken the mail yet"),
        ({"attempts": 1, "sent_at": "2026-05-01T08:00Z"}, "The mail was sent."),
        ({"attempts": 3, "quarantined_at": "2026-05-01T08:00Z"}, "The mail could not be sent."),
    ],
)
def test_it_says_whether_an_invitations_mail_left(
    desk: Desk, mail: dict[str, Any], told: str
) -> None:
    client = signed_in(desk, "alice")
    client.post("/people/invite", {"email": "new@example.com", "role": "viewer"})
    Mail.objects.update(**mail)
    assert told in page(client)
    invitation = Invitation.objects.of(desk.org.id).get()
    client.post(f"/people/invitations/{invitation.id}/again")
    # The fresh link is in a mail of its own.
    assert "The mail is about to leave." in page(client)
    Mail.objects.all().delete()
    assert "The mail" not in page(client).split("Invited, not here yet")[1]


def test_it_invites(desk: Desk) -> None:
    client = signed_in(desk, "alice")
    sent = {"email": "New@Example.com", "role": "admin", "key": key(page(client))}
    response = client.post("/people/invite", sent)
    assert (response.status_code, response.headers["Location"]) == (303, "/people")
    text = page(client)
    assert "New@Example.com is invited" in text
    assert "new@example.com" in text
    assert "7 days left" in text
    assert newest().to == "new@example.com"


def test_a_double_click_invites_once(desk: Desk) -> None:
    client = signed_in(desk, "alice")
    sent = {"email": "new@example.com", "role": "member", "key": key(page(client))}
    assert [client.post("/people/invite", sent).status_code for _ in range(3)] == [303] * 3
    assert Mail.objects.count() == 1
    client.post("/people/invite", sent | {"role": "viewer"})
    assert Mail.objects.count() == 2


@pytest.mark.parametrize(
    ("sent", "status", "words"),
    [
        ({"email": "bob@acme.example", "role": "member"}, 409, "member already"),
        ({"email": "no address", "role": "member"}, 422, "valid email"),
        ({"email": "new@example.com", "role": "emperor"}, 422, "valid choice"),
        (
            {"email": f"ghp_{'16C7e42F292c6912E7a9' * 2}"[:40] + "@x.example", "role": "member"},
            422,
            "looks like a key",
        ),
    ],
)
def test_a_refusal_keeps_what_was_typed(
    desk: Desk, sent: dict[str, str], status: int, words: str
) -> None:
    response = signed_in(desk, "alice").post("/people/invite", sent)
    text = response.content.decode()
    assert response.status_code == status
    assert words in text
    assert f'value="{sent["email"]}"' in text
    assert waiting() == []


def test_an_admin_makes_no_owner(desk: Desk, dora: str) -> None:
    client = signed_in(desk, "dora")
    assert 'value="owner"' not in page(client)
    response = client.post("/people/invite", {"email": "new@example.com", "role": "owner"})
    assert response.status_code == 422
    target = desk.people["bob"].id
    assert client.post(f"/people/{target}/role", {"role": "owner"}).status_code == 403
    assert role_of(desk, "bob") == "member"


def test_it_sends_again_and_withdraws(desk: Desk) -> None:
    client = signed_in(desk, "alice")
    client.post("/people/invite", {"email": "new@example.com", "role": "member"})
    first = newest().link
    row = Invitation.objects.of(desk.org.id).get()
    client.post(f"/people/invitations/{row.id}/again")
    assert newest().link != first
    assert Client().get(first).status_code == 404
    client.post(f"/people/invitations/{row.id}/withdraw")
    assert "Invited, not here yet" not in page(client)
    assert Client().get(newest().link).status_code == 410
    assert client.post(f"/people/invitations/{row.id}/withdraw").status_code == 404


def test_it_changes_a_role_and_removes(desk: Desk) -> None:
    client = signed_in(desk, "alice")
    target = desk.people["bob"].id
    assert client.post(f"/people/{target}/role", {"role": "admin"}).status_code == 303
    assert role_of(desk, "bob") == "admin"
    assert client.post(f"/people/{target}/role", {"role": "king"}).status_code == 404
    assert client.post(f"/people/{target}/remove").status_code == 303
    assert role_of(desk, "bob") is None
    gone = signed_in(desk, "bob").get("/people")
    assert gone.status_code == 403
    assert "no organisation" in gone.content.decode()


def test_the_last_owner_hears_why_not(desk: Desk) -> None:
    client = signed_in(desk, "alice")
    target = desk.people["alice"].id
    for path, sent in (
        (f"/people/{target}/remove", {}),
        (f"/people/{target}/role", {"role": "member"}),
    ):
        response = client.post(path, sent)
        assert response.status_code == 409
        assert "keeps one owner" in response.content.decode()
    assert role_of(desk, "alice") == "owner"


def test_a_member_leaves(desk: Desk) -> None:
    client = signed_in(desk, "carol")
    response = client.post(f"/people/{desk.people['carol'].id}/remove")
    assert (response.status_code, response.headers["Location"]) == (303, "/")
    assert role_of(desk, "carol") is None
    assert client.get("/").status_code == 403


def test_names_are_shown_not_obeyed(desk: Desk) -> None:
    actor = desk.people["bob"].actor
    type(actor).objects.of(desk.org.id).filter(id=actor.id).update(name="<b>\u202ebob</b>")
    text = page(signed_in(desk, "alice"))
    assert "<b>" not in text
    assert "&lt;b&gt;" in text
    assert "\u202e" not in text


def test_it_says_where_mail_goes_while_no_server_is_set(desk: Desk, settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    settings.EMAIL_FILE_PATH = "/some/where/mail"
    assert "/some/where/mail" in page(signed_in(desk, "alice"))
    assert "/some/where/mail" not in page(signed_in(desk, "bob"))


def test_a_page_costs_the_same_however_many(desk: Desk, django_assert_max_num_queries: Any) -> None:
    client = signed_in(desk, "alice")
    for number in range(40):
        user = User.objects.create_user(f"p{number}@acme.example")
        member_add(org=desk.org, user=user, role=Role.MEMBER, now=clock.now())
        sent = {"email": f"i{number}@example.com", "role": "member"}
        assert client.post("/people/invite", sent).status_code == 303
    page(client)
    with django_assert_max_num_queries(8):
        page(client)


def crowd(desk: Desk, members: int, invited: int = 0) -> Client:
    """Members p0… of mixed case, and invitations i0…, newest last."""
    for number in range(members):
        name = f"{'Pp'[number % 2]}erson {number:03}"
        user = User.objects.create_user(f"p{number}@acme.example", name=name)
        member_add(org=desk.org, user=user, role=Role.MEMBER, now=clock.now())
    actor = caller_of_membership(desk.people["alice"])
    for number in range(invited):
        email = f"i{number}@example.com"
        invitation_send(actor=actor, email=email, role=Role.VIEWER, now=clock.now())
    return signed_in(desk, "alice")


def names(text: str) -> list[str]:
    found = re.findall(r"<h[23]>(?:<bdi>)?([^<]+)", text[text.index("<main") :])
    return [one for one in found if one.strip() not in ("Invite somebody", "Invited, not here yet")]


def turn(text: str, words: str) -> str:
    """The address behind Previous, Next, Newer or Older."""
    found = re.search(rf'<a href="([^"]+)" rel="(?:prev|next)">(?:← )?{words}', text)
    assert found is not None, words
    return html.unescape(found[1]).partition("#")[0]


def test_people_are_paged_both_ways(desk: Desk) -> None:
    client = crowd(desk, 110)
    first = page(client)
    second = page(client, turn(first, "Next"))
    third = page(client, turn(second, "Next"))
    seen = [names(text) for text in (first, second, third)]
    assert [len(one) for one in seen] == [50, 50, 13]
    crowded = [f"{'Pp'[number % 2]}erson {number:03}" for number in range(110)]
    assert [*seen[0], *seen[1], *seen[2]] == ["alice", "bob", *crowded, "carol"]
    assert "Previous" not in first
    assert "Next" not in third
    assert names(page(client, turn(third, "Previous"))) == seen[1]
    assert names(page(client, turn(second, "Previous"))) == seen[0]


def test_fifty_need_no_pages(desk: Desk) -> None:
    text = page(crowd(desk, 47, 50))
    assert len(names(text)) == 100
    assert "Pages of" not in text


def test_members_and_invitations_are_paged_apart(desk: Desk) -> None:
    client = crowd(desk, 60, 60)
    members = page(client, turn(page(client), "Next"))
    both = page(client, turn(members, "Older"))
    assert names(both) == [
        *names(members)[:13],
        *[f"i{number}@example.com" for number in range(9, -1, -1)],
    ]
    assert names(page(client, turn(both, "Newer"))) == names(members)
    assert "i0@example.com" in page(client, turn(both, "Previous"))


def test_an_act_comes_back_to_its_page(desk: Desk) -> None:
    client = crowd(desk, 55)
    place = turn(page(client), "Next")
    text = page(client, place)
    action = re.search(r'action="(/people/[^"]+/remove[^"]+)"', text)
    assert action is not None
    answer = client.post(html.unescape(action[1]), {"key": key(text)})
    assert (answer.status_code, answer.headers["Location"]) == (303, place)
    assert len(names(page(client, place))) == 7


def test_a_page_holds_though_who_ended_it_left(desk: Desk) -> None:
    client = crowd(desk, 60)
    place = turn(page(client), "Next")
    before = names(page(client, place))
    last = User.objects.get(email="p47@acme.example")
    Membership.objects.of(desk.org.id).filter(user=last).delete()
    assert names(page(client, place)) == before
    Membership.objects.of(desk.org.id).exclude(user__email="alice@acme.example").delete()
    assert names(page(client, place)) == ["alice"]


@pytest.mark.parametrize("name", ["after", "before", "invited_after", "invited_before"])
def test_a_place_that_never_was_is_refused(desk: Desk, name: str) -> None:
    client = signed_in(desk, "alice")
    for place in ("x", "%00", "9" * 400):
        answer = client.get(f"/people?{name}={place}")
        assert answer.status_code == 422, place
        assert "Open the list anew" in answer.content.decode()


def test_the_place_of_a_stranger_is_none(desk: Desk, other: Desk) -> None:
    place = rank_make(0, other.people["mallory"].actor_id)
    assert signed_in(desk, "alice").get(f"/people?after={place}").status_code == 422


def test_viewers_page_through_members_alone(desk: Desk) -> None:
    crowd(desk, 60, 60)
    text = page(signed_in(desk, "carol"))
    assert turn(text, "Next")
    assert "Older" not in text
    assert "example.com" not in text


def test_a_long_list_has_a_way_to_inviting_for_who_may(desk: Desk) -> None:
    assert 'href="#invite"' not in page(signed_in(desk, "alice"))
    client = crowd(desk, 5)
    assert 'href="#invite"' in page(client)
    assert 'id="invite"' in page(client)
    assert 'href="#invite"' not in page(signed_in(desk, "bob"))
