"""What every request gets, and what machine calls are spared."""

import re

import pytest
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.test import Client
from django.urls import include, path
from django.utils import timezone, translation


def _say_what_is_there(request: HttpRequest) -> HttpResponse:
    return JsonResponse(
        {
            "attributes": [
                name for name in ("session", "user", "csp_nonce") if hasattr(request, name)
            ],
            "language": translation.get_language(),
            "zone": timezone.get_current_timezone_name(),
        }
    )


def _fail(_request: HttpRequest) -> HttpResponse:
    raise RuntimeError("meant")


def _leave_traces(_request: HttpRequest) -> HttpResponse:
    translation.activate("de")
    timezone.activate("Asia/Tokyo")
    return HttpResponse("ok")


urlpatterns = [
    path("api/v1/look", _say_what_is_there),
    path("api/v1/fail", _fail),
    path("healthz", _say_what_is_there),
    path("page", _say_what_is_there),
    path("traces", _leave_traces),
    # The pages of refusals link to these.
    path("", include("stuckbot.site.pages.urls")),
    path("accounts/", include("allauth.account.urls")),
]
pytestmark = pytest.mark.urls(__name__)


@pytest.mark.parametrize("address", ["/api/v1/look", "/healthz", "/page", "/nowhere", "/api/none"])
def test_it_gives_every_answer_a_new_request_id(client: Client, address: str) -> None:
    ids = {client.get(address).headers["X-Request-Id"] for _ in range(2)}
    assert len(ids) == 2
    assert all(re.fullmatch(r"req_[0-9a-f]{16}", one) for one in ids)


def test_it_gives_a_failure_a_request_id_too() -> None:
    answer = Client(raise_request_exception=False).get("/api/v1/fail")
    assert answer.status_code == 500
    assert answer.headers["X-Request-Id"].startswith("req_")


@pytest.mark.parametrize("address", ["/api/v1/look", "/healthz"])
def test_it_spares_machine_calls_what_only_pages_need(client: Client, address: str) -> None:
    answer = client.get(address)
    assert answer.json()["attributes"] == []
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Length"] == str(len(answer.content))
    assert not answer.cookies
    assert not {"Vary", "Content-Security-Policy", "Content-Language"} & set(answer.headers)


def test_it_gives_pages_all_of_it(client: Client) -> None:
    answer = client.get("/page")
    assert answer.json()["attributes"] == ["session", "user", "csp_nonce"]
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert answer.headers["Referrer-Policy"] == "same-origin"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_it_refuses_a_forged_form() -> None:
    assert Client(enforce_csrf_checks=True).post("/page").status_code == 403
    assert Client(enforce_csrf_checks=True).post("/api/v1/look").status_code == 200


def test_it_forgets_the_language_and_zone_of_the_last_reader(client: Client) -> None:
    client.get("/traces")
    seen = client.get("/api/v1/look").json()
    assert (seen["language"], seen["zone"]) == ("en", "UTC")


def test_it_never_sends_a_machine_call_elsewhere(client: Client, settings: object) -> None:
    settings.SECURE_SSL_REDIRECT = True  # type: ignore[attr-defined]
    fresh = Client()
    assert fresh.get("/page").status_code == 301
    assert fresh.get("/api/v1/look").status_code == 200
