"""The keys of an org's own verifiers on the policy page: who adds and revokes, what is refused."""

import logging
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import PrivateFormat
from django.contrib.sessions.models import Session
from django.test import Client

from accounts.models import User
from accounts.selectors import caller_of_membership
from accounts.services.orgs import member_add
from accounts.states import Role
from stuckbot.lib import clock
from stuckbot.lib.errors import Unavailable
from stuckbot.lib.models import Audit
from stuckbot.site.pages import verifiers
from tests.pages.test_people import key, page, signed_in
from tests.pages.test_policy import forms_of
from tests.support import Desk, make_desk
from tests.verification.signed import Signer
from verification.models import VerifierKey
from verification.services.keys import key_add

ADD = "/policy/verifiers/add"


@pytest.fixture
def dora(desk: Desk) -> str:
    user = User.objects.create_user("dora@acme.example", "correct horse")
    desk.people["dora"] = member_add(org=desk.org, user=user, role=Role.ADMIN, now=clock.now())
    return "dora"


def rows(desk: Desk) -> list[VerifierKey]:
    return list(VerifierKey.objects.of(desk.org.id).order_by("added_at", "id"))


def put(desk: Desk, person: str = "alice", name: str = "CI runner") -> VerifierKey:
    alice = caller_of_membership(desk.people[person])
    return key_add(actor=alice, name=name, pem=Signer().pem, now=clock.now())


def revoke(row: VerifierKey) -> str:
    return f"/policy/verifiers/{row.fingerprint}/revoke"


@pytest.mark.parametrize("name", ["alice", "dora"])
def test_owners_and_admins_add_and_revoke(desk: Desk, dora: str, name: str) -> None:
    client, signer = signed_in(desk, name), Signer()
    text = page(client, "/policy")
    assert "There is none yet." in text
    words = f"Wrote key.pem. The public key:\n{signer.pem}\nIts fingerprint is {signer.fingerprint}"
    sent = {"name": " CI runner ", "pem": words, "key": key(text)}
    response = client.post(ADD, sent)
    assert (response.status_code, response.headers["Location"]) == (303, "/policy#verifiers")
    text = page(client, "/policy")
    assert "CI runner is one of your verifiers now." in text
    assert signer.fingerprint in text
    assert f"by <bdi>{name}</bdi>" in text
    [row] = rows(desk)
    assert (row.name, row.fingerprint, row.revoked_at) == ("CI runner", signer.fingerprint, None)
    response = client.post(revoke(row), {"key": key(text)})
    assert (response.status_code, response.headers["Location"]) == (303, "/policy#verifiers")
    text = page(client, "/policy")
    assert "The key is revoked." in text
    assert "1 revoked key" in text
    assert "None is trusted now." in text
    assert "Revoke the key" not in text
    actions = Audit.objects.of(desk.org.id).filter(action__startswith="verifier_key")
    assert [one.actor_id for one in actions.order_by("no")] == [desk.people[name].actor_id] * 2


@pytest.mark.parametrize("name", ["bob", "carol"])
def test_members_and_viewers_read_only(desk: Desk, name: str) -> None:
    row, client = put(desk), signed_in(desk, name)
    text = page(client, "/policy")
    assert row.fingerprint in text
    assert "An owner or admin adds and revokes them." in text
    assert [one for one in forms_of(text) if "pause" not in one] == []
    assert client.post(ADD, {"name": "Mine", "pem": Signer().pem}).status_code == 403
    assert client.post(revoke(row)).status_code == 403
    assert [one.revoked_at for one in rows(desk)] == [None]


@pytest.mark.parametrize("form", [PrivateFormat.PKCS8, PrivateFormat.TraditionalOpenSSL])
def test_a_private_key_is_refused_and_kept_nowhere(
    desk: Desk, form: PrivateFormat, caplog: Any
) -> None:
    client, pem = signed_in(desk, "alice"), Signer().private_pem(form)
    caplog.set_level(logging.DEBUG)
    for sent in ({"name": "CI runner", "pem": pem}, {"name": "", "pem": f"Here:\n{pem}"}):
        response = client.post(ADD, sent)
        text = response.content.decode()
        assert response.status_code == 422
        assert "This is a private key. Treat it as leaked" in text
        assert pem.splitlines()[1] not in text
        assert f'name="name" value="{sent["name"]}"' in text or not sent["name"]
    assert rows(desk) == []
    assert pem.splitlines()[1] not in caplog.text
    kept = [one.get_decoded() for one in Session.objects.all()]
    assert pem.splitlines()[1] not in repr(kept)


@pytest.mark.parametrize("most", [80, 10_000])
def test_a_private_key_pasted_as_a_name_is_not_shown_again(desk: Desk, most: int) -> None:
    signer = Signer()
    name = signer.private_pem().replace("\n", "")[:most]
    response = signed_in(desk, "alice").post(ADD, {"name": name, "pem": signer.pem})
    text = response.content.decode()
    assert response.status_code == 422
    assert name[30:70] not in text
    assert signer.pem.splitlines()[1] in text
    assert rows(desk) == []


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({}, "This field is required"),
        ({"name": "CI", "pem": "no key"}, "Paste one public key as PEM"),
        ({"name": "CI", "pem": Signer().pem * 2}, "There are several keys here"),
        ({"name": "C\u202eI", "pem": Signer().pem}, "none that turn the text direction"),
        ({"name": "x" * 81, "pem": Signer().pem}, "80 characters"),
        ({"name": "CI", "pem": "x" * 50_000}, "40000 characters"),
    ],
)
def test_nonsense_is_refused(desk: Desk, sent: dict[str, str], words: str) -> None:
    response = signed_in(desk, "alice").post(ADD, sent)
    assert response.status_code == 422
    text = response.content.decode()
    assert words in text
    assert "No key was added." in text
    assert rows(desk) == []


def test_a_key_that_is_there_already_stays_and_a_revoked_one_is_refused(desk: Desk) -> None:
    client, signer = signed_in(desk, "alice"), Signer()
    sent = {"name": "CI runner", "pem": signer.pem}
    for number in range(3):
        assert client.post(ADD, sent | {"key": f"key-{number}"}).status_code == 303
    [row] = rows(desk)
    for number in range(2):
        assert client.post(revoke(row), {"key": f"key-{number}"}).status_code == 303
    response = client.post(ADD, sent | {"key": "again"})
    assert response.status_code == 409
    assert "This key was revoked, for good." in response.content.decode()
    [row] = rows(desk)
    assert row.revoked_at is not None


def test_another_orgs_key_is_not_there(desk: Desk, other: Desk) -> None:
    row, client = put(other, "mallory"), signed_in(desk, "alice")
    assert row.fingerprint not in page(client, "/policy")
    assert client.post(revoke(row)).status_code == 404
    assert client.post("/policy/verifiers/nonsense/revoke").status_code == 404
    assert [one.revoked_at for one in rows(other)] == [None]


def test_it_adds_to_the_org_that_was_shown(desk: Desk) -> None:
    second = make_desk("Second", {"alice": Role.OWNER}, like=desk)
    client = signed_in(desk, "alice")
    text = page(client, f"/policy?org={second.org.id}")
    assert f'action="{ADD}?org={second.org.id}#verifiers"' in text
    page(client, f"/policy?org={desk.org.id}")
    sent = {"name": "CI runner", "pem": Signer().pem}
    client.post(f"{ADD}?org={second.org.id}", sent)
    assert (len(rows(desk)), len(rows(second))) == (0, 1)


def test_it_acts_by_post_alone_and_for_who_is_signed_in(desk: Desk) -> None:
    assert signed_in(desk, "alice").get(ADD).status_code == 405
    response = Client().post(ADD, {"name": "CI", "pem": Signer().private_pem()})
    assert response.headers["Location"] == "/accounts/login/?next=/policy"


def test_many_keys_take_no_more_statements(desk: Desk, django_assert_max_num_queries: Any) -> None:
    for number in range(30):
        put(desk, name=f"Verifier {number}")
    client = signed_in(desk, "alice")
    with django_assert_max_num_queries(12):
        text = page(client, "/policy")
    assert text.count("Revoke the key") == 30


def test_a_busy_desk_says_so(desk: Desk, monkeypatch: Any) -> None:
    row, client = put(desk), signed_in(desk, "alice")

    def busy(**_given: Any) -> None:
        raise Unavailable("Others are changing the same thing right now. Try again.")

    monkeypatch.setattr(verifiers, "key_revoke", busy)
    monkeypatch.setattr(verifiers, "key_add", busy)
    for path, sent in ((revoke(row), {}), (ADD, {"name": "CI", "pem": Signer().pem})):
        response = client.post(path, sent)
        assert response.status_code == 503
        assert "Try again." in response.content.decode()
