"""Verifier keys in the admin: added and revoked through the services, a private key sent nowhere."""

from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from stuckbot.lib.models import Audit
from tests.admin.test_admin import SURE, stored
from tests.support import Desk
from tests.verification.signed import Signer
from verification.models import VerifierKey

ADD = "/admin/verification/verifierkey/add/"


@pytest.fixture
def operator(db: None) -> Client:
    client = Client()
    user = User.objects.create_superuser("root@example.com", "correct horse")
    client.force_login(user, "django.contrib.auth.backends.ModelBackend")
    return client


def add(operator: Client, desk: Desk, pem: str) -> Any:
    values = {"org": str(desk.org.id), "name": "CI", "pem": pem}
    return operator.post(ADD, values)


def test_a_key_is_added_and_revoked_after_a_question(operator: Client, desk: Desk) -> None:
    signer = Signer()
    assert add(operator, desk, signer.pem).status_code == 302
    row = VerifierKey.objects.of(desk.org.id).get()
    assert row.fingerprint == signer.fingerprint
    page = f"/admin/verification/verifierkey/{row.id}/"
    assert "Revoke this key" in operator.get(f"{page}change/").content.decode()
    assert "Are you sure?" in operator.post(f"{page}revoke/").content.decode()
    assert VerifierKey.objects.of(desk.org.id).get().revoked_at is None
    assert operator.post(f"{page}revoke/", SURE).status_code == 302
    assert VerifierKey.objects.of(desk.org.id).get().revoked_at is not None
    assert "Revoke this key" not in operator.get(f"{page}change/").content.decode()
    acts = Audit.objects.of(desk.org.id).order_by("no").values_list("action", flat=True)
    assert list(acts)[-2:] == ["verifier_key_added", "verifier_key_revoked"]


def test_a_private_key_is_neither_kept_nor_sent_back(operator: Client, desk: Desk) -> None:
    private = Signer().private_pem()
    body = private.splitlines()[1]
    response = add(operator, desk, private)
    shown = response.content.decode()
    assert response.status_code == 200
    assert "Treat it as leaked" in shown
    assert body not in shown
    assert not stored(body)


def test_a_private_key_pasted_as_a_name_is_not_sent_back(operator: Client, desk: Desk) -> None:
    private = Signer().private_pem().replace("\n", "")
    sent = {"org": str(desk.org.id), "name": private, "pem": Signer().pem}
    shown = operator.post(ADD, sent).content.decode()
    assert "errornote" in shown
    assert private[30:70] not in shown
    assert not stored(private[30:70])


def test_a_key_that_is_there_is_said_to_be(operator: Client, desk: Desk) -> None:
    signer = Signer()
    add(operator, desk, signer.pem)
    assert "there already, as CI" in add(operator, desk, signer.pem).content.decode()
    row = VerifierKey.objects.of(desk.org.id).get()
    operator.post(f"/admin/verification/verifierkey/{row.id}/revoke/", SURE)
    assert "revoked, for good" in add(operator, desk, signer.pem).content.decode()
