"""Signing in and out with a browser, and the pages for what went wrong."""

import re

import pytest
from django.conf import settings
from django.core import mail
from django.core.cache import cache
from django.test import Client, RequestFactory

from stuckbot.site.pages.errors import server_error
from stuckbot.site.tasks import sweep
from tests.support import Desk


@pytest.fixture(autouse=True)
def _forgotten_tries(db: None) -> None:
    cache.clear()


def sign_in(client: Client, email: str, password: str) -> int:
    values = {"login": email, "password": password}
    return client.post("/accounts/login/", values).status_code


def test_it_signs_in_and_out(desk: Desk) -> None:
    client = Client()
    page = client.get("/accounts/login/").content.decode()
    assert '<html lang="en"' in page
    assert "stuckbot.css" in page
    assert "sign up" not in page.lower()
    assert sign_in(client, "Alice@acme.example", "correct horse") == 302
    assert client.get("/").status_code == 200
    assert client.post("/accounts/logout/").status_code == 302
    assert client.get("/").status_code == 302


def test_it_counts_failed_tries_in_the_shared_cache(desk: Desk) -> None:
    client = Client()
    for _ in range(5):
        assert sign_in(client, "alice@acme.example", "wrong") == 200
    response = client.post(
        "/accounts/login/", {"login": "alice@acme.example", "password": "correct horse"}
    )
    assert "Too many tries" in response.content.decode()


def test_it_lets_nobody_sign_up(db: None) -> None:
    page = Client().get("/accounts/signup/").content.decode()
    assert "Nobody signs up here" in page
    values = {"email": "x@example.com", "password1": "a long enough one"}
    values["password2"] = values["password1"]
    assert "Nobody signs up here" in Client().post("/accounts/signup/", values).content.decode()


def test_it_resets_a_password_by_mail(desk: Desk) -> None:
    client = Client()
    assert "stuckbot.css" in client.get("/accounts/password/reset/").content.decode()
    client.post("/accounts/password/reset/", {"email": "alice@acme.example"})
    assert mail.outbox == []  # the worker sends it
    sweep()
    # The test client calls the host testserver; the mail names the public address.
    place = re.escape(settings.PUBLIC_URL)
    link = re.search(rf"{place}(/accounts/password/reset/key/\S+)", str(mail.outbox[0].body))
    assert link is not None
    form = client.get(link[1], follow=True)
    path = form.redirect_chain[-1][0]
    client.post(path, {"password1": "quite another one", "password2": "quite another one"})
    assert sign_in(client, "alice@acme.example", "quite another one") == 302


@pytest.mark.parametrize(
    "path", ["/accounts/password/change/", "/accounts/email/", "/accounts/logout/"]
)
def test_it_dresses_the_other_pages_alike(path: str, desk: Desk) -> None:
    client = Client()
    client.force_login(desk.people["alice"].user, "django.contrib.auth.backends.ModelBackend")
    response = client.get(path)
    assert "stuckbot.css" in response.content.decode()


def test_it_keeps_scripts_and_frames_out(desk: Desk) -> None:
    response = Client().get("/accounts/login/")
    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe-inline" not in policy
    assert response.headers["X-Frame-Options"] == "DENY"


def test_it_speaks_one_language(db: None) -> None:
    page = Client().get("/accounts/login/", headers={"Accept-Language": "de"}).content.decode()
    assert '<html lang="en"' in page
    assert "Password" in page


def test_it_says_that_a_form_is_old(desk: Desk) -> None:
    client = Client(enforce_csrf_checks=True)
    response = client.post("/accounts/login/", {"login": "a", "password": "b"})
    assert response.status_code == 403
    assert "That page had grown old" in response.content.decode()


def test_it_owns_up_to_a_fault_without_a_database() -> None:
    request = RequestFactory().get("/")
    request.request_id = "req_12"  # type: ignore[attr-defined]
    response = server_error(request)
    assert response.status_code == 500
    assert "req_12" in response.content.decode()
