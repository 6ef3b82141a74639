"""The admin under addresses that nobody's link leads to."""

from typing import Any

import pytest
from django.contrib import admin
from django.db import models
from django.test import Client
from django_q.models import Success

import stuckbot.urls
from accounts.models import Token, User
from policy.models import Policy
from stuckbot.lib.admin import Careful
from tests.support import Desk
from tickets.models import Ticket

LISTED = sorted(admin.site._registry, key=lambda model: model._meta.label)
TIMES = ("DateTimeField", "DateField")
VALUES = ("0", "\x00", "9" * 40)


@pytest.fixture
def operator(db: None) -> Client:
    client = Client(raise_request_exception=False)
    user = User.objects.create_superuser("root@example.com", "correct horse")
    client.force_login(user, "django.contrib.auth.backends.ModelBackend")
    return client


def address(model: type[models.Model]) -> str:
    return f"/admin/{model._meta.app_label}/{model._meta.model_name}/"


def test_every_list_is_a_careful_one() -> None:
    assert stuckbot.urls.urlpatterns
    assert [row for row in admin.site._registry.values() if not isinstance(row, Careful)] == []


@pytest.mark.parametrize("model", LISTED, ids=str)
def test_no_address_makes_a_list_stumble(
    operator: Client, desk: Desk, model: type[models.Model]
) -> None:
    times = [one.name for one in model._meta.concrete_fields if one.get_internal_type() in TIMES]
    for name in ("q", "o", "p", "id", "nothing__at__all", *(f"{time}__year" for time in times)):
        for value in VALUES:
            status = operator.get(address(model), {name: value}).status_code
            assert status in (200, 302, 400), (name, value)


@pytest.mark.parametrize(
    "query",
    [
        "accounts/user/?password__startswith=a",
        "accounts/user/?session_mark__startswith=a",
        "accounts/token/?sha256__startswith=a",
        "accounts/token/?membership__user__password__startswith=a",
        "accounts/membership/?user__password__startswith=a",
        "accounts/invitation/?token_sha256__startswith=a",
        "core/mail/?letter__startswith=a",
    ],
)
def test_what_no_page_shows_cannot_be_asked_for(operator: Client, desk: Desk, query: str) -> None:
    assert operator.get(f"/admin/{query}").status_code == 400


def test_the_queue_is_only_looked_at(operator: Client) -> None:
    for path in ("django_q/ormq/add/", "django_q/success/add/", "django_q/failure/add/"):
        assert operator.post(f"/admin/{path}", {"key": "x"}).status_code == 403
    assert "Save" not in operator.get("/admin/django_q/ormq/").content.decode()


@pytest.mark.parametrize("key", ["x", "1' OR 1=1", "\x00", "9" * 40, ""])
@pytest.mark.parametrize("model", [Ticket, Token, Policy, Success], ids=str)
def test_an_action_names_rows_that_can_be(operator: Client, model: Any, key: str) -> None:
    sent = {"action": "delete_selected", "_selected_action": key, "sure": "yes"}
    assert operator.post(address(model), sent).status_code in (200, 302, 400)


def test_nothing_kept_is_deleted_by_an_action(operator: Client, desk: Desk) -> None:
    for row in (desk.org, desk.connector, desk.people["bob"], desk.people["bob"].user):
        sent = {"action": "delete_selected", "_selected_action": str(row.pk), "post": "yes"}
        operator.post(address(type(row)), sent)
        assert type(row)._base_manager.filter(pk=row.pk).exists()


def test_passwords_change_in_one_place(operator: Client) -> None:
    for call in (operator.get, operator.post):
        answer = call("/admin/password_change/")
        assert answer.headers["Location"] == "/accounts/password/change/"
