"""Headers that stand on every page, on refusals and on redirects."""

import pytest
from django.test import Client

from tests.support import Api, Desk, file_ticket

SIGNED_IN_BY = "django.contrib.auth.backends.ModelBackend"
PAGES = (
    *("/", "/archive", "/people", "/account", "/connect", "/tickets/SB-1", "/tickets/SB-9"),
    *("/tickets/SB-1/comment", "/nowhere", "/join/x", "/admin/", "/accounts/login/"),
    *("/accounts/signup/", "/accounts/email/", "/accounts/password/change/"),
    *("/accounts/password/reset/", "/accounts/logout/", "/accounts/confirm-email/x/"),
)


@pytest.fixture
def bob(desk: Desk, stuck: Api) -> Client:
    file_ticket(stuck)
    client = Client()
    client.force_login(desk.people["bob"].user, SIGNED_IN_BY)
    return client


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_for_its_reader_alone(bob: Client, path: str) -> None:
    for client in (bob, Client()):
        for answer in (client.get(path), client.post(path), client.delete(path)):
            headers = answer.headers
            assert "private" in headers["Cache-Control"]
            assert "no-cache" in headers["Cache-Control"]
            assert "geolocation=()" in headers["Permissions-Policy"]
            assert headers["X-Frame-Options"] == "DENY"
            assert headers["X-Content-Type-Options"] == "nosniff"
            assert headers["Referrer-Policy"] == "same-origin"
            assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
            policy = headers["Content-Security-Policy"]
            assert "frame-ancestors 'none'" in policy
            assert "unsafe" not in policy


def test_a_forged_form_is_refused_with_the_same_headers(desk: Desk) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(desk.people["bob"].user, SIGNED_IN_BY)
    answer = client.post("/account/sign-out-elsewhere")
    assert answer.status_code == 403
    assert answer.headers["Cache-Control"] == "private, no-cache"


@pytest.mark.parametrize("path", ["/api/v1/tickets", "/api/v1/nothing", "/api/v1/agents/me"])
def test_no_cache_between_keeps_what_the_api_answers(stuck: Api, path: str) -> None:
    for token in (stuck.token, "sba_wrong"):
        answer = Client().get(path, headers={"Authorization": f"Bearer {token}"})
        assert answer.headers["Cache-Control"] == "private, no-cache"


def test_what_is_the_same_for_everybody_may_be_kept() -> None:
    assert "public" in Client().get("/static/stuckbot.css").headers["Cache-Control"]
