"""Choosing what is mailed, on the account page and through the link in a mail."""

from typing import Any

import pytest
from django.test import Client

from accounts.models import Membership
from accounts.services.notices import unsubscribe_token
from tests.lib.smtp import MailServer
from tests.notices.house import mail_to, submitted, swept, told
from tests.pages.test_people import page, signed_in
from tests.support import Api, Desk, make_desk


def choice(desk: Desk, name: str = "bob") -> str:
    return str(Membership.objects.of(desk.org.id).get(id=desk.people[name].id).notices)


def choose(client: Client, desk: Desk, value: str, name: str = "bob") -> Any:
    return client.post(f"/account/notices/{desk.people[name].id}", {"notices": value})


@pytest.mark.parametrize("value", ["all", "assigned", "daily", "none"])
def test_a_member_chooses(desk: Desk, value: str) -> None:
    client = signed_in(desk, "bob")
    assert choose(client, desk, value).status_code == 303
    assert choice(desk) == value
    text = page(client, "/account")
    assert text.count("checked") == 1
    assert f'value="{value}"' in text.split("checked")[0].rsplit("<input", 1)[1]
    assert choice(desk, "alice") == "all"


@pytest.mark.parametrize("value", ["", "sometimes", "ALL"])
def test_it_takes_no_other_choice(desk: Desk, value: str) -> None:
    assert choose(signed_in(desk, "bob"), desk, value).status_code == 404
    assert choice(desk) == "all"


def test_nobody_chooses_for_another(desk: Desk, other: Desk) -> None:
    assert choose(signed_in(desk, "alice"), desk, "none").status_code == 404
    assert choose(signed_in(other, "mallory"), desk, "none").status_code == 404
    assert choose(Client(), desk, "none").status_code == 302
    assert choice(desk) == "all"


def test_a_member_of_two_orgs_chooses_for_each(desk: Desk) -> None:
    twin = make_desk("Twin", {"bob": desk.people["bob"].role}, like=desk)  # type: ignore[dict-item]
    client = signed_in(desk, "bob")
    choose(client, twin, "daily")
    assert (choice(desk), choice(twin)) == ("all", "daily")
    text = page(client, "/account")
    assert text.count('name="notices"') == 2 * 4
    ids = [part.split('"')[0] for part in text.split(' id="')[1:]]
    assert len(ids) == len(set(ids))


def test_a_viewer_is_told_that_there_is_nothing_to_choose(desk: Desk) -> None:
    text = page(signed_in(desk, "carol"), "/account")
    assert 'name="notices"' not in text
    assert "Viewers decide nothing" in text


def path_of(desk: Desk, name: str = "bob") -> str:
    return f"/unsubscribe/{unsubscribe_token(desk.people[name])}"


def test_a_mail_program_unsubscribes_with_one_click(
    desk: Desk, stuck: Api, solver: Api, server: MailServer
) -> None:
    submitted(desk, stuck, solver)
    swept()
    address = mail_to(server, "bob")["List-Unsubscribe"].strip(" <>")
    path = address.removeprefix("http://127.0.0.1:8000")
    program = Client(enforce_csrf_checks=True)
    reply = program.post(path, {"List-Unsubscribe": "One-Click"})
    assert reply.status_code == 200
    assert not reply.cookies
    assert choice(desk) == "none"
    assert choice(desk, "alice") == "all"
    submitted(desk, stuck, solver)
    swept()
    assert told(server) == ["alice", "alice", "bob"]


def test_opening_the_link_only_asks(desk: Desk) -> None:
    reader = Client(enforce_csrf_checks=True)
    for method in (reader.get, reader.head):
        reply = method(path_of(desk))
        assert reply.status_code == 200
        assert "no-store" in reply.headers["Cache-Control"]
    text = reader.get(path_of(desk)).content.decode()
    assert "No more mail about decisions?" in text
    assert "Acme" in text
    assert "bob@acme.example" in text
    assert choice(desk) == "all"
    done = reader.post(path_of(desk))
    assert "You get no such mail" in done.content.decode()
    assert choice(desk) == "none"
    assert reader.post(path_of(desk)).status_code == 200
    assert "You get no such mail" in reader.get(path_of(desk)).content.decode()


@pytest.mark.parametrize("method", ["put", "delete", "patch"])
def test_it_knows_no_other_method(desk: Desk, method: str) -> None:
    assert getattr(Client(), method)(path_of(desk)).status_code == 405
    assert choice(desk) == "all"


def test_it_takes_no_token_of_anothers_making(desk: Desk) -> None:
    good = path_of(desk)
    alice = str(desk.people["alice"].id)
    bad = [good[:-1], good[:-1] + "é", good + "x", f"/unsubscribe/{desk.people['bob'].id}"]
    bad.append(f"/unsubscribe/{alice}:{good.rsplit(':', 1)[1]}")
    for path in bad:
        for method in ("get", "post"):
            reply = getattr(Client(), method)(path)
            assert reply.status_code == 404
            assert "This link does not work" in reply.content.decode()
    assert choice(desk) == choice(desk, "alice") == "all"


def test_a_link_outlives_the_membership(desk: Desk) -> None:
    path = path_of(desk)
    desk.people["bob"].delete()
    for method in ("get", "post"):
        reply = getattr(Client(), method)(path)
        assert reply.status_code == 200
        assert "You get no such mail" in reply.content.decode()
        assert "Acme" not in reply.content.decode()
