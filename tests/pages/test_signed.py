"""Whose key signed a result, where a person reads the proof."""

from django.test import Client

from tests.support import Desk
from tests.verification.reviewing import Review


def test_a_signed_result_names_its_key_and_that_it_was_revoked(desk: Desk, client: Client) -> None:
    review = Review(desk)
    review.decide(review.item()).ok()
    client.force_login(desk.people["carol"].user, "django.contrib.auth.backends.ModelBackend")
    pages = (f"/tickets/{review.ref}", f"/tickets/{review.ref}/proof/b1")
    mark = f"CI ({review.signer.fingerprint[:16]}…)"
    for page in pages:
        shown = client.get(page).content.decode()
        assert mark in shown
        assert "This key was revoked" not in shown
    review.key_revoke()
    for page in pages:
        assert "This key was revoked" in client.get(page).content.decode()
