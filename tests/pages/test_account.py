"""One's own account: name and zone, sessions, tokens shown once, a new address."""

import re
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.test import Client

from accounts.models import Actor, Token, User
from accounts.services.orgs import member_add
from accounts.states import Role
from stuckbot.lib import clock
from stuckbot.lib.models import Audit
from tests.accounts.letters import newest, waiting
from tests.api.refusals import refused
from tests.pages.test_people import key, page, signed_in
from tests.support import Api, Desk


@pytest.fixture(autouse=True)
def _forgotten_tries(db: None) -> None:
    cache.clear()


def with_password(email: str, password: str = "correct horse") -> Client:
    client = Client()
    sent = {"login": email, "password": password}
    assert client.post("/accounts/login/", sent).status_code == 302
    return client


def proven(client: Client, password: str = "correct horse") -> Client:
    """The person showed once more that it is them."""
    path = "/accounts/reauthenticate/"
    assert client.post(path, {"password": password}).status_code == 302
    return client


def make_token(client: Client, desk: Desk, name: str = "my script", **more: str) -> str:
    sent = {"name": name, "org": str(desk.org.id), "expires": "90", **more}
    response = client.post("/account/tokens", sent)
    assert (response.status_code, response.headers["Location"]) == (303, "/account/token")
    found = re.search(r"sbp_\w+", client.get("/account/token").content.decode())
    assert found is not None
    return found[0]


def test_it_keeps_a_name_and_a_zone(desk: Desk) -> None:
    client = signed_in(desk, "bob")
    sent = {"name": " Bob Builder ", "time_zone": "Europe/Berlin"}
    assert client.post("/account/details", sent).status_code == 303
    user = User.objects.get(email="bob@acme.example")
    assert (user.name, user.time_zone) == ("Bob Builder", "Europe/Berlin")
    assert Actor.objects.of(desk.org.id).get(user=user).name == "Bob Builder"
    text = page(client, "/account")
    assert 'value="Bob Builder"' in text
    assert '<option value="Europe/Berlin" selected>' in text
    client.post("/account/details", {"name": "", "time_zone": ""})
    assert Actor.objects.of(desk.org.id).get(user=user).name == "bob"


@pytest.mark.parametrize(
    "sent",
    [
        {"name": "\u202ebob", "time_zone": ""},
        {"name": "x" * 81, "time_zone": ""},
        {"name": "Bob", "time_zone": "Moon/Base"},
        {"name": f"ghp_{'16C7e42F292c6912E7a9' * 2}"[:40], "time_zone": ""},
    ],
)
def test_it_refuses_what_cannot_be_kept(desk: Desk, sent: dict[str, str]) -> None:
    response = signed_in(desk, "bob").post("/account/details", sent)
    assert response.status_code == 422
    assert "errorlist" in response.content.decode()
    assert User.objects.get(email="bob@acme.example").name == ""


def test_it_shows_a_token_once(desk: Desk) -> None:
    client = signed_in(desk, "bob")
    text = make_token(client, desk)
    assert Api(text).get("/api/v1/tickets").status == 200
    again = client.get("/account/token")
    assert "shown already" in again.content.decode()
    assert text not in again.content.decode()
    assert "no-store" in again.headers["Cache-Control"]
    assert Token.objects.of(desk.org.id).filter(kind="sbp").count() == 1
    listed = page(client, "/account")
    assert "my script" in listed
    assert text not in listed
    assert text[:16] in listed
    assert Audit.objects.of(desk.org.id).latest("no").action == "person_token_made"


def test_a_token_lies_in_no_session_as_it_is(desk: Desk) -> None:
    client = signed_in(desk, "bob")
    sent = {"name": "x", "org": str(desk.org.id), "expires": "never"}
    client.post("/account/tokens", sent)
    for session in Session.objects.all():
        assert "sbp_" not in str(session.get_decoded())
    with time_machine.travel(clock.now() + timedelta(minutes=6)):
        assert "sbp_" not in client.get("/account/token").content.decode()


def test_a_double_click_makes_one_token(desk: Desk) -> None:
    client = signed_in(desk, "bob")
    sent = {
        "name": "x",
        "org": str(desk.org.id),
        "expires": "30",
        "key": key(page(client, "/account")),
    }
    for _ in range(2):
        assert client.post("/account/tokens", sent).status_code == 303
    assert Token.objects.of(desk.org.id).filter(kind="sbp").count() == 1
    assert "sbp_" in client.get("/account/token").content.decode()


def test_a_token_ends_when_it_was_said_to(desk: Desk) -> None:
    text = make_token(signed_in(desk, "bob"), desk, expires="30")
    with time_machine.travel(clock.now() + timedelta(days=31)):
        refused(Api(text).get("/api/v1/tickets"), 401, "token_expired")


def test_it_revokes_a_token_of_ones_own_alone(desk: Desk, other: Desk) -> None:
    text = make_token(signed_in(desk, "bob"), desk)
    row = Token.objects.of(desk.org.id).get(kind="sbp")
    for stranger in (signed_in(desk, "alice"), signed_in(other, "mallory")):
        assert stranger.post(f"/account/tokens/{row.id}/revoke").status_code == 404
    assert Api(text).get("/api/v1/tickets").status == 200
    assert signed_in(desk, "bob").post(f"/account/tokens/{row.id}/revoke").status_code == 303
    refused(Api(text).get("/api/v1/tickets"), 401, "token_revoked")
    assert "my script" not in page(signed_in(desk, "bob"), "/account")


def test_a_token_is_of_an_org_of_ones_own(desk: Desk, other: Desk) -> None:
    client = signed_in(desk, "bob")
    sent = {"name": "x", "org": str(other.org.id), "expires": "30"}
    assert client.post("/account/tokens", sent).status_code == 422
    assert not Token.objects.of(other.org.id).filter(kind="sbp").exists()
    member_add(org=other.org, user=desk.people["bob"].user, role=Role.VIEWER, now=clock.now())
    token = make_token(client, other)
    assert Api(token).get("/api/v1/tickets").ok()["tickets"] == []
    assert "Organisation" in page(client, "/account")


def test_who_is_of_no_org_has_an_account(db: None) -> None:
    User.objects.create_user("lone@example.com", "correct horse")
    text = page(with_password("lone@example.com"), "/account")
    assert "None yet." in text
    assert "Personal access tokens" not in text


def test_it_signs_out_everywhere_else(desk: Desk) -> None:
    here, there = with_password("bob@acme.example"), with_password("bob@acme.example")
    somebody = with_password("alice@acme.example")
    assert here.post("/account/sign-out-elsewhere").status_code == 303
    assert here.get("/account").status_code == 200
    assert there.get("/account").status_code == 302
    assert somebody.get("/account").status_code == 200
    assert with_password("bob@acme.example").get("/account").status_code == 200


def test_a_new_password_signs_out_everywhere_else(desk: Desk) -> None:
    here, there = with_password("bob@acme.example"), with_password("bob@acme.example")
    sent = {"oldpassword": "correct horse", "password1": "quite another one"}
    sent["password2"] = sent["password1"]
    assert here.post("/accounts/password/change/", sent).status_code == 302
    assert here.get("/account").status_code == 200
    assert there.get("/account").status_code == 302
    assert newest().subject == "StuckBot: Your password was changed"


def test_a_new_address_counts_once_it_is_confirmed(desk: Desk) -> None:
    client = proven(with_password("bob@acme.example"))
    client.post("/accounts/email/", {"action_add": "", "email": "robert@example.com"})
    mail = newest()
    assert mail.to == "robert@example.com"
    assert User.objects.filter(email="bob@acme.example").exists()
    text = page(client, "/accounts/email/")
    assert "Waiting for" in text
    # Looking confirms nothing, and the button may be pressed anywhere.
    assert "This is my address" in page(Client(), mail.link)
    assert User.objects.filter(email="bob@acme.example").exists()
    Client().post(mail.link)
    assert User.objects.filter(email="robert@example.com").exists()
    assert {one.to for one in waiting() if "changed" in one.subject} == {"bob@acme.example"}
    with_password("robert@example.com")


def test_changing_an_address_asks_who_it_is(desk: Desk) -> None:
    client = with_password("bob@acme.example")
    response = client.post("/accounts/email/", {"action_add": "", "email": "r@example.com"})
    place = response.headers["Location"]
    assert place.startswith("/accounts/reauthenticate/")
    assert "Is it you?" in page(client, place)
    assert client.post(place, {"password": "wrong"}).status_code == 200
    assert waiting() == []
    # What was asked for goes on from there.
    client.post(place, {"password": "correct horse"})
    assert newest().to == "r@example.com"
    with time_machine.travel(clock.now() + timedelta(minutes=10)):
        again = client.post("/accounts/email/", {"action_add": "", "email": "q@example.com"})
        assert again.headers["Location"].startswith("/accounts/reauthenticate/")


def test_an_address_of_somebody_is_not_taken_over(desk: Desk) -> None:
    client = proven(with_password("bob@acme.example"))
    free = client.post("/accounts/email/", {"action_add": "", "email": "free@example.com"})
    taken = client.post("/accounts/email/", {"action_add": "", "email": "alice@acme.example"})
    assert (free.status_code, free.headers.get("Location")) == (
        taken.status_code,
        taken.headers.get("Location"),
    )
    assert newest().to == "alice@acme.example"
    Client().post(newest().link)
    assert User.objects.filter(email="bob@acme.example").exists()
    with_password("alice@acme.example")


@pytest.mark.parametrize(
    "path", ["/account/details", "/account/sign-out-elsewhere", "/account/tokens"]
)
def test_nobody_acts_signed_out_or_by_get(desk: Desk, path: str) -> None:
    response = Client().post(path, {})
    assert response.headers["Location"] == "/accounts/login/?next=/account"
    assert signed_in(desk, "bob").get(path).status_code == 405
    forged = Client(enforce_csrf_checks=True)
    forged.force_login(desk.people["bob"].user, "django.contrib.auth.backends.ModelBackend")
    assert forged.post(path, {}).status_code == 403


def test_a_page_costs_the_same_however_many(desk: Desk, django_assert_max_num_queries: Any) -> None:
    client = signed_in(desk, "bob")
    for number in range(20):
        make_token(client, desk, f"script {number}")
    with django_assert_max_num_queries(8):
        page(client, "/account")
