"""Whose key signed a result, where a person reads the proof."""

import json

from django.test import Client

from tests.pages.acting import signed_in
from tests.support import Desk
from tests.verification.reviewing import Review


def test_a_signed_result_names_its_key_and_that_it_was_revoked(desk: Desk, client: Client) -> None:
    review = Review(desk)
    review.decide(review.item()).ok()
    client.force_login(desk.people["carol"].user, "django.contrib.auth.backends.ModelBackend")
    pages = (f"/tickets/{review.ref}", f"/tickets/{review.ref}/proof/b1")
    for page in pages:
        shown = client.get(page).content.decode()
        assert "signed with the key <bdi>CI</bdi>" in shown
        assert review.signer.fingerprint in shown
        assert "that key was revoked" not in shown
    review.key_revoke()
    for page in pages:
        assert "that key was revoked" in client.get(page).content.decode()


def test_the_signed_results_are_had_as_a_file(desk: Desk, other: Desk) -> None:
    review = Review(desk)
    review.decide(review.item()).ok()
    client = signed_in(desk, "carol")
    place = f"/tickets/{review.ref}/signed/{review.job_id}"
    assert f'href="{place}" download' in client.get(f"/tickets/{review.ref}").content.decode()
    answer = client.get(place)
    assert answer.status_code == 200
    named = f'attachment; filename="{review.ref}-blocker.dsse.json"'
    assert answer.headers["Content-Disposition"] == named
    sent = desk.person("alice").get(f"/api/v1/verifications/{review.job_id}/attestation").ok()
    assert json.loads(answer.content)["payload"] == sent["payload"]
    assert client.get(f"/tickets/SB-99/signed/{review.job_id}").status_code == 404
    assert client.get(f"/tickets/{review.ref}/signed/{review.ticket_id}").status_code == 404
    assert signed_in(other, "mallory").get(place).status_code == 404
    assert Client().get(place).status_code == 302


def test_without_a_signature_there_is_no_file(desk: Desk) -> None:
    review = Review(desk)
    review.decide().ok()
    client = signed_in(desk, "alice")
    assert "/signed/" not in client.get(f"/tickets/{review.ref}").content.decode()
    assert client.get(f"/tickets/{review.ref}/signed/{review.job_id}").status_code == 404
